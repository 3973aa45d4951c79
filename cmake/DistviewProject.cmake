# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What every project of this repository (the root, tests, perf, examples) sets alike.

if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

if(PROJECT_IS_TOP_LEVEL)
    set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
    set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
else()
    # A project that adds us as a subdirectory links our targets from outside this scope and so
    # must see the packages that they name.
    set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL ON)
endif()

include(DistviewCompileTime)
include(DistviewWarnings)
include(DistviewProgram)
