# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Decides whether the Python package is built, and finds the packages that it needs. Sets
#   DISTVIEW_PYTHON          whether it is built
#   DISTVIEW_PYTHON_MISSING  otherwise the reason in words (in the cache, where the scripts read it)
# DISTVIEW_ENABLE_PYTHON is ON (fail if it cannot be built), OFF, or AUTO.

# distview_why_no_python(RESULT): the reason why the package cannot be built; empty if it can.
function(distview_why_no_python result)
    set(${result} "" PARENT_SCOPE)
    if(NOT TARGET distview::algorithms)
        set(${result} "DISTVIEW_ENABLE_COMM is OFF" PARENT_SCOPE)
        return()
    endif()
    # The interpreter would need instrumentation as well: otherwise ThreadSanitizer reports every thread that
    # it starts as a race.
    if(CMAKE_CXX_FLAGS MATCHES "-fsanitize=[a-z,]*thread")
        set(${result} "ThreadSanitizer needs an interpreter built with -fsanitize=thread" PARENT_SCOPE)
        return()
    endif()
    if(CMAKE_CXX_FLAGS MATCHES "-fsanitize" AND NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        set(${result} "sanitizers of ${CMAKE_CXX_COMPILER_ID} cannot be preloaded" PARENT_SCOPE)
        return()
    endif()

    find_package(Python 3.12 QUIET COMPONENTS Interpreter)
    if(NOT Python_Interpreter_FOUND)
        set(${result} "no Python 3.12 or newer was found" PARENT_SCOPE)
        return()
    endif()
    find_package(Python 3.12 QUIET COMPONENTS Interpreter Development.Module
                 OPTIONAL_COMPONENTS Development.SABIModule)
    if(NOT Python_Development.Module_FOUND)
        set(${result} "the headers of Python ${Python_VERSION} are not installed" PARENT_SCOPE)
        return()
    endif()
    # The interpreter's own nanobind takes precedence: in a virtual environment the user means that one.
    if(NOT nanobind_DIR AND NOT nanobind_ROOT)
        execute_process(
            COMMAND "${Python_EXECUTABLE}" -m nanobind --cmake_dir
            OUTPUT_VARIABLE nanobind_ROOT
            OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    endif()
    find_package(nanobind 2.5 CONFIG QUIET)
    if(NOT nanobind_FOUND)
        set(${result} "nanobind 2.5 (or a newer 2.x) was not found" PARENT_SCOPE)
        return()
    endif()
    if(NOT TARGET distview::c) # left out for the same reason
        set(${result} "this Kokkos is a static library without position-independent code"
            PARENT_SCOPE)
    endif()
endfunction()

set(DISTVIEW_PYTHON FALSE)
set(distview_python_missing "DISTVIEW_ENABLE_PYTHON is OFF")
if(DISTVIEW_ENABLE_PYTHON)
    distview_why_no_python(distview_python_missing)
    if(NOT distview_python_missing)
        set(DISTVIEW_PYTHON TRUE)
        # Again in this scope, which needs the targets.
        find_package(Python 3.12 REQUIRED COMPONENTS Interpreter Development.Module
                     OPTIONAL_COMPONENTS Development.SABIModule)
        find_package(nanobind 2.5 CONFIG REQUIRED)
        message(STATUS "Python package: Python ${Python_VERSION}, nanobind ${nanobind_VERSION}")
    elseif(DISTVIEW_ENABLE_PYTHON STREQUAL "AUTO")
        message(STATUS "Python package: left out, ${distview_python_missing}")
    else()
        message(FATAL_ERROR "DISTVIEW_ENABLE_PYTHON is ON, but ${distview_python_missing}")
    endif()
endif()
set(DISTVIEW_PYTHON_MISSING "${distview_python_missing}"
    CACHE INTERNAL "Why the Python package is not built")
