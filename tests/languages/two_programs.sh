#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# two_programs.sh SENDERS SENDING RECEIVING: started by mpirun on all ranks, runs SENDING on the first SENDERS ranks and
# RECEIVING on the rest. (mpiexec's own syntax, "mpiexec -n 1 true : -n 1 true", crashes the launcher of Debian's Open MPI
# 5.0.7.)
rank=${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-}}
[ -n "$rank" ] || { echo "two_programs.sh: no rank in the environment" >&2; exit 1; }
sends=$(basename -- "$2")
receives=$(basename -- "$3")
if [ "$rank" -lt "$1" ]; then exec "$2" sends "$receives"; else exec "$3" receives "$sends"; fi
