#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# disk_full.sh COMMAND...: runs a test program where DISTVIEW_TEST_SMALL_FOLDER has 1 MiB. Needs root; says so and leaves
# with status 77 otherwise.
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
