# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# distview_add_python_tests(FOLDER)
#
# Every test_<topic>.py of the folder becomes a CTest test python.<topic>; every test_mpi_<topic>.py
# becomes one test per rank count, python.<topic>.np<N>. Starting Python, pytest and MPI takes longer than
# most files take to run, so files can share one run: for each name in distview_python_groups, the variable
# group_<name> holds the topics of the files (mpi_ included), and the test is python.<name>. The variable
# settings_<topic> (settings_mpi_<topic>, also for a group) holds the settings of a run: TIMEOUT seconds,
# LABELS label..., ENVIRONMENT name=value..., RANKS n... (default: 1 2 3, and 4 and 6 in the
# full suite).
# python/tests/run_tests.py runs the files. If all tests of a run are skipped, CTest reports a skipped test.

# distview_python_lacks(RESULT MODULE...): the modules that cannot be imported.
function(distview_python_lacks result)
    set(lacking "")
    foreach(module IN LISTS ARGN)
        execute_process(
            COMMAND
                "${Python_EXECUTABLE}" -c
                "import importlib.util, sys; sys.exit(importlib.util.find_spec('${module}') is None)"
            RESULT_VARIABLE status
            OUTPUT_QUIET ERROR_QUIET)
        if(NOT status EQUAL 0)
            list(APPEND lacking ${module})
        endif()
    endforeach()
    list(JOIN lacking " " lacking)
    set(${result} "${lacking}" PARENT_SCOPE)
endfunction()

# Tests import the package from the build folder, and write no files to the source tree.
set(distview_python_modification
    "PYTHONPATH=path_list_prepend:${DISTVIEW_PYTHON_PATH}"
    "PYTHONPYCACHEPREFIX=set:${DISTVIEW_PYTHON_PATH}/pycache"
    "MPLBACKEND=set:Agg"
    "MPLCONFIGDIR=set:${DISTVIEW_PYTHON_PATH}/matplotlib"
    "HYPOTHESIS_STORAGE_DIRECTORY=set:${DISTVIEW_PYTHON_PATH}/hypothesis")
set(distview_run_python_tests "${DISTVIEW_PYTHON_EXECUTABLE}" "${CMAKE_CURRENT_SOURCE_DIR}/run_tests.py")

function(distview_add_python_test name files)
    cmake_parse_arguments(PARSE_ARGV 2 arg "" "TIMEOUT" "RANKS;RANKS_OF_FULL;LABELS;ENVIRONMENT")
    if(NOT arg_TIMEOUT)
        set(arg_TIMEOUT 300)
    endif()
    if(CMAKE_CXX_FLAGS MATCHES "-fsanitize")
        math(EXPR arg_TIMEOUT "5 * ${arg_TIMEOUT}")
        list(APPEND arg_ENVIRONMENT DISTVIEW_TEST_TIMEOUT=300)
    endif()
    set(arg_THREADS 1)
    set(environment ${distview_launcher_environment})
    set(tests "")
    if(NOT arg_RANKS)
        distview_register_test(${name} "serial;python;${arg_LABELS}" 1 ${distview_run_python_tests}
                               ${files})
        list(APPEND tests ${name})
    endif()
    foreach(ranks IN LISTS arg_RANKS arg_RANKS_OF_FULL)
        distview_mpi_command(command ${ranks} ${distview_run_python_tests} --mpi ${files})
        set(test ${name}.np${ranks})
        set(labels "mpi;ranks_${ranks};python;${arg_LABELS}")
        if(ranks IN_LIST arg_RANKS_OF_FULL)
            list(APPEND labels full)
        endif()
        distview_register_test(${test} "${labels}" ${ranks} ${command})
        if(ranks GREATER DISTVIEW_TEST_MAX_NP OR distview_mpi4py_missing)
            set_tests_properties(${test} PROPERTIES DISABLED TRUE)
        endif()
        list(APPEND tests ${test})
    endforeach()
    set_tests_properties(
        ${tests}
        PROPERTIES ENVIRONMENT_MODIFICATION "${distview_python_modification}"
                   SKIP_REGULAR_EXPRESSION "DISTVIEW-TEST-SKIPPED.*DISTVIEW-EXIT-STATUS 0[^0-9]")
endfunction()

function(distview_add_python_tests folder)
    file(GLOB files CONFIGURE_DEPENDS "${folder}/test_*.py")
    list(TRANSFORM files REPLACE "^.*/test_(.*)[.]py$" "\\1" OUTPUT_VARIABLE runs)
    foreach(group IN LISTS distview_python_groups)
        list(REMOVE_ITEM runs ${group_${group}})
    endforeach()
    foreach(run IN LISTS runs distview_python_groups)
        set(topics ${run})
        if(run IN_LIST distview_python_groups)
            set(topics ${group_${run}})
        endif()
        list(TRANSFORM topics REPLACE "(.+)" "${folder}/test_\\1.py" OUTPUT_VARIABLE files)
        set(settings ${settings_${run}})
        if(run MATCHES "^mpi_" AND NOT "RANKS" IN_LIST settings)
            list(APPEND settings RANKS 1 2 3 RANKS_OF_FULL 4 6)
        endif()
        string(REGEX REPLACE "^mpi_" "" name "${run}")
        distview_add_python_test(python.${name} "${files}" ${settings})
    endforeach()
endfunction()
