# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# cmake -DBUILD=... -DSTAGE=... -DCOMPONENTS=core,comm -P stage_components.cmake
# Installs some components of a build; the other components need not be built.

file(REMOVE_RECURSE "${STAGE}")
string(REPLACE "," ";" components "${COMPONENTS}")
foreach(component IN LISTS components)
    execute_process(
        COMMAND ${CMAKE_COMMAND} --install "${BUILD}" --prefix "${STAGE}" --component distview_${component}
        RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
    if(NOT status EQUAL 0)
        message(FATAL_ERROR "installing ${component}:\n${output}")
    endif()
endforeach()
