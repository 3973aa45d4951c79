#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# launch.sh COMMAND ARGUMENTS...: runs mpirun with a folder of its own for what it keeps while it runs.
# In the common one, Open MPI 5 names its folder by process number and refuses to start when there is
# one: an mpirun that was killed leaves its own behind, and numbers come round again.
folder=$(mktemp -d "${TMPDIR:-/tmp}/launch.XXXXXX") || exit
if [ -z "${PRTE_MCA_prte_tmpdir_base:-}" ]; then
    export PRTE_MCA_prte_local_tmpdir_base="$folder"
fi
"$@"
status=$?
rm -rf "$folder"
exit $status
