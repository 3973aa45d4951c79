# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The routines called by test_fortran_callees.cpp: Fortran 77 if a compiler exists, otherwise a C++
# translation.
include(CheckLanguage)
if(NOT CMAKE_Fortran_COMPILER AND NOT DEFINED ENV{FC})
    # Debian installs GCC's compiler only with its version in the name, for MPI's sake.
    find_program(
        distview_fortran_compiler NAMES gfortran gfortran-15 gfortran-14 gfortran-13 gfortran-12)
    if(distview_fortran_compiler)
        set(CMAKE_Fortran_COMPILER "${distview_fortran_compiler}")
    endif()
endif()
check_language(Fortran)
if(CMAKE_Fortran_COMPILER)
    enable_language(Fortran)
    # A separate library, without the options for C++.
    add_library(algorithms_fortran_callees OBJECT fortran/callees.f)
    target_sources(test_algorithms_fortran_callees
                   PRIVATE $<TARGET_OBJECTS:algorithms_fortran_callees>)
else()
    message(STATUS "No Fortran compiler: the callees of with_local_copy() are in C++")
    target_sources(test_algorithms_fortran_callees
                   PRIVATE fortran/callees_without_fortran.cpp)
endif()
set_target_properties(test_algorithms_fortran_callees PROPERTIES LINKER_LANGUAGE CXX)
