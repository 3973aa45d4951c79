#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# same_digests.sh FORTRAN CXX: both programs of the shallow-water model (the C++ one with --exchanges literal) must give
# equal digests of h, u and v on five process grids, in both modes. An unstable run of the Fortran program must fail.
set -u
fortran=$1 cxx=$2
failed=0

# digests RANKS COMMAND...: prints one digest a line, by step and field.
digests() {
    local ranks=$1
    shift
    timeout 60 "${DISTVIEW_MPIEXEC:-mpirun}" -n "$ranks" "$@" --json - 2>&1 | grep -o '"digest": *"[0-9a-f]*"' | tr -d ' '
}

for grid in 1x1 2x1 1x2 3x2 1x6; do
    for mode in C P; do
        options=(--nx 61 --ny 37 --steps 9 --report-steps 0,1,9 --grid "$grid" --mode "$mode")
        ranks=$((${grid%x*} * ${grid#*x}))
        ours=$(digests "$ranks" "$fortran" "${options[@]}")
        theirs=$(digests "$ranks" "$cxx" --exchanges literal "${options[@]}")
        if (($(wc -l <<<"$ours") != 9)) || [[ $ours != "$theirs" ]]; then
            printf 'grid %s, mode %s: Fortran\n%s\nC++\n%s\n' "$grid" "$mode" "$ours" "$theirs"
            failed=$((failed + 1))
        fi
    done
done
# A channel so long that the model is unstable: the report has null for numbers that are not finite, and the program fails.
unstable=$(timeout 120 "${DISTVIEW_MPIEXEC:-mpirun}" -n 2 "$fortran" --nx 1 --ny 800001 --steps 20 --grid 2x1 --json - 2>&1)
status=$?
if ((status != 1)) || ! grep -q '"h": {"sum": null, "min": null, "max": null, "l2": null,' <<<"$unstable" ||
    ! grep -q 'error: expected finite h, u and v after step 20, got infinity or NaN' <<<"$unstable"; then
    printf 'unstable: status %s\n%s\n' "$status" "$unstable"
    failed=$((failed + 1))
fi
# A report file that cannot be written is wrong use, and reported before the run.
refused=$(timeout 60 "${DISTVIEW_MPIEXEC:-mpirun}" -n 2 "$fortran" --nx 9 --ny 9 --steps 1 --json /nowhere/report.json 2>&1)
status=$?
if ((status != 2)) || ! grep -q 'fortran_shallow_water: error: .*--json: .*/nowhere/report.json' <<<"$refused"; then
    printf 'no file for the report: status %s\n%s\n' "$status" "$refused"
    failed=$((failed + 1))
fi
# The number of processes of a grid must not overflow 32 bits.
refused=$(timeout 60 "${DISTVIEW_MPIEXEC:-mpirun}" -n 1 "$fortran" --nx 700 --ny 7000000 --steps 1 --grid 6700417x641 2>&1)
status=$?
if ((status != 2)) || ! grep -q 'error: --grid: expected as many processes as ranks, 1, got 4294967297' <<<"$refused"; then
    printf 'a large grid: status %s\n%s\n' "$status" "$refused"
    failed=$((failed + 1))
fi
# The array has enough cells for a grid of 3 x 2 processes, but not for the six of a row or column.
chosen=$(timeout 60 "${DISTVIEW_MPIEXEC:-mpirun}" -n 6 "$fortran" --nx 3 --ny 2 --steps 2 2>&1)
status=$?
if ((status != 0)); then
    printf '3 x 2 cells on 6 ranks: status %s\n%s\n' "$status" "$chosen"
    failed=$((failed + 1))
fi
refused=$(timeout 60 "${DISTVIEW_MPIEXEC:-mpirun}" -n 6 "$fortran" --nx 4 --ny 1 --steps 2 2>&1)
status=$?
if ((status != 2)) || ! grep -q 'error: no grid of 6 processes gives each process a cell: there are 1 rows and 4 columns' <<<"$refused"; then
    printf '4 x 1 cells on 6 ranks: status %s\n%s\n' "$status" "$refused"
    failed=$((failed + 1))
fi
usage=$(timeout 60 "${DISTVIEW_MPIEXEC:-mpirun}" -n 2 "$fortran" --nx 9 --help 2>&1)
status=$?
if ((status != 0)) || (($(grep -c '^Usage: mpirun -n RANKS fortran_shallow_water' <<<"$usage") != 1)); then
    printf 'help: status %s\n%s\n' "$status" "$usage"
    failed=$((failed + 1))
fi
if ((failed == 0)); then echo DISTVIEW-TEST-PASSED; else echo DISTVIEW-TEST-FAILED; fi
