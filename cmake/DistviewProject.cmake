# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Settings common to every project of this repository (the root, tests, perf, examples).

if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

if(PROJECT_IS_TOP_LEVEL)
    set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
    set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
else()
    # A project that adds DistView as a subdirectory links its targets from outside this scope, so it
    # must see the packages that these targets name.
    set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL ON)
endif()

include(DistviewCompileTime)
include(DistviewWarnings)
include(DistviewProgram)
