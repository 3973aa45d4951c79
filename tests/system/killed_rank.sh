#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# killed_rank.sh MODE RUNS RANKS PROGRAM: kills one of RANKS, at another moment each time, in RUNS runs with one transport
# after the other. MODE: "survive", the others must say that it ended, with its number; "survive_on_two_hosts"; or "end", the whole
# job must end soon after, as MPI does it by default. Skipped where MPI does not survive it, or there cannot be two hosts.
set -u
mode=$1 runs=$2 ranks=$3 program=$4
folder=$(dirname -- "$0")
if [[ $mode != end ]] && ! mpirun --with-ft ulfm -n 1 true >/dev/null 2>&1; then
    echo "DISTVIEW-TEST-SKIPPED: this mpirun has no --with-ft ulfm"
    exit 0
fi
case $mode in
survive) launch=(timeout 30 mpirun --with-ft ulfm -n "$ranks") ;;
# One mpirun process for both: of those that Open MPI 5.0.7 starts on other hosts, one run in six lost contact.
survive_on_two_hosts)
    export DISTVIEW_MPIRUN_OPTIONS="--with-ft ulfm"
    launch=(timeout 60 "$folder/containers.sh" apart "$ranks")
    ;;
# The program works for 30 s if nobody ends it.
end) launch=(timeout 25 mpirun -n "$ranks") ;;
*) echo "no mode '$mode'"; exit 1 ;;
esac
transports=(direct packed message)
failed=0
for ((run = 0; run < runs; ++run)); do
    how=${transports[run % 3]}
    output=$("${launch[@]}" "$program" $((run * 97 + ranks)) "$how" 2>&1)
    status=$?
    if ((status == 77)); then
        printf '%s\n' "$output"
        exit 0
    fi
    # mpirun may put two ranks' lines into one.
    survivors=$(grep -oE 'survived [0-9]+: ' <<<"$output" | wc -l)
    if [[ $mode == end ]]; then
        ((status != 124)) && grep -q 'signal 9' <<<"$output" && continue
        echo "run $run, $how: the job went on, or ended for another reason:"
    else
        ((survivors == ranks - 1)) && continue
        echo "run $run, $how: $survivors of $((ranks - 1)) survivors say who ended:"
    fi
    printf '%s\n' "$output"
    failed=$((failed + 1))
done
if ((failed == 0)); then echo DISTVIEW-TEST-PASSED; else echo DISTVIEW-TEST-FAILED; fi
