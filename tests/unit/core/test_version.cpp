// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/core/version.hpp>

#include <Kokkos_Core.hpp>

#include <gtest/gtest.h>

#include <regex>
#include <string>

namespace distview::testing {

namespace {

// The macros are meant for #if: the preprocessor itself checks that they work there.
#if !DISTVIEW_VERSION_GE(0, 1, 0)
#error "this is version 0.1.0 or a later one"
#endif
#if DISTVIEW_VERSION_GE(99, 0, 0)
#error "version 99 is far away"
#endif

TEST(Version, number_and_parts_agree) {
    EXPECT_EQ(DISTVIEW_VERSION / 10000, DISTVIEW_VERSION_MAJOR);
    EXPECT_EQ(DISTVIEW_VERSION / 100 % 100, DISTVIEW_VERSION_MINOR);
    EXPECT_EQ(DISTVIEW_VERSION % 100, DISTVIEW_VERSION_PATCH);
}

TEST(Version, comparison_is_exact_at_this_version) {
    EXPECT_TRUE(DISTVIEW_VERSION_GE(DISTVIEW_VERSION_MAJOR, DISTVIEW_VERSION_MINOR,
                                    DISTVIEW_VERSION_PATCH));
    EXPECT_FALSE(DISTVIEW_VERSION_GE(DISTVIEW_VERSION_MAJOR, DISTVIEW_VERSION_MINOR,
                                     DISTVIEW_VERSION_PATCH + 1));
}

TEST(Version, library_and_headers_agree) {
    EXPECT_EQ(std::string(version()), std::to_string(DISTVIEW_VERSION_MAJOR) + "." +
                                          std::to_string(DISTVIEW_VERSION_MINOR) + "." +
                                          std::to_string(DISTVIEW_VERSION_PATCH));
}

TEST(BuildInfo, says_what_is_known) {
    const BuildInfo info = build_info();
    EXPECT_EQ(info.version, version());
    EXPECT_TRUE(std::regex_match(info.compiler, std::regex("[A-Za-z]+ [0-9]+[.][0-9.]+")))
        << info.compiler;
    EXPECT_FALSE(info.build_type.empty());
    EXPECT_TRUE(std::regex_match(info.git_commit, std::regex("unknown|[0-9a-f]{7,40}(-dirty)?")))
        << info.git_commit;
}

TEST(BuildInfo, names_the_kokkos_of_this_program) {
    const BuildInfo info = build_info();
    EXPECT_EQ(info.kokkos_version, std::to_string(KOKKOS_VERSION / 10000) + "." +
                                       std::to_string(KOKKOS_VERSION / 100 % 100) + "." +
                                       std::to_string(KOKKOS_VERSION % 100));
    const std::string devices = "," + info.kokkos_devices + ",";
    const std::string default_device = Kokkos::DefaultExecutionSpace::name();
    EXPECT_NE(devices.find("," + default_device + ","), std::string::npos) << devices;
}

} // namespace

} // namespace distview::testing
