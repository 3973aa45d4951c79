#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# same_output.sh JAVA C: on 1 to 4 ranks examples/java/Heat.java must print, after its line on daxpy, the output of
# examples/c/heat.c.
set -u
java=$1 c=$2
failed=0
steps='^step +[0-9]+ +heat +[0-9.]+ +hottest +[0-9.]+$'
for ranks in 1 2 3 4; do
    ours=$(timeout 100 "${DISTVIEW_MPIEXEC:-mpirun}" -n "$ranks" "$java" 2>&1)
    theirs=$(timeout 60 "${DISTVIEW_MPIEXEC:-mpirun}" -n "$ranks" "$c" 2>&1)
    if (($(grep -cE "$steps" <<<"$ours") != 6)) || [[ $ours != "daxpy      sum 10000000000"$'\n'"$theirs" ]]; then
        printf '%s ranks: Java\n%s\nC\n%s\n' "$ranks" "$ours" "$theirs"
        failed=1
    fi
done
if ((failed == 0)); then echo DISTVIEW-TEST-PASSED; else echo DISTVIEW-TEST-FAILED; fi
