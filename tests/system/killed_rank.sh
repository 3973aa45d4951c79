#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# killed_rank.sh MODE RUNS RANKS PROGRAM: kills one of RANKS, at another moment in each of RUNS runs, the transports in
# turn. MODE: "survive", the other ranks must report that it ended, with its rank; "survive_on_two_hosts"; or "end", the
# whole job must end soon after, MPI's default. Skipped if MPI does not survive it, or two hosts are impossible.
set -u
mode=$1 runs=$2 ranks=$3 program=$4
folder=$(dirname -- "$0")
if [[ $mode != end ]] && ! mpirun --with-ft ulfm -n 1 true >/dev/null 2>&1; then
    echo "DISTVIEW-TEST-SKIPPED: this mpirun has no --with-ft ulfm"
    exit 0
fi
case $mode in
survive) launch=(timeout 30 mpirun --with-ft ulfm -n "$ranks") ;;
# One mpirun process for both hosts: with one per host, Open MPI 5.0.7 lost contact in one run of six.
survive_on_two_hosts)
    export DISTVIEW_MPIRUN_OPTIONS="--with-ft ulfm"
    launch=(timeout 60 "$folder/containers.sh" apart "$ranks")
    ;;
# The program works for 30 s unless it is ended.
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
    # mpirun may merge the lines of two ranks.
    survivors=$(grep -oE 'survived [0-9]+: ' <<<"$output" | wc -l)
    if [[ $mode == end ]]; then
        ((status != 124)) && grep -q 'signal 9' <<<"$output" && continue
        echo "run $run, $how: the job went on, or ended for another reason:"
    else
        ((survivors == ranks - 1)) && continue
        echo "run $run, $how: $survivors of $((ranks - 1)) survivors reported the ended rank:"
    fi
    printf '%s\n' "$output"
    failed=$((failed + 1))
done
if ((failed == 0)); then echo DISTVIEW-TEST-PASSED; else echo DISTVIEW-TEST-FAILED; fi
