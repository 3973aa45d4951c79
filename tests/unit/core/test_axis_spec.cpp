// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Converts layouts back to the specifications that produce them.
#include "expect_error.hpp"
#include "protocol_random.hpp"

#include <distview/core/array_layout.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace distview::testing {

TEST(AxisSpecOfLayout, makes_the_same_layout) {
    for_each_case(5000, [&](Random& random, std::uint64_t) {
        const ArrayLayout layout = random_layout(random, PaddingKind::any);
        std::vector<AxisSpec> axes;
        for (int d = 0; d < layout.rank(); ++d) axes.push_back(axis_spec(layout.axis(d)));
        const ArrayLayout again(layout.grid(), axes);
        EXPECT_TRUE(again == layout) << layout.describe() << "\nbecame " << again.describe();
        EXPECT_EQ(again.fingerprint(), layout.fingerprint());
    });
}

TEST(AxisSpecOfLayout, keeps_what_one_process_knows) {
    const ArrayLayout layout(ProcessGrid{3}, {unstructured_local(9, 1, {4, -2}, true)});
    EXPECT_TRUE(ArrayLayout(ProcessGrid{3}, {axis_spec(layout.axis(0))}) == layout);
}

TEST(AxisSpecOfLayout, keeps_ghosts) {
    for (const AxisSpec& axis : {unstructured({{3, 1}, {2, 3}, {}}, {.ghosts = {0, 1, 0}}),
                                 unstructured_local(9, 1, {4, -2, 7}, {.ghosts = {2}})}) {
        const ArrayLayout layout(ProcessGrid{3}, {axis});
        ASSERT_TRUE(layout.axis(0).as_unstructured().has_ghosts());
        EXPECT_TRUE(ArrayLayout(ProcessGrid{3}, {axis_spec(layout.axis(0))}) == layout);
    }
}

TEST(PermuteAxes, moves_each_axis_with_its_processes) {
    for_each_case(500, [&](Random& random, std::uint64_t) {
        const ArrayLayout layout = random_layout(random, PaddingKind::any);
        std::vector<int> permutation(static_cast<std::size_t>(layout.rank()));
        std::iota(permutation.begin(), permutation.end(), 0);
        random.shuffle(permutation);
        const ArrayLayout permuted = permute_axes(layout, permutation);
        std::vector<int> inverse(permutation.size());
        for (std::size_t d = 0; d < permutation.size(); ++d) {
            const int axis = permutation[d];
            inverse[static_cast<std::size_t>(axis)] = static_cast<int>(d);
            EXPECT_EQ(permuted.grid().extent(static_cast<int>(d)), layout.grid().extent(axis));
            EXPECT_EQ(permuted.extent(static_cast<int>(d)), layout.extent(axis));
        }
        EXPECT_TRUE(permute_axes(permuted, inverse) == layout);
    });
    const ArrayLayout layout(ProcessGrid{2, 3}, {block(7, {.padding = 1}), cyclic(9)});
    EXPECT_TRUE(permute_axes(layout, {1, 0}) ==
                ArrayLayout(ProcessGrid{3, 2}, {cyclic(9), block(7, {.padding = 1})}));
}

TEST(PermuteAxes, refuses_what_is_no_permutation) {
    const ArrayLayout layout(ProcessGrid{2, 3}, {block(7), cyclic(9)});
    expect_error<LayoutError>([&] { permute_axes(layout, {0}); },
                              "permute_axes: expected a permutation of 2 axes, got (0)");
    expect_error<LayoutError>([&] { permute_axes(layout, {1, 1}); },
                              "permute_axes: expected a permutation of 2 axes, got (1, 1)");
    expect_error<LayoutError>([&] { permute_axes(layout, {1, 2}); },
                              "permute_axes: expected a permutation of 2 axes, got (1, 2)");
}

} // namespace distview::testing
