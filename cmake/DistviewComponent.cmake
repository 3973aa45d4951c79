# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# distview_set_install_rpath(TARGET FOLDER): the target's file installed in FOLDER (absolute, or relative to the prefix)
# finds DistView's shared libraries relative to its own place, and other libraries at their present place. A user's
# CMAKE_INSTALL_RPATH, even if empty, or CMAKE_SKIP_INSTALL_RPATH takes precedence.

function(distview_set_install_rpath target folder)
    if(DEFINED CMAKE_INSTALL_RPATH)
        return()
    endif()
    set_target_properties(${target} PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
    if(NOT BUILD_SHARED_LIBS)
        return()
    endif()
    cmake_path(ABSOLUTE_PATH folder BASE_DIRECTORY "${CMAKE_INSTALL_PREFIX}" NORMALIZE)
    cmake_path(RELATIVE_PATH CMAKE_INSTALL_FULL_LIBDIR BASE_DIRECTORY "${folder}" OUTPUT_VARIABLE to_libraries)
    set(origin "$ORIGIN")
    if(APPLE)
        set(origin "@loader_path")
    endif()
    string(REGEX REPLACE "/\\.$" "" place "${origin}/${to_libraries}")
    set_target_properties(${target} PROPERTIES INSTALL_RPATH "${place}")
endfunction()

# distview_add_component(NAME DEPENDS TARGET...)
#
# Makes the library distview_NAME, with alias and export name distview::NAME, from all headers below include/,
# all sources below src/ and the files that the caller adds to GENERATED_INCLUDE. Without a source it is
# an interface library. Every component has its own export set, so that a user of core never
# loads the dependencies of comm.

function(distview_add_component name)
    cmake_parse_arguments(arg "" "GENERATED_INCLUDE" "DEPENDS;GENERATED_HEADERS" ${ARGN})
    set(target distview_${name})
    set(include_dir "${CMAKE_CURRENT_SOURCE_DIR}/include")
    file(GLOB_RECURSE headers CONFIGURE_DEPENDS "${include_dir}/*.hpp" "${include_dir}/*.h")
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/src/*.cpp")

    if(sources)
        set(scope PUBLIC)
        add_library(${target} ${sources})
        distview_set_warnings(${target})
        # Symbols stay visible: an export macro at every class would make the headers harder to read, and only the
        # shared build, which is not the default, would gain.
        set_target_properties(
            ${target}
            PROPERTIES CXX_EXTENSIONS OFF
                       POSITION_INDEPENDENT_CODE ON
                       VERSION ${distview_VERSION}
                       SOVERSION ${distview_VERSION_MAJOR}.${distview_VERSION_MINOR})
        if(BUILD_SHARED_LIBS) # overrides the settings of an enclosing project
            set_target_properties(${target} PROPERTIES CXX_VISIBILITY_PRESET default VISIBILITY_INLINES_HIDDEN OFF)
        endif()
        distview_set_install_rpath(${target} "${CMAKE_INSTALL_LIBDIR}")
        target_include_directories(${target} PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}/src")
    else()
        set(scope INTERFACE)
        add_library(${target} INTERFACE)
    endif()
    add_library(distview::${name} ALIAS ${target})
    set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})

    target_sources(
        ${target} ${scope} FILE_SET HEADERS BASE_DIRS "${include_dir}" ${arg_GENERATED_INCLUDE}
                           FILES ${headers} ${arg_GENERATED_HEADERS})
    target_compile_features(${target} ${scope} cxx_std_20)
    target_link_libraries(${target} ${scope} ${arg_DEPENDS})

    install(
        TARGETS ${target}
        EXPORT distview_${name}
        ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT distview_${name}
        LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT distview_${name}
        RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT distview_${name}
        FILE_SET HEADERS DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT distview_${name})
    install(
        EXPORT distview_${name}
        NAMESPACE distview::
        DESTINATION "${CMAKE_INSTALL_LIBDIR}/cmake/distview"
        COMPONENT distview_${name})
endfunction()
