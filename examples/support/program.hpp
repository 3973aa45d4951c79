// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/agreement.hpp>
#include <distview/comm/communicator.hpp>

#include <cstdint>
#include <functional>

namespace program {

/// The rank that reads and writes files and prints.
inline constexpr int root = 0;

/// A main() for programs whose ranks agree on their errors: runs `body` after starting MPI and Kokkos.
///
/// Exit status: 0; 2 for wrong use, 1 for a failure, with one message on standard error on any
/// number of ranks. An exception on one rank alone ends all ranks.
int run_program(int argc, char** argv, const char* name,
                const std::function<void(const distview::Communicator&, int, char**)>& body);

/// A hash of the arguments.
std::uint64_t digest_of_arguments(int argc, const char* const* argv);

} // namespace program
