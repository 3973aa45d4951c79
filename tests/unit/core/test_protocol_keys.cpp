// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rules E7, E8 and K1 to K9: the export as a whole and the keys of one dictionary.
#include "protocol_cases.hpp"

#include <distview/core/protocol/rules.hpp>
#include <distview/core/protocol/validate.hpp>

#include <limits>

namespace distview::testing {

using protocol::check_all;
using protocol::check_local;

constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t smallest = std::numeric_limits<std::int64_t>::min();

// E4: for an unsupported version no rule is applied.
TEST(ProtocolRules, E4_unsupported_version) {
    const SectionDescription good = section(block_dim(4, 1, 0, 0, 4), 4);
    EXPECT_EQ(summary(check_local({0, 11, 0}, good, 5)),
              "version_unsupported at axis -1, key '__version__', process 5");
    EXPECT_EQ(summary(check_all({1, 0, 0}, {&good, 1})),
              "version_unsupported at axis -1, key '__version__', process 0");
}

// E7: axis i of the buffer is axis i of the array.
TEST(ProtocolRules, E7_one_dictionary_per_axis) {
    for (const auto& version : both_versions) {
        const DimData dim = block_dim(4, 1, 0, 0, 4);
        expect_violation(check_local(version, {{dim, dim}, {4}}, 0), "ndim_mismatch", -1,
                         "dim_data", 0, "2 dimension dictionaries for a 1-dimensional buffer");
        expect_violation(check_local(version, {{dim}, {4, 4}}, 2), "ndim_mismatch", -1, "dim_data",
                         2, "1 dimension dictionary for a 2-dimensional buffer");
        expect_conforms(check_local(version, {{dim, dim}, {4, 4}}, 0));
    }
}

// A11: the first hand-made example of the texts, two dictionaries with a flat buffer.
TEST(ProtocolRules, E7_first_example_of_the_texts) {
    const SectionDescription example{{block_dim(2, 1, 0, 0, 2), undistributed_dim(10)}, {10}};
    EXPECT_EQ(code_of(check_local(v0_9_0, example, 0)), "ndim_mismatch");
    EXPECT_EQ(code_of(check_local(v0_10_0, example, 0)), "ndim_mismatch");
}

// E8: an empty tuple is a zero-dimensional array of one element on one process (A15).
TEST(ProtocolRules, E8_zero_dimensional_array) {
    for (const auto& version : both_versions) {
        const std::vector<SectionDescription> one(1);
        expect_conforms(check_local(version, one[0], 0));
        expect_conforms(check_all(version, one));
        expect_violation(check_local(version, {{}, {5}}, 0), "ndim_mismatch", -1, "dim_data", 0,
                         "0 dimension dictionaries for a 1-dimensional buffer");
    }
}

// K1: {} is a block on one process that begins at 0 and has the buffer's extent; 0.10 only.
TEST(ProtocolRules, K1_empty_dictionary_is_an_undistributed_block) {
    expect_conforms(check_local(v0_10_0, section(DimData{}, 7), 0));
    expect_conforms(check_local(v0_10_0, section(DimData{}, 0), 0));
    const protocol::Dimension whole = protocol::complete(v0_10_0, DimData{}, 7, 0, 0);
    EXPECT_EQ(whole.type, DistType::block);
    EXPECT_EQ(whole.size, 7);
    EXPECT_EQ(whole.start, 0);
    EXPECT_EQ(whole.stop, 7);
    EXPECT_EQ(whole.grid_size, 1);
    EXPECT_EQ(whole.grid_rank, 0);
    EXPECT_EQ(protocol::complete(v0_9_0, DimData{}, 7, 0, 0).stop, 0);

    expect_violation(check_local(v0_9_0, section(DimData{}, 7), 0), "missing_key", 0, "dist_type",
                     0, "dim_data[0] lacks 'dist_type'");
}

// K1: a dictionary with any key, known or not, is not the empty one.
TEST(ProtocolRules, K1_other_dictionaries_without_dist_type) {
    for (const auto& version : both_versions) {
        expect_violation(check_local(version, section(DimData{.size = 5}, 5), 1), "missing_key", 0,
                         "dist_type", 1, "dim_data[0] lacks 'dist_type'");
        EXPECT_EQ(code_of(check_local(version, section(DimData{.has_other_keys = true}, 5), 1)),
                  "missing_key");
    }
}

// K2: each key that the dist_type requires.
TEST(ProtocolRules, K2_required_keys) {
    const auto expect_missing = [](const protocol::Version& version, const DimData& dim,
                                   const std::string& key) {
        expect_violation(check_local(version, {{block_dim(1, 1, 0, 0, 1), dim}, {1, 2}}, 4),
                         "missing_key", 1, key, 4,
                         "dim_data[1] (dist_type '" + *dim.dist_type + "') lacks '" + key + "'");
    };
    for (const auto& version : both_versions) {
        for (const DimData& complete : {block_dim(2, 1, 0, 0, 2), cyclic_dim(2, 1, 0, 0),
                                        unstructured_dim(2, 1, 0, {4, 9})}) {
            expect_conforms(check_local(version, section(complete, 2), 0));
            DimData dim = complete;
            dim.size.reset();
            expect_missing(version, dim, "size");
            dim = complete;
            dim.proc_grid_size.reset();
            expect_missing(version, dim, "proc_grid_size");
            dim = complete;
            dim.proc_grid_rank.reset();
            expect_missing(version, dim, "proc_grid_rank");
        }
        DimData dim = block_dim(2, 1, 0, 0, 2);
        dim.start.reset();
        expect_missing(version, dim, "start");
        dim = block_dim(2, 1, 0, 0, 2);
        dim.stop.reset();
        expect_missing(version, dim, "stop");
        dim = cyclic_dim(2, 1, 0, 0);
        dim.start.reset();
        expect_missing(version, dim, "start");
        dim = unstructured_dim(2, 1, 0, {4, 9});
        dim.indices.reset();
        expect_missing(version, dim, "indices");
    }
    expect_missing(v0_9_0, DimData{.dist_type = "n"}, "size");
}

// K3: 'b', 'c', 'u'; 0.9 also 'n'.
TEST(ProtocolRules, K3_dist_type) {
    expect_violation(check_local(v0_10_0, section(undistributed_dim(3), 3), 0), "bad_dist_type", 0,
                     "dist_type", 0,
                     "dim_data[0]['dist_type'] is 'n'; version 0.10 knows 'b', 'c', 'u'");
    expect_conforms(check_local(v0_9_0, section(undistributed_dim(3), 3), 0));
    for (const auto& version : both_versions)
        for (const char* type : {"B", "", "bb", "b ", "block", "N", "x"})
            EXPECT_EQ(
                code_of(check_local(version, section(DimData{.dist_type = type, .size = 3}, 3), 0)),
                "bad_dist_type")
                << type;
    expect_violation(
        check_local(v0_9_0, section(DimData{.dist_type = "'\n"}, 3), 0), "bad_dist_type", 0,
        "dist_type", 0,
        "dim_data[0]['dist_type'] is '\\'\\u000a'; version 0.9 knows 'n', 'b', 'c', 'u'");
}

// Foreign text is quoted, but only its beginning.
TEST(ProtocolRules, messages_quote_the_beginning_of_long_texts) {
    const std::string endless(10'000'000, 'b');
    const DimData dim{.dist_type = endless};
    for (const auto& version : both_versions) {
        const auto verdict = check_local(version, section(dim, 3), 0);
        ASSERT_EQ(code_of(verdict), "bad_dist_type");
        EXPECT_LT(verdict->message.size(), 200U);
        EXPECT_NE(verdict->message.find("'bbbbbbbb"), std::string::npos) << verdict->message;
        EXPECT_NE(verdict->message.find("b...'"), std::string::npos) << verdict->message;
    }
}

// K6: unknown keys, and keys of another dist_type with default values, are ignored.
TEST(ProtocolRules, K6_keys_that_are_ignored) {
    for (const auto& version : both_versions) {
        DimData dim = block_dim(6, 2, 0, 0, 3);
        dim.has_other_keys = true;
        dim.block_size = 1;
        dim.one_to_one = false;
        expect_conforms(check_local(version, section(dim, 3), 0));
        dim = cyclic_dim(6, 2, 1, 1);
        dim.padding = PaddingValue{0, 0};
        dim.periodic = false;
        dim.stop = 6;
        expect_conforms(check_local(version, section(dim, 3), 0));
        dim = unstructured_dim(2, 1, 0, {5, 6});
        dim.padding = PaddingValue{0, 0};
        dim.periodic = false;
        dim.block_size = 1;
        expect_conforms(check_local(version, section(dim, 2), 0));
    }
}

// K6: start and stop describe a block completely, for any values of other types' keys.
TEST(ProtocolRules, K6_foreign_values_that_change_nothing) {
    DimData dim = block_dim(6, 2, 1, 3, 6);
    dim.block_size = 2;
    dim.indices = {{9, 9}};
    dim.one_to_one = true;
    for (const auto& version : both_versions)
        expect_conforms(check_local(version, section(dim, 3), 0));
}

// K6: padding of a cyclic or unstructured axis would change the meaning of its elements.
TEST(ProtocolRules, K6_padding_where_there_can_be_none) {
    for (const auto& version : both_versions) {
        DimData dim = cyclic_dim(6, 2, 1, 1);
        dim.padding = PaddingValue{1, 1};
        expect_violation(check_local(version, section(dim, 3), 1), "key_not_applicable", 0,
                         "padding", 1, "'padding' (1, 1) on a cyclic dimension, dim_data[0]");
        dim = unstructured_dim(2, 1, 0, {5, 6});
        dim.padding = PaddingValue{0, 2};
        expect_violation(check_local(version, section(dim, 2), 1), "key_not_applicable", 0,
                         "padding", 1,
                         "'padding' (0, 2) on an unstructured dimension, dim_data[0]");
    }
}

// K6: in 0.10 only a block is periodic; in 0.9 every type may be.
TEST(ProtocolRules, K6_periodic) {
    DimData cyclic = cyclic_dim(6, 2, 1, 1);
    cyclic.periodic = true;
    DimData unstructured = unstructured_dim(2, 1, 0, {5, 6});
    unstructured.periodic = true;
    expect_violation(check_local(v0_10_0, section(cyclic, 3), 0), "key_not_applicable", 0,
                     "periodic", 0, "'periodic' True on a cyclic dimension, dim_data[0]");
    expect_violation(check_local(v0_10_0, section(unstructured, 2), 0), "key_not_applicable", 0,
                     "periodic", 0, "'periodic' True on an unstructured dimension, dim_data[0]");
    expect_conforms(check_local(v0_9_0, section(cyclic, 3), 0));
    expect_conforms(check_local(v0_9_0, section(unstructured, 2), 0));
}

// K6: early exporters wrote the grid of an undistributed axis; it must be that of one process.
TEST(ProtocolRules, K6_grid_of_an_undistributed_axis) {
    DimData dim = undistributed_dim(3);
    dim.proc_grid_size = 1;
    dim.proc_grid_rank = 0;
    dim.start = 0;
    dim.stop = 3;
    dim.padding = PaddingValue{1, 1};
    dim.periodic = false;
    expect_conforms(check_local(v0_9_0, section(dim, 3), 0));

    DimData other = dim;
    other.proc_grid_size = 2;
    expect_violation(check_local(v0_9_0, section(other, 3), 0), "grid_product", 0, "proc_grid_size",
                     0,
                     "dim_data[0]['proc_grid_size'] is 2, expected 1: the axis is not distributed "
                     "(dist_type 'n')");
    // On two processes, whichever of the keys are present.
    DimData second = other;
    second.proc_grid_rank = 1;
    EXPECT_EQ(summary(check_all(v0_9_0, std::vector{section(other, 3), section(second, 3)})),
              "grid_product at axis 0, key 'proc_grid_size', process 0");
    EXPECT_EQ(code_of(check_all(v0_9_0, std::vector{section(undistributed_dim(3), 3),
                                                    section(undistributed_dim(3), 3)})),
              "grid_product");
    // General rules hold for it like for any axis.
    other.proc_grid_size = 0;
    EXPECT_EQ(summary(check_local(v0_9_0, section(other, 3), 0)),
              "grid_size_lt1 at axis 0, key 'proc_grid_size', process 0");
    for (const std::int64_t rank : {1, -1}) {
        other = dim;
        other.proc_grid_rank = rank;
        EXPECT_EQ(summary(check_local(v0_9_0, section(other, 3), 0)),
                  "grid_rank_range at axis 0, key 'proc_grid_rank', process 0");
    }
    other = dim;
    other.start = 1;
    EXPECT_EQ(summary(check_local(v0_9_0, section(other, 3), 0)),
              "key_not_applicable at axis 0, key 'start', process 0");
    other = dim;
    other.stop = 2;
    EXPECT_EQ(summary(check_local(v0_9_0, section(other, 3), 0)),
              "key_not_applicable at axis 0, key 'stop', process 0");
}

// K7: size >= 0.
TEST(ProtocolRules, K7_size) {
    for (const auto& version : both_versions)
        for (const std::int64_t size : {std::int64_t(-1), std::int64_t(-4), smallest}) {
            expect_violation(check_local(version, section(block_dim(size, 1, 0, 0, 0), 0), 0),
                             "size_negative", 0, "size", 0,
                             "dim_data[0]['size'] is " + std::to_string(size) + ", expected >= 0");
            EXPECT_EQ(code_of(check_local(version, section(cyclic_dim(size, 1, 0, 0), 0), 0)),
                      "size_negative");
            EXPECT_EQ(
                code_of(check_local(version, section(unstructured_dim(size, 1, 0, {}), 0), 0)),
                "size_negative");
        }
    EXPECT_EQ(code_of(check_local(v0_9_0, section(undistributed_dim(-1), 0), 0)), "size_negative");
}

// K8: proc_grid_size >= 1.
TEST(ProtocolRules, K8_grid_size) {
    for (const auto& version : both_versions)
        for (const std::int64_t size : {std::int64_t(0), std::int64_t(-1), smallest}) {
            expect_violation(check_local(version, section(block_dim(2, size, 0, 0, 2), 2), 0),
                             "grid_size_lt1", 0, "proc_grid_size", 0,
                             "dim_data[0]['proc_grid_size'] is " + std::to_string(size) +
                                 ", expected >= 1");
            EXPECT_EQ(code_of(check_local(version, section(cyclic_dim(2, size, 0, 0), 2), 0)),
                      "grid_size_lt1");
            EXPECT_EQ(
                code_of(check_local(version, section(unstructured_dim(1, size, 0, {1}), 1), 0)),
                "grid_size_lt1");
        }
}

// K9 (and A12): 0 <= proc_grid_rank < proc_grid_size, in both versions.
TEST(ProtocolRules, K9_grid_rank) {
    for (const auto& version : both_versions) {
        expect_violation(check_local(version, section(block_dim(2, 2, 2, 0, 2), 2), 0),
                         "grid_rank_range", 0, "proc_grid_rank", 0,
                         "dim_data[0]['proc_grid_rank'] is 2, expected 0 to 1");
        for (const std::int64_t rank : {std::int64_t(-1), std::int64_t(3), smallest, largest}) {
            EXPECT_EQ(code_of(check_local(version, section(block_dim(2, 3, rank, 0, 2), 2), 0)),
                      "grid_rank_range");
            EXPECT_EQ(code_of(check_local(version, section(cyclic_dim(2, 3, rank, 0), 2), 0)),
                      "grid_rank_range");
            EXPECT_EQ(
                code_of(check_local(version, section(unstructured_dim(1, 3, rank, {1}), 1), 0)),
                "grid_rank_range");
        }
    }
}

// Only the first broken rule is reported: axes in order, and rules of one axis in the order of validate.hpp.
TEST(ProtocolRules, order_of_the_checks) {
    const DimData first = block_dim(5, 1, 0, 0, 6);
    const DimData second = block_dim(-5, 1, 0, 0, 6);
    EXPECT_EQ(summary(check_local(v0_10_0, {{first, second}, {6, 6}}, 0)),
              "stop_gt_size at axis 0, key 'stop', process 0");
    EXPECT_EQ(summary(check_local(v0_10_0, {{second, first}, {6, 6}}, 0)),
              "size_negative at axis 0, key 'size', process 0");
    const std::vector<SectionDescription> two{section(block_dim(5, 2, 0, 0, 2), 3),
                                              section(block_dim(5, 2, 7, -2, 5), 3)};
    EXPECT_EQ(summary(check_all(v0_10_0, two)),
              "shape_mismatch at axis 0, key 'buffer', process 0");
}

} // namespace distview::testing
