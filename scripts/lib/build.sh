# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash
# Configuring and building, inside the toolchain.

# choose_build_folder PRESET: sets `folder`, where the preset is built. Its name carries what a cache
# depends on, so that one left by another compiler, another machine or another place of the checkout
# is not taken. CMakePresets.json appends the exported suffix as well.
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
        # Another Kokkos or MPI may have the same version. The usual one adds nothing: its folders keep their names.
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

# build_jobs: as many as there are cores, and memory for (Kokkos costs a compiler up to 1.5 GB).
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

# build_targets PRESET FOLDER [TARGETS...]: configures when needed, then builds the targets, or all.
# Returns non-zero when one of both failed, having shown why.
build_targets() {
    local preset=$1 folder=$2 log=$2/distview-build.log arguments=() status=0 began=$SECONDS
    shift 2
    mkdir -p "$folder" 2>/dev/null || die "$folder cannot be made: is the checkout read-only?"
    # One at a time: ninja does not guard a folder against a second ninja.
    exec 7>"$folder/distview-build.lock"
    flock --nonblock 7 || { say "waiting for another build in $folder"; flock 7; }
    : >"$log"
    build_configure "$preset" "$folder" "$log" || { exec 7>&-; return 1; }
    build_require "$folder" "$log" "$@"
    if [[ $build_python == package && -n $(python_missing "$folder") ]]; then
        die "the Python package cannot be built here: $(python_missing "$folder")" \
            "it needs Python 3.12 or newer with its headers, nanobind 2.5 or a newer 2.x, and NumPy" \
            "(--native installs what the distribution has of these; Debian 13 has them all)"
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

# build_has FOLDER TARGETS...: those that a configured build has, one a line.
build_has() {
    local folder=$1 ninja all name
    shift
    ninja=$(sed -nE 's/^CMAKE_MAKE_PROGRAM:[A-Z]+=(.+)/\1/p' "$folder/CMakeCache.txt")
    all=$("$ninja" -C "$folder" -t targets all 2>/dev/null) || return 0
    for name in "$@"; do
        if grep -qxF -- "$name: phony" <<<"$all"; then echo "$name"; fi
    done
}

# build_require FOLDER LOG TARGETS...: ends with status 2 if there is no such target, and lists the programs.
build_require() {
    local folder=$1 log=$2 ninja all name
    shift 2
    ninja=$(sed -nE 's/^CMAKE_MAKE_PROGRAM:[A-Z]+=(.+)/\1/p' "$folder/CMakeCache.txt")
    for name in "$@"; do
        all=$("$ninja" -C "$folder" -t targets all 2>>"$log") || return 0 # the build will say what is wrong
        if grep -qxF -- "$name: phony" <<<"$all"; then continue; fi
        # Its source may be younger than the configuration.
        run_logged "$log" cmake --build "$folder" --target build.ninja 7>&- || return 0
        all=$("$ninja" -C "$folder" -t targets all 2>>"$log") || return 0
        if grep -qxF -- "$name: phony" <<<"$all"; then continue; fi
        exec >&2
        all=$(build_programs <<<"$all")
        printf 'distview: error: there is no program %s; there are\n' "$name"
        sed '/^bench_/d' <<<"$all" | build_list
        if [[ $all == *bench_* ]]; then
            printf '                 and benchmarks\n'
            sed '/^bench_/!d' <<<"$all" | build_list
        fi
        exit 2
    done
}

# build_programs: of ninja's targets on stdin the programs for people, sorted: those of examples, perf and io.
build_programs() {
    sed -nE -e 's,^bin/([^/]+): .*_EXECUTABLE_LINKER_.*,program \1,p' \
        -e 's,^(examples|perf|io/tools)/(.*/)?CMakeFiles/([^/]+)\.dir/.*,ours \3,p' |
        LC_ALL=C sort -u | awk '$1 == "ours" { ours[$2] = 1 } $1 == "program" && ours[$2] { print $2 }'
}

# build_list: the words on stdin as indented lines.
build_list() { paste -s -d ' ' | fold -s -w 80 | sed 's/^/                   /; s/ *$//'; }

# build_heartbeat LOG: once a minute how far ninja is, for those who end what has been silent too long.
build_heartbeat() {
    # Without our stderr: who reads it to its end does not wait for the last sleep.
    while sleep 60 &>/dev/null && kill -0 $$ 2>/dev/null; do
        say "  $(tail -c 4096 "$1" | grep -oE '^\[[0-9]+/[0-9]+\]' | tail -n 1) still building"
    done
}

# Is the Python `package` wanted, or the `tests` of it as well? Then a folder that was configured
# without is configured again: what was lacking may have been installed since.
build_python=

# python_setting FOLDER NAME: what CMake has found out about Python.
python_setting() { sed -nE "s/^DISTVIEW_PYTHON_$2:INTERNAL=(.+)/\1/p" "$1/CMakeCache.txt"; }

# python_missing FOLDER: why what is wanted of Python is not there; nothing if it is.
python_missing() {
    local missing=
    if [[ -n $build_python ]]; then missing=$(python_setting "$1" MISSING); fi
    if [[ $build_python == tests && -z $missing ]]; then
        missing=$(python_setting "$1" TESTS_MISSING)
    fi
    printf '%s' "$missing"
}

# Are solver stacks wanted? A folder that was configured before they were installed is configured again.
build_interop=0

# interop_missing FOLDER: whether one that is wanted was not found.
interop_missing() { ((build_interop)) && grep -qE '^DISTVIEW_(PETSC|HYPRE)_LIBRARY:.*-NOTFOUND$' "$1/CMakeCache.txt"; }

build_configure() {
    local preset=$1 folder=$2 log=$3 arguments=()
    # CMake itself runs again when its files change, except for the presets.
    if [[ -e $folder/CMakeCache.txt && -e $folder/build.ninja &&
        $folder/build.ninja -nt $distview_source/CMakePresets.json ]]; then
        [[ -n $(python_missing "$folder") ]] || interop_missing "$folder" || return 0
    fi
    # What the user's home registers was built against the host.
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

# build_errors LOG: the compiler's words without the lines of what went well.
build_errors() {
    if grep -q '^FAILED: ' "$1"; then
        sed -n '/^FAILED: /,$p' "$1" | grep -vE '^\[[0-9]+/[0-9]+\] |^ninja: ' | sed -n 1,120p >&2
    else
        show_log "$1" 20
    fi
    say "building failed; the whole log: $1"
}
