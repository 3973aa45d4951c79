# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Finds Tpetra and Belos if they are installed and built for this build's Kokkos: sets DISTVIEW_TPETRA_FOUND, and
# DISTVIEW_TPETRA_PACKAGES, the list of those found among Tpetra, Belos and MueLu. Trilinos is built for exactly
# one Kokkos; an application with two Kokkos libraries would not work.

set(DISTVIEW_TPETRA_FOUND FALSE)
set(DISTVIEW_TPETRA_PACKAGES "")
if(DISTVIEW_ENABLE_TPETRA)
    # Newer CMake versions warn about Trilinos' CMake files; users of DistView cannot change these.
    set(CMAKE_SUPPRESS_DEVELOPER_WARNINGS TRUE)
    # Tests and benchmarks include Trilinos' headers too.
    set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL TRUE)
    set(distview_kokkos_of_project "${Kokkos_DIR}")
    foreach(package IN ITEMS Tpetra Belos MueLu)
        find_package(${package} QUIET)
        if(${package}_FOUND)
            list(APPEND DISTVIEW_TPETRA_PACKAGES ${package})
        endif()
    endforeach()
    unset(CMAKE_SUPPRESS_DEVELOPER_WARNINGS)
    unset(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL)
    if(Tpetra_FOUND AND Belos_FOUND)
        # Trilinos is installed beside the Kokkos for which it was built.
        get_filename_component(distview_kokkos_of_trilinos "${Tpetra_DIR}/../Kokkos" REALPATH)
        get_filename_component(distview_kokkos_of_project "${distview_kokkos_of_project}" REALPATH)
        if(distview_kokkos_of_trilinos STREQUAL distview_kokkos_of_project)
            set(DISTVIEW_TPETRA_FOUND TRUE)
        else()
            set(distview_why "Trilinos in ${Tpetra_DIR} is built for the Kokkos in "
                             "${distview_kokkos_of_trilinos}, and not for the Kokkos in "
                             "${distview_kokkos_of_project} that this build uses (see Kokkos_ROOT)")
        endif()
    else()
        set(distview_why "Tpetra and Belos are not installed where CMake looks")
    endif()
    if(NOT DISTVIEW_TPETRA_FOUND AND NOT DISTVIEW_ENABLE_TPETRA STREQUAL "AUTO")
        string(CONCAT distview_why ${distview_why})
        message(FATAL_ERROR "DISTVIEW_ENABLE_TPETRA: ${distview_why}")
    endif()
endif()
