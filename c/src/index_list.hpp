// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "handles.hpp"

#include <distview/c/elements.h>

#include <distview/comm/index_list.hpp>

#include <cstdint>

/// Elements have max_rank indices, like arrays that widened() extends by axes behind: indices of added axes are 0.
struct distview_index_list : distview::c::Counted {
    explicit distview_index_list(int axes) : rank(axes), value(distview::max_rank) {}
    int rank;
    distview::IndexList value;
};

namespace distview::c {

/// Appends a box of elements with `rank` indices to a list of elements with max_rank indices.
void add_box(IndexList& list, int rank, const std::int64_t* begin, const std::int64_t* end,
             const std::int64_t* step, const char* function);

} // namespace distview::c
