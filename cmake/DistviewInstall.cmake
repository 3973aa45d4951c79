# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Installs the package files: distviewConfig.cmake and its version file.

include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/distview")
configure_package_config_file(
    "${PROJECT_SOURCE_DIR}/cmake/distviewConfig.cmake.in"
    "${PROJECT_BINARY_DIR}/cmake/distviewConfig.cmake"
    INSTALL_DESTINATION "${package_dir}")
# Before 1.0 a minor version may break programs.
write_basic_package_version_file(
    "${PROJECT_BINARY_DIR}/cmake/distviewConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(
    FILES "${PROJECT_BINARY_DIR}/cmake/distviewConfig.cmake"
          "${PROJECT_BINARY_DIR}/cmake/distviewConfigVersion.cmake"
    DESTINATION "${package_dir}"
    COMPONENT distview_core)
if(DISTVIEW_HDF5_FOUND)
    install(FILES "${PROJECT_SOURCE_DIR}/cmake/DistviewFindHdf5.cmake" DESTINATION "${package_dir}"
            COMPONENT distview_io)
endif()
if(TARGET distview::interop)
    install(FILES "${PROJECT_SOURCE_DIR}/cmake/DistviewFindSolvers.cmake" DESTINATION "${package_dir}"
            COMPONENT distview_interop)
endif()
