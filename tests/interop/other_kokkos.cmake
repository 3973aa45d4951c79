# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# cmake -DMODULES=... -DWORK=... -P other_kokkos.cmake
# Checks whether CMake finds a Trilinos, and its message, if Trilinos has the project's Kokkos or another one. Empty
# packages replace both.
cmake_minimum_required(VERSION 3.25)

if(DEFINED ENABLE) # one configuration
    set(DISTVIEW_ENABLE_TPETRA ${ENABLE})
    list(PREPEND CMAKE_MODULE_PATH "${MODULES}")
    include(DistviewFindTpetra)
    message("found ${DISTVIEW_TPETRA_FOUND}")
    return()
endif()

foreach(package IN ITEMS Kokkos Tpetra Belos)
    file(WRITE "${WORK}/trilinos/lib/cmake/${package}/${package}Config.cmake" "")
endforeach()
file(WRITE "${WORK}/other/lib/cmake/Kokkos/KokkosConfig.cmake" "")

# expect(enable kokkos fails text)
function(expect enable kokkos fails text)
    execute_process(
        COMMAND
            ${CMAKE_COMMAND} "-DMODULES=${MODULES}" "-DENABLE=${enable}"
            "-DKokkos_DIR=${WORK}/${kokkos}/lib/cmake/Kokkos"
            "-DTpetra_DIR=${WORK}/trilinos/lib/cmake/Tpetra"
            "-DBelos_DIR=${WORK}/trilinos/lib/cmake/Belos" -P "${CMAKE_CURRENT_LIST_FILE}"
        RESULT_VARIABLE status
        OUTPUT_VARIABLE output
        ERROR_VARIABLE output)
    string(REGEX REPLACE "[ \n]+" " " output "${output}")
    if(fails AND status EQUAL 0 OR NOT fails AND NOT status EQUAL 0)
        message(FATAL_ERROR "${enable}, ${kokkos}: status ${status}: ${output}")
    endif()
    string(FIND "${output}" "${text}" at)
    if(at LESS 0)
        message(FATAL_ERROR "${enable}, ${kokkos}: expected '${text}', got: ${output}")
    endif()
endfunction()

expect(ON trilinos FALSE "found TRUE")
expect(AUTO trilinos FALSE "found TRUE")
expect(OFF trilinos FALSE "found FALSE")
expect(AUTO other FALSE "found FALSE")
expect(ON other TRUE "is built for the Kokkos in ${WORK}/trilinos/lib/cmake/Kokkos, and not for the Kokkos in")
