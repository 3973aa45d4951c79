// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/schedule/redistribution_stages.hpp>
#include <distview/comm/redistribution_schedule.hpp>
#include <distview/core/error.hpp>

namespace distview::testing {

/// Whether a redistribution with these options can be asked for by dimension.
inline bool allows_stages(const ArrayLayout& from, const ArrayLayout& to,
                          RedistributionOptions options) {
    options.strategy = RedistributionStrategy::by_dimension;
    try {
        distview::impl::redistribution_stages(from, to, options);
    } catch (const LayoutError&) {
        return false;
    }
    return true;
}

} // namespace distview::testing
