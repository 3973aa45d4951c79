# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash
# Going into the chosen toolchain. For the private root that is a mount namespace of its own and a
# chroot, in which every folder of the host that is not part of its operating system is where it
# always is: the same paths mean the same files, in the same working folder.

# Variables of the caller that mean the same inside. All others stay outside: a host's PATH,
# LD_LIBRARY_PATH, CC or PYTHONPATH point at a system that is not there.
enter_keep='^(DISTVIEW_.*|OMP_.*|KOKKOS_.*|OMPI_MCA_.*|PRTE_MCA_.*|PMIX_MCA_.*|FETCHCONTENT_SOURCE_DIR_.*'
enter_keep+='|GTEST_.*|BENCHMARK_.*|CTEST_.*|(ASAN|LSAN|UBSAN|TSAN)_OPTIONS|GOMP_.*|MALLOC_.*'
enter_keep+='|CMAKE_BUILD_PARALLEL_LEVEL|VERBOSE'
enter_keep+='|HOME|USER|LOGNAME|TERM|COLORTERM|NO_COLOR|COLUMNS|LINES|CI|TZ|TMPDIR|SOURCE_DATE_EPOCH'
enter_keep+='|(http|https|no|HTTP|HTTPS|NO)_(proxy|PROXY))$'

# Arguments of the user's program: files that they name in system folders are brought along.
enter_arguments=()

# enter_folders: what must be at hand inside wherever it lies, one a line.
enter_folders() {
    printf '%s\n' "$distview_source" "$distview_prefix" "$PWD"
    local argument folder
    for argument in "${enter_arguments[@]}"; do
        argument=${argument#*=}
        [[ $argument =~ ^/(usr|etc|var/lib|var/cache)/ ]] || continue
        folder=$(dirname -- "$argument")
        [[ -d $folder ]] || continue
        if [[ -d $root_dir$folder && -n $(ls -A "$root_dir$folder") ]]; then
            say "note: inside the private root, $folder is the root's own"
        else
            printf '%s\n' "$folder"
        fi
    done
}

# enter_toolchain COMMAND...: replaces this process by the command, inside.
enter_toolchain() {
    export DISTVIEW_INSIDE=$toolchain_kind DISTVIEW_TOOLCHAIN_SUMMARY=$toolchain_summary
    if [[ $toolchain_kind != private ]]; then exec "$@"; fi

    local why name variables=()
    why=$(root_impossible)
    [[ -z $why ]] || die "the private Debian root cannot be entered: $why"
    while read -r name; do
        if [[ $name =~ $enter_keep ]]; then variables+=("$name=${!name}"); fi
    done < <(compgen -e)
    variables+=(PATH=/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin LC_ALL=C.UTF-8
        SHELL=/bin/bash PYTHONNOUSERSITE=1)
    # Held by every process inside, until the last one ends: the root is not removed meanwhile.
    exec 8<"$root_dir/.distview-root"
    flock --shared --nonblock 8 || die "$root_dir is being removed by another command"
    if [[ $1 == "$BASH" ]]; then set -- /bin/bash "${@:2}"; fi
    exec unshare --mount --propagation private -- "$BASH" "$distview_lib/enter_root.sh" \
        "$root_dir" "$(enter_folders)" "${#variables[@]}" \
        "${variables[@]}" "$@"
}
