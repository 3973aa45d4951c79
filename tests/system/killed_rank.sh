#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# killed_rank.sh RUNS RANKS PROGRAM: kills one of RANKS, at another moment each time; the others must say that it
# ended, with its number, in RUNS runs with one transport after the other. Skipped where MPI does not survive it.
runs=$1
ranks=$2
program=$3
if ! mpirun --with-ft ulfm -n 1 true >/dev/null 2>&1; then
    echo "DISTVIEW-TEST-SKIPPED: this mpirun has no --with-ft ulfm"
    exit 0
fi
failed=0
run=0
while [ "$run" -lt "$runs" ]; do
    case $((run % 3)) in
    0) how=direct ;;
    1) how=packed ;;
    2) how=message ;;
    esac
    output=$(timeout 30 mpirun --with-ft ulfm -n "$ranks" "$program" $((run * 97 + ranks)) $how 2>&1)
    survivors=$(printf '%s\n' "$output" | grep -c '^survived')
    if [ "$survivors" -ne $((ranks - 1)) ]; then
        echo "run $run, $how: $survivors of $((ranks - 1)) survivors say who ended:"
        printf '%s\n' "$output"
        failed=$((failed + 1))
    fi
    run=$((run + 1))
done
if [ "$failed" -eq 0 ]; then echo DISTVIEW-TEST-PASSED; else echo DISTVIEW-TEST-FAILED; fi
