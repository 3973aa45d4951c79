#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# disk_full.sh COMMAND...: runs a test program with DISTVIEW_TEST_SMALL_FOLDER on a file system of 1 MiB. Needs root, else
# prints so and ends with status 77.
set -euo pipefail
if ((EUID != 0)) || ! unshare --mount true 2>/dev/null; then
    echo "DISTVIEW-TEST-SKIPPED: a small file system needs root and the right to mount"
    exit 77
fi
folder=$(mktemp -d "${TMPDIR:-/tmp}/disk-full.XXXXXX")
trap 'rmdir "$folder"' EXIT
export DISTVIEW_TEST_SMALL_FOLDER=$folder
# shellcheck disable=SC2016
unshare --mount -- bash -c 'mount -t tmpfs -o size=1m tmpfs "$DISTVIEW_TEST_SMALL_FOLDER" && "$@"' full "$@"
