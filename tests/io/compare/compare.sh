#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# compare.sh COMPARE MODEL: exit statuses and output of distview-compare for films of the shallow-water model MODEL.
set -u
compare=$1 model=$2
folder=$(mktemp -d "${TMPDIR:-/tmp}/compare.XXXXXX")
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
failed=0
fail() {
    echo "$*"
    failed=1
}
film() { # RANKS FILE ARGUMENTS...
    local ranks=$1 file=$2
    shift 2
    timeout 60 "${DISTVIEW_MPIEXEC:-mpirun}" -n "$ranks" "$model" --nx 24 --ny 16 --steps 4 --movie "$file" --movie-every 1 "$@" >log 2>&1 ||
        fail "$file was not written: $(cat log)"
}
expect() { # STATUS PATTERN COMMAND...
    local status=$1 pattern=$2 output found
    shift 2
    output=$("$@" 2>&1)
    found=$?
    if ((found != status)) || ! grep -qE -e "$pattern" <<<"$output"; then
        fail "expected status $status and '$pattern' of $*, got $found:"$'\n'"$output"
    fi
}
"$model" --nx 4 --ny 4 --steps 0 --movie probe.vtkhdf >log 2>&1
if grep -q 'expected a build with HDF5' log; then # unit tests compare .npy files
    expect 2 'No such file' "$compare" none.npy none.npy
else
    film 1 c1.vtkhdf
    film 3 c3.vtkhdf --grid 1x3
    film 1 p1.vtkhdf --mode P
    film 4 p4.vtkhdf --mode P --grid 2x2
    expect 0 '^h: the same, 1920 elements$' "$compare" c1.vtkhdf c3.vtkhdf --bits
    expect 0 '^u: the same, 1920 elements$' "${DISTVIEW_MPIEXEC:-mpirun}" -n 3 "$compare" c1.vtkhdf c3.vtkhdf
    expect 1 '^v: [0-9]+ of 1920 differ, first in step [1-4] \(time [0-9.]+\) at \([0-9]+, [0-9]+\): ' \
        "$compare" p1.vtkhdf p4.vtkhdf --no-attributes
    expect 1 "^attribute 'grid': '1x1' / '2x2'" "${DISTVIEW_MPIEXEC:-mpirun}" -n 2 "$compare" p1.vtkhdf p4.vtkhdf
    expect 0 '^v: the same' "$compare" p1.vtkhdf p4.vtkhdf --no-attributes --absolute 1
    expect 1 '^$' "$compare" p1.vtkhdf p4.vtkhdf --quiet
    expect 2 "expected to read 'none.vtkhdf', got 'No such file or directory'" "${DISTVIEW_MPIEXEC:-mpirun}" -n 2 "$compare" c1.vtkhdf none.vtkhdf
    expect 2 'got both' "$compare" c1.vtkhdf c3.vtkhdf --bits --absolute 1
    expect 2 '--help lists the options' "$compare" c1.vtkhdf
    expect 0 'Exit status: 0 the same' "$compare" --help
fi
if ((failed == 0)); then echo DISTVIEW-TEST-PASSED; else echo DISTVIEW-TEST-FAILED; fi
