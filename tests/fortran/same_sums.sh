#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# same_sums.sh FORTRAN CXX: both programs of the parallel transposition must find equal sums of the result on five process
# grids, with and without the old C; for a matrix of 7 x 7 the sums must also equal the reference's.
set -u
fortran=$1 cxx=$2
failed=0

# sums RANKS COMMAND...: the plain and the weighted sum of a run that has passed its own check.
sums() {
    local ranks=$1
    shift
    timeout 60 "${DISTVIEW_MPIEXEC:-mpirun}" -n "$ranks" "$@" --trials 1 --json - 2>&1 | grep -oE '"(w?sum_2p30|passed)": *[-a-z0-9]+' | tr -d ' ' | sort
}
expect() {
    if [[ $1 != "$2" ]]; then
        printf '%s: got\n%s\nexpected\n%s\n' "$3" "$1" "$2"
        failed=$((failed + 1))
    fi
}

reference=$'"passed":true\n"sum_2p30":1627343106\n"wsum_2p30":32597268290'
expect "$(sums 1 "$fortran" --n 7 --nb 2 --grid 1x1)" "$reference" "7 x 7"
for grid in 1x1 2x1 1x2 3x2 2x3; do
    ranks=$((${grid%x*} * ${grid#*x}))
    for options in "--m 57 --n 130 --mb 4 --nb 7 --beta -2 --seed-a 1" "--n 64 --nb 8 --beta 0"; do
        # shellcheck disable=SC2086
        theirs=$(sums "$ranks" "$cxx" $options --grid "$grid")
        if (($(wc -l <<<"$theirs") != 3)); then expect "$theirs" "three lines" "the C++ program, $grid $options"; fi
        # shellcheck disable=SC2086
        expect "$(sums "$ranks" "$fortran" $options --grid "$grid")" "$theirs" "grid $grid, $options"
    done
done
timeout 60 "${DISTVIEW_MPIEXEC:-mpirun}" -n 2 "$fortran" --n none > /dev/null 2>&1
expect $? 2 "status of wrong use"
expect "$(timeout 60 "${DISTVIEW_MPIEXEC:-mpirun}" -n 2 "$fortran" --n 7 --json /nowhere/report.json 2>&1 |
    grep -c 'fortran_ptrans: error: .*--json: .*/nowhere/report.json')" 1 "a report that cannot be written"
expect "$(timeout 60 "${DISTVIEW_MPIEXEC:-mpirun}" -n 2 "$fortran" --help 2>&1 | grep -c '^Usage: mpirun -n RANKS fortran_ptrans')" 1 "help"
# The number of processes of a grid must not overflow: 2^32 + 5 is not five.
expect "$(timeout 60 "${DISTVIEW_MPIEXEC:-mpirun}" -n 5 "$fortran" --grid 3x1431655767 2>&1 |
    grep -c 'fortran_ptrans: error: --grid: expected as many processes as ranks, 5, got 4294967301')" 1 "a large grid"
timeout 60 "${DISTVIEW_MPIEXEC:-mpirun}" -n 5 "$fortran" --grid 3x1431655767 >/dev/null 2>&1
expect $? 2 "status of a large grid"
for beta in 2,5 / "2 5" "3*1" nan inf 1e999 ""; do
    timeout 60 "${DISTVIEW_MPIEXEC:-mpirun}" -n 1 "$fortran" --n 7 --beta "$beta" >/dev/null 2>&1
    expect $? 2 "status of --beta $beta"
done
expect "$(timeout 60 "${DISTVIEW_MPIEXEC:-mpirun}" -n 1 "$fortran" --n 7 --trials 1 --beta -2.5e-123 --json - 2>&1 | grep -o '"beta": [^,]*')" \
    '"beta": -2.5000000000000001E-123' "a number of JSON"
if ((failed == 0)); then echo DISTVIEW-TEST-PASSED; else echo DISTVIEW-TEST-FAILED; fi
