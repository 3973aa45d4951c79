// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "gather.hpp"

#include <distview/comm/ghost_exchange_plan.hpp>

#include <utility>

struct distview_ghosted_layout : distview::c::Counted {
    explicit distview_ghosted_layout(distview::GhostedLayout made) : value(std::move(made)) {}
    distview::GhostedLayout value;
};

struct distview_ghost_plan : distview::c::Counted {
    distview_ghost_plan(const distview::Communicator& communicator,
                        const distview::ArrayLayout& layout_of_arrays,
                        distview::GhostExchangePlan made)
        : comm(communicator), layout(layout_of_arrays), plan(std::move(made)) {}
    distview::Communicator comm;
    distview::ArrayLayout layout; ///< layout of the program's arrays; the plan's is widened
    distview::GhostExchangePlan plan;
};

namespace distview::c {

/// Throws unless the array has the plan's layout and may be written.
void check_ghosted_array(const distview_ghost_plan& plan, const distview_array* array,
                         const char* function);

} // namespace distview::c
