#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# killed_writer.sh RUNS PROGRAM: in each of RUNS runs, one of 2 to 4 ranks that write checkpoints is killed at some moment;
# then the last checkpoint must load on another number of ranks. Every second run starts with the files of the run before.
# On fast machines few kills hit a write in progress: up to 8 times as many runs follow until one does.
set -u
runs=$1 program=$2
folder=$(mktemp -d "${TMPDIR:-/tmp}/killed-writer.XXXXXX")
trap 'rm -rf "$folder"' EXIT
failed=0 partial=0
for ((run = 0; run < runs || (partial == 0 && failed == 0 && run < 8 * runs); ++run)); do
    ((run % 2 == 0)) && rm -f "$folder"/*
    output=$(timeout 60 "${DISTVIEW_MPIEXEC:-mpirun}" -n $((2 + run % 3)) "$program" write "$folder/run.h5" $((run * 97 + 13)) 2>&1)
    # A surviving rank may notice the loss first: then mpirun reports that rank's error.
    if ! grep -qE 'signal 9|the process(es are| is) gone' <<<"$output"; then
        echo "run $run: nobody was killed:"
        printf '%s\n' "$output"
        failed=$((failed + 1))
        continue
    fi
    [[ -e $folder/run.h5.partial ]] && partial=$((partial + 1))
    ranks=$((1 + run % 4))
    output=$(timeout 60 "${DISTVIEW_MPIEXEC:-mpirun}" -n "$ranks" "$program" read "$folder/run.h5" 2>&1)
    # mpirun may merge the lines of two ranks.
    if (($(grep -oE 'is right($|[^,])' <<<"$output" | wc -l) != ranks)); then
        echo "run $run: the checkpoint of a killed writer does not load:"
        printf '%s\n' "$output"
        failed=$((failed + 1))
    fi
done
echo "killed in the middle of a file in $partial of $run runs"
((partial > 0)) || failed=$((failed + 1))
if ((failed == 0)); then echo DISTVIEW-TEST-PASSED; else echo DISTVIEW-TEST-FAILED; fi
