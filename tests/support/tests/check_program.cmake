# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# cmake -D STATUS=zero|nonzero -D REQUIRE=... -D FORBID=... -D LAST=... -P check_program.cmake
#     -- COMMAND...
#
# Runs a program and checks its exit status and output. REQUIRE and FORBID are lists of regular expressions, separated
# by @@, for stdout and stderr together; LAST is one expression for the last line of stdout.

include("${CMAKE_CURRENT_LIST_DIR}/../command_after_dashes.cmake")

execute_process(
    COMMAND ${command}
    RESULT_VARIABLE status
    OUTPUT_VARIABLE output
    ERROR_VARIABLE errors)
message("${output}\n${errors}\nexit status: ${status}")

set(complaints "")
if(STATUS STREQUAL "zero" AND NOT status EQUAL 0)
    string(APPEND complaints "\n  the exit status should be zero")
elseif(STATUS STREQUAL "nonzero" AND status EQUAL 0)
    string(APPEND complaints "\n  the exit status should not be zero")
endif()
string(REPLACE "@@" ";" REQUIRE "${REQUIRE}")
foreach(regex IN LISTS REQUIRE)
    if(NOT "${output}${errors}" MATCHES "${regex}")
        string(APPEND complaints "\n  missing in the output: ${regex}")
    endif()
endforeach()
string(REPLACE "@@" ";" FORBID "${FORBID}")
foreach(regex IN LISTS FORBID)
    if("${output}${errors}" MATCHES "${regex}")
        string(APPEND complaints "\n  should not be in the output: ${regex}")
    endif()
endforeach()
if(NOT "${LAST}" STREQUAL "" AND NOT output MATCHES "(^|\n)${LAST}\n*$")
    string(APPEND complaints "\n  the last line should be: ${LAST}")
endif()
if(complaints)
    message(FATAL_ERROR "Unexpected result of the program:${complaints}")
endif()
