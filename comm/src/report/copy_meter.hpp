// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/report/plan_record.hpp>

namespace distview::impl {

/// Measures how long copies take in this process, now: of a long run, and of the nests of the plans that took most time,
/// as they are and as they could be. All ranks should measure at the same time, as they exchange at the same time.
///
/// Cost: some 20 ms, and for each shape five passes over its section
void measure_copies(RankReport& report);

} // namespace distview::impl
