#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# containers.sh shared|apart RANKS PROGRAM [ARGUMENT...]
# Runs an MPI program of Open MPI 5 on one machine, the second half of its ranks in a "container": separate namespaces
# for processes, mounts and host name. MPI reports that all ranks share memory, but ranks of different halves cannot
# open each other's memory. "apart": the container also has a separate network and /dev/shm, so all messages between the
# halves use TCP, as between two hosts under one mpirun process. Needs root; otherwise prints a message and exits with
# status 77. DISTVIEW_MPIRUN_OPTIONS: more options for mpirun.
set -euo pipefail
# shellcheck source=namespaces.sh
. "$(dirname -- "$0")/namespaces.sh"

network=()
if [[ $1 == apart ]]; then network=(--net); fi
if [[ ${DISTVIEW_CONTAINERS:-} != inside ]]; then
    need_namespaces "${network[@]}" --uts --pid --mount
    rm -rf "$folder"
    DISTVIEW_CONTAINERS=inside exec unshare "${network[@]}" --mount -- "$0" "$@"
fi

how=$1 ranks=$2
shift 2
export OMPI_MCA_pml=ob1
if [[ $how == apart ]]; then
    begin_inside distview-inside "$own_host" --net
    join_networks
    export OMPI_MCA_btl=self,tcp OMPI_MCA_btl_tcp_if_include=10.77.77.0/24
    # Messages between mpirun and its processes.
    export PMIX_MCA_ptl_base_if_include=dv-east PRTE_MCA_prte_if_include=dv-east
else
    begin_inside distview-inside true
    # MPI must not copy from other processes' memory, either.
    export OMPI_MCA_btl=self,sm OMPI_MCA_smsc=^cma,knem,xpmem
fi

cat >"$folder/rank" <<'RANK'
#!/bin/bash
inside=$1 half=$2
shift 2
if ((OMPI_COMM_WORLD_RANK < half)); then exec "$@"; fi
exec nsenter -t "$inside" --net --uts --pid --mount --root --wd="$PWD" -- "$@"
RANK
chmod +x "$folder/rank"
# For the files of mpirun: see support/launch.sh.
export PRTE_MCA_prte_local_tmpdir_base=$folder
# shellcheck disable=SC2086 # several options
timeout 200 mpirun ${DISTVIEW_MPIRUN_OPTIONS:-} --oversubscribe --bind-to none -x OMP_NUM_THREADS=1 -n "$ranks" \
    "$folder/rank" "$inside" $(((ranks + 1) / 2)) "$@"
