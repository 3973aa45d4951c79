# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash
# Functions that configure and build inside the toolchain.

# choose_build_folder PRESET: sets `folder` to the build folder of the preset. A hash in its name covers everything on
# which CMake's cache depends, so that the folder of another compiler, another machine or another place of the checkout
# is not reused. CMakePresets.json appends the exported suffix as well.
choose_build_folder() {
    local compiler=${CXX:-c++} version name key
    version=$("$compiler" --version 2>/dev/null | sed -n 1p) || version=unknown
    case $version in
    *clang*) name=clang ;;
    *) name=gcc ;;
    esac
    name+=$("$compiler" -dumpversion 2>/dev/null | sed 's/\..*//' || true)
    key=$({
        printf '%s\n' "$version" "$compiler" "$distview_source" "$DISTVIEW_TOOLCHAIN_SUMMARY" \
            "${CXXFLAGS:-}" "${LDFLAGS:-}" \
            "${FETCHCONTENT_SOURCE_DIR_KOKKOS:-}"
        # Another Kokkos or MPI may have the same version. The usual one adds nothing, so its folders keep their names.
        for name in CC CFLAGS FC FFLAGS CMAKE_PREFIX_PATH Kokkos_ROOT Kokkos_DIR MPI_HOME; do
            if [[ -n ${!name:-} ]]; then printf '%s\n' "$name=${!name}"; fi
        done
        command -v mpicxx | grep -vxF /usr/bin/mpicxx || true
        uname -m
        grep -m 1 -E '^(flags|Features)' /proc/cpuinfo || true
    } | sha256sum)
    export DISTVIEW_BUILD_SUFFIX=-$name-${key:0:8}
    folder=$distview_source/build/$1$DISTVIEW_BUILD_SUFFIX
}

# build_jobs: number of jobs, limited by cores and by memory (a compiler needs up to 1.5 GB for Kokkos).
build_jobs() {
    if [[ -n ${CMAKE_BUILD_PARALLEL_LEVEL:-} ]]; then
        printf '%s' "$CMAKE_BUILD_PARALLEL_LEVEL"
        return
    fi
    local jobs memory limit
    jobs=$(count_cores)
    memory=$(awk '$1 == "MemAvailable:" { print int($2 / 1024) }' /proc/meminfo 2>/dev/null)
    limit=$(container_limit memory.max memory/memory.limit_in_bytes)
    limit=$((${limit:-0} / 1048576))
    if ((limit > 0 && limit < ${memory:-limit + 1})); then memory=$limit; fi
    if ((${memory:-1536 * jobs} / 1536 < jobs)); then jobs=$((memory / 1536)); fi
    printf '%s' $((jobs > 1 ? jobs : 1))
}

# build_targets PRESET FOLDER [TARGETS...]: configures if needed, then builds the targets, or all targets.
# If either step fails, shows the reason and returns non-zero.
build_targets() {
    local preset=$1 folder=$2 log=$2/distview-build.log arguments=() status=0 began=$SECONDS
    shift 2
    mkdir -p "$folder" 2>/dev/null || die "$folder cannot be made: is the checkout read-only?"
    # One build at a time: ninja does not protect a folder from a second ninja.
    exec 7>"$folder/distview-build.lock"
    flock --nonblock 7 || { say "waiting for another build in $folder"; flock 7; }
    : >"$log"
    build_configure "$preset" "$folder" "$log" || { exec 7>&-; return 1; }
    build_require "$folder" "$log" "$@"
    if [[ $build_python == package && -n $(python_missing "$folder") ]]; then
        die "the Python package cannot be built here: $(python_missing "$folder")" \
            "it needs Python 3.12 or newer with its headers, nanobind 2.5 or a newer 2.x, and NumPy" \
            "(--native installs those that the distribution has; Debian 13 has them all)"
    fi

    if (($#)); then arguments=(--target "$@"); fi
    local build=(cmake --build "$folder" --parallel "$(build_jobs)" "${arguments[@]}")
    if ((${DISTVIEW_QUIET:-0})); then
        run_logged "$log" "${build[@]}" 7>&- || status=$?
        if ((status)); then build_errors "$log"; fi
    elif [[ -t 2 ]]; then
        "${build[@]}" >&2 7>&- </dev/null || status=$?
    else
        say "building ${*:-everything} (preset $preset)"
        build_heartbeat "$log" 7>&- 8>&- &
        local heartbeat=$!
        run_logged "$log" "${build[@]}" 7>&- || status=$?
        kill "$heartbeat" 2>/dev/null || true
        if ((status)); then build_errors "$log"; else
            say "built in $(duration $((SECONDS - began)))"
        fi
    fi
    exec 7>&-
    return $status
}

# build_has FOLDER TARGETS...: prints the targets that a configured build has, one per line.
build_has() {
    local folder=$1 ninja all name
    shift
    ninja=$(sed -nE 's/^CMAKE_MAKE_PROGRAM:[A-Z]+=(.+)/\1/p' "$folder/CMakeCache.txt")
    all=$("$ninja" -C "$folder" -t targets all 2>/dev/null) || return 0
    for name in "$@"; do
        if grep -qxF -- "$name: phony" <<<"$all"; then echo "$name"; fi
    done
}

# build_require FOLDER LOG TARGETS...: if a target does not exist, lists the programs and ends with status 2.
build_require() {
    local folder=$1 log=$2 ninja all name
    shift 2
    ninja=$(sed -nE 's/^CMAKE_MAKE_PROGRAM:[A-Z]+=(.+)/\1/p' "$folder/CMakeCache.txt")
    for name in "$@"; do
        all=$("$ninja" -C "$folder" -t targets all 2>>"$log") || return 0 # the build will say what is wrong
        if grep -qxF -- "$name: phony" <<<"$all"; then continue; fi
        # The program's source may be newer than the configuration.
        run_logged "$log" cmake --build "$folder" --target build.ninja 7>&- || return 0
        all=$("$ninja" -C "$folder" -t targets all 2>>"$log") || return 0
        if grep -qxF -- "$name: phony" <<<"$all"; then continue; fi
        exec >&2
        all=$(build_programs <<<"$all")
        printf 'distview: error: unknown program %s; the programs are\n' "$name"
        sed '/^bench_/d' <<<"$all" | build_list
        if [[ $all == *bench_* ]]; then
            printf '                 and benchmarks\n'
            sed '/^bench_/!d' <<<"$all" | build_list
        fi
        exit 2
    done
}

# build_programs: reads ninja's targets from stdin and prints the programs for users, sorted: examples, perf and io.
build_programs() {
    sed -nE -e 's,^bin/([^/]+): .*_EXECUTABLE_LINKER_.*,program \1,p' \
        -e 's,^(examples|perf|io/tools)/(.*/)?CMakeFiles/([^/]+)\.dir/.*,ours \3,p' |
        LC_ALL=C sort -u | awk '$1 == "ours" { ours[$2] = 1 } $1 == "program" && ours[$2] { print $2 }'
}

# build_list: prints the words on stdin as indented lines.
build_list() { paste -s -d ' ' | fold -s -w 80 | sed 's/^/                   /; s/ *$//'; }

# build_heartbeat LOG: reports ninja's progress once a minute: some systems end programs that are silent too long.
build_heartbeat() {
    # sleep does not inherit stderr, so that a reader of stderr does not wait for the last sleep.
    while sleep 60 &>/dev/null && kill -0 $$ 2>/dev/null; do
        say "  $(tail -c 4096 "$1" | grep -oE '^\[[0-9]+/[0-9]+\]' | tail -n 1) still building"
    done
}

# build_python: `package` if the script needs the Python package, `tests` if it needs its tests as well. A folder that
# was configured without them is then configured again, because missing packages may have been installed since.
build_python=

# python_setting FOLDER NAME: prints a setting that CMake has found for Python.
python_setting() { sed -nE "s/^DISTVIEW_PYTHON_$2:INTERNAL=(.+)/\1/p" "$1/CMakeCache.txt"; }

# python_missing FOLDER: prints why the needed Python parts are not built; nothing if they are.
python_missing() {
    local missing=
    if [[ -n $build_python ]]; then missing=$(python_setting "$1" MISSING); fi
    if [[ $build_python == tests && -z $missing ]]; then
        missing=$(python_setting "$1" TESTS_MISSING)
    fi
    printf '%s' "$missing"
}

# build_interop: 1 if the script needs solver stacks. A folder that was configured before their installation is
# configured again.
build_interop=0

# interop_missing FOLDER: whether a needed solver stack was not found.
interop_missing() { ((build_interop)) && grep -qE '^DISTVIEW_(PETSC|HYPRE)_LIBRARY:.*-NOTFOUND$' "$1/CMakeCache.txt"; }

build_configure() {
    local preset=$1 folder=$2 log=$3 arguments=()
    # CMake itself runs again when its files change, except for the presets.
    if [[ -e $folder/CMakeCache.txt && -e $folder/build.ninja &&
        $folder/build.ninja -nt $distview_source/CMakePresets.json ]]; then
        [[ -n $(python_missing "$folder") ]] || interop_missing "$folder" || return 0
    fi
    # Packages that the user's home registers were built for the host, not for the private root.
    if [[ $DISTVIEW_INSIDE == private ]]; then
        arguments+=(-DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF)
    fi
    if [[ $DISTVIEW_INSIDE == fetch && ${DISTVIEW_TOOLCHAIN:-} == fetch ]]; then
        arguments+=(-DCMAKE_DISABLE_FIND_PACKAGE_Kokkos=ON)
    fi
    local name
    while read -r name; do
        arguments+=("-D$name=${!name}")
    done < <(compgen -e | grep '^FETCHCONTENT_SOURCE_DIR_' || true)
    say "configuring preset $preset in ${folder#"$distview_source/"}"
    if ! (cd "$distview_source" && run_logged "$log" cmake --preset "$preset" -B "$folder" \
        "${arguments[@]}" 7>&-); then
        show_log "$log" 30
        say "configuring failed; the whole log: $log"
        return 1
    fi
    # A configuration that changed nothing leaves build.ninja as old as it was.
    touch "$folder/build.ninja"
}

# build_errors LOG: shows the compiler's messages without the lines of successful steps.
build_errors() {
    if grep -q '^FAILED: ' "$1"; then
        sed -n '/^FAILED: /,$p' "$1" | grep -vE '^\[[0-9]+/[0-9]+\] |^ninja: ' | sed -n 1,120p >&2
    else
        show_log "$1" 20
    fi
    say "building failed; the whole log: $1"
}
