#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# two_hosts.sh PROGRAM [ARGUMENT...]
# Runs a benchmark with two ranks on two "hosts" of this machine that reach each other by TCP only.
exec "$(dirname "$0")/../tests/system/two_hosts.sh" 2 "$@"
