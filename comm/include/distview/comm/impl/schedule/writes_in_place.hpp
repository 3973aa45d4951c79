// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/redistribution_schedule.hpp>

namespace distview::impl {

/// Whether processes that share memory write each other's targets, instead of reading each other's
/// sources; the same on all of them.
///
/// Reading is the rule: who needs elements fetches them when they are ready. But where a row of a source
/// is dealt out in short runs, each reader meets runs and gaps in turn, and processors fetch the gaps as
/// well: all of the source passes the memory bus once for each reader. Then the source's own process
/// does better, which goes through its rows once; what it writes goes past the caches, where gaps cost
/// nothing.
bool writes_in_place(const RedistributionSchedule& schedule);

} // namespace distview::impl
