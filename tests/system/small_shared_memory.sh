#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# small_shared_memory.sh OPTIONS COMMAND...
# Runs a command with /dev/shm as a separate file system, mounted with OPTIONS: size=1m, or ro, in
# which no file can be made. Open MPI's own segments lie in /tmp. Needs root; otherwise prints a
# message and exits with status 77.
set -euo pipefail

if ((EUID != 0)) || ! unshare --mount true 2>/dev/null; then
    echo "DISTVIEW-TEST-SKIPPED: another /dev/shm needs root and the right to mount"
    exit 77
fi
export OMPI_MCA_btl_sm_backing_directory=/tmp
# shellcheck disable=SC2016
exec unshare --mount -- bash -c 'mount -t tmpfs -o "$1" tmpfs /dev/shm && exec "${@:2}"' shm "$@"
