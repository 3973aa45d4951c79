#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# killed_writer.sh RUNS PROGRAM: RUNS times one of 2 to 4 ranks that write checkpoints is killed at some moment, another
# one each time; the last checkpoint must then load on other ranks. Every second run finds what the one before has left.
# Fast machines are seldom in the middle of a file: up to 8 times as many runs follow until one of them is.
set -u
runs=$1 program=$2
folder=$(mktemp -d "${TMPDIR:-/tmp}/killed-writer.XXXXXX")
trap 'rm -rf "$folder"' EXIT
failed=0 partial=0
for ((run = 0; run < runs || (partial == 0 && failed == 0 && run < 8 * runs); ++run)); do
    ((run % 2 == 0)) && rm -f "$folder"/*
    output=$(timeout 60 "${DISTVIEW_MPIEXEC:-mpirun}" -n $((2 + run % 3)) "$program" write "$folder/run.h5" $((run * 97 + 13)) 2>&1)
    # Survivors may have found out first: mpirun tells of one of them then.
    if ! grep -qE 'signal 9|the process(es are| is) gone' <<<"$output"; then
        echo "run $run: nobody was killed:"
        printf '%s\n' "$output"
        failed=$((failed + 1))
        continue
    fi
    [[ -e $folder/run.h5.partial ]] && partial=$((partial + 1))
    ranks=$((1 + run % 4))
    output=$(timeout 60 "${DISTVIEW_MPIEXEC:-mpirun}" -n "$ranks" "$program" read "$folder/run.h5" 2>&1)
    # mpirun may put two ranks' lines into one.
    if (($(grep -oE 'is right($|[^,])' <<<"$output" | wc -l) != ranks)); then
        echo "run $run: the checkpoint of a killed writer does not load:"
        printf '%s\n' "$output"
        failed=$((failed + 1))
    fi
done
echo "killed in the middle of a file in $partial of $run runs"
((partial > 0)) || failed=$((failed + 1))
if ((failed == 0)); then echo DISTVIEW-TEST-PASSED; else echo DISTVIEW-TEST-FAILED; fi
