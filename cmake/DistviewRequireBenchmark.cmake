# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Provides benchmark::benchmark (Google Benchmark): the installed one, otherwise a fetched one. If neither is
# available, the target does not exist; a build of the benchmarks alone then fails.

find_package(benchmark 1.8 QUIET)
if(NOT TARGET benchmark::benchmark)
    include(DistviewArchives)
    distview_can_fetch(benchmark distview_fetch_possible)
    if(NOT distview_fetch_possible AND NOT PROJECT_IS_TOP_LEVEL)
        return()
    endif()
    distview_fetch(benchmark "Google Benchmark")
    block()
        set(CMAKE_CXX_STANDARD 20)
        set(BENCHMARK_ENABLE_TESTING OFF)
        set(BENCHMARK_ENABLE_INSTALL OFF)
        set(BENCHMARK_ENABLE_WERROR OFF)
        add_subdirectory("${benchmark_SOURCE_DIR}" "${benchmark_BINARY_DIR}" EXCLUDE_FROM_ALL
                         SYSTEM)
    endblock()
endif()
