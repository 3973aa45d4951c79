// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rules X1 to X8: conditions between the processes of an array.
#include "protocol_cases.hpp"

#include <distview/core/error.hpp>
#include <distview/core/protocol/validate.hpp>

#include <algorithm>
#include <limits>

namespace distview::testing {

using protocol::check_all;
using protocol::check_local;
using protocol::require_conforming;

/// 6 elements in blocks on two processes, as a base for corruptions.
std::vector<SectionDescription> two_blocks() {
    return sections({{block_dim(6, 2, 0, 0, 3), 3}, {block_dim(6, 2, 1, 3, 6), 3}});
}

std::vector<SectionDescription> two_cyclic() {
    return sections({{cyclic_dim(5, 2, 0, 0), 3}, {cyclic_dim(5, 2, 1, 1), 2}});
}

std::vector<SectionDescription> two_lists() {
    return sections({{unstructured_dim(3, 2, 0, {8, 6}), 2}, {unstructured_dim(3, 2, 1, {7}), 1}});
}

// X1: the same number of axes everywhere.
TEST(ProtocolRules, X1_number_of_axes) {
    for (const auto& version : both_versions) {
        auto array = two_blocks();
        array[1].dim_data.push_back(block_dim(1, 1, 0, 0, 1));
        array[1].extents.push_back(1);
        expect_violation(check_all(version, array), "axis_inconsistent", -1, "dim_data", 1,
                         "2 dimension dictionaries, but 1 on process 0");
    }
}

// X1: the same size along an axis.
TEST(ProtocolRules, X1_size) {
    for (const auto& version : both_versions)
        expect_violation(
            check_all(version,
                      sections({{block_dim(5, 2, 0, 0, 2), 2}, {block_dim(4, 2, 1, 2, 4), 2}})),
            "axis_inconsistent", 0, "size", 1, "dim_data[0]['size'] is 4, but 5 on process 0");
}

// X1: the same dist_type, proc_grid_size, periodic, block_size, one_to_one along an axis.
TEST(ProtocolRules, X1_other_keys) {
    for (const auto& version : both_versions) {
        expect_violation(check_all(version, sections({{block_dim(2, 2, 0, 0, 1), 1},
                                                      {cyclic_dim(2, 2, 1, 1), 1}})),
                         "axis_inconsistent", 0, "dist_type", 1,
                         "dim_data[0]['dist_type'] is 'c', but 'b' on process 0");
        expect_violation(check_all(version, sections({{block_dim(6, 2, 0, 0, 3), 3},
                                                      {block_dim(6, 3, 1, 3, 6), 3}})),
                         "axis_inconsistent", 0, "proc_grid_size", 1,
                         "dim_data[0]['proc_grid_size'] is 3, but 2 on process 0");
        auto array = two_blocks();
        array[0].dim_data[0].periodic = true;
        expect_violation(check_all(version, array), "axis_inconsistent", 0, "periodic", 1,
                         "dim_data[0]['periodic'] is False, but True on process 0");
        expect_violation(check_all(version, sections({{cyclic_dim(4, 2, 0, 0, 2), 2},
                                                      {cyclic_dim(4, 2, 1, 1, 1), 2}})),
                         "axis_inconsistent", 0, "block_size", 1,
                         "dim_data[0]['block_size'] is 1, but 2 on process 0");
        array = two_lists();
        array[1].dim_data[0].one_to_one = true;
        expect_violation(check_all(version, array), "axis_inconsistent", 0, "one_to_one", 1,
                         "dim_data[0]['one_to_one'] is True, but False on process 0");
    }
}

// X1: written or omitted defaults, and aliases, are equal.
TEST(ProtocolRules, X1_after_defaults_and_aliases) {
    for (const auto& version : both_versions) {
        auto array = two_blocks();
        array[1].dim_data[0].periodic = false;
        expect_conforms(check_all(version, array));
        array = two_cyclic();
        array[0].dim_data[0].block_size = 1;
        expect_conforms(check_all(version, array));
    }
    const auto rows = two_blocks();
    auto array = product({rows, sections({{block_dim(4, 1, 0, 0, 4), 4}})});
    expect_conforms(check_all(v0_10_0, array));
    array[1].dim_data[1] = DimData{};
    expect_conforms(check_all(v0_10_0, array));
    array[1].extents[1] = 5;
    EXPECT_EQ(summary(check_all(v0_10_0, array)),
              "axis_inconsistent at axis 1, key 'size', process 1");
    array[1].extents[1] = 4;
    array[1].dim_data[1] = undistributed_dim(4);
    expect_conforms(check_all(v0_9_0, array));
}

// X2: as many processes as the product of the grid.
TEST(ProtocolRules, X2_grid_has_all_processes) {
    for (const auto& version : both_versions) {
        auto array = sections({{block_dim(6, 3, 0, 0, 2), 2}, {block_dim(6, 3, 1, 2, 4), 2}});
        expect_violation(check_all(version, array), "grid_product", -1, "proc_grid_size", 0,
                         "the process grid (3) has 3 processes, but the array is on 2");
        // A15, A16: no zero-dimensional array on two processes, no grid smaller than the processes.
        expect_violation(check_all(version, std::vector<SectionDescription>(2)), "grid_product", -1,
                         "proc_grid_size", 0,
                         "the process grid () has 1 process, but the array is on 2");
        auto four = product({two_blocks(), two_cyclic()});
        expect_conforms(check_all(version, four));
        four.pop_back();
        EXPECT_EQ(code_of(check_all(version, four)), "grid_product");
        const auto whole = section(block_dim(6, 1, 0, 0, 6), 6);
        EXPECT_EQ(code_of(check_all(version, std::vector{whole, whole})), "grid_product");
    }
}

// X2: a product beyond 64 bits is no number of processes.
TEST(ProtocolRules, X2_product_beyond_64_bits) {
    const std::int64_t large = std::int64_t(1) << 32;
    const SectionDescription array{{cyclic_dim(1, large, 0, 0), cyclic_dim(1, large, 0, 0)},
                                   {1, 1}};
    for (const auto& version : both_versions)
        expect_violation(
            check_all(version, {&array, 1}), "grid_product", -1, "proc_grid_size", 0,
            "the process grid (4294967296, 4294967296) has more than 2^63-1 processes, "
            "but the array is on 1");
}

// X3: C order, the last axis fastest.
TEST(ProtocolRules, X3_grid_is_in_c_order) {
    for (const auto& version : both_versions) {
        auto array = product({two_blocks(), two_cyclic()});
        expect_conforms(check_all(version, array));
        std::swap(array[1], array[2]); // column-major
        expect_violation(
            check_all(version, array), "grid_order", 1, "proc_grid_rank", 1,
            "dim_data[1]['proc_grid_rank'] is 0, expected 1: processes lie in the grid "
            "in C order");
        auto three = product({two_blocks(), two_lists(), two_cyclic()});
        expect_conforms(check_all(version, three));
        auto reversed = two_blocks();
        std::reverse(reversed.begin(), reversed.end());
        EXPECT_EQ(code_of(check_all(version, reversed)), "grid_order");
    }
}

// X4: every grid coordinate occurs once.
TEST(ProtocolRules, X4_grid_coordinates_occur_once) {
    for (const auto& version : both_versions) {
        const auto first = two_blocks()[0];
        EXPECT_EQ(summary(check_all(version, std::vector{first, first})),
                  "grid_order at axis 0, key 'proc_grid_rank', process 1");
    }
}

// X5: processes of the same grid rank on an axis hold the same section of it.
TEST(ProtocolRules, X5_same_grid_rank_same_section) {
    for (const auto& version : both_versions) {
        auto array = product({two_blocks(), two_cyclic()});
        // Processes 1 and 3 cut the first axis at 4.
        array[1] = {{block_dim(6, 2, 0, 0, 4), array[1].dim_data[1]}, {4, array[1].extents[1]}};
        array[3] = {{block_dim(6, 2, 1, 4, 6), array[3].dim_data[1]}, {2, array[3].extents[1]}};
        expect_violation(check_all(version, array), "axis_inconsistent", 0, "stop", 1,
                         "dim_data[0]['stop'] is 4, but 3 on process 0 of the same grid rank 0");

        array = product({two_blocks(), two_lists()});
        array[2].dim_data[1].indices = {{6, 8}}; // the same labels in another order
        expect_violation(
            check_all(version, array), "axis_inconsistent", 1, "indices", 2,
            "dim_data[1]['indices'] differ from those of process 0 of the same grid rank 0");

        array = product(
            {two_blocks(), sections({{cyclic_dim(1, 2, 0, 0), 1}, {cyclic_dim(1, 2, 1, 1), 0}})});
        expect_conforms(check_all(version, array));
        auto starts = product({two_blocks(), sections({{cyclic_dim(9, 3, 0, 0, 5), 5},
                                                       {cyclic_dim(9, 3, 1, 5, 5), 4},
                                                       {cyclic_dim(9, 3, 2, 10, 5), 0}})});
        expect_conforms(check_all(version, starts));
        starts[5].dim_data[1].start = 9; // each start is legal, but not both
        EXPECT_EQ(summary(check_all(version, starts)),
                  "axis_inconsistent at axis 1, key 'start', process 5");
    }
}

// X5: communication padding must agree, boundary padding need not (A13).
TEST(ProtocolRules, X5_padding) {
    const auto rows = [](std::int64_t edge) {
        return sections({{block_dim(18, 2, 0, 0, 10, PaddingValue{edge, 1}), 10},
                         {block_dim(18, 2, 1, 8, 18, PaddingValue{1, 0}), 10}});
    };
    auto array = product({rows(1), two_cyclic()});
    array[1].dim_data[0].padding = PaddingValue{2, 1};
    expect_conforms(check_all(v0_10_0, array));
    array[1].dim_data[0].padding = PaddingValue{1, 2};
    expect_violation(
        check_all(v0_10_0, array), "axis_inconsistent", 0, "padding", 1,
        "dim_data[0]['padding'] is (1, 2), but (1, 1) on process 0 of the same grid rank 0");

    // 0.9: the edge padding of a periodic axis is communication padding.
    const auto old = [](bool periodic, std::int64_t edge) {
        const std::int64_t extent = 10 + (periodic ? 1 : 0);
        auto result =
            product({sections({{block_dim(18, 2, 0, 0, 9, PaddingValue{1, 1}, periodic), extent},
                               {block_dim(18, 2, 1, 9, 18, PaddingValue{1, 0}, periodic), 10}}),
                     two_cyclic()});
        result[1].dim_data[0].padding = PaddingValue{edge, 1};
        if (periodic) result[1].extents[0] = 10 + edge;
        return result;
    };
    expect_conforms(check_all(v0_9_0, old(false, 1)));
    expect_conforms(check_all(v0_9_0, old(false, 3)));
    expect_conforms(check_all(v0_9_0, old(true, 1)));
    EXPECT_EQ(summary(check_all(v0_9_0, old(true, 3))),
              "axis_inconsistent at axis 0, key 'padding', process 1");
}

// X8: the number of elements of the array fits 64 bits.
TEST(ProtocolRules, X8_number_of_elements) {
    const std::int64_t large = std::int64_t(1) << 40;
    for (const auto& version : both_versions) {
        // This process has a small part of it.
        const SectionDescription array{{block_dim(large, 2, 0, 0, 1), block_dim(large, 2, 0, 0, 1)},
                                       {1, 1}};
        expect_violation(check_local(version, array, 0), "overflow", 1, "size", 0,
                         "the product of the sizes of axes 0 to 1 exceeds 2^63-1");
        const SectionDescription empty{
            {block_dim(large, 2, 0, 0, 1), block_dim(large, 2, 0, 0, 1), cyclic_dim(0, 1, 0, 0)},
            {1, 1, 0}};
        expect_conforms(check_local(version, empty, 0));
        const SectionDescription most{
            {block_dim(std::numeric_limits<std::int64_t>::max(), 2, 0, 0, 1),
             cyclic_dim(1, 1, 0, 0)},
            {1, 1}};
        expect_conforms(check_local(version, most, 0));
    }
}

// X8: neither may the size that counts the padding of a periodic axis of 0.9 exceed them.
TEST(ProtocolRules, X8_size_with_periodic_padding) {
    constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
    const auto array =
        sections({{block_dim(largest, 2, 0, 0, 1, PaddingValue{1, 0}, true), 2},
                  {block_dim(largest, 2, 1, 1, largest, PaddingValue{0, 1}, true), largest}});
    EXPECT_EQ(summary(check_all(v0_9_0, array)), "overflow at axis 0, key 'size', process 0");
}

// X9: equal data give the same verdict on every process, which names the lowest process.
TEST(ProtocolRules, X9_lowest_process_is_named) {
    for (const auto& version : both_versions) {
        std::vector<SectionDescription> array;
        for (int r = 0; r < 6; ++r)
            array.push_back(section(block_dim(12, 6, r, 2 * r, 2 * r + 2), 2));
        expect_conforms(check_all(version, array));
        array[5].extents[0] = 3;
        array[3].dim_data[0].size = -1;
        array[2].dim_data[0].stop = 13;
        EXPECT_EQ(summary(check_all(version, array)),
                  "stop_gt_size at axis 0, key 'stop', process 2");
        array[2].dim_data[0].stop = 6;
        EXPECT_EQ(summary(check_all(version, array)),
                  "size_negative at axis 0, key 'size', process 3");
    }
}

TEST(ProtocolRules, require_conforming_throws_what_the_checks_find) {
    auto array = two_blocks();
    EXPECT_NO_THROW(require_conforming(v0_10_0, array));
    EXPECT_NO_THROW(require_conforming(v0_10_0, array[1], 1));
    array[1].extents[0] = 4;
    try {
        require_conforming(v0_10_0, array);
        ADD_FAILURE();
    } catch (const ProtocolError& error) {
        EXPECT_EQ(error.code(), "shape_mismatch");
        EXPECT_EQ(error.axis(), 0);
        EXPECT_EQ(error.key(), "buffer");
        EXPECT_EQ(error.process(), 1);
        EXPECT_STREQ(error.what(), "DAP import, process 1: dim_data[0] describes 3 local elements, "
                                   "but buffer.shape[0] is 4");
    }
    EXPECT_THROW(require_conforming(v0_10_0, array[1], 1), ProtocolError);
    EXPECT_THROW(check_all(v0_10_0, {}), UsageError);
}

} // namespace distview::testing
