#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# two_hosts.sh RANKS PROGRAM [ARGUMENT...]
# Runs an MPI program of Open MPI 5 on two "hosts" of this machine, joined by a pair of virtual network
# interfaces: this process becomes the first, in namespaces of its own for network and names; the second
# has also processes, shared memory and mounts of its own. Ranks of one host see each other's memory,
# those of the other get messages by TCP. Needs root and iproute2; says so and leaves with status 77
# otherwise. DISTVIEW_MPIRUN_OPTIONS: more for mpirun.
set -euo pipefail

skip() {
    echo "DISTVIEW-TEST-SKIPPED: $1"
    exit 77
}

if [[ ${DISTVIEW_TWO_HOSTS:-} != inside ]]; then
    ((EUID == 0)) || skip "two hosts need root"
    for tool in ip unshare nsenter mount hostname mpirun; do
        command -v "$tool" >/dev/null || skip "two hosts need $tool"
    done
    mpirun --version | grep -q '(Open MPI) 5' || skip "two hosts need Open MPI 5"
    unshare --net --uts --ipc --pid --mount --fork true 2>/dev/null ||
        skip "two hosts need the right to make namespaces"
    DISTVIEW_TWO_HOSTS=inside exec unshare --net --uts --ipc --mount -- "$0" "$@"
fi

ranks=$1
shift
folder=$(mktemp -d)
west=
clean_up() {
    set +e
    if [[ -n $west ]]; then kill -KILL "$west"; wait; fi 2>/dev/null
    rm -rf "$folder"
}
trap clean_up EXIT

hostname distview-east
mount -t sysfs sysfs /sys 2>/dev/null || true # shows the interfaces of this network
ip link set lo up

# The second host's first process says on descriptor 3 when all is mounted.
mkfifo "$folder/ready"
unshare --net --uts --ipc --pid --mount --fork --kill-child --mount-proc -- bash -c '
    hostname distview-west && mount -t tmpfs tmpfs /dev/shm && ip link set lo up &&
        { mount -t sysfs sysfs /sys 2>/dev/null || true; } && echo ready >&3 && exec sleep 600 3>&-
' 3>"$folder/ready" &
outer=$!
read -r _ <"$folder/ready"
west=$(<"/proc/$outer/task/$outer/children")
west=${west%% *}

ip link add dv-east type veth peer name dv-west || skip "there is no virtual network"
ip link set dv-west netns "$west"
ip address add 10.77.77.1/24 dev dv-east
ip link set dv-east up
nsenter -t "$west" --net ip address add 10.77.77.2/24 dev dv-west
nsenter -t "$west" --net ip link set dv-west up

# What mpirun has for ssh: HOST COMMAND...
cat >"$folder/agent" <<AGENT
#!/bin/bash
shift
exec nsenter -t $west --mount --uts --ipc --net --pid --root --wd="$PWD" -- env -i \
    PATH="$PATH" HOME="\${HOME:-/root}" LD_LIBRARY_PATH="\${LD_LIBRARY_PATH:-}" sh -c "\$*"
AGENT
chmod +x "$folder/agent"

half=$(((ranks + 1) / 2))
# What a test is told by its environment, all ranks are told.
settings=()
for name in "${!DISTVIEW_@}"; do settings+=(-x "$name"); done
export PRTE_MCA_plm_ssh_agent=$folder/agent PRTE_MCA_plm_ssh_no_tree_spawn=1
export PRTE_MCA_prte_if_include=dv-east,dv-west
# The second host's process numbers are small and come again: see support/launch.sh.
export PRTE_MCA_prte_tmpdir_base=$folder
export OMPI_MCA_pml=ob1 OMPI_MCA_btl=self,sm,tcp OMPI_MCA_btl_tcp_if_include=10.77.77.0/24
# shellcheck disable=SC2086 # several options
timeout 300 mpirun ${DISTVIEW_MPIRUN_OPTIONS:-} --host "10.77.77.1:$half,10.77.77.2:$half" --map-by node:OVERSUBSCRIBE \
    -x OMP_NUM_THREADS=1 -x OMP_PROC_BIND=false -x OMPI_MCA_mpi_yield_when_idle=1 \
    "${settings[@]}" -n "$ranks" "$@"
