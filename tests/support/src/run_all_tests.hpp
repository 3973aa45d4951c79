// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "rank_group.hpp"
#include "status_board.hpp"

namespace distview::testing::impl {

inline constexpr const char* passed_token = "DISTVIEW-TEST-PASSED";
inline constexpr const char* failed_token = "DISTVIEW-TEST-FAILED";

/// A test program on all ranks of a group: the common part of the mains.
class TestProgram {
public:
    /// Collective over the group, like run().
    explicit TestProgram(RankGroup& group);

    /// Runs the registered tests and returns the common verdict. GoogleTest's flags are taken from
    /// rank 0. Kokkos is initialised.
    bool run();

    /// The exit status of the program; rank 0 prints the last line of the output. May be called
    /// after MPI_Finalize; each rank passes its own verdict.
    int finish(bool passed);

private:
    RankGroup& m_group;
    StatusBoard m_board;
};

/// Environment defaults for Kokkos that suit several ranks sharing a machine.
void set_kokkos_defaults(int rank_count);

} // namespace distview::testing::impl
