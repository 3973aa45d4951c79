#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# containers.sh shared|apart RANKS PROGRAM [ARGUMENT...]
# Runs an MPI program of Open MPI 5 on one machine, the second half of its ranks in a "container": namespaces of
# its own for processes, mounts and host name. MPI says that all ranks share memory; ranks of different halves
# cannot open each other's. "apart": the container has a network and a /dev/shm of its own as well, so that all
# messages between the halves go by TCP, as between two hosts that one mpirun process looks after.
# Needs root; says so and leaves with status 77 otherwise. DISTVIEW_MPIRUN_OPTIONS: more for mpirun.
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
    # What mpirun and its processes tell each other.
    export PMIX_MCA_ptl_base_if_include=dv-east PRTE_MCA_prte_if_include=dv-east
else
    begin_inside distview-inside true
    # MPI must not copy from other processes' memory either.
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
# For what mpirun keeps: see support/launch.sh.
export PRTE_MCA_prte_local_tmpdir_base=$folder
# shellcheck disable=SC2086 # several options
timeout 200 mpirun ${DISTVIEW_MPIRUN_OPTIONS:-} --oversubscribe --bind-to none -x OMP_NUM_THREADS=1 -n "$ranks" \
    "$folder/rank" "$inside" $(((ranks + 1) / 2)) "$@"
