# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# cmake -DBUILD=... -DSTAGE=... -P stage.cmake
# Installs the build into a folder and renames the folder, so that no file can refer to its first path. Installs core
# alone into a second folder. A third folder states that it was built with another Kokkos.

function(run)
    execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output
                    ERROR_VARIABLE output)
    if(NOT status EQUAL 0)
        message(FATAL_ERROR "${ARGN}:\n${output}")
    endif()
endfunction()

file(REMOVE_RECURSE "${STAGE}")
file(MAKE_DIRECTORY "${STAGE}")
run(${CMAKE_COMMAND} --install "${BUILD}" --prefix "${STAGE}/before")
run(${CMAKE_COMMAND} --install "${BUILD}" --prefix "${STAGE}/core" --component distview_core)
file(RENAME "${STAGE}/before" "${STAGE}/all")

file(GLOB_RECURSE files "${STAGE}/all/*.cmake" "${STAGE}/all/*.hpp")
if(NOT files)
    message(FATAL_ERROR "nothing was installed")
endif()
foreach(file IN LISTS files)
    file(READ "${file}" text)
    foreach(place IN ITEMS "${STAGE}" "${BUILD}/" "${SOURCE}/")
        string(FIND "${text}" "${place}" position)
        if(NOT position EQUAL -1)
            message(FATAL_ERROR "${file} mentions ${place}")
        endif()
    endforeach()
endforeach()

file(GLOB_RECURSE programs "${STAGE}/all/bin/*")
# distview-compare of io is the only program that is installed.
list(FILTER programs EXCLUDE REGEX "/distview-compare$")
file(GLOB_RECURSE foreign "${STAGE}/all/*gtest*" "${STAGE}/all/*Kokkos*" "${STAGE}/all/*testing*")
if(programs OR foreign)
    message(FATAL_ERROR "installed besides the library: ${programs} ${foreign}")
endif()
file(GLOB_RECURSE not_core "${STAGE}/core/*comm*" "${STAGE}/core/*algorithms*")
if(not_core)
    message(FATAL_ERROR "core's files include ${not_core}")
endif()

file(COPY "${STAGE}/all/" DESTINATION "${STAGE}/other_kokkos")
file(GLOB_RECURSE config "${STAGE}/other_kokkos/*/distviewConfig.cmake")
file(READ "${config}" text)
string(REGEX REPLACE "(set\\(distview_KOKKOS_VERSION \")[^\"]*" "\\14.0.0" text "${text}")
file(WRITE "${config}" "${text}")
