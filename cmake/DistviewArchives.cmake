# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Release archives of the packages that the project uses and may not find installed. The hashes come
# from Spack's recipes (package.py of kokkos, googletest, benchmark, nlohmann-json, cli11) and, for stb,
# which has no releases, from Conan's recipe; docs/decisions/0007-provisioning.md describes their check.
# FETCHCONTENT_SOURCE_DIR_<NAME> uses a local source tree instead.

include_guard() # not GLOBAL: the variables below are the including folder's

set(distview_archive_KOKKOS
    "https://github.com/kokkos/kokkos/releases/download/5.0.2/kokkos-5.0.2.tar.gz"
    188817bb452ca805ee8701f1c5adbbb4fb83dc8d1c50624566a18a719ba0fa5e)
set(distview_archive_GOOGLETEST
    "https://github.com/google/googletest/archive/refs/tags/v1.17.0.tar.gz"
    65fab701d9829d38cb77c14acdc431d2108bfdbf8979e40eb8ae567edf10b27c)
set(distview_archive_BENCHMARK
    "https://github.com/google/benchmark/archive/v1.9.4.tar.gz"
    b334658edd35efcf06a99d9be21e4e93e092bd5f95074c1673d5c8705d95c104)
set(distview_archive_NLOHMANN_JSON
    "https://github.com/nlohmann/json/archive/v3.12.0.tar.gz"
    4b92eb0c06d10683f7447ce9406cb97cd4b453be18d7279320f7b2f025c10187)
set(distview_archive_CLI11
    "https://github.com/CLIUtils/CLI11/archive/v2.5.0.tar.gz"
    17e02b4cddc2fa348e5dbdbb582c59a3486fa2b2433e70a0c3bacb871334fd55)
set(distview_archive_STB
    "https://github.com/nothings/stb/archive/8b5f1f37b5b75829fc72d38e7b5d4bcbf8a26d55.zip"
    93a16ee3e866e719feec459f6f132cce932c5ec751eb38e3ec1975f911353d2e)

# distview_archives_reachable(RESULT): whether this machine can fetch an archive. The check lasts at most 5 s,
# so that a machine without network access does not wait for the much longer timeout of a download.
function(distview_archives_reachable result)
    if(NOT DEFINED CACHE{DISTVIEW_ARCHIVES_REACHABLE})
        list(GET distview_archive_KOKKOS 0 url)
        file(DOWNLOAD "${url}" TIMEOUT 5 RANGE_START 0 RANGE_END 0 STATUS status)
        list(GET status 0 code)
        if(code EQUAL 0)
            # A failure is not cached: the next configuration may succeed.
            set(DISTVIEW_ARCHIVES_REACHABLE TRUE CACHE INTERNAL "Release archives can be fetched")
        endif()
    endif()
    if(DEFINED CACHE{DISTVIEW_ARCHIVES_REACHABLE})
        set(${result} TRUE PARENT_SCOPE)
    else()
        set(${result} FALSE PARENT_SCOPE)
    endif()
endfunction()

# distview_can_fetch(NAME RESULT): whether a source tree of NAME exists (unpacked earlier, or given), or its archive
# can be fetched.
function(distview_can_fetch name result)
    include(FetchContent)
    string(TOUPPER "${name}" key)
    set(possible FALSE)
    if(FETCHCONTENT_SOURCE_DIR_${key} OR IS_DIRECTORY "${FETCHCONTENT_BASE_DIR}/${name}-src")
        set(possible TRUE)
    elseif(NOT FETCHCONTENT_FULLY_DISCONNECTED)
        distview_archives_reachable(possible)
    endif()
    set(${result} ${possible} PARENT_SCOPE)
endfunction()

# distview_fetch(NAME WHAT): unpacks the archive of NAME and sets NAME_SOURCE_DIR and
# NAME_BINARY_DIR, lower case; if the package must be built, the caller adds it as a subdirectory. If the
# archive cannot be fetched, the configuration stops with a message that says what to install.
macro(distview_fetch name what)
    include(FetchContent)
    string(TOUPPER "${name}" distview_fetch_key)
    distview_can_fetch("${name}" distview_fetch_possible)
    if(NOT distview_fetch_possible)
        message(FATAL_ERROR "${what} is not installed where CMake looks, and its release archive cannot be "
                            "fetched from here. Install it (then -D CMAKE_PREFIX_PATH=... if need be), or "
                            "set FETCHCONTENT_SOURCE_DIR_${distview_fetch_key} to its source tree, or use "
                            "scripts/demo and scripts/test, which set up all that is needed.")
    endif()
    list(GET distview_archive_${distview_fetch_key} 0 distview_fetch_url)
    list(GET distview_archive_${distview_fetch_key} 1 distview_fetch_hash)
    # SOURCE_SUBDIR names a folder that does not exist, so that the archive is only unpacked. CMake before 3.28 has
    # no other way to keep the package's install rules out of this project.
    FetchContent_Declare(
        ${name}
        URL "${distview_fetch_url}"
        URL_HASH "SHA256=${distview_fetch_hash}"
        DOWNLOAD_EXTRACT_TIMESTAMP TRUE
        SOURCE_SUBDIR distview_does_not_add_it)
    FetchContent_MakeAvailable(${name})
endmacro()
