# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Runs the command after "--", which starts `program`, and checks that the program rejects its arguments: exit status 2,
# one line on standard error that matches `expected`, no result on standard output.

include("${CMAKE_CURRENT_LIST_DIR}/command_after_dashes.cmake")

execute_process(
    COMMAND ${command}
    RESULT_VARIABLE status
    OUTPUT_VARIABLE output
    ERROR_VARIABLE error)
if(NOT status EQUAL 2)
    message(FATAL_ERROR "expected exit status 2, got ${status}\n${output}${error}")
endif()
string(REPLACE ";" "," error "${error}") # CMake would split a list there
string(REGEX MATCHALL "${program}: [^\n]*" lines "${error}")
list(LENGTH lines count)
if(NOT count EQUAL 1)
    message(FATAL_ERROR "expected one message, got ${count}\n${error}")
endif()
if(NOT lines MATCHES "${expected}")
    message(FATAL_ERROR "expected '${expected}' in\n${error}")
endif()
string(REGEX MATCH "L2 of|cells,|GB/s" result "${output}")
if(result)
    message(FATAL_ERROR "expected no result, got\n${output}")
endif()
