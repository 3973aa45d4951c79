# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash
# What the scripts say. Everything goes to stderr: stdout belongs to the program that is run.

say() { printf 'distview: %s\n' "$*" >&2; }

die() {
    printf 'distview: error: %s\n' "$1" >&2
    shift
    local line
    for line in "$@"; do printf '                 %s\n' "$line" >&2; done
    exit 1
}

# wrong_use SCRIPT TEXT: the caller's mistake, status 2 as for every program of the project.
wrong_use() {
    printf 'distview: error: %s\n                 try scripts/%s --help\n' "$2" "$1" >&2
    exit 2
}

# run_logged LOG COMMAND...: silent unless it fails; the log keeps everything.
run_logged() {
    local log=$1
    shift
    printf '\n$ %s\n' "$*" >>"$log"
    "$@" >>"$log" 2>&1 </dev/null
}

# show_log LOG LINES: the end of a log, indented, to say why something failed.
show_log() { tail -n "$2" "$1" 2>/dev/null | sed 's/^/    | /' >&2; }

# duration SECONDS: 75 becomes "1 min 15 s".
duration() {
    if (($1 < 60)); then printf '%d s' "$1"; else printf '%d min %d s' $(($1 / 60)) $(($1 % 60)); fi
}
