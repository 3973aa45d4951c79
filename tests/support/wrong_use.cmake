# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# distview_add_wrong_use_test(PROGRAM NAME EXPECTED "ARGUMENTS OF RANK 0" "ARGUMENTS OF RANK 1"...)
# One run with as many ranks as lists of arguments; the program must exit with status 2 and one
# message that matches EXPECTED. A shell chooses the arguments by rank: Open MPI 5.0.7 crashes when
# it launches several programs at once.

set(distview_wrong_use_folder "${CMAKE_CURRENT_LIST_DIR}")

function(distview_add_wrong_use_test program name expected)
    list(LENGTH ARGN ranks)
    distview_mpi_command(command ${ranks} sh "${distview_wrong_use_folder}/by_rank.sh"
                         "$<TARGET_FILE:${program}>" ${ARGN})
    add_test(
        NAME ${program}.wrong_use.${name}
        COMMAND "${CMAKE_COMMAND}" "-Dprogram=${program}" "-Dexpected=${expected}" -P
                "${distview_wrong_use_folder}/check_wrong_use.cmake" -- ${command})
    set_tests_properties(
        ${program}.wrong_use.${name}
        PROPERTIES TIMEOUT 60 PROCESSORS 2 LABELS "${program};mpi"
                   ENVIRONMENT "${distview_program_environment};OMP_NUM_THREADS=1")
endfunction()
