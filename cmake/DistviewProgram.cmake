# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# distview_program_options(TARGET): sets the compile options of tests, benchmarks and examples.
# distview_c_program(TARGET): sets the options of programs in C that use the C face.

include(CheckCXXCompilerFlag)

# DISTVIEW_NATIVE_OPTION: empty if the compiler has no such option. For Power, GCC knows only -mcpu; for aarch64, older
# Clang versions know only -mcpu, too.
set(DISTVIEW_NATIVE_OPTION "")
if(DISTVIEW_NATIVE)
    check_cxx_compiler_flag(-march=native DISTVIEW_HAVE_MARCH_NATIVE)
    if(DISTVIEW_HAVE_MARCH_NATIVE)
        set(DISTVIEW_NATIVE_OPTION -march=native)
    else()
        check_cxx_compiler_flag(-mcpu=native DISTVIEW_HAVE_MCPU_NATIVE)
        if(DISTVIEW_HAVE_MCPU_NATIVE)
            set(DISTVIEW_NATIVE_OPTION -mcpu=native)
        endif()
    endif()
endif()

function(distview_program_options target)
    # Device code may call constexpr host functions, for example members of std::complex. Warning 186 is off, because
    # it reports loops over the axes of an array without axes.
    distview_set_warnings(${target} -expt-relaxed-constexpr "SHELL:-Xcudafe --diag_suppress=186")
    target_compile_features(${target} PUBLIC cxx_std_20)
    set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
    target_compile_options(${target} PRIVATE ${DISTVIEW_NATIVE_OPTION})
endfunction()

function(distview_c_program target)
    set_target_properties(${target} PROPERTIES C_STANDARD 11 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF)
    target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion)
    if(DISTVIEW_WARNINGS_AS_ERRORS)
        target_compile_options(${target} PRIVATE -Werror)
    endif()
    # The program must be linked with the sanitizers of the library.
    string(REGEX MATCHALL "-f(no-)?sanitize[^ ]*" sanitizers "${CMAKE_CXX_FLAGS}")
    target_compile_options(${target} PRIVATE ${sanitizers})
    target_link_options(${target} PRIVATE ${sanitizers})
    target_link_libraries(${target} PRIVATE distview::c)
endfunction()
