# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash
# Finds the libraries that the machine's own compilers have.

declare -gA probed=()

# Libraries that the programs and tests of the project need besides Kokkos and MPI. Google Benchmark is not in
# the list: without it only the benchmarks are left out.
probe_libraries=(gtest json cli11 stb)

# cmake_at_least MAJOR MINOR
cmake_at_least() {
    local version
    version=$(cmake --version 2>/dev/null | sed -n '1s/^cmake version \([0-9]*\.[0-9]*\).*/\1/p')
    [[ -n $version ]] || return 1
    ((${version%.*} > $1 || (${version%.*} == $1 && ${version#*.} >= $2)))
}

# probe_here: fills `probed` for the compilers that CMake finds; a few seconds.
probe_here() {
    probed=()
    cmake_at_least 3 25 || return 0
    command -v "${CXX:-c++}" >/dev/null || command -v g++ >/dev/null ||
        command -v clang++ >/dev/null || return 0
    # The presets use Ninja, by any of the names that CMake searches for.
    local scratch generator="Unix Makefiles"
    if command -v ninja-build ninja samu >/dev/null; then
        generator=Ninja
        probed[ninja]=found
    elif ! command -v make >/dev/null; then
        return 0
    fi
    scratch=$(mktemp -d)
    cmake -G "$generator" -S "$distview_lib/probe" -B "$scratch/build" \
        -DDISTVIEW_PROBE_RESULT="$scratch/result" >"$scratch/log" 2>&1 </dev/null || true
    local name value
    while IFS='=' read -r name value; do
        probed[$name]=$value
    done < <(cat "$scratch/result" 2>/dev/null)
    rm -rf "$scratch"
}

# probe_lacks NAMES...: prints the names that the probe did not find.
probe_lacks() {
    local name missing=()
    for name in "$@"; do [[ -n ${probed[$name]:-} ]] || missing+=("$name"); done
    printf '%s' "${missing[*]}"
}

# probe_summary: "GNU 14.2.0, Open MPI 5.0.7, Kokkos 5.2.2"
probe_summary() {
    local kokkos=${probed[kokkos]:-}
    printf '%s, %s, Kokkos %s' "${probed[compiler]}" "${probed[mpi]}" "${1:-$kokkos}"
}

# archives_reachable: whether CMake can fetch the release archives. The check lasts about 5 s at most.
archives_reachable() {
    timeout --foreground 6 cmake -P "$distview_source/cmake/DistviewProbeArchives.cmake" >/dev/null 2>&1
}
