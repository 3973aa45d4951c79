#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# restart.sh PROGRAM MIDDLE LAST ARGUMENTS...: PROGRAM writes a checkpoint at step MIDDLE on 3 ranks, and continues from
# it on 1, 2, 4 and 6 ranks; the digests of step LAST must equal those of an uninterrupted run.
set -u
program=$1 middle=$2 last=$3
shift 3
folder=$(mktemp -d "${TMPDIR:-/tmp}/restart.XXXXXX")
trap 'rm -rf "$folder"' EXIT
failed=0
run() { # RANKS NAME ARGUMENTS...
    local ranks=$1 name=$2
    shift 2
    timeout 300 "${DISTVIEW_MPIEXEC:-mpirun}" -n "$ranks" "$program" "$@" --json "$folder/$name.json" >"$folder/$name.txt" 2>&1 && return
    echo "$name failed:"
    cat "$folder/$name.txt"
    failed=1
}
digests() { grep -o '"digest": "[0-9a-f]*"' "$folder/$1.json" | cut -d'"' -f4 | tr '\n' ' '; }

run 2 whole "$@" --steps "$last" --report-steps "$last"
run 3 first "$@" --steps "$middle" --checkpoint "$folder/run.h5"
expected=$(digests whole)
[[ $(wc -w <<<"$expected") == 3 ]] || failed=1
echo "in one piece on 2 ranks: $expected"
for grid in 1x1 2x1 1x2 4x1 2x2 1x4 3x2 2x3 6x1; do
    ranks=$((${grid/x/*}))
    run "$ranks" "$grid" "$@" --grid "$grid" --steps "$last" --report-steps "$last" --restart "$folder/run.h5"
    found=$(digests "$grid")
    echo "from step $middle, grid $grid: $found"
    [[ $found == "$expected" ]] || failed=1
done
if ((failed == 0)); then echo DISTVIEW-TEST-PASSED; else echo DISTVIEW-TEST-FAILED; fi
