// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "communicators.hpp"

#include <distview/comm/communicator.hpp>
#include <distview/core/error.hpp>
#include <distview_testing/allocations.hpp>

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <new>
#include <optional>
#include <string>

namespace distview::testing {

/// Makes collective calls that must be the only allocations; returns whether this rank's elements are right.
using CollectiveCalls = std::function<bool(const Communicator&)>;

enum class TryEnd { right, wrong, error, deadline };

struct Try {
    TryEnd end = TryEnd::right;
    bool has_failed = false; ///< an allocation failed
    std::string what{};
};

inline Try run_try(const Communicator& comm, const CollectiveCalls& calls,
                   std::optional<std::int64_t> skipped) {
    Try result;
    std::optional<FailAllocation> failing;
    if (skipped) failing.emplace(*skipped);
    try {
        result.end = calls(comm) ? TryEnd::right : TryEnd::wrong;
    } catch (const DeadlineError& error) {
        result = {TryEnd::deadline, false, error.what()};
    } catch (const std::exception& error) {
        result = {TryEnd::error, false, error.what()};
    }
    result.has_failed = failing && failing->has_failed();
    return result;
}

/// Least and greatest value over all ranks, by MPI directly: other ranks may be in calls of the
/// library.
inline std::array<int, 2> range_of(int mine) {
    std::array<int, 2> range{-mine, mine};
    MPI_Allreduce(MPI_IN_PLACE, range.data(), 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return {-range[0], range[1]};
}

inline void check_victim(int victim, const CollectiveCalls& calls) {
    const bool is_full = std::getenv("DISTVIEW_FULL") != nullptr;
    OwnedComm duplicate = duplicate_world();
    Communicator comm(duplicate.get());
    comm.set_deadline(std::chrono::seconds(20));
    if (victim == 0)
        comm.set_report("/dev/null"); // allocates memory for records of calls and of plans
    bool may_fail = true;
    for (std::int64_t skipped = 0; may_fail; skipped += 1 + skipped / (is_full ? 64 : 4)) {
        const bool is_victim = comm.rank() == victim;
        const Try tried = run_try(comm, calls, is_victim ? std::optional(skipped) : std::nullopt);
        const auto [least, most] = range_of(static_cast<int>(tried.end));
        ASSERT_EQ(least, most) << "rank " << victim << " after " << skipped
                               << " allocations: this rank's end is " << static_cast<int>(tried.end)
                               << ' ' << tried.what;
        ASSERT_TRUE(tried.end == TryEnd::right || tried.end == TryEnd::error) << tried.what;
        may_fail = range_of(tried.has_failed ? 1 : 0)[1] > 0;
        const Try again = run_try(comm, calls, std::nullopt);
        ASSERT_EQ(range_of(static_cast<int>(again.end))[1], 0)
            << "after rank " << victim << " had failed after " << skipped << " allocations by '"
            << tried.what << "': " << again.what;
    }
}

/// An allocation fails on one rank at some point in collective calls. All ranks must get an error or none, no rank may
/// wait forever, and the next calls of all ranks must work. Each try lets more allocations succeed, until all do: one
/// more at first, later in larger steps (smaller with DISTVIEW_FULL).
inline void check_out_of_memory(const CollectiveCalls& calls) {
    if (world_size() == 1) GTEST_SKIP() << "needs others";
    const auto can_fail = [] {
        const FailAllocation probe(0);
        try {
            ::operator delete(::operator new(1)); // by name: compilers must not remove it
        } catch (const std::bad_alloc&) {
        }
        return probe.has_failed();
    };
    if (!can_fail()) { // a sanitizer owns the heap: make the calls without a failure
        const OwnedComm duplicate = duplicate_world();
        const Try only = run_try(Communicator(duplicate.get()), calls, std::nullopt);
        EXPECT_EQ(only.end, TryEnd::right) << only.what;
        return;
    }
    for (const int victim : {0, world_size() - 1}) check_victim(victim, calls);
}

} // namespace distview::testing
