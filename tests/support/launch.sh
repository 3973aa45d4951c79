#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# launch.sh COMMAND ARGUMENTS...: runs mpirun with its own folder for temporary files. In the common
# folder, Open MPI 5 names its subfolder by process number and refuses to start if that name exists:
# a killed mpirun leaves its subfolder behind, and process numbers are reused.
folder=$(mktemp -d "${TMPDIR:-/tmp}/launch.XXXXXX") || exit
if [ -z "${PRTE_MCA_prte_tmpdir_base:-}" ]; then
    export PRTE_MCA_prte_local_tmpdir_base="$folder"
fi
"$@"
status=$?
rm -rf "$folder"
exit $status
