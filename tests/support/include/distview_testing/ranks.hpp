// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

namespace distview::testing {

// The processes that run this test program together. A serial program counts as one rank.

/// This process's number in the test program.
int rank();

/// The number of processes in the test program.
int rank_count();

/// True on every rank if `condition` holds on every rank. Collective over the test program.
bool all_ranks(bool condition);

/// The texts of all ranks, in the order of the ranks, on every rank. Collective over the test program.
std::vector<std::string> gather_on_all_ranks(const std::string& text);

/// Replaces the limit DISTVIEW_TEST_TIMEOUT for the running test; 0 means none.
void set_test_timeout(double seconds);

} // namespace distview::testing
