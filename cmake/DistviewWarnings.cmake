# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# distview_set_warnings(TARGET [option...]): sets private compile options, which are never exported. The given options
# apply only to sources that nvcc compiles: those that depend on a Kokkos with CUDA.

function(distview_set_warnings target)
    target_compile_options(
        ${target}
        PRIVATE
            -Wall
            -Wextra
            -Wpedantic
            -Wshadow
            -Wconversion
            # Extents are signed here and unsigned in Kokkos; each conversion would need a cast.
            -Wno-sign-conversion)
    # g++ 12 warns about its own std::string (GCC bug 105651).
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
        target_compile_options(${target} PRIVATE -Wno-restrict)
    endif()
    # With sanitizers, g++ warns about variables that are always set, and that ThreadSanitizer does not see fences.
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_FLAGS MATCHES "-fsanitize")
        target_compile_options(${target} PRIVATE -Wno-maybe-uninitialized -Wno-tsan)
    endif()
    if(DISTVIEW_WARNINGS_AS_ERRORS)
        target_compile_options(${target} PRIVATE -Werror)
    endif()
    if("CUDA" IN_LIST distview_kokkos_devices)
        set(options ${ARGN})
        if(DISTVIEW_WARNINGS_AS_ERRORS)
            list(APPEND options -Werror=all-warnings)
        endif()
        # One expression for all options: CMake 3.25 evaluates only the first expression of this kind.
        set(definitions "$<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>")
        target_compile_options(
            ${target} PRIVATE "$<$<IN_LIST:KOKKOS_DEPENDENCE,${definitions}>:${options}>")
    endif()
endfunction()
