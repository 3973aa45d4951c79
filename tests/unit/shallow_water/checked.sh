#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# checked.sh PROGRAM FILES ARGUMENTS...: every mode and exchange must read only valid padding. With
# DISTVIEW_CHECK=padding PROGRAM must print no error on 1 and 2 ranks, and its digests must equal
# those of a run without the check. With FILES 1 also in a run that continues from a checkpoint.
set -u
program=$1 files=$2
shift 2
folder=$(mktemp -d "${TMPDIR:-/tmp}/checked.XXXXXX")
trap 'rm -rf "$folder"' EXIT
failed=0

# digests RANKS ARGUMENTS...: prints the digests of h, u and v for all reported steps; after a failure, the messages.
digests() {
    local ranks=$1
    shift
    if timeout 60 "${DISTVIEW_MPIEXEC:-mpirun}" -n "$ranks" "$program" "$@" --json "$folder/report.json" >"$folder/said" 2>&1; then
        grep -o '"digest": "[0-9a-f]*"' "$folder/report.json" | cut -d'"' -f4 | tr '\n' ' '
    else
        cat "$folder/said" >&2
    fi
}
# compare EXPECTED FOUND WHAT
compare() {
    if [[ -z $1 || $1 != "$2" ]]; then
        printf '%s: got\n%s\nexpected\n%s\n' "$3" "$2" "$1"
        failed=1
    fi
}

for options in "--exchanges literal" "--exchanges literal --mode P" "--mode P" "--mode C" "--deep 2"; do
    for ranks in 1 2; do
        # shellcheck disable=SC2206
        all=("$@" $options)
        expected=$(digests "$ranks" "${all[@]}" --steps 6 --report-steps 6)
        compare "$expected" "$(DISTVIEW_CHECK=padding digests "$ranks" "${all[@]}" --steps 6 --report-steps 6)" "$options, $ranks ranks"
        if ((files)); then
            digests "$ranks" "${all[@]}" --steps 3 --checkpoint "$folder/run.h5" >/dev/null
            compare "$expected" "$(DISTVIEW_CHECK=padding digests "$ranks" "${all[@]}" --steps 6 --report-steps 6 \
                --restart "$folder/run.h5")" "$options, $ranks ranks, from a checkpoint"
        fi
    done
done
if ((failed == 0)); then echo DISTVIEW-TEST-PASSED; else echo DISTVIEW-TEST-FAILED; fi
