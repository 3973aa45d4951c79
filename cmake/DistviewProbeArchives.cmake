# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# cmake -P DistviewProbeArchives.cmake: fails if release archives cannot be fetched from here.
cmake_minimum_required(VERSION 3.25)
include("${CMAKE_CURRENT_LIST_DIR}/DistviewArchives.cmake")
distview_archives_reachable(reachable)
if(NOT reachable)
    message(FATAL_ERROR "the release archives cannot be reached")
endif()
