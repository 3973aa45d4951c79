// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "exchanges.hpp"
#include "handles.hpp"

#include <distview/c/padding.h>

#include <distview/comm/padding_exchange_plan.hpp>

#include <span>
#include <vector>

namespace distview::c {

/// The program's memory that was passed to a plan, and the array made of it.
struct RememberedMemory {
    distview_memory memory;
    AnyDistView view;
};

} // namespace distview::c

struct distview_padding_plan : distview::c::Counted {
    distview_padding_plan(const distview::Communicator& communicator,
                          distview::PaddingExchangePlan made,
                          std::vector<distview::ArrayLayout> all_layouts, bool is_one_geometry)
        : comm(communicator), plan(std::move(made)), layouts(std::move(all_layouts)),
          one_geometry(is_one_geometry) {}
    ~distview_padding_plan();

    distview::Communicator comm;
    distview::PaddingExchangePlan plan;
    std::vector<distview::ArrayLayout> layouts;       ///< layouts of the fields
    bool one_geometry;                                ///< layouts[0] for any number of fields
    std::vector<const distview::AnyDistView*> fields; ///< fields of one call
    std::vector<std::unique_ptr<distview::c::RememberedMemory>> remembered;
    distview_exchange* exchange = nullptr; ///< kept for the next start
};

namespace distview::c {

/// Converts a distview_stencil; throws UsageError for other values.
Stencil stencil_of(int stencil, const char* function);

/// The fields of a call, stored in the plan. Throws for null pointers, unless the contracts are off; on all ranks if they
/// are full.
std::span<const AnyDistView* const> fields_of(distview_padding_plan& plan, int count,
                                              distview_array* const* arrays, const char* function);

} // namespace distview::c
