// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/mpi/communicator_state.hpp>

#include <memory>
#include <span>
#include <vector>

namespace distview::impl {

/// Brings the reports of all ranks of these communicators to their rank 0, which writes those that are wanted. Does not
/// throw.
///
/// Collective: over all of them, which ranks may name in different orders
void write_reports(std::span<const std::shared_ptr<CommunicatorState>> open,
                   const std::vector<int>& is_wanted) noexcept;

/// Writes what rank 0 knows itself; nothing on other ranks. Local, does not throw.
void write_own_report(CommunicatorState& state) noexcept;

} // namespace distview::impl
