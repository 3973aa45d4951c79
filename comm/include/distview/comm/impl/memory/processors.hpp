// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace distview::impl {

/// Processors of a node, one bit each.
using ProcessorSet = std::array<std::uint64_t, 16>;

/// Processors that the calling thread may use; none if the system does not tell, or has more than a set holds.
ProcessorSet allowed_processors() noexcept;

/// How many processors the processes may use together.
int count_processors(std::span<const ProcessorSet> all) noexcept;

/// Whether the processes that may use one of the processors `mine` are more than the processors that they may use
/// together; no if `mine` is empty. `all` is of all processes of the node, this one too.
bool shares_processors(const ProcessorSet& mine, std::span<const ProcessorSet> all) noexcept;

/// How many processors a process may count as its own: the `own` that it may use, or an even share of those that `ranks` may
/// use together, at least 1, where that is less.
int share_of_processors(int own, int together, int ranks) noexcept;

} // namespace distview::impl
