#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# by_flang.sh FLANG FACE CORE LIBRARY FOLDER: compiles the Fortran face and its tests with LLVM's flang in FOLDER, and runs
# them on 1, 2, 3, 4 and 6 ranks. FACE and CORE are folders of C headers, LIBRARY is the folder of libdistview_c. Only
# gfortran can read MPI's module: mpif.h replaces it.
set -u
flang=$1 face=$2 core=$3 library=$4 folder=$5
tests=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
sources=$tests/../../fortran/src
rm -rf -- "$folder"
mkdir -p -- "$folder" && cd -- "$folder" || exit 1
options=(-O1 -fPIC)
# Before version 20, flang accepts assumed-rank dummies of Fortran procedures only with an option.
version=$("$flang" --version | sed -nE 's/.*version ([0-9]+).*/\1/p;T;q')
((version < 20)) && options+=(-mmlir -allow-assumed-rank)
binding=$(dirname -- "$(readlink -f -- "$(command -v "$flang")")")/../include/flang
mpif=$(for word in $(mpifort --showme:compile); do [[ $word == -I* && -e ${word#-I}/mpif.h ]] && echo "${word#-I}"; done | head -n 1)
fail() {
    echo "$1"
    echo DISTVIEW-TEST-FAILED
    exit 1
}

mpicc -c -fPIC -I"$binding" -I"$face" -I"$core" "$sources/distview_descriptors.c" || fail "distview_descriptors.c"
# The sources in the order of the build's own list.
names=$(sed -n '/^set(names$/,/)$/p' "$sources/../CMakeLists.txt" | grep -o 'distview[a-z_0-9]*')
objects=(distview_descriptors.o)
for name in $names; do
    "$flang" "${options[@]}" -c "$sources/$name.f90" -o "$name.o" || fail "$name.f90"
    objects+=("$name.o")
done
# with_mpif FILE: replaces `use mpi` by an include line, which must follow `implicit none`.
with_mpif() {
    sed -E -e '/^ *use mpi$/d' -e '0,/^ *implicit none$/s//    implicit none\n    include "mpif.h"/' "$1"
}
with_mpif "$tests/check.f90" >check.f90
"$flang" "${options[@]}" -I"$mpif" -c check.f90 -o check.o || fail check.f90
failed=0
for test in layouts addresses padding arrays elements redistribution; do
    with_mpif "$tests/test_$test.f90" >"test_$test.f90"
    "$flang" "${options[@]}" -I"$mpif" "test_$test.f90" check.o "${objects[@]}" -L"$library" -ldistview_c -Wl,-rpath,"$library" \
        -Wl,-z,execstack -lmpi_mpifh -lmpi -o "test_$test" || fail "test_$test.f90"
    for ranks in 1 2 3 4 6; do
        timeout 60 "${DISTVIEW_MPIEXEC:-mpirun}" -n "$ranks" "./test_$test" >"$test.$ranks.txt" 2>&1
        grep -q DISTVIEW-TEST-PASSED "$test.$ranks.txt" && continue
        echo "$test on $ranks ranks:"
        head -n 20 "$test.$ranks.txt"
        failed=1
    done
done
if ((failed == 0)); then echo DISTVIEW-TEST-PASSED; else echo DISTVIEW-TEST-FAILED; fi
