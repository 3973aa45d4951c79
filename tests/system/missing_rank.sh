#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# missing_rank.sh MODE RUNS RANKS PROGRAM: one of RANKS goes missing, at another moment in each of RUNS runs, the
# transports in turn. MODE: an argument of the program; "aborts", the rank stops and the deadline ends the job; or
# "two_hosts", it computes on one of two hosts: every rank must get some error, and no rank may wait forever.
set -u
mode=$1 runs=$2 ranks=$3 program=$4
transports=(direct packed message)
expected=$ranks how=$mode
launch=(timeout -k 1 30 mpirun -n "$ranks")
case $mode in
two_hosts)
    how=computes
    launch=(timeout -k 1 60 "$(dirname -- "$0")/containers.sh" apart "$ranks")
    ;;
slow) expected=0 ;;
closes) expected=$((ranks - 1)) ;;
aborts)
    export DISTVIEW_DEADLINE_ABORT=1
    expected=0 how=stops
    ;;
esac
# Texts that ranks print, at any place: mpirun may merge the lines of two ranks.
others='rank [0-9]+( expected rank| got another error|: nothing noticed|: the communicator is not lost|: a deadline)'
failed=0
for ((run = 0; run < runs; ++run)); do
    transport=${transports[run % 3]}
    began=$SECONDS
    output=$("${launch[@]}" "$program" $((run * 97 + ranks)) "$how" "$transport" 2>&1)
    status=$?
    if ((status == 77)); then
        printf '%s\n' "$output"
        exit 0
    fi
    told=$(grep -oE 'told [0-9]+: ' <<<"$output" | wc -l)
    not_told=$(grep -oE "$others" <<<"$output" | wc -l)
    case $mode in
    two_hosts)
        seen=$(grep -oE "told [0-9]+: |$others" <<<"$output" | grep -oE '[0-9]+' | sort -u | wc -l)
        ((status == 0 && seen == ranks)) && [[ $output != *noticed* ]] && continue
        ;;
    slow) ((status == 0 && not_told == ranks && told == 0)) && [[ $output != *deadline* ]] && continue ;;
    aborts)
        ((status != 0 && status != 124 && SECONDS - began <= 20)) &&
            [[ $output == *"distview: a deadline of "*" is missing"* ]] && continue
        ;;
    *) ((status == 0 && told == expected && not_told == 0)) && continue ;;
    esac
    echo "run $run, $how, $transport: $told of $expected ranks reported the missing rank, status $status:"
    printf '%s\n' "$output"
    failed=$((failed + 1))
done
if ((failed == 0)); then echo DISTVIEW-TEST-PASSED; else echo DISTVIEW-TEST-FAILED; fi
