// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/core/version.hpp>

#include <string>

#include <Kokkos_Core.hpp>

#include "build_config.hpp"
#include "git_commit.hpp"

#define DISTVIEW_TEXT_OF(x) #x
#define DISTVIEW_TEXT(x) DISTVIEW_TEXT_OF(x)

namespace distview {

namespace {

std::string kokkos_version() {
    const int v = KOKKOS_VERSION;
    return std::to_string(v / 10000) + '.' + std::to_string(v / 100 % 100) + '.' +
           std::to_string(v % 100);
}

std::string kokkos_devices() {
    std::string names;
    [[maybe_unused]] const auto add = [&names](const char* name) {
        names += (names.empty() ? "" : ",");
        names += name;
    };
#ifdef KOKKOS_ENABLE_CUDA
    add("Cuda");
#endif
#ifdef KOKKOS_ENABLE_HIP
    add("HIP");
#endif
#ifdef KOKKOS_ENABLE_SYCL
    add("SYCL");
#endif
#ifdef KOKKOS_ENABLE_OPENMP
    add("OpenMP");
#endif
#ifdef KOKKOS_ENABLE_THREADS
    add("Threads");
#endif
#ifdef KOKKOS_ENABLE_SERIAL
    add("Serial");
#endif
    return names;
}

} // namespace

const char* version() noexcept {
    return DISTVIEW_TEXT(DISTVIEW_VERSION_MAJOR) "." DISTVIEW_TEXT(
        DISTVIEW_VERSION_MINOR) "." DISTVIEW_TEXT(DISTVIEW_VERSION_PATCH);
}

BuildInfo build_info() {
    return {.version = version(),
            .compiler = DISTVIEW_COMPILER,
            .compiler_flags = DISTVIEW_CXX_FLAGS,
            .build_type = DISTVIEW_BUILD_TYPE,
            .kokkos_version = kokkos_version(),
            .kokkos_devices = kokkos_devices(),
            .git_commit = DISTVIEW_GIT_COMMIT};
}

} // namespace distview
