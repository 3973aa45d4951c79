# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Provides Kokkos::kokkos, 4.5.1 to 5.2: the installed one, otherwise a fetched one (preferred if
# FETCHCONTENT_SOURCE_DIR_KOKKOS names a source tree). Fails early if this Kokkos lacks a needed feature.

if(NOT TARGET Kokkos::kokkos AND NOT FETCHCONTENT_SOURCE_DIR_KOKKOS)
    find_package(Kokkos 4.5.1...<6 QUIET CONFIG)
    if(Kokkos_FOUND)
        message(STATUS "Kokkos ${Kokkos_VERSION} in ${Kokkos_DIR}")
    elseif(Kokkos_CONSIDERED_VERSIONS)
        message(STATUS "Kokkos: 4.5.1 to 5.2 is needed, only ${Kokkos_CONSIDERED_VERSIONS} found "
                       "in ${Kokkos_CONSIDERED_CONFIGS}")
    endif()
endif()

# A fetched Kokkos has no CUDA unless Kokkos' own options enable it.
if(DISTVIEW_ENABLE_CUDA AND NOT TARGET Kokkos::kokkos AND NOT Kokkos_ENABLE_CUDA)
    message(FATAL_ERROR "DISTVIEW_ENABLE_CUDA: no Kokkos 4.5.1 to 5.2 was found; "
                        "set -D Kokkos_ROOT=PREFIX to a Kokkos with CUDA. "
                        "docs/cuda.md describes how to build one.")
endif()

if(NOT TARGET Kokkos::kokkos)
    include(DistviewArchives)
    distview_fetch(kokkos "Kokkos 4.5.1 to 5.2")
    block()
        # Kokkos reads its own options from the cache. Options that the user set (a GPU, an architecture)
        # take precedence; without any, Kokkos uses the host's threads.
        if(NOT DEFINED Kokkos_ENABLE_SERIAL)
            set(Kokkos_ENABLE_SERIAL ON CACHE BOOL "Kokkos: serial execution space")
        endif()
        if(NOT DEFINED Kokkos_ENABLE_OPENMP AND NOT DEFINED Kokkos_ENABLE_THREADS)
            find_package(OpenMP QUIET COMPONENTS CXX)
            if(OpenMP_CXX_FOUND)
                set(Kokkos_ENABLE_OPENMP ON CACHE BOOL "Kokkos: OpenMP execution space")
            endif()
        endif()
        set(CMAKE_CXX_STANDARD 20)
        set(CMAKE_CXX_EXTENSIONS OFF)
        set(CMAKE_POSITION_INDEPENDENT_CODE ON)
        add_subdirectory("${kokkos_SOURCE_DIR}" "${kokkos_BINARY_DIR}" EXCLUDE_FROM_ALL SYSTEM)
    endblock()
endif()

# A Kokkos that is part of this build, or of the enclosing build, defines its variables only in its own folder.
if(NOT DEFINED Kokkos_DEVICES AND Kokkos_SOURCE_DIR)
    get_directory_property(Kokkos_VERSION DIRECTORY "${Kokkos_SOURCE_DIR}"
                                                    DEFINITION Kokkos_VERSION)
    get_directory_property(Kokkos_DEVICES DIRECTORY "${Kokkos_SOURCE_DIR}"
                                                    DEFINITION KOKKOS_ENABLED_DEVICES)
    message(STATUS "Kokkos ${Kokkos_VERSION} in ${Kokkos_SOURCE_DIR}")
    if(Kokkos_VERSION VERSION_LESS 4.5.1 OR Kokkos_VERSION VERSION_GREATER_EQUAL 6)
        message(FATAL_ERROR "Kokkos 4.5.1 to 5.2 is needed, ${Kokkos_SOURCE_DIR} has "
                            "${Kokkos_VERSION}")
    endif()
endif()

string(TOUPPER "${Kokkos_DEVICES}" distview_kokkos_devices)
if(Kokkos_DEVICES AND NOT distview_kokkos_devices MATCHES "SERIAL|OPENMP|THREADS|HPX")
    message(FATAL_ERROR "Kokkos is built for ${Kokkos_DEVICES} only: one of its host execution "
                        "spaces (Serial, OpenMP, Threads) is needed")
endif()
# Older compilers claim C++20, but lack parts of it. nvcc_wrapper is identified as the compiler that it calls.
if(NOT "cxx_std_20" IN_LIST CMAKE_CXX_COMPILE_FEATURES
   OR (CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 12)
   OR (CMAKE_CXX_COMPILER_ID STREQUAL Clang AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 17))
    message(FATAL_ERROR "The compiler ${CMAKE_CXX_COMPILER} (${CMAKE_CXX_COMPILER_ID} "
                        "${CMAKE_CXX_COMPILER_VERSION}) lacks parts of C++20: g++ 12, clang 17 or newer "
                        "is needed, with -D CMAKE_CXX_COMPILER=...")
endif()

# nvcc compiles every source that depends on Kokkos: either nvcc_wrapper is the C++ compiler, or Kokkos' own
# launcher calls it (decision 0018).
if(distview_kokkos_devices MATCHES "CUDA")
    # Without this check, every source would fail with the wrapper's message. The launcher sets Kokkos_NVCC_WRAPPER.
    if(Kokkos_NVCC_WRAPPER)
        execute_process(
            COMMAND "${Kokkos_NVCC_WRAPPER}" --version
            RESULT_VARIABLE distview_nvcc_status
            OUTPUT_QUIET ERROR_QUIET)
        if(NOT distview_nvcc_status EQUAL 0)
            message(FATAL_ERROR "nvcc was not found: put CUDA's bin folder on PATH, or set CUDA_ROOT "
                                "to the folder above it, for configuring and for building "
                                "(${Kokkos_NVCC_WRAPPER} --version: ${distview_nvcc_status})")
        endif()
    endif()
    if(CUDAToolkit_VERSION VERSION_GREATER_EQUAL 13 AND Kokkos_VERSION VERSION_LESS 4.7.2)
        message(STATUS "Kokkos ${Kokkos_VERSION} is used with CUDA ${CUDAToolkit_VERSION} through "
                       "cmake/cuda13_kokkos_compat.hpp")
        add_compile_options("SHELL:-include \"${CMAKE_CURRENT_LIST_DIR}/cuda13_kokkos_compat.hpp\"")
    endif()
endif()

# distview_kokkos_fits_modules(RESULT): whether a shared library or a module can be linked with this Kokkos. For a
# static Kokkos of this build or of an enclosing project, a target property decides; for an installed one, a trial link.
function(distview_kokkos_fits_modules result)
    set(${result} TRUE PARENT_SCOPE)
    set(library Kokkos::kokkoscore)
    if(NOT TARGET ${library})
        return()
    endif()
    get_target_property(imported ${library} IMPORTED)
    get_target_property(type ${library} TYPE)
    if(NOT type STREQUAL "STATIC_LIBRARY")
        return()
    endif()
    if(NOT imported)
        get_target_property(independent ${library} POSITION_INDEPENDENT_CODE)
        if(NOT independent AND NOT CMAKE_CXX_FLAGS MATCHES "-fPIC")
            set(${result} FALSE PARENT_SCOPE)
        endif()
        return()
    endif()
    include(CheckCXXSourceCompiles)
    set(CMAKE_REQUIRED_FLAGS -fPIC)
    set(CMAKE_REQUIRED_LINK_OPTIONS -shared)
    set(CMAKE_CXX_STANDARD 20)
    if("${Kokkos_DEVICES}" MATCHES "[Cc][Uu][Dd][Aa]")
        # Kokkos' options are for nvcc, which CMake's checks do not call. Linking the library alone is enough.
        get_target_property(file ${library} LOCATION)
        set(CMAKE_REQUIRED_LIBRARIES -Wl,--whole-archive "${file}" -Wl,--no-whole-archive)
        set(source "void start() {}")
    else()
        set(CMAKE_REQUIRED_LIBRARIES Kokkos::kokkos)
        set(source "#include <Kokkos_Core.hpp>\nvoid start() { Kokkos::initialize(); }")
    endif()
    check_cxx_source_compiles("${source}" DISTVIEW_KOKKOS_FITS_MODULES)
    if(NOT DISTVIEW_KOKKOS_FITS_MODULES)
        set(${result} FALSE PARENT_SCOPE)
        unset(DISTVIEW_KOKKOS_FITS_MODULES CACHE) # the user may rebuild Kokkos
    endif()
endfunction()
