// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "allocation_hooks.hpp"
#include "run_all_tests.hpp"
#include "sanitizer_defaults.hpp"

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <unistd.h>

#include <cstdlib>
#include <string>
#include <vector>

namespace {

class OneRank : public distview::testing::impl::RankGroup {
public:
    int rank() const override { return 0; }
    int size() const override { return 1; }
    std::vector<std::string> gather(const std::string& text) override { return {text}; }
    bool all(bool condition) override { return condition; }
    [[noreturn]] void abort() override { ::_exit(EXIT_FAILURE); }
};

} // namespace

int main(int argc, char** argv) {
    namespace harness = distview::testing::impl;
    harness::link_sanitizer_defaults();
    harness::link_allocation_hooks();
    ::testing::InitGoogleTest(&argc, argv);
    harness::set_kokkos_defaults(1);

    OneRank group;
    harness::TestProgram program(group);
    bool passed = false;
    {
        const Kokkos::ScopeGuard kokkos(argc, argv);
        passed = program.run();
    }
    return program.finish(passed);
}
