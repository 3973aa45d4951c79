# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# distview_precompile_kokkos(TARGET [AS OWNER] [HEADERS header...]): the compiler reads Kokkos, and other projects'
# headers, once for all sources of a target and of other targets that name it with AS. Otherwise each source would read
# them, for most sources in 2.6 s of 6 to 10 s (GCC 14). DistView's own headers are not precompiled, so that a source
# without a needed include fails to compile. (The tests' mock device is an exception; its sources are also compiled
# without it.) Only the repository's own build by GCC uses this: clang-tidy and nvcc read the headers themselves. If
# options of OWNER and TARGET differ (for example -O), GCC also reads the headers themselves, while Clang would fail.

function(distview_precompile_kokkos target)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "AS" "HEADERS")
    string(TOUPPER "${Kokkos_DEVICES}" devices)
    if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU" OR CMAKE_CXX_CLANG_TIDY OR "CUDA" IN_LIST devices)
        return()
    elseif(NOT PROJECT_IS_TOP_LEVEL AND NOT distview_IS_TOP_LEVEL)
        return()
    endif()
    set_target_properties(${target} PROPERTIES PCH_WARN_INVALID OFF)
    if(NOT arg_AS)
        target_precompile_headers(${target} PRIVATE <Kokkos_Core.hpp> ${arg_HEADERS})
    else()
        target_precompile_headers(${target} REUSE_FROM ${arg_AS})
        # GCC refuses precompiled headers if macros that they use are defined differently.
        target_compile_definitions(${target} PRIVATE $<TARGET_PROPERTY:${arg_AS},COMPILE_DEFINITIONS>)
    endif()
endfunction()

# distview_join_sources(TARGET): with DISTVIEW_JOIN_SOURCES the target's sources are compiled five at a time, in half
# the time (decision 0043). No two sources of the target may define the same name, not even in anonymous namespaces.
function(distview_join_sources target)
    if(DISTVIEW_JOIN_SOURCES)
        set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 5)
    endif()
endfunction()
