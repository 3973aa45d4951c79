# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# distview_precompile_kokkos(TARGET [AS OWNER] [HEADERS header...]): Kokkos, and other projects' headers, are read once for
# all sources of a target, and of others that are compiled AS it is, instead of once for each: 2.6 s of 6 to 10 s for
# most (GCC 14). Headers of ours are not among them, so that a source that lacks one is an error (but for the tests'
# mock device, whose sources are compiled without it, too). It is for the
# repository's own build by GCC alone: clang-tidy and nvcc read headers as they are, and where options of OWNER and
# TARGET differ, as -O does, GCC reads them so too, while Clang would fail.

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
        # GCC refuses headers that were compiled with other definitions of what they look at.
        target_compile_definitions(${target} PRIVATE $<TARGET_PROPERTY:${arg_AS},COMPILE_DEFINITIONS>)
    endif()
endfunction()

# distview_join_sources(TARGET): with DISTVIEW_JOIN_SOURCES its sources are compiled five at a time, in half the time
# (decision 0043). For targets whose sources define no name twice, in anonymous namespaces either.
function(distview_join_sources target)
    if(DISTVIEW_JOIN_SOURCES)
        set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 5)
    endif()
endfunction()
