#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# run_part.sh {RANKS WORDS WORD...}...
# mpirun starts this script on every rank; it becomes the program of its rank. The first RANKS ranks run
# the first command of WORDS words, and so on. The colon syntax of mpirun is not used, because mpirun of Open
# MPI 5.0.7 (PRRTE 3.0.8) crashes on it.
rank=${OMPI_COMM_WORLD_RANK:-${PMIX_RANK:-${PMI_RANK:-${SLURM_PROCID:-}}}}
if [[ ! $rank =~ ^[0-9]+$ ]]; then
    echo "distview: error: no known environment variable of this MPI contains the rank" >&2
    exit 1
fi
while (($# >= 2)); do
    if ((rank < $1)); then exec "${@:3:$2}"; fi
    rank=$((rank - $1))
    shift $((2 + $2))
done
echo "distview: error: no command was given for this rank" >&2
exit 1
