// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Included by the sources that extract.py makes of the fragments of a page.

#include <distview/algorithms.hpp>
#include <distview_testing/ranks.hpp>

#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <initializer_list>

namespace snippets {

using namespace distview;

/// Calls a fragment, if it is one for this number of ranks; without numbers it is for all.
inline void call(void (*fragment)(int, char**), std::initializer_list<int> ranks) {
    const bool is_meant =
        ranks.size() == 0 ||
        std::find(ranks.begin(), ranks.end(), distview::testing::rank_count()) != ranks.end();
    char name[] = "snippet";
    char* arguments[] = {name, nullptr};
    if (is_meant) fragment(1, arguments);
}

} // namespace snippets
