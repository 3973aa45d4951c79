// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/error.hpp>

#include <cstdio>
#include <cstdlib>
#include <span>
#include <string_view>

// Programs that run one of several cases. Each case starts and ends MPI and Kokkos, which a test
// inside a running MPI cannot do.

namespace distview::testing {

inline int failures = 0;

inline void expect(bool condition, const char* what) {
    if (condition) return;
    ++failures;
    std::printf("expected: %s\n", what);
}

template <class Function>
void expect_usage_error(Function&& function, std::string_view message) {
    try {
        function();
        expect(false, "an exception");
    } catch (const UsageError& error) {
        expect(error.what() == message, message.data());
    }
}

struct LifecycleCase {
    std::string_view name;
    void (*run)(int, char**);
};

/// Runs the case named by the program's first argument. Prints DISTVIEW-TEST-PASSED if rank 0
/// succeeded; failures set the exit status.
inline int run_case(std::span<const LifecycleCase> cases, int argc, char** argv) {
    const std::string_view name = argc > 1 ? argv[1] : "";
    // MPI may already be finalised when a case returns.
    const char* rank = std::getenv("OMPI_COMM_WORLD_RANK");
    if (!rank) rank = std::getenv("PMI_RANK");
    for (const LifecycleCase& candidate : cases) {
        if (candidate.name != name) continue;
        candidate.run(argc, argv);
        if (failures == 0 && (!rank || std::string_view(rank) == "0"))
            std::printf("DISTVIEW-TEST-PASSED\n");
        return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
    }
    std::printf("no case '%s'\n", argc > 1 ? argv[1] : "");
    return EXIT_FAILURE;
}

} // namespace distview::testing
