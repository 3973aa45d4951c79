# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Finds the HDF5 for io/: sets DISTVIEW_HDF5_FOUND and makes DistviewHdf5::hdf5. Any build of HDF5 will do, serial, or
# parallel with this build's MPI: io/ opens a file with it on one rank at a time. Debian's parallel HDF5 has other file
# names. The installed package includes this file and searches again. A caller that also needs xxhash.h sets
# DISTVIEW_XXHASH_INCLUDE_DIR first.

# distview_hdf5_libraries(FOLDER): finds the libraries that belong to the hdf5.h in this folder.
function(distview_hdf5_libraries folder)
    set(suffix "")
    if(folder MATCHES "/hdf5/(openmpi|mpich|serial)$")
        set(suffix "_${CMAKE_MATCH_1}")
    endif()
    find_library(DISTVIEW_HDF5_LIBRARY NAMES hdf5${suffix} HINTS "${HDF5_ROOT}" "$ENV{HDF5_ROOT}" PATH_SUFFIXES lib)
    find_library(DISTVIEW_HDF5_HL_LIBRARY NAMES hdf5${suffix}_hl hdf5_hl${suffix} HINTS "${HDF5_ROOT}" "$ENV{HDF5_ROOT}"
                 PATH_SUFFIXES lib)
endfunction()

# distview_hdf5_fits(RESULT HEADER): refuses a parallel HDF5 that was built for another MPI. A parallel HDF5 calls MPI
# as soon as a file is opened. Handles of Open MPI are addresses of ompi_mpi_comm_self and similar objects; handles of
# MPICH and its derivatives are numbers. The linker does not notice the difference.
function(distview_hdf5_fits result header)
    cmake_path(GET header PARENT_PATH folder)
    distview_hdf5_libraries("${folder}")
    if(NOT DISTVIEW_HDF5_LIBRARY)
        return()
    endif()
    file(STRINGS "${DISTVIEW_HDF5_LIBRARY}" parallel REGEX "^MPI_(Comm_create_keyval|Comm_dup|Initialized)" LIMIT_COUNT 1)
    if(NOT parallel)
        return()
    endif()
    file(STRINGS "${DISTVIEW_HDF5_LIBRARY}" of_open_mpi REGEX "^ompi_mpi_" LIMIT_COUNT 1)
    include(CheckCXXSourceCompiles)
    set(CMAKE_REQUIRED_LIBRARIES MPI::MPI_CXX)
    set(CMAKE_REQUIRED_QUIET TRUE)
    set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
    unset(DISTVIEW_MPI_IS_OPEN_MPI CACHE) # the MPI may differ from the last configuration
    check_cxx_source_compiles("#include <mpi.h>\n#ifndef OPEN_MPI\n#error\n#endif\nint main() { return 0; }"
                              DISTVIEW_MPI_IS_OPEN_MPI)
    if((of_open_mpi AND DISTVIEW_MPI_IS_OPEN_MPI) OR (NOT of_open_mpi AND NOT DISTVIEW_MPI_IS_OPEN_MPI))
        return()
    endif()
    set_property(GLOBAL PROPERTY distview_hdf5_of_other_mpi "${DISTVIEW_HDF5_LIBRARY}")
    unset(DISTVIEW_HDF5_LIBRARY CACHE)
    unset(DISTVIEW_HDF5_HL_LIBRARY CACHE)
    set(${result} FALSE PARENT_SCOPE)
endfunction()

if(NOT DEFINED DISTVIEW_ENABLE_HDF5) # in an installed package
    set(DISTVIEW_ENABLE_HDF5 AUTO)
endif()
set(DISTVIEW_HDF5_FOUND FALSE)
set(_distview_hdf5_why "DISTVIEW_ENABLE_HDF5 is OFF")
if(DISTVIEW_ENABLE_HDF5)
    set_property(GLOBAL PROPERTY distview_hdf5_of_other_mpi "")
    find_path(DISTVIEW_HDF5_INCLUDE_DIR hdf5.h HINTS "${HDF5_ROOT}" "$ENV{HDF5_ROOT}"
              PATH_SUFFIXES include include/hdf5/openmpi include/hdf5/mpich include/hdf5/serial hdf5/openmpi hdf5/mpich
                            hdf5/serial
              VALIDATOR distview_hdf5_fits)
    if(DISTVIEW_HDF5_INCLUDE_DIR)
        distview_hdf5_libraries("${DISTVIEW_HDF5_INCLUDE_DIR}")
    endif()
    mark_as_advanced(DISTVIEW_HDF5_INCLUDE_DIR DISTVIEW_HDF5_LIBRARY DISTVIEW_HDF5_HL_LIBRARY)
    set(_distview_hdf5_why "HDF5 with its high-level library was not found (libhdf5-openmpi-dev)")
    if(DEFINED DISTVIEW_XXHASH_INCLUDE_DIR)
        set(_distview_hdf5_why "HDF5 with its high-level library, or xxhash.h, was not found (libhdf5-openmpi-dev, libxxhash-dev)")
    endif()
    get_property(_distview_hdf5_other GLOBAL PROPERTY distview_hdf5_of_other_mpi)
    if(NOT DISTVIEW_HDF5_INCLUDE_DIR AND _distview_hdf5_other)
        string(CONCAT _distview_hdf5_why "${_distview_hdf5_other} is built for another MPI than this build uses, "
                                   "and neither a serial HDF5 nor one for this MPI was found")
    endif()
    if(DISTVIEW_HDF5_INCLUDE_DIR AND DISTVIEW_HDF5_LIBRARY AND DISTVIEW_HDF5_HL_LIBRARY
       AND (DISTVIEW_XXHASH_INCLUDE_DIR OR NOT DEFINED DISTVIEW_XXHASH_INCLUDE_DIR))
        set(DISTVIEW_HDF5_FOUND TRUE)
        if(NOT TARGET DistviewHdf5::hdf5)
            add_library(DistviewHdf5::hdf5 INTERFACE IMPORTED GLOBAL)
            target_include_directories(DistviewHdf5::hdf5 INTERFACE "${DISTVIEW_HDF5_INCLUDE_DIR}")
            # In a parallel build, hdf5.h includes mpi.h.
            target_link_libraries(DistviewHdf5::hdf5 INTERFACE "${DISTVIEW_HDF5_HL_LIBRARY}" "${DISTVIEW_HDF5_LIBRARY}"
                                                               MPI::MPI_CXX)
        endif()
        string(REGEX REPLACE "^.+$" " (\\0 is built for another MPI)" _distview_hdf5_other "${_distview_hdf5_other}")
        message(STATUS "io: HDF5 ${DISTVIEW_HDF5_LIBRARY}${_distview_hdf5_other}")
    elseif(NOT DISTVIEW_ENABLE_HDF5 STREQUAL "AUTO")
        message(FATAL_ERROR "DISTVIEW_ENABLE_HDF5: ${_distview_hdf5_why}; set HDF5_ROOT to the folder in which HDF5 is installed")
    else()
        message(STATUS "io: ${_distview_hdf5_why}: .npy only")
    endif()
endif()
