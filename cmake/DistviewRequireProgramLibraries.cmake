# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Provides CLI11::CLI11, nlohmann_json::nlohmann_json and STB_INCLUDE_DIR for the larger example
# programs; the library does not use them. Installed, otherwise fetched. All three are header-only.

find_package(CLI11 QUIET)
if(NOT TARGET CLI11::CLI11)
    include(DistviewArchives)
    distview_fetch(cli11 CLI11)
    add_library(distview_cli11 INTERFACE)
    target_include_directories(distview_cli11 SYSTEM INTERFACE "${cli11_SOURCE_DIR}/include")
    add_library(CLI11::CLI11 ALIAS distview_cli11)
endif()

find_package(nlohmann_json QUIET)
if(NOT TARGET nlohmann_json::nlohmann_json)
    include(DistviewArchives)
    distview_fetch(nlohmann_json nlohmann-json)
    add_library(distview_nlohmann_json INTERFACE)
    target_include_directories(distview_nlohmann_json SYSTEM
                               INTERFACE "${nlohmann_json_SOURCE_DIR}/include")
    add_library(nlohmann_json::nlohmann_json ALIAS distview_nlohmann_json)
endif()

find_path(STB_INCLUDE_DIR stb_image_write.h PATH_SUFFIXES stb)
mark_as_advanced(STB_INCLUDE_DIR)
if(NOT STB_INCLUDE_DIR)
    include(DistviewArchives)
    distview_fetch(stb stb)
    set(STB_INCLUDE_DIR "${stb_SOURCE_DIR}")
endif()
