# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The functions that test_fortran_callees.cpp calls: Fortran 77 where there is a compiler for it, else their translation.
include(CheckLanguage)
if(NOT CMAKE_Fortran_COMPILER AND NOT DEFINED ENV{FC})
    # Debian installs GCC's with the version in its name alone, beside what MPI needs.
    find_program(
        distview_fortran_compiler NAMES gfortran gfortran-15 gfortran-14 gfortran-13 gfortran-12)
    if(distview_fortran_compiler)
        set(CMAKE_Fortran_COMPILER "${distview_fortran_compiler}")
    endif()
endif()
check_language(Fortran)
if(CMAKE_Fortran_COMPILER)
    enable_language(Fortran)
    # On their own, without options that are meant for C++.
    add_library(algorithms_fortran_callees OBJECT fortran/callees.f)
    target_sources(test_algorithms_fortran_callees
                   PRIVATE $<TARGET_OBJECTS:algorithms_fortran_callees>)
else()
    message(STATUS "No Fortran compiler: the callees of with_local_copy() are in C++")
    target_sources(test_algorithms_fortran_callees
                   PRIVATE fortran/callees_without_fortran.cpp)
endif()
set_target_properties(test_algorithms_fortran_callees PROPERTIES LINKER_LANGUAGE CXX)
