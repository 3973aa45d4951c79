# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Provides GTest::gtest and GTest::gmock: installed, otherwise fetched.

find_package(GTest 1.12 QUIET CONFIG)
if(NOT TARGET GTest::gmock)
    include(DistviewArchives)
    distview_fetch(googletest GoogleTest)
    block()
        set(CMAKE_CXX_STANDARD 20)
        set(INSTALL_GTEST OFF)
        add_subdirectory("${googletest_SOURCE_DIR}" "${googletest_BINARY_DIR}" EXCLUDE_FROM_ALL
                         SYSTEM)
    endblock()
endif()
