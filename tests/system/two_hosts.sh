#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# two_hosts.sh RANKS PROGRAM [ARGUMENT...]
# Runs an MPI program of Open MPI 5 on two "hosts" of this machine, joined by a pair of virtual
# network interfaces. This process becomes the first host, in separate namespaces for network and
# names; the second host also has separate processes, shared memory and mounts. Ranks of one host
# share memory; between hosts, messages use TCP. Needs root and iproute2; otherwise prints a message
# and exits with status 77.
set -euo pipefail
# shellcheck source=namespaces.sh
. "$(dirname -- "$0")/namespaces.sh"

if [[ ${DISTVIEW_TWO_HOSTS:-} != inside ]]; then
    need_namespaces --net --uts --ipc --pid --mount
    rm -rf "$folder"
    DISTVIEW_TWO_HOSTS=inside exec unshare --net --uts --ipc --mount -- "$0" "$@"
fi

ranks=$1
shift
hostname distview-east
mount -t sysfs sysfs /sys 2>/dev/null || true
begin_inside distview-west "$own_host" --net --ipc
join_networks

# Replaces ssh for mpirun: HOST COMMAND...
cat >"$folder/agent" <<AGENT
#!/bin/bash
shift
exec nsenter -t $inside --mount --uts --ipc --net --pid --root --wd="$PWD" -- env -i \
    PATH="$PATH" HOME="\${HOME:-/root}" LD_LIBRARY_PATH="\${LD_LIBRARY_PATH:-}" sh -c "\$*"
AGENT
chmod +x "$folder/agent"

half=$(((ranks + 1) / 2))
# All ranks get the DISTVIEW variables of the test's environment.
settings=()
for name in "${!DISTVIEW_@}"; do settings+=(-x "$name"); done
export PRTE_MCA_plm_ssh_agent=$folder/agent PRTE_MCA_plm_ssh_no_tree_spawn=1
export PRTE_MCA_prte_if_include=dv-east,dv-west
# The second host's process numbers are small and are reused: see support/launch.sh.
export PRTE_MCA_prte_tmpdir_base=$folder
export OMPI_MCA_pml=ob1 OMPI_MCA_btl=self,sm,tcp OMPI_MCA_btl_tcp_if_include=10.77.77.0/24
timeout 300 mpirun --host "10.77.77.1:$half,10.77.77.2:$half" --map-by node:OVERSUBSCRIBE \
    -x OMP_NUM_THREADS=1 -x OMP_PROC_BIND=false -x OMPI_MCA_mpi_yield_when_idle=1 \
    "${settings[@]}" -n "$ranks" "$@"
