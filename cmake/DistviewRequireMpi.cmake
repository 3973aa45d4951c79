# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Finds MPI, and says which kind it is: DISTVIEW_MPI_KIND is openmpi5, openmpi4 or other.

set(MPI_CXX_SKIP_MPICXX ON)
find_package(MPI 3.1 REQUIRED COMPONENTS CXX)

if(NOT DEFINED DISTVIEW_MPI_KIND)
    execute_process(
        COMMAND "${MPIEXEC_EXECUTABLE}" --version
        OUTPUT_VARIABLE output
        ERROR_QUIET)
    if(output MATCHES "Open ?MPI[^0-9]*([0-9]+)" OR output MATCHES "OpenRTE[^0-9]*([0-9]+)")
        if(CMAKE_MATCH_1 GREATER_EQUAL 5)
            set(kind openmpi5)
        else()
            set(kind openmpi4)
        endif()
    else()
        set(kind other)
    endif()
    set(DISTVIEW_MPI_KIND ${kind} CACHE INTERNAL "Which MPI launcher the tests talk to")
endif()
