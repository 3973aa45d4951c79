# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash
# Messages of the scripts. All messages go to stderr: stdout belongs to the program that is run.

say() { printf 'distview: %s\n' "$*" >&2; }

die() {
    printf 'distview: error: %s\n' "$1" >&2
    shift
    local line
    for line in "$@"; do printf '                 %s\n' "$line" >&2; done
    exit 1
}

# wrong_use SCRIPT TEXT: reports a mistake of the caller and ends with status 2, as every program of the project does.
wrong_use() {
    printf 'distview: error: %s\n                 try scripts/%s --help\n' "$2" "$1" >&2
    exit 2
}

# run_logged LOG COMMAND...: runs a command silently; the log gets all its output.
run_logged() {
    local log=$1
    shift
    printf '\n$ %s\n' "$*" >>"$log"
    "$@" >>"$log" 2>&1 </dev/null
}

# show_log LOG LINES: shows the end of a log, indented, as the reason of a failure.
show_log() { tail -n "$2" "$1" 2>/dev/null | sed 's/^/    | /' >&2; }

# duration SECONDS: 75 becomes "1 min 15 s".
duration() {
    if (($1 < 60)); then printf '%d s' "$1"; else printf '%d min %d s' $(($1 / 60)) $(($1 % 60)); fi
}
