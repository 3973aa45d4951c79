# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# cmake -DCOMPILER=... -DFLAGS=FILE -DSOURCE=... -DCASE=N -DEXPECTED=REGEX [-DNAMES=REGEX]
#       [-DLINES=N] [-DHEADERS=FILE] -P compile_case.cmake
# Case 0 must compile. Any other case must fail with an error that matches EXPECTED; its notes must report an
# unsatisfied concept that matches NAMES; the output must have one error and at most LINES lines.

file(READ "${FLAGS}" flags)
# CMake marks options that must not be quoted or merged by this prefix.
string(REPLACE "SHELL:" "" flags "${flags}")
separate_arguments(flags UNIX_COMMAND "${flags}")

set(precompiled "")
if(HEADERS)
    set(precompiled -include "${HEADERS}")
endif()
execute_process(
    COMMAND ${CMAKE_COMMAND} -E env LC_ALL=C "${COMPILER}" ${flags} ${precompiled} -fsyntax-only
            -DDISTVIEW_CASE=${CASE} "${SOURCE}"
    RESULT_VARIABLE status
    OUTPUT_VARIABLE output
    ERROR_VARIABLE output)

if(CASE EQUAL 0)
    if(NOT status EQUAL 0)
        message(FATAL_ERROR "the right program does not compile:\n${output}")
    endif()
elseif(status EQUAL 0)
    message(FATAL_ERROR "case ${CASE} compiles")
elseif(NOT output MATCHES "error: [^\n]*(${EXPECTED})")
    message(FATAL_ERROR "case ${CASE}: expected a message that matches '${EXPECTED}', got:\n${output}")
endif()

set(missed "(satisfaction of|the expression|because|does not satisfy|not satisfied for) [^\n]*(${NAMES})")
if(NAMES AND NOT output MATCHES "${missed}")
    message(FATAL_ERROR "case ${CASE}: nothing that matches '${NAMES}' is said to be missed:\n"
                        "${output}")
endif()
if(LINES)
    string(REGEX MATCHALL "\n" lines "${output}")
    list(LENGTH lines n_lines)
    string(REGEX MATCHALL "error:" errors "${output}")
    list(LENGTH errors n_errors)
    if(n_lines GREATER LINES OR NOT n_errors EQUAL 1)
        message(FATAL_ERROR "case ${CASE}: expected 1 error in at most ${LINES} lines, got "
                            "${n_errors} in ${n_lines}:\n${output}")
    endif()
endif()
