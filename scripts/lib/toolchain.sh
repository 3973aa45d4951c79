# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash
# Chooses compilers, MPI and Kokkos, in this order: installed ones; with --native, the distribution's packages;
# installed compilers and MPI with a Kokkos that CMake fetches; a private Debian 13 root.
# A stamp file keeps the choice until one of its inputs changes.

toolchain_kind=
toolchain_summary=
toolchain_native=0
# Packages that only one preset or script needs, and that a new private root does not have.
toolchain_extra=()
# Packages that the Python package needs to build and run; toolchain_python_tests has those that its tests need besides.
toolchain_python=(
    python3-dev python3-nanobind python3-numpy python3-mpi4py python3-matplotlib
)
# Solver stacks that interop/ has doors to.
toolchain_interop=(libpetsc-real-dev libhypre-dev python3-petsc4py-real)
toolchain_python_tests=(python3-pytest mypy python3-scikit-build-core python3-venv python3-h5py python3-netcdf4)

# Increase this number whenever the rules below change the choice.
toolchain_rules=3

# toolchain_fingerprint: prints a hash of the inputs of the choice; cheap enough for every call.
toolchain_fingerprint() {
    local program path
    {
        printf '%s\n' "$toolchain_rules" "$root_recipe" "$distview_source" \
            "${DISTVIEW_TOOLCHAIN:-}" "${CXX:-}" "${CMAKE_PREFIX_PATH:-}" "${Kokkos_ROOT:-}" \
            "${Kokkos_DIR:-}" "${MPI_HOME:-}" "${FETCHCONTENT_SOURCE_DIR_KOKKOS:-}"
        for program in "${CXX:-c++}" g++ clang++ cmake ninja-build ninja samu mpicxx mpirun; do
            path=$(command -v "$program" 2>/dev/null) || path=
            if [[ -n $path ]]; then stat -L -c '%n %Y %s' -- "$path"; fi
        done
        compgen -G '/usr/lib/*/cmake/Kokkos' || true
        compgen -G '/usr/local/lib*/cmake/Kokkos' || true
        compgen -G '/usr/lib*/cmake/Kokkos' || true
    } | sha256sum
}

toolchain_read_stamp() {
    [[ -r $root_prefix/toolchain ]] || return 1
    local fingerprint=
    { read -r fingerprint && read -r toolchain_kind && read -r toolchain_summary; } \
        <"$root_prefix/toolchain" || return 1
    [[ $fingerprint == "$(toolchain_fingerprint)" ]] || return 1
    case $toolchain_kind in
    private) ((!toolchain_native)) && root_ready ;;
    fetch) ((!toolchain_native)) ;;
    esac
}

toolchain_has_extra() {
    local package info=/var/lib/dpkg/info
    if [[ $toolchain_kind == private ]]; then info=$root_dir$info; else
        # Packages are added to the machine itself only if the user requests it.
        ((toolchain_native)) || return 0
    fi
    for package in "${toolchain_extra[@]}"; do
        # For some packages the architecture is part of the name.
        [[ -e $info/$package.list ]] || compgen -G "$info/$package:*.list" >/dev/null || return 1
    done
}

# toolchain_complete: whether the extra packages are installed, and no addition to a private root was interrupted.
toolchain_complete() {
    [[ $toolchain_kind != private || ! -e $root_dir/.distview-adding ]] && toolchain_has_extra
}

toolchain_add_extra() {
    if [[ $toolchain_kind == private ]]; then
        root_add "${toolchain_extra[@]}"
    else
        native_add "${toolchain_extra[@]}"
    fi
}

toolchain_write_stamp() {
    printf '%s\n' "$(toolchain_fingerprint)" "$toolchain_kind" "$toolchain_summary" \
        >"$root_prefix/toolchain.new"
    mv -f "$root_prefix/toolchain.new" "$root_prefix/toolchain"
}

# choose_toolchain: sets toolchain_kind and toolchain_summary, and provisions missing packages.
choose_toolchain() {
    case ${DISTVIEW_TOOLCHAIN:-} in
    '' | installed | native | fetch | private) ;;
    *) die "DISTVIEW_TOOLCHAIN: expected installed, native, fetch or private, got $DISTVIEW_TOOLCHAIN" ;;
    esac
    if [[ ${DISTVIEW_TOOLCHAIN:-} == native ]]; then toolchain_native=1; fi
    if [[ -d $distview_prefix/native/usr ]]; then
        export Kokkos_ROOT=${Kokkos_ROOT:-$distview_prefix/native/usr}
    fi
    if toolchain_read_stamp && toolchain_complete; then
        ((${DISTVIEW_QUIET:-0})) || say "using $toolchain_summary"
        return
    fi

    mkdir -p "$root_prefix" 2>/dev/null && [[ -w $root_prefix ]] ||
        die "$root_prefix cannot be written: set DISTVIEW_PREFIX to a writable folder"
    # Programs that this script starts inherit the lock: it becomes free only when the last of them
    # has ended, even if this script is killed.
    exec 9>"$root_prefix/lock"
    if ! flock --nonblock 9; then
        say "waiting for another run that is setting up $root_prefix"
        flock 9
    fi
    if ! toolchain_read_stamp; then
        toolchain_decide
        toolchain_write_stamp
    fi
    toolchain_complete || toolchain_add_extra
    exec 9>&-
    say "using $toolchain_summary"
}

toolchain_decide() {
    local forced=${DISTVIEW_TOOLCHAIN:-} lacks
    # For Trilinos: Debian's Trilinos and its Kokkos, unless the user names another toolchain.
    if [[ $forced == private || (-z $forced && $root_choice == trilinos) ]]; then
        toolchain_private
        return
    fi
    probe_here
    if ((toolchain_native)); then
        lacks=$(probe_lacks compiler mpi ninja "${probe_libraries[@]}" kokkos)
        if [[ -n $lacks ]]; then
            native_install
            probe_here
        fi
    fi
    lacks=$(probe_lacks compiler mpi ninja "${probe_libraries[@]}" kokkos)
    if [[ -z $lacks && $forced != fetch && -z ${FETCHCONTENT_SOURCE_DIR_KOKKOS:-} ]]; then
        if ((toolchain_native)); then toolchain_kind=native; else toolchain_kind=installed; fi
        toolchain_summary="installed $(probe_summary)"
        return
    fi
    if [[ $forced == installed ]]; then
        die "DISTVIEW_TOOLCHAIN=installed, but this machine lacks: $lacks"
    fi
    if toolchain_fetch; then return; fi
    if ((toolchain_native)); then
        die "with the distribution's packages this machine still lacks: $lacks" \
            "(Kokkos 4.5.1 to 5.2 is needed, and its release archive cannot be fetched)" \
            "without --native, a private Debian root is made instead"
    fi
    toolchain_private
}

# toolchain_fetch: succeeds if compilers, Ninja and MPI are installed and CMake can fetch everything else.
toolchain_fetch() {
    local forced=${DISTVIEW_TOOLCHAIN:-} lacks
    lacks=$(probe_lacks compiler mpi ninja)
    if [[ -n $lacks ]]; then
        [[ $forced != fetch ]] || die "DISTVIEW_TOOLCHAIN=fetch, but this machine lacks: $lacks" \
            "(cmake 3.25, ninja, g++ 12 or clang 17, and MPI with its mpirun are needed)"
        return 1
    fi
    lacks=$(probe_lacks "${probe_libraries[@]}")
    if [[ (-z ${probed[kokkos]:-} || $forced == fetch) && -z ${FETCHCONTENT_SOURCE_DIR_KOKKOS:-} ]]; then
        lacks="kokkos${lacks:+ $lacks}"
    fi
    if [[ -n $lacks ]] && ! archives_reachable; then
        [[ $forced != fetch ]] || die "DISTVIEW_TOOLCHAIN=fetch: the release archives cannot be" \
            "reached (probed for 5 s); missing: $lacks" \
            "FETCHCONTENT_SOURCE_DIR_KOKKOS=FOLDER uses a local source tree of Kokkos"
        return 1
    fi
    toolchain_kind=fetch
    if [[ -n ${FETCHCONTENT_SOURCE_DIR_KOKKOS:-} ]]; then
        toolchain_summary="$(probe_summary "of $FETCHCONTENT_SOURCE_DIR_KOKKOS")"
    elif [[ -n ${probed[kokkos]:-} && $forced != fetch ]]; then
        toolchain_summary="installed $(probe_summary), fetching: $lacks"
    else
        toolchain_summary="installed $(probe_summary "fetched by CMake")"
    fi
}

toolchain_private() {
    local why
    if ! root_ready; then
        why=$(root_impossible)
        if [[ -n $why ]]; then
            die "no usable compilers, MPI and Kokkos are installed here, and a private Debian root" \
                "cannot be made: $why" \
                "install instead: g++ 12 or clang 17 or newer, cmake 3.25, ninja, MPI, Kokkos 4.5.1 to 5.2," \
                "GoogleTest, nlohmann-json, CLI11 and stb; on Debian and Ubuntu --native installs those" \
                "that the distribution has"
        fi
        # Programs may still run in an older root.
        if [[ -e $root_dir/.distview-root ]]; then
            exec 8<"$root_dir/.distview-root"
            if ! flock --nonblock 8; then
                say "waiting for programs that still run in the old private root"
                flock 8
            fi
        fi
        root_create
        exec 8<&-
    fi
    toolchain_kind=private
    toolchain_summary=$(root_summary)
}

root_summary() {
    local status=$root_dir/var/lib/dpkg/status
    printf 'the private %s in %s: GNU %s, Open MPI %s, Kokkos %s' "$root_title" "$root_prefix" \
        "$(root_version 'g[+][+]-[0-9]+' "$status")" "$(root_version openmpi-bin "$status")" "$(root_kokkos)"
    if [[ $root_choice == trilinos ]]; then
        printf ', Trilinos %s' "$(root_version trilinos-dev "$status")"
    fi
}

root_version() {
    awk -v package="^$1\$" '$1 == "Package:" { found = $2 ~ package }
        found && $1 == "Version:" { sub(/-[^-]*$/, "", $2); print $2; exit }' "$2"
}

# root_kokkos: prints the version that Kokkos's own CMake file states.
root_kokkos() {
    sed -nE 's/^set *\(PACKAGE_VERSION "([^"]+)"\)/\1/p' "$root_dir"/usr/lib/*/cmake/Kokkos/KokkosConfigVersion.cmake
}
