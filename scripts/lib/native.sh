# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash
# --native: installs the distribution's packages on the machine itself, at the user's request.

native_packages=(
    g++ cmake ninja-build libopenmpi-dev openmpi-bin libgtest-dev libgmock-dev
    libbenchmark-dev nlohmann-json3-dev libcli11-dev libstb-dev
)
# Optional packages of components, programs and benchmarks.
native_optional=(
    libopenblas-dev libscalapack-openmpi-dev libfftw3-mpi-dev libfftw3-dev gfortran libhdf5-openmpi-dev
    libxxhash-dev
)

native_install() {
    command -v apt-get >/dev/null ||
        die "--native supports apt only: install a compiler, cmake, ninja, MPI, Kokkos 4.5.1 to 5.2," \
            "GoogleTest, nlohmann-json, CLI11 and stb with this machine's package manager"
    ((EUID == 0)) || die "--native installs packages, which needs root: run it with sudo"
    say "installing the distribution's packages (--native)"
    local log=$distview_prefix/provision.log
    : >"$log"
    native_apt_install "$log" "${native_packages[@]}" ||
        { show_log "$log" 12; die "the distribution's packages could not be installed" \
            "the whole log: $log"; }
    native_add "${native_optional[@]}"
    native_kokkos "$log"
}

# native_add PACKAGES...: installs packages that only one preset or script needs. An older distribution may not have
# them: the script continues without them.
native_add() {
    local log=$distview_prefix/provision.log
    if ((EUID != 0)); then
        say "not installed: $* (that needs root: run the same command with sudo)"
        return
    fi
    say "installing $* (--native)"
    native_apt_install "$log" "$@" ||
        say "this distribution lacks some of these packages: $*; see $log"
}

native_apt_install() {
    local log=$1
    shift
    DEBIAN_FRONTEND=noninteractive run_logged "$log" timeout --foreground 1200 apt-get install -y \
        --no-install-recommends "$@" ||
        { run_logged "$log" timeout --foreground 300 apt-get update &&
            DEBIAN_FRONTEND=noninteractive run_logged "$log" timeout --foreground 1200 apt-get install -y \
                --no-install-recommends "$@"; }
}

# native_kokkos LOG: installs the distribution's Kokkos if it is recent enough. On Debian 13 and later it otherwise
# unpacks the Kokkos of unstable into the scripts' prefix. Without either, CMake may still fetch Kokkos.
native_kokkos() {
    local candidate mirror
    candidate=$(LC_ALL=C apt-cache policy libkokkos-dev 2>/dev/null | awk '$1 == "Candidate:" { print $2 }')
    if [[ -n $candidate && $candidate != '(none)' ]] && dpkg --compare-versions "$candidate" ge 4.5.1
    then
        native_apt_install "$1" libkokkos-dev || true
    fi
    probe_here
    [[ -z ${probed[kokkos]:-} ]] || return 0
    # The libc of older systems is too old for that package: do not download it in vain.
    dpkg --compare-versions "$(dpkg-query -W -f '${Version}' libc6 2>/dev/null || echo 0)" ge 2.41 ||
        return 0
    mirror=$(choose_mirror)
    native_apt_install "$1" libhwloc15 binutils || true
    if run_logged "$1" bash "$distview_lib/unpack_kokkos.sh" "$distview_prefix/native" "$mirror"; then
        export Kokkos_ROOT=$distview_prefix/native/usr
    else
        rm -rf "$distview_prefix/native"
        say "the Kokkos of Debian unstable does not fit this system"
    fi
}
