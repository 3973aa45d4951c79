# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Runs the command after "--", which ends with --json -. Checks that standard output is one JSON document with `member`,
# that standard error contains the `table`, and that no file named "-" exists.

include("${CMAKE_CURRENT_LIST_DIR}/command_after_dashes.cmake")

execute_process(
    COMMAND ${command}
    RESULT_VARIABLE status
    OUTPUT_VARIABLE output
    ERROR_VARIABLE error)
if(NOT status EQUAL 0)
    message(FATAL_ERROR "expected exit status 0, got ${status}\n${output}${error}")
endif()
string(JSON value ERROR_VARIABLE wrong GET "${output}" "${member}")
if(wrong)
    message(FATAL_ERROR "expected JSON with ${member} on standard output, got\n${output}\n(${wrong})")
endif()
# The parser stops at the end of the document; this check finds text after it.
if(NOT output MATCHES "^{.*}\n$" OR output MATCHES "${table}")
    message(FATAL_ERROR "expected nothing but JSON on standard output, got\n${output}")
endif()
if(NOT error MATCHES "${table}")
    message(FATAL_ERROR "expected '${table}' on standard error, got\n${error}")
endif()
if(EXISTS "${CMAKE_CURRENT_BINARY_DIR}/-")
    message(FATAL_ERROR "there is a file named -")
endif()
