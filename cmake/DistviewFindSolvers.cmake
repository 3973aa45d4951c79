# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Finds the solver stacks that interop/ has doors to, unless they are switched off:
# DISTVIEW_PETSC_FOUND and PETSc::petsc, DISTVIEW_HYPRE_FOUND and HYPRE::hypre. The libraries
# provide pkg-config files or no description at all, so this file searches for headers and libraries.
# The installed package includes this file and searches again.

# distview_find_solver(NAME OPTION switch HEADER header TARGET target LIBRARIES name... SUFFIXES folder... HINTS folder...)
function(distview_find_solver name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "OPTION;HEADER;TARGET" "LIBRARIES;SUFFIXES;HINTS")
    if(NOT DEFINED ${arg_OPTION}) # in an installed package
        set(${arg_OPTION} AUTO)
    endif()
    set(found FALSE)
    if(${arg_OPTION})
        foreach(place IN ITEMS DISTVIEW_${name}_INCLUDE_DIR DISTVIEW_${name}_LIBRARY)
            if(DEFINED CACHE{${place}} AND NOT EXISTS "${${place}}") # removed since this folder was configured
                unset(${place} CACHE)
            endif()
        endforeach()
        find_path(DISTVIEW_${name}_INCLUDE_DIR ${arg_HEADER} HINTS ${arg_HINTS} PATH_SUFFIXES include ${arg_SUFFIXES})
        find_library(DISTVIEW_${name}_LIBRARY NAMES ${arg_LIBRARIES} HINTS ${arg_HINTS} PATH_SUFFIXES lib)
        mark_as_advanced(DISTVIEW_${name}_INCLUDE_DIR DISTVIEW_${name}_LIBRARY)
        if(DISTVIEW_${name}_INCLUDE_DIR AND DISTVIEW_${name}_LIBRARY)
            set(found TRUE)
            if(NOT TARGET ${arg_TARGET})
                add_library(${arg_TARGET} UNKNOWN IMPORTED GLOBAL)
                set_target_properties(
                    ${arg_TARGET}
                    PROPERTIES IMPORTED_LOCATION "${DISTVIEW_${name}_LIBRARY}"
                               INTERFACE_INCLUDE_DIRECTORIES "${DISTVIEW_${name}_INCLUDE_DIR}"
                               INTERFACE_LINK_LIBRARIES MPI::MPI_CXX)
            endif()
        elseif(NOT ${arg_OPTION} STREQUAL "AUTO")
            message(FATAL_ERROR "${arg_OPTION}: ${arg_HEADER} or the library was not found; "
                                "set ${name}_DIR to the folder in which it is installed")
        endif()
    endif()
    set(DISTVIEW_${name}_FOUND ${found} PARENT_SCOPE)
endfunction()

# distview_skip_solver(NAME option why): leaves out a door whose library is installed but unusable. If the option
# requires the door, the configuration fails.
function(distview_skip_solver name option why)
    if(${option} STREQUAL "AUTO")
        message(STATUS "The door to ${name} is left out: ${why}; found ${DISTVIEW_${name}_LIBRARY}")
    else()
        message(FATAL_ERROR "${option}: ${why}; found ${DISTVIEW_${name}_LIBRARY}")
    endif()
endfunction()

distview_find_solver(
    PETSC OPTION DISTVIEW_ENABLE_PETSC HEADER petscksp.h TARGET PETSc::petsc
    LIBRARIES petsc_real petsc
    HINTS "${PETSC_DIR}/${PETSC_ARCH}" "${PETSC_DIR}" "$ENV{PETSC_DIR}/$ENV{PETSC_ARCH}" "$ENV{PETSC_DIR}"
          /usr/lib/petsc)
distview_find_solver(
    HYPRE OPTION DISTVIEW_ENABLE_HYPRE HEADER HYPRE_struct_ls.h TARGET HYPRE::hypre
    LIBRARIES HYPRE SUFFIXES hypre include/hypre
    HINTS "${HYPRE_DIR}" "$ENV{HYPRE_DIR}")
