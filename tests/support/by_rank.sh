#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# by_rank.sh PROGRAM "ARGUMENTS OF RANK 0" "ARGUMENTS OF RANK 1" ...: runs the program with the
# arguments given for this rank, split at blanks.
program=$1
rank=${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-${PMIX_RANK:?no rank in the environment}}}
shift $((rank + 1))
# shellcheck disable=SC2086
exec "$program" $1
