// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace distview::impl {

/// Processors of a node, one bit each.
using ProcessorSet = std::array<std::uint64_t, 16>;

/// Processors that the calling thread may use; none if the system does not report them, or has too many for a set.
ProcessorSet allowed_processors() noexcept;

/// Number of processors that the processes may use together.
int count_processors(std::span<const ProcessorSet> all) noexcept;

/// Whether the processes that may use a processor of `mine` outnumber the processors that they may use
/// together; false if `mine` is empty. `all`: sets of all processes of the node, this one included.
bool shares_processors(const ProcessorSet& mine, std::span<const ProcessorSet> all) noexcept;

/// Number of processors that a process may count as its own: the smaller of `own`, which it may
/// use, and an even share, at least 1, of those that `ranks` may use `together`.
int share_of_processors(int own, int together, int ranks) noexcept;

} // namespace distview::impl
