# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# distview_precompile_kokkos(TARGET [AS OWNER] [HEADERS header...]): Kokkos, and other projects' headers, are read once for
# all sources of a target, and of others that are compiled AS it is, instead of once for each: 2.6 s of 6 to 10 s for
# most (GCC 14). Headers of ours are not among them, so that a source that lacks one is an error. It is for the
# repository's own build alone, and not for clang-tidy and nvcc, which read headers as they are.

function(distview_precompile_kokkos target)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "AS" "HEADERS")
    string(TOUPPER "${Kokkos_DEVICES}" devices)
    if(NOT PROJECT_IS_TOP_LEVEL AND NOT distview_IS_TOP_LEVEL OR CMAKE_CXX_CLANG_TIDY OR "CUDA" IN_LIST devices)
        return()
    endif()
    # Where another header is forced to be first, the compiler reads all as usual.
    set_target_properties(${target} PROPERTIES PCH_WARN_INVALID OFF)
    if(NOT arg_AS)
        target_precompile_headers(${target} PRIVATE <Kokkos_Core.hpp> ${arg_HEADERS})
    else()
        target_precompile_headers(${target} REUSE_FROM ${arg_AS})
    endif()
endfunction()
