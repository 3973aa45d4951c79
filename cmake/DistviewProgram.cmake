# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# distview_program_options(TARGET): what tests, benchmarks and examples are compiled with.

include(CheckCXXCompilerFlag)

if(DISTVIEW_NATIVE)
    check_cxx_compiler_flag(-march=native DISTVIEW_HAVE_MARCH_NATIVE)
endif()

function(distview_program_options target)
    # Functions of both sides may call constexpr ones, as std::complex' members are; and no warnings (186) of
    # loops over the axes of an array that has none.
    distview_set_warnings(${target} -expt-relaxed-constexpr "SHELL:-Xcudafe --diag_suppress=186")
    target_compile_features(${target} PUBLIC cxx_std_20)
    set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
    if(DISTVIEW_NATIVE AND DISTVIEW_HAVE_MARCH_NATIVE)
        target_compile_options(${target} PRIVATE -march=native)
    endif()
endfunction()
