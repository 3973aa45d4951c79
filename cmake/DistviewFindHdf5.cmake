# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The HDF5 that io/ is built with: DISTVIEW_HDF5_FOUND, DistviewHdf5::hdf5, and the folder of xxhash.h. Any build of
# HDF5 will do, parallel or serial: io/ opens a file with it on one rank at a time. Debian's parallel one has names of
# its own. Also part of the installed package, which looks for the same again.

if(NOT DEFINED DISTVIEW_ENABLE_HDF5) # of an installed package
    set(DISTVIEW_ENABLE_HDF5 AUTO)
endif()
set(DISTVIEW_HDF5_FOUND FALSE)
if(DISTVIEW_ENABLE_HDF5)
    find_path(DISTVIEW_HDF5_INCLUDE_DIR hdf5.h HINTS "${HDF5_ROOT}" "$ENV{HDF5_ROOT}"
              PATH_SUFFIXES include include/hdf5/openmpi include/hdf5/mpich include/hdf5/serial hdf5/openmpi hdf5/mpich
                            hdf5/serial)
    # The library that belongs to this header.
    set(suffix "")
    if(DISTVIEW_HDF5_INCLUDE_DIR MATCHES "/hdf5/(openmpi|mpich|serial)$")
        set(suffix "_${CMAKE_MATCH_1}")
    endif()
    find_library(DISTVIEW_HDF5_LIBRARY NAMES hdf5${suffix} HINTS "${HDF5_ROOT}" "$ENV{HDF5_ROOT}" PATH_SUFFIXES lib)
    find_library(DISTVIEW_HDF5_HL_LIBRARY NAMES hdf5${suffix}_hl hdf5_hl${suffix} HINTS "${HDF5_ROOT}" "$ENV{HDF5_ROOT}"
                 PATH_SUFFIXES lib)
    find_path(DISTVIEW_XXHASH_INCLUDE_DIR xxhash.h)
    mark_as_advanced(DISTVIEW_HDF5_INCLUDE_DIR DISTVIEW_HDF5_LIBRARY DISTVIEW_HDF5_HL_LIBRARY DISTVIEW_XXHASH_INCLUDE_DIR)
    if(DISTVIEW_HDF5_INCLUDE_DIR AND DISTVIEW_HDF5_LIBRARY AND DISTVIEW_HDF5_HL_LIBRARY AND DISTVIEW_XXHASH_INCLUDE_DIR)
        set(DISTVIEW_HDF5_FOUND TRUE)
        if(NOT TARGET DistviewHdf5::hdf5)
            add_library(DistviewHdf5::hdf5 INTERFACE IMPORTED GLOBAL)
            target_include_directories(DistviewHdf5::hdf5 INTERFACE "${DISTVIEW_HDF5_INCLUDE_DIR}")
            # hdf5.h of a parallel build includes mpi.h.
            target_link_libraries(DistviewHdf5::hdf5 INTERFACE "${DISTVIEW_HDF5_HL_LIBRARY}" "${DISTVIEW_HDF5_LIBRARY}"
                                                               MPI::MPI_CXX)
        endif()
        message(STATUS "io: HDF5 ${DISTVIEW_HDF5_LIBRARY}")
    elseif(NOT DISTVIEW_ENABLE_HDF5 STREQUAL "AUTO")
        message(FATAL_ERROR "DISTVIEW_ENABLE_HDF5: HDF5 with its high-level library, or xxhash.h, was not found; "
                            "HDF5_ROOT names the folder that HDF5 is installed in")
    else()
        message(STATUS "io: HDF5 or xxhash.h was not found (libhdf5-openmpi-dev, libxxhash-dev): .npy only")
    endif()
endif()
