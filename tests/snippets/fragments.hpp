// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Included by the source that extract.py makes from the fragments of a page.

#include <distview/algorithms.hpp>
#include <distview_testing/ranks.hpp>

#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <initializer_list>

namespace snippets {

using namespace distview;

/// Calls a fragment if it is meant for this number of ranks; an empty list means all.
inline void call(void (*fragment)(int, char**), std::initializer_list<int> ranks) {
    const bool is_meant =
        ranks.size() == 0 ||
        std::find(ranks.begin(), ranks.end(), distview::testing::rank_count()) != ranks.end();
    char name[] = "snippet";
    char* arguments[] = {name, nullptr};
    if (is_meant) fragment(1, arguments);
}

} // namespace snippets
