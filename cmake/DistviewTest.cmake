# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# distview_add_test(
#     NAME component.topic       test name; with MPI one test NAME.np<N> per rank count
#     SOURCES file...            sources of the program test_component_topic, or
#     PROGRAM target             an existing program
#     [RANKS N...]               run with MPI on N ranks; without RANKS, a serial program
#     [RANKS_OF_FULL N...]       more rank counts for the full suite
#     [ARGS argument...] [LABELS label...] [LIBRARIES target...] [ENVIRONMENT name=value...]
#     [TIMEOUT seconds]          per run; 60 unless given
#     [THREADS n])               OpenMP threads per rank; 1 unless given
#
# A test passes if the program prints the harness's success line, which it prints after all ranks
# have passed, *and* exits with status 0. CTest ignores the status of a test with
# PASS_REGULAR_EXPRESSION, and a launcher's status alone is not reliable, so a shell appends
# the status to the matched output. If a sanitizer finds an error at exit, the status fails the test.

set(DISTVIEW_TEST_MAX_NP 12 CACHE STRING "Tests of more ranks are registered as disabled")

# The launcher must allow more ranks than cores, run as root, and not bind tests that run at once to the same cores.
if(DISTVIEW_MPI_KIND STREQUAL "openmpi5")
    list(GET DISTVIEW_PRTE_POLICIES 0 distview_placing)
    list(GET DISTVIEW_PRTE_POLICIES 1 distview_binding)
    set(distview_launcher_environment
        OMPI_ALLOW_RUN_AS_ROOT=1
        OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
        PRTE_MCA_${distview_placing}=:oversubscribe
        PRTE_MCA_${distview_binding}=none
        OMPI_MCA_mpi_yield_when_idle=1
        OMPI_MCA_pml=ob1
        OMPI_MCA_btl=self,sm)
elseif(DISTVIEW_MPI_KIND STREQUAL "openmpi4")
    set(distview_launcher_environment
        OMPI_ALLOW_RUN_AS_ROOT=1
        OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
        OMPI_MCA_rmaps_base_oversubscribe=1
        OMPI_MCA_hwloc_base_binding_policy=none
        OMPI_MCA_mpi_yield_when_idle=1
        OMPI_MCA_pml=ob1
        OMPI_MCA_btl=self,vader)
else()
    set(distview_launcher_environment "")
endif()
# Threads that spin while they wait would take the cores from other ranks.
list(APPEND distview_launcher_environment OMP_PROC_BIND=false OMP_WAIT_POLICY=passive
     DISTVIEW_MPIEXEC=${MPIEXEC_EXECUTABLE})
if(CMAKE_CXX_FLAGS MATCHES "-fsanitize=thread")
    # Otherwise PMIx would map shared memory at addresses that the sanitizer uses.
    list(APPEND distview_launcher_environment PMIX_MCA_gds=hash)
endif()

# For programs that do not link the harness; the harness contains its sanitizer options.
set(distview_program_environment ${distview_launcher_environment})
if(CMAKE_CXX_FLAGS MATCHES "-fsanitize")
    list(
        APPEND
        distview_program_environment
        ASAN_OPTIONS=fast_unwind_on_malloc=0:malloc_context_size=12
        UBSAN_OPTIONS=print_stacktrace=1
        TSAN_OPTIONS=ignore_noninstrumented_modules=1
        "LSAN_OPTIONS=print_suppressions=0:suppressions=${CMAKE_CURRENT_LIST_DIR}/../tests/support/lsan.supp"
    )
endif()

set(distview_success "DISTVIEW-TEST-PASSED.*DISTVIEW-EXIT-STATUS 0[^0-9]")
set(distview_failure "DISTVIEW-TEST-FAILED" "ERROR: [A-Za-z]+Sanitizer"
                     "WARNING: ThreadSanitizer" ":[0-9]+:[0-9]+: runtime error: ")

set(distview_support "${CMAKE_CURRENT_LIST_DIR}/../tests/support")

# distview_mpi_command(RESULT RANKS COMMAND...): the command line that starts COMMAND with MPI on RANKS ranks.
function(distview_mpi_command result ranks)
    set(${result}
        sh "${distview_support}/launch.sh" "${MPIEXEC_EXECUTABLE}" "${MPIEXEC_NUMPROC_FLAG}" ${ranks}
        ${MPIEXEC_PREFLAGS} ${ARGN} ${MPIEXEC_POSTFLAGS}
        PARENT_SCOPE)
endfunction()

# distview_add_testing_headers(TARGET [HEADERS header...] [LIBRARIES target...]): precompiles the headers of other
# projects that tests include, and these headers, with the options of this folder. distview_add_test() uses the
# target that the variable distview_testing_headers names.
set(distview_testing_headers distview_testing_headers)
function(distview_add_testing_headers target)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "HEADERS;LIBRARIES")
    set(source "${CMAKE_CURRENT_BINARY_DIR}/${target}.cpp")
    file(CONFIGURE OUTPUT "${source}" CONTENT "// Precompiled headers want a source.\n")
    add_library(${target} OBJECT "${source}")
    distview_program_options(${target})
    target_link_libraries(${target} PRIVATE Kokkos::kokkos GTest::gtest ${arg_LIBRARIES})
    distview_precompile_kokkos(${target} HEADERS <gtest/gtest.h> <map> <functional> ${arg_HEADERS})
endfunction()

function(distview_add_test)
    cmake_parse_arguments(
        PARSE_ARGV 0 arg "" "NAME;PROGRAM;TIMEOUT;THREADS"
        "SOURCES;RANKS;RANKS_OF_FULL;ARGS;LABELS;LIBRARIES;ENVIRONMENT")
    if(arg_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "distview_add_test: unknown arguments ${arg_UNPARSED_ARGUMENTS}")
    endif()
    if(NOT arg_TIMEOUT)
        set(arg_TIMEOUT 60)
    endif()
    if(NOT arg_THREADS)
        set(arg_THREADS 1)
    endif()
    string(REGEX REPLACE "[.].*" "" component "${arg_NAME}")
    set(environment ${distview_program_environment})

    if(arg_SOURCES)
        string(REPLACE "." "_" arg_PROGRAM "test_${arg_NAME}")
        add_executable(${arg_PROGRAM} ${arg_SOURCES})
        distview_program_options(${arg_PROGRAM})
        distview_precompile_kokkos(${arg_PROGRAM} AS ${distview_testing_headers})
        set(environment ${distview_launcher_environment})
        if(arg_RANKS)
            target_link_libraries(${arg_PROGRAM} PRIVATE ${arg_LIBRARIES} distview_testing)
        else()
            target_link_libraries(${arg_PROGRAM} PRIVATE ${arg_LIBRARIES} distview_testing_serial)
        endif()
    endif()

    if(NOT arg_RANKS)
        distview_register_test("${arg_NAME}" "serial;${component};${arg_LABELS}" ${arg_THREADS}
                               "$<TARGET_FILE:${arg_PROGRAM}>" ${arg_ARGS})
        return()
    endif()
    foreach(ranks IN LISTS arg_RANKS arg_RANKS_OF_FULL)
        distview_mpi_command(command ${ranks} "$<TARGET_FILE:${arg_PROGRAM}>")
        math(EXPR processors "${ranks} * ${arg_THREADS}")
        set(labels mpi ranks_${ranks} ${component} ${arg_LABELS})
        if(NOT ranks IN_LIST arg_RANKS)
            list(APPEND labels full)
        endif()
        distview_register_test("${arg_NAME}.np${ranks}" "${labels}" ${processors} ${command} ${arg_ARGS})
    endforeach()
endfunction()

# Uses the variables arg_* and environment of its caller.
function(distview_register_test name labels processors)
    # The ranks of a test mostly start and wait. With a higher count, a test of three would run alone on two cores.
    if(processors GREATER 2)
        set(processors 2)
    endif()
    add_test(NAME "${name}" COMMAND sh -c "\"$@\"; echo \"DISTVIEW-EXIT-STATUS $?\"" sh ${ARGN})
    set_tests_properties(
        "${name}"
        PROPERTIES LABELS "${labels}"
                   PROCESSORS ${processors}
                   TIMEOUT ${arg_TIMEOUT}
                   PASS_REGULAR_EXPRESSION "${distview_success}"
                   FAIL_REGULAR_EXPRESSION "${distview_failure}")
    set_property(
        TEST "${name}"
        PROPERTY ENVIRONMENT ${environment} OMP_NUM_THREADS=${arg_THREADS} ${arg_ENVIRONMENT})
    if("${labels}" MATCHES "ranks_([0-9]+)" AND CMAKE_MATCH_1 GREATER DISTVIEW_TEST_MAX_NP)
        set_tests_properties("${name}" PROPERTIES DISABLED TRUE)
    endif()
    # The sanitizer does not see the barriers of GCC's OpenMP: it would report all shared data as races.
    if(CMAKE_CXX_FLAGS MATCHES "-fsanitize=thread" AND arg_THREADS GREATER 1)
        set_tests_properties("${name}" PROPERTIES DISABLED TRUE)
    endif()
endfunction()

# distview_add_unit_tests(COMPONENT [RANKS N...] [LIBRARIES target...] ...)
# Adds one test per file test_<topic>.cpp of the current folder, and per impl_<topic>.cpp, which tests internals of
# the component. The tests get the given arguments of distview_add_test(); arguments in the variable
# settings_<topic> take precedence.
function(distview_add_unit_tests component)
    cmake_parse_arguments(PARSE_ARGV 1 all "" "TIMEOUT;THREADS" "RANKS;RANKS_OF_FULL;LABELS;LIBRARIES;ENVIRONMENT")
    file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/test_*.cpp"
         "${CMAKE_CURRENT_SOURCE_DIR}/impl_*.cpp")
    foreach(source IN LISTS sources)
        get_filename_component(topic "${source}" NAME_WE)
        string(REGEX REPLACE "^test_" "" topic "${topic}")
        cmake_parse_arguments(
            own "SERIAL" "TIMEOUT;THREADS" "RANKS;RANKS_OF_FULL;LABELS;LIBRARIES;ENVIRONMENT" ${settings_${topic}})
        set(arguments "")
        foreach(key IN ITEMS TIMEOUT THREADS RANKS RANKS_OF_FULL LABELS LIBRARIES ENVIRONMENT)
            if(key MATCHES "RANKS" AND own_SERIAL)
                continue()
            elseif(key STREQUAL "RANKS_OF_FULL" AND DEFINED own_RANKS AND NOT DEFINED own_RANKS_OF_FULL)
                continue() # RANKS of the topic replaces both lists
            elseif(DEFINED own_${key})
                list(APPEND arguments ${key} ${own_${key}})
            elseif(DEFINED all_${key})
                list(APPEND arguments ${key} ${all_${key}})
            endif()
        endforeach()
        distview_add_test(NAME ${component}.${topic} SOURCES "${source}" ${arguments})
    endforeach()
endfunction()
