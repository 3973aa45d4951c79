# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# distview_add_json_output_test(PROGRAM MEMBER TABLE ARGUMENTS...)
# Adds a test: PROGRAM ARGUMENTS --json - on two ranks must write only JSON that has MEMBER to
# standard output, a table that matches TABLE to standard error, and no file.

set(distview_json_output_folder "${CMAKE_CURRENT_LIST_DIR}")

function(distview_add_json_output_test program member table)
    distview_mpi_command(command 2 "$<TARGET_FILE:${program}>" ${ARGN} --json -)
    add_test(
        NAME ${program}.json_to_stdout
        COMMAND "${CMAKE_COMMAND}" "-Dmember=${member}" "-Dtable=${table}" -P
                "${distview_json_output_folder}/check_json_output.cmake" -- ${command})
    set_tests_properties(
        ${program}.json_to_stdout
        PROPERTIES TIMEOUT 60 PROCESSORS 2 LABELS "${program};mpi"
                   ENVIRONMENT "${distview_program_environment};OMP_NUM_THREADS=1")
endfunction()
