// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "exchanges.hpp"
#include "handles.hpp"

#include <distview/c/redistribution.h>

#include <distview/comm/redistribution_plan.hpp>

#include <utility>

namespace distview::c {

/// Converts options for layouts with these numbers of axes and processes.
RedistributionOptions options_of(const distview_redistribution_options* options,
                                 const ArrayLayout& from, const ArrayLayout& to);

} // namespace distview::c

struct distview_redistribution_plan : distview::c::Counted {
    /// `some_lack_sections`: ranks may have no section, and get the element type from others.
    distview_redistribution_plan(const distview::Communicator& communicator,
                                 distview::RedistributionPlan made, bool is_conjugating,
                                 bool some_lack_sections)
        : comm(communicator), plan(std::move(made)), conjugates(is_conjugating),
          has_outsiders(some_lack_sections) {}
    ~distview_redistribution_plan() { distview::c::leave_exchange(exchange); }

    distview::Communicator comm;
    distview::RedistributionPlan plan;
    bool conjugates;
    bool has_outsiders;
    distview_exchange* exchange = nullptr; ///< kept for the next start
};
