# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Finds MPI and its kind: DISTVIEW_MPI_KIND is openmpi5 (5 or newer), openmpi4 or other;
# DISTVIEW_PRTE_POLICIES holds the names of its parameters for placing and binding ranks.

set(MPI_CXX_SKIP_MPICXX ON)
find_package(MPI 3.1 REQUIRED COMPONENTS CXX)

execute_process(
    COMMAND "${MPIEXEC_EXECUTABLE}" --version
    OUTPUT_VARIABLE output
    ERROR_QUIET)
# A single expression: with an OR of two, CMAKE_MATCH_* would come from the one that does not match.
if(output MATCHES "(Open MPI|OpenMPI|OpenRTE)[^0-9]*([0-9]+)")
    set(DISTVIEW_PRTE_POLICIES rmaps_default_mapping_policy hwloc_default_binding_policy)
    if(CMAKE_MATCH_2 GREATER_EQUAL 5)
        set(DISTVIEW_MPI_KIND openmpi5)
        if(CMAKE_MATCH_2 GREATER_EQUAL 6)
            set(DISTVIEW_PRTE_POLICIES mapby bindto)
        endif()
    else()
        set(DISTVIEW_MPI_KIND openmpi4)
    endif()
else()
    set(DISTVIEW_MPI_KIND other)
endif()
