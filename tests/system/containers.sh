#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# containers.sh RANKS PROGRAM [ARGUMENT...]
# Runs an MPI program of Open MPI 5 on one machine, the second half of its ranks in a "container": namespaces of
# its own for processes, mounts and host name. MPI says that all ranks share memory; ranks of different halves
# cannot open each other's.
# Needs root; says so and leaves with status 77 otherwise.
set -euo pipefail

if ((EUID != 0)) || ! unshare --uts --pid --mount --fork true 2>/dev/null; then
    echo "DISTVIEW-TEST-SKIPPED: a container needs root and the right to make namespaces"
    exit 77
fi

ranks=$1
shift
folder=$(mktemp -d)
inside=
clean_up() {
    set +e
    if [[ -n $inside ]]; then kill -KILL "$inside"; wait; fi 2>/dev/null
    rm -rf "$folder"
}
trap clean_up EXIT

mkfifo "$folder/ready"
unshare --uts --pid --mount --fork --kill-child --mount-proc -- bash -c '
    hostname distview-inside && echo ready >&3 && exec sleep 600 3>&-
' 3>"$folder/ready" &
outer=$!
read -r _ <"$folder/ready"
inside=$(<"/proc/$outer/task/$outer/children")
inside=${inside%% *}

cat >"$folder/rank" <<'RANK'
#!/bin/bash
inside=$1 half=$2
shift 2
if ((OMPI_COMM_WORLD_RANK < half)); then exec "$@"; fi
exec nsenter -t "$inside" --uts --pid --mount --root --wd="$PWD" -- "$@"
RANK
chmod +x "$folder/rank"
# MPI must not copy from other processes' memory either.
export OMPI_MCA_pml=ob1 OMPI_MCA_btl=self,sm OMPI_MCA_smsc=^cma,knem,xpmem
# For what mpirun keeps: see support/launch.sh.
export PRTE_MCA_prte_local_tmpdir_base=$folder
timeout 200 mpirun --oversubscribe --bind-to none -x OMP_NUM_THREADS=1 -n "$ranks" \
    "$folder/rank" "$inside" $(((ranks + 1) / 2)) "$@"
