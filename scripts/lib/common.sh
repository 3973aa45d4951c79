# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash
# Paths, and the first step of every script: choose a toolchain and continue inside it.

set -euo pipefail
if [[ ${DISTVIEW_QUIET:-0} != 0 ]]; then DISTVIEW_QUIET=1; fi
# The user's umask applies to the user's programs only: all users, apt's own included, must be able to read a private
# root.
export DISTVIEW_UMASK=${DISTVIEW_UMASK:-$(umask)}
umask 022

distview_lib=$(cd -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")" && pwd -P)
distview_source=$(cd -- "$distview_lib/../.." && pwd -P)
distview_prefix=${DISTVIEW_PREFIX:-$distview_source/.distview}
[[ $distview_prefix == /* ]] || distview_prefix=$PWD/$distview_prefix
# These folders hold chroot and debootstrap, and some users do not have them on PATH.
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

# container_limit FILE...: prints the number in the first readable one of these files of a container's control group;
# nothing if that file holds no number.
container_limit() {
    local file limit
    for file in "$@"; do
        limit=$(cat "${DISTVIEW_CONTROL_GROUP:-/sys/fs/cgroup}/$file" 2>/dev/null) || continue
        [[ $limit =~ ^[0-9]+ ]] && echo "$limit"
        return 0
    done
}

# count_cores: prints the number of cores that this process may use. nproc obeys OpenMP's variables, so they are unset
# for it. In a container the number is limited by the container's quota of processor time.
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

# exec_for_user COMMAND...: replaces this process by a program of the user, with the user's umask.
exec_for_user() {
    umask "$DISTVIEW_UMASK"
    unset DISTVIEW_UMASK
    exec "$@"
}

# continue_inside SCRIPT ARGS...: returns at once inside a toolchain; otherwise chooses and provisions a toolchain, and
# runs the script again inside it. DISTVIEW_INSIDE marks the second run, and a script that is called in
# `scripts/shell` or by a test.
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
