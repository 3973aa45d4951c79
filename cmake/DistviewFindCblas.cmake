# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# distview_cblas: a BLAS with its C interface, if one is installed. DISTVIEW_HAVE_CBLAS tells the compiler
# that it exists; DISTVIEW_HAVE_OPENBLAS that it is OpenBLAS, whose number of threads can be set.

if(NOT TARGET distview_cblas)
    add_library(distview_cblas INTERFACE)
    find_package(BLAS QUIET)
    find_path(DISTVIEW_CBLAS_INCLUDE_DIR cblas.h PATH_SUFFIXES openblas)
    mark_as_advanced(DISTVIEW_CBLAS_INCLUDE_DIR)
    if(BLAS_FOUND AND DISTVIEW_CBLAS_INCLUDE_DIR)
        include(CheckCXXSourceCompiles)
        block()
            set(CMAKE_REQUIRED_INCLUDES "${DISTVIEW_CBLAS_INCLUDE_DIR}")
            set(CMAKE_REQUIRED_LIBRARIES ${BLAS_LIBRARIES} ${BLAS_LINKER_FLAGS})
            check_cxx_source_compiles(
                "#include <cblas.h>
                 int main() { double x = 1; cblas_daxpy(1, x, &x, 1, &x, 1); return 0; }"
                DISTVIEW_HAVE_CBLAS)
            check_cxx_source_compiles(
                "#include <cblas.h>
                 int main() { openblas_set_num_threads(1); return 0; }"
                DISTVIEW_HAVE_OPENBLAS)
        endblock()
    endif()
    if(DISTVIEW_HAVE_CBLAS)
        target_include_directories(distview_cblas SYSTEM
                                   INTERFACE "${DISTVIEW_CBLAS_INCLUDE_DIR}")
        target_link_libraries(distview_cblas INTERFACE ${BLAS_LIBRARIES} ${BLAS_LINKER_FLAGS})
        target_compile_definitions(distview_cblas INTERFACE DISTVIEW_HAVE_CBLAS)
        if(DISTVIEW_HAVE_OPENBLAS)
            target_compile_definitions(distview_cblas INTERFACE DISTVIEW_HAVE_OPENBLAS)
        endif()
    else()
        message(STATUS "BLAS with cblas.h: not found, daxpy and hpl are built without it")
    endif()
endif()
