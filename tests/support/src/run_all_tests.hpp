// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "rank_group.hpp"

namespace distview::testing::impl {

inline constexpr const char* passed_token = "DISTVIEW-TEST-PASSED";
inline constexpr const char* failed_token = "DISTVIEW-TEST-FAILED";

/// Runs the registered tests on all ranks of the group and returns the common verdict.
///
/// Flags of GoogleTest are taken from rank 0. MPI, where there is any, and Kokkos are initialised.
/// Collective: over the group
bool run_all_tests(RankGroup& group);

/// True if the program was only asked for help or for the list of its tests.
bool only_informs();

/// Prints the last line of the output and gives the exit status of the program.
int finish(const RankGroup& group, bool passed);

/// Environment defaults for Kokkos that suit several ranks sharing a machine.
void set_kokkos_defaults(int rank_count);

}  // namespace distview::testing::impl
