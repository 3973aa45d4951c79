# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Sourced by the scripts that run half of the ranks in other namespaces of this machine. Makes
# $folder, which is removed at the end; processes started by begin_inside are ended then, too.

# need_namespaces FLAG...: exits with status 77 if this process may not make namespaces, or MPI is not Open MPI 5.
need_namespaces() {
    local tool
    ((EUID == 0)) || skip "namespaces need root"
    for tool in ip unshare nsenter mount hostname mpirun; do
        command -v "$tool" >/dev/null || skip "namespaces need $tool"
    done
    mpirun --version | grep -q '(Open MPI) 5' || skip "this needs Open MPI 5"
    unshare "$@" --fork true 2>/dev/null || skip "no right to make namespaces"
}

skip() {
    echo "DISTVIEW-TEST-SKIPPED: $1"
    exit 77
}

folder=$(mktemp -d)
inside=
clean_up() {
    set +e
    if [[ -n $inside ]]; then kill -KILL "$inside"; wait; fi 2>/dev/null
    rm -rf "$folder"
}
trap clean_up EXIT

# begin_inside NAME COMMAND FLAG...: sets $inside to a process in separate namespaces (FLAG: option
# of unshare) with host name NAME, after COMMAND has run there.
begin_inside() {
    local name=$1 command=$2 outer
    shift 2
    # The first process writes to descriptor 3 when all is mounted.
    mkfifo "$folder/ready"
    unshare "$@" --uts --pid --mount --fork --kill-child --mount-proc -- bash -c '
        hostname "$0" && eval "$1" && echo ready >&3 && exec sleep 600 3>&-
    ' "$name" "$command" 3>"$folder/ready" &
    outer=$!
    read -r _ <"$folder/ready"
    inside=$(<"/proc/$outer/task/$outer/children")
    inside=${inside%% *}
}

# Gives a host a separate /dev/shm and network; run inside the host. sysfs shows the interfaces of its network.
own_host='mount -t tmpfs tmpfs /dev/shm && ip link set lo up && { mount -t sysfs sysfs /sys 2>/dev/null || true; }'

# For a process with a separate network: joins it to the network of $inside, as 10.77.77.1 (dv-east) and .2 (dv-west).
join_networks() {
    ip link set lo up
    ip link add dv-east type veth peer name dv-west || skip "cannot make virtual network interfaces"
    ip link set dv-west netns "$inside"
    ip address add 10.77.77.1/24 dev dv-east
    ip link set dv-east up
    nsenter -t "$inside" --net ip address add 10.77.77.2/24 dev dv-west
    nsenter -t "$inside" --net ip link set dv-west up
}
