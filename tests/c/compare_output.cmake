# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# cmake -DGOLDEN=file [-DKEEP=regex] -P compare_output.cmake -- COMMAND...: the output of COMMAND must equal the file. With
# KEEP, only lines that match the expression count: the first group of each, sorted.
include("${CMAKE_CURRENT_LIST_DIR}/../support/command_after_dashes.cmake")

execute_process(COMMAND ${command} OUTPUT_VARIABLE printed RESULT_VARIABLE status)
if(NOT status EQUAL 0)
    message(FATAL_ERROR "${command}: ${status}")
endif()
if(KEEP)
    string(REGEX MATCHALL "[^\n]+" lines "${printed}")
    list(FILTER lines INCLUDE REGEX "${KEEP}")
    list(TRANSFORM lines REPLACE "${KEEP}" "\\1")
    list(SORT lines)
    list(JOIN lines "\n" printed)
    string(APPEND printed "\n")
endif()
file(READ "${GOLDEN}" golden)
if(NOT printed STREQUAL golden)
    message(FATAL_ERROR "${GOLDEN} differs from the output, which is:\n${printed}")
endif()
