# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash
# Paths, and the one step with which every script starts: choose a toolchain and go on inside it.

set -euo pipefail
if [[ ${DISTVIEW_QUIET:-0} != 0 ]]; then DISTVIEW_QUIET=1; fi
# The user's own is for the user's programs; a private root must be readable, also by apt's own user.
export DISTVIEW_UMASK=${DISTVIEW_UMASK:-$(umask)}
umask 022

distview_lib=$(cd -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")" && pwd -P)
distview_source=$(cd -- "$distview_lib/../.." && pwd -P)
distview_prefix=${DISTVIEW_PREFIX:-$distview_source/.distview}
[[ $distview_prefix == /* ]] || distview_prefix=$PWD/$distview_prefix
# The system folders hold chroot and debootstrap, and are not on everybody's path.
PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin

# shellcheck source=messages.sh
. "$distview_lib/messages.sh"
# shellcheck source=probe.sh
. "$distview_lib/probe.sh"
# shellcheck source=private_root.sh
. "$distview_lib/private_root.sh"
# shellcheck source=native.sh
. "$distview_lib/native.sh"
# shellcheck source=toolchain.sh
. "$distview_lib/toolchain.sh"
# shellcheck source=enter.sh
. "$distview_lib/enter.sh"
# shellcheck source=build.sh
. "$distview_lib/build.sh"
# shellcheck source=mpi.sh
. "$distview_lib/mpi.sh"

# container_limit FILE...: the number in the first of these files of a container's control group that is there and has one.
container_limit() {
    local file limit
    for file in "$@"; do
        limit=$(cat "${DISTVIEW_CONTROL_GROUP:-/sys/fs/cgroup}/$file" 2>/dev/null) || continue
        [[ $limit =~ ^[0-9]+ ]] && echo "$limit"
        return 0
    done
}

# count_cores: those that this process may use, however many threads OpenMP is told to take: nproc obeys its variables. Of
# a container no more than the time of processors that it gets.
count_cores() {
    local cores quota period
    cores=$(env -u OMP_NUM_THREADS -u OMP_THREAD_LIMIT nproc)
    read -r quota period <<<"$(container_limit cpu.max cpu/cpu.cfs_quota_us)"
    period=${period:-$(container_limit cpu/cpu.cfs_period_us)}
    if ((${quota:-0} > 0 && ${period:-0} > 0 && (quota + period - 1) / period < cores)); then
        cores=$(((quota + period - 1) / period))
    fi
    echo "$cores"
}

# exec_for_user COMMAND...: becomes a program of the user, with the user's umask.
exec_for_user() {
    umask "$DISTVIEW_UMASK"
    unset DISTVIEW_UMASK
    exec "$@"
}

# continue_inside SCRIPT ARGS...: returns at once when the toolchain is at hand; otherwise chooses
# and provisions one, and runs the script again within it. DISTVIEW_INSIDE is how the second run
# knows, and how a script called in `scripts/shell` or by a test does.
continue_inside() {
    if [[ -n ${DISTVIEW_INSIDE:-} ]]; then
        if [[ $DISTVIEW_INSIDE != private ]]; then return; fi
        if [[ -e /.distview-root ]]; then
            [[ $(</.distview-root) == "$root_recipe" ]] ||
                die "scripts/$1 ${*:2} needs another private root: call it outside of scripts/shell"
            root_dir='' toolchain_kind=private toolchain_has_extra ||
                die "this private root lacks packages that scripts/$1 needs: ${toolchain_extra[*]}" \
                    "call it once outside of scripts/shell"
            return
        fi
        unset DISTVIEW_INSIDE
    fi
    local script=$1
    shift
    choose_toolchain
    enter_toolchain "$BASH" "$distview_source/scripts/$script" "$@"
}
