# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Generates version.hpp and the headers for build_info().

set(DISTVIEW_GENERATED_INCLUDE "${CMAKE_CURRENT_BINARY_DIR}/include")
configure_file(include/distview/core/version.hpp.in
               "${DISTVIEW_GENERATED_INCLUDE}/distview/core/version.hpp" @ONLY)

# Every build looks up the commit, but writes its file only if the commit changed: otherwise nothing is
# compiled again.
function(distview_add_build_info target)
    set(private_dir "${CMAKE_CURRENT_BINARY_DIR}/private")
    set(commit_file "${private_dir}/git_commit.hpp")
    set(lookup
        ${CMAKE_COMMAND} "-DSOURCE_DIR=${distview_SOURCE_DIR}" "-DOUTPUT=${commit_file}" -P
        "${distview_SOURCE_DIR}/cmake/DistviewGitCommit.cmake")
    execute_process(COMMAND ${lookup})
    add_custom_target(
        ${target}_git_commit
        COMMAND ${lookup}
        BYPRODUCTS "${commit_file}"
        COMMENT ""
        VERBATIM)

    string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
    string(STRIP "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${type}}" DISTVIEW_CXX_FLAGS)
    configure_file("${CMAKE_CURRENT_SOURCE_DIR}/src/build_config.hpp.in"
                   "${private_dir}/build_config.hpp" @ONLY)

    add_dependencies(${target} ${target}_git_commit)
    target_include_directories(${target} PRIVATE "${private_dir}")
endfunction()
