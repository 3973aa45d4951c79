# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# distview_set_warnings(TARGET): private compile options, hence never exported.

function(distview_set_warnings target)
    target_compile_options(
        ${target}
        PRIVATE
            -Wall
            -Wextra
            -Wpedantic
            -Wshadow
            -Wconversion
            # Extents are signed here and unsigned in Kokkos; each crossing would need a cast.
            -Wno-sign-conversion)
    if(DISTVIEW_WARNINGS_AS_ERRORS)
        target_compile_options(${target} PRIVATE -Werror)
    endif()
endfunction()
