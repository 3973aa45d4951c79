#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# check_options.sh COMMAND...: COMMAND starts bench_exchange_latency on two ranks. The program must carry out Google
# Benchmark's options once (not once a rank), and end with the expected status.
set -u
command=("$@")
failed=0

# expect STATUS LINES PATTERN OPTION...: the expected exit status, and the number of output lines that match PATTERN.
expect() {
    local status=$1 lines=$2 pattern=$3 output got
    shift 3
    output=$("${command[@]}" "$@" 2>&1)
    got=$?
    if ((got != status)) || (($(grep -c -e "$pattern" <<<"$output") != lines)); then
        printf '%s: status %s, expected %s and %s lines with %s in\n%s\n' "$*" "$got" "$status" "$lines" "$pattern" "$output"
        failed=1
    fi
}

expect 0 1 '^latency/' --benchmark_list_tests
expect 0 0 DISTVIEW-TEST --benchmark_list_tests=true
expect 0 1 DISTVIEW-TEST-PASSED --smoke --benchmark_list_tests=off
expect 0 1 '--benchmark_list_tests=' --help
expect 0 1 '--smoke' --help
expect 2 1 '--benchmark_list_tests=' --benchmark_format=xml
expect 2 1 '^--benchmark_enable_random_interleaving: expected one rank' --benchmark_enable_random_interleaving=true
expect 0 1 DISTVIEW-TEST-PASSED --smoke --benchmark_enable_random_interleaving=false
expect 1 1 'Failed to match any benchmarks' --benchmark_filter=nothing
if ((failed == 0)); then echo DISTVIEW-TEST-PASSED; else echo DISTVIEW-TEST-FAILED; fi
