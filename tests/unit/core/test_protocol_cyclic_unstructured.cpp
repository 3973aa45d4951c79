// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rules C1 to C6 and U3 to U8.
#include "protocol_cases.hpp"

#include <distview/core/protocol/rules.hpp>
#include <distview/core/protocol/validate.hpp>

#include <limits>

namespace distview::testing {

using protocol::check_all;
using protocol::check_local;

constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();

/// A cyclic axis with the given extents, and starts that satisfy rule C2.
std::vector<SectionDescription> cyclic_sections(std::int64_t size,
                                                std::optional<std::int64_t> block_size,
                                                const std::vector<std::int64_t>& extents) {
    std::vector<SectionDescription> result;
    const auto count = static_cast<std::int64_t>(extents.size());
    for (std::int64_t r = 0; r < count; ++r)
        result.push_back(section(cyclic_dim(size, count, r, r * block_size.value_or(1), block_size),
                                 extents[static_cast<std::size_t>(r)]));
    return result;
}

// C1: block_size >= 1, absent is 1.
TEST(ProtocolRules, C1_block_size) {
    for (const auto& version : both_versions) {
        expect_violation(check_local(version, section(cyclic_dim(4, 1, 0, 0, 0), 4), 0),
                         "block_size_lt1", 0, "block_size", 0,
                         "dim_data[0]['block_size'] is 0, expected >= 1");
        EXPECT_EQ(code_of(check_local(version, section(cyclic_dim(4, 1, 0, 0, -3), 4), 0)),
                  "block_size_lt1");
        auto mixed = cyclic_sections(5, {}, {3, 2});
        mixed[1].dim_data[0].block_size = 1;
        expect_conforms(check_all(version, mixed));
    }
}

// C2: start is proc_grid_rank * block_size; neither rotations nor multiples of one element.
TEST(ProtocolRules, C2_start) {
    for (const auto& version : both_versions) {
        expect_violation(check_local(version, section(cyclic_dim(13, 4, 2, 1, 2), 3), 2),
                         "cyclic_start", 0, "start", 2,
                         "dim_data[0]: start 1, expected proc_grid_rank * block_size = 4");
        EXPECT_EQ(code_of(check_local(version, section(cyclic_dim(10, 4, 0, 1), 3), 0)),
                  "cyclic_start");
        // start = rank, as for single elements.
        EXPECT_EQ(code_of(check_local(version, section(cyclic_dim(13, 4, 2, 2, 2), 3), 0)),
                  "cyclic_start");
    }
}

// A start below 0 is reported as negative, as on a block axis, before it is reported as no multiple of the block size.
TEST(ProtocolRules, C2_negative_start) {
    for (const auto& version : both_versions) {
        expect_violation(check_local(version, section(cyclic_dim(10, 4, 1, -1), 3), 1),
                         "start_negative", 0, "start", 1,
                         "dim_data[0]['start'] is -1, expected >= 0");
        EXPECT_EQ(code_of(check_local(version, section(cyclic_dim(10, 4, 0, -4, 0), 3), 0)),
                  "start_negative");
        // Faults that concern the whole axis are reported first.
        EXPECT_EQ(code_of(check_local(version, section(cyclic_dim(10, 0, 0, -1), 3), 0)),
                  "grid_size_lt1");
    }
}

// C2: on a process without elements start may be clamped to size (A8).
TEST(ProtocolRules, C2_clamped_start) {
    for (const auto& version : both_versions) {
        expect_conforms(check_local(version, section(cyclic_dim(9, 4, 3, 15, 5), 0), 3));
        expect_conforms(check_local(version, section(cyclic_dim(9, 4, 3, 9, 5), 0), 3));
        EXPECT_EQ(code_of(check_local(version, section(cyclic_dim(9, 4, 3, 10, 5), 0), 3)),
                  "cyclic_start");
        // Grid rank 1 owns 5 to 8.
        EXPECT_EQ(code_of(check_local(version, section(cyclic_dim(9, 4, 1, 9, 5), 4), 1)),
                  "cyclic_start");
        expect_conforms(check_local(version, section(cyclic_dim(0, 4, 3, 0), 0), 3));
    }
}

// C2: a product beyond 64 bits cannot be written as a start; only the clamped start is possible.
TEST(ProtocolRules, C2_start_beyond_64_bits) {
    for (const auto& version : both_versions) {
        expect_conforms(check_local(version, section(cyclic_dim(9, 4, 3, 9, largest), 0), 3));
        expect_violation(check_local(version, section(cyclic_dim(9, 4, 3, 3, largest), 0), 3),
                         "cyclic_start", 0, "start", 3,
                         "dim_data[0]: start 3, expected the size 9");
    }
}

// C3: with block_size 1, range(start, size, proc_grid_size) are the owned indices.
TEST(ProtocolRules, C3_single_elements) {
    for (const auto& version : both_versions) {
        expect_conforms(check_all(version, cyclic_sections(10, {}, {3, 3, 2, 2})));
        expect_conforms(check_all(version, cyclic_sections(2, {}, {1, 1, 0, 0})));
    }
}

// C4: the partial last block lies on process (size / block_size) mod P, not on process 0 (A7).
TEST(ProtocolRules, C4_extent_with_a_partial_block) {
    for (const auto& version : both_versions) {
        expect_conforms(check_all(version, cyclic_sections(13, 2, {4, 4, 3, 2})));
        expect_violation(check_all(version, cyclic_sections(13, 2, {5, 4, 2, 2})), "shape_mismatch",
                         0, "buffer", 0,
                         "dim_data[0] describes 4 local elements, but buffer.shape[0] is 5");
        EXPECT_EQ(summary(check_all(version, cyclic_sections(13, 2, {4, 4, 2, 2}))),
                  "shape_mismatch at axis 0, key 'buffer', process 2");
    }
}

// C5: if start >= size, the process owns nothing.
TEST(ProtocolRules, C5_empty_sections) {
    for (const auto& version : both_versions) {
        expect_conforms(check_all(version, cyclic_sections(9, 5, {5, 4, 0, 0})));
        expect_conforms(check_all(version, cyclic_sections(0, {}, {0, 0, 0})));
        EXPECT_EQ(summary(check_all(version, cyclic_sections(9, 5, {5, 4, 1, 0}))),
                  "shape_mismatch at axis 0, key 'buffer', process 2");
    }
}

// C6: any block size, beyond size too.
TEST(ProtocolRules, C6_large_block_sizes) {
    for (const auto& version : both_versions) {
        expect_conforms(check_all(version, cyclic_sections(9, 100, {9, 0, 0, 0})));
        expect_conforms(check_all(version, cyclic_sections(9, 3, {3, 3, 3})));
        expect_conforms(check_all(version, cyclic_sections(largest, largest, {largest})));
        expect_conforms(check_all(version, cyclic_sections(24, 4, {8, 8, 8})));
    }
}

// U3: unique on one process; negative, unordered, with gaps or beyond size otherwise (U7).
TEST(ProtocolRules, U3_indices_are_unique) {
    for (const auto& version : both_versions) {
        expect_violation(check_local(version, section(unstructured_dim(3, 1, 0, {4, 3, 4}), 3), 0),
                         "indices_not_unique", 0, "indices", 0,
                         "index 4 appears twice in dim_data[0]['indices']");
        // -1 does not mean the last index, and -3 not index 0 of three.
        expect_conforms(check_all(version, sections({{unstructured_dim(3, 1, 0, {2, -1, 0}), 3}})));
        expect_conforms(check_all(version, sections({{unstructured_dim(3, 1, 0, {0, -3, 1}), 3}})));
        expect_conforms(check_all(
            version,
            sections(
                {{unstructured_dim(3, 1, 0, {largest, std::numeric_limits<std::int64_t>::min(), 7}),
                  3}})));
    }
}

// U4: the extent is the number of indices; none is legal.
TEST(ProtocolRules, U4_extent) {
    for (const auto& version : both_versions) {
        expect_violation(check_local(version, section(unstructured_dim(6, 3, 1, {4, 3}), 3), 1),
                         "shape_mismatch", 0, "buffer", 1,
                         "dim_data[0] describes 2 local elements, but buffer.shape[0] is 3");
        expect_conforms(check_all(version, sections({{unstructured_dim(6, 3, 0, {7, -3, 100}), 3},
                                                     {unstructured_dim(6, 3, 1, {}), 0},
                                                     {unstructured_dim(6, 3, 2, {9, 8, 5}), 3}})));
    }
}

// U5: with one_to_one no index is on two grid ranks; absent is False.
TEST(ProtocolRules, U5_one_to_one) {
    const auto lists = [](std::optional<bool> one_to_one, std::int64_t size) {
        return sections({{unstructured_dim(size, 3, 0, {1, 2}, one_to_one), 2},
                         {unstructured_dim(size, 3, 1, {2, 3}, one_to_one), 2},
                         {unstructured_dim(size, 3, 2, {-2}, one_to_one), 1}});
    };
    for (const auto& version : both_versions) {
        expect_violation(check_all(version, lists(true, 5)), "not_one_to_one", 0, "one_to_one", 0,
                         "dim_data[0]: one_to_one is True, but index 2 is on grid ranks 0 and 1");
        expect_conforms(check_all(version, lists(false, 5)));
        expect_conforms(check_all(version, lists({}, 4)));
        auto mixed = lists({}, 4);
        mixed[2].dim_data[0].one_to_one = false;
        expect_conforms(check_all(version, mixed));
    }
}

// U6 (A6): size is between the number of distinct labels and the sum of the lists' lengths.
TEST(ProtocolRules, U6_size) {
    const auto lists = [](std::int64_t size, std::int64_t second) {
        return sections({{unstructured_dim(size, 2, 0, {1, 2, 3}), 3},
                         {unstructured_dim(size, 2, 1, {second, 9}), 2}});
    };
    for (const auto& version : both_versions) {
        expect_violation(check_all(version, lists(9, 8)), "size_sum", 0, "size", 0,
                         "dim_data[0]['size'] is 9, expected the 5 indices of all processes");
        expect_conforms(check_all(version, lists(5, 8)));
        EXPECT_EQ(code_of(check_all(version, lists(4, 8))), "size_sum");
        expect_violation(
            check_all(version, lists(6, 2)), "size_sum", 0, "size", 0,
            "dim_data[0]['size'] is 6, expected 4 (distinct indices) to 5 (all lists)");
        expect_conforms(check_all(version, lists(5, 2)));
        expect_conforms(check_all(version, lists(4, 2)));
        EXPECT_EQ(code_of(check_all(version, lists(3, 2))), "size_sum");
        // A single process can detect that it has too many indices.
        expect_violation(
            check_local(version, lists(2, 2)[0], 0), "size_sum", 0, "size", 0,
            "dim_data[0]['size'] is 2, expected at least the 3 indices of this process");
    }
}

// U8: with other axes of any kind, and with other unstructured ones.
TEST(ProtocolRules, U8_combinations) {
    const auto labels =
        sections({{unstructured_dim(3, 2, 0, {30, 10}), 2}, {unstructured_dim(3, 2, 1, {20}), 1}});
    const auto blocks = sections({{block_dim(4, 2, 0, 0, 1), 1}, {block_dim(4, 2, 1, 1, 4), 3}});
    for (const auto& version : both_versions) {
        expect_conforms(check_all(version, product({labels, labels})));
        expect_conforms(
            check_all(version, product({labels, blocks, cyclic_sections(3, {}, {2, 1})})));
    }
}

} // namespace distview::testing
