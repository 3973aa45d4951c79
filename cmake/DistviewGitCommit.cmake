# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# cmake -DSOURCE_DIR=... -DOUTPUT=... -P DistviewGitCommit.cmake
# Writes a header with the commit of the sources, or "unknown" without git or outside a checkout.

set(commit unknown)
find_program(GIT_EXECUTABLE git)
if(GIT_EXECUTABLE AND EXISTS "${SOURCE_DIR}/.git")
    execute_process(
        COMMAND "${GIT_EXECUTABLE}" -C "${SOURCE_DIR}" describe --always --dirty --abbrev=12
                --exclude=*
        OUTPUT_VARIABLE output
        RESULT_VARIABLE status
        OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    if(status EQUAL 0)
        set(commit "${output}")
    endif()
endif()

file(CONFIGURE OUTPUT "${OUTPUT}" CONTENT "#define DISTVIEW_GIT_COMMIT \"${commit}\"\n")
