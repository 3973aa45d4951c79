// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/communicator.hpp>
#include <distview/comm/impl/padding_exchange_binding.hpp>

#include <cstdint>

namespace distview::impl {

/// Whether `rival` fills the padding of the same arrays faster than `binding`: exchanges them a few times by
/// turns, in the calling thread. The same answer on all processes.
///
/// `epoch` is that of the plan's last exchange, and counts on.
///
/// Collective; nothing of the plan in flight, and no kernel that uses the arrays.
/// Touches: the padding, as an exchange does
/// Cost:    14 exchanges
/// Errors:  those of an exchange
bool is_faster(const Communicator& comm, PaddingExchangeBinding& rival,
               PaddingExchangeBinding& binding, std::uint64_t& epoch);

} // namespace distview::impl
