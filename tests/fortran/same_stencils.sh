#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# same_stencils.sh BY_HAND WITH_PLAN: both programs must give equal bits on all numbers of ranks, and the program with a plan
# must have at least 70 % fewer lines between "begin" and "end".
set -u
by_hand=$1 with_plan=$2
folder=$(dirname -- "${BASH_SOURCE[0]}")
failed=0

fail() {
    echo "$1"
    failed=1
}
lines() { sed -n '/! begin$/,/! end$/p' "$folder/$1" | grep -cv '^ *\(!.*\)*$'; }
digest() { timeout 60 "${DISTVIEW_MPIEXEC:-mpirun}" -n "$1" "$2" 31 23 20 | sed -n 's/^digest \([0-9A-F]*\) .*/\1/p'; }

own=$(lines stencil_by_hand.f90)
ours=$(lines stencil_with_plan.f90)
echo "lines for the exchange: $own by hand, $ours with a plan"
((own > 100 && 10 * ours <= 3 * own)) || fail "expected 70 % less"
expected=$(digest 1 "$by_hand")
[[ -n $expected ]] || fail "no digest"
for ranks in 1 2 3 4 6; do
    for program in "$by_hand" "$with_plan"; do
        got=$(digest $ranks "$program")
        [[ $got == "$expected" ]] || fail "$program on $ranks ranks: expected $expected, got $got"
    done
done
if ((failed == 0)); then echo DISTVIEW-TEST-PASSED; else echo DISTVIEW-TEST-FAILED; fi
