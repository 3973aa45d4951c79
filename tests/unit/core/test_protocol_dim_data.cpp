// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/core/protocol/dim_data.hpp>
#include <distview/core/text.hpp>

#include "protocol_cases.hpp"

#include <locale>
#include <string>

namespace distview::testing {

TEST(ProtocolDimData, describe_has_the_given_keys_in_one_order) {
    EXPECT_EQ(describe(block_dim(18, 2, 1, 8, 18, PaddingValue{1, 1}, true)),
              R"({"dist_type": "b", "size": 18, "proc_grid_size": 2, "proc_grid_rank": 1, )"
              R"("start": 8, "stop": 18, "padding": [1, 1], "periodic": true})");
    EXPECT_EQ(describe(cyclic_dim(13, 4, 2, 4, 2)),
              R"({"dist_type": "c", "size": 13, "proc_grid_size": 4, "proc_grid_rank": 2, )"
              R"("start": 4, "block_size": 2})");
    EXPECT_EQ(describe(unstructured_dim(6, 3, 0, {7, -3, 100}, false)),
              R"({"dist_type": "u", "size": 6, "proc_grid_size": 3, "proc_grid_rank": 0, )"
              R"("indices": [7, -3, 100], "one_to_one": false})");
    EXPECT_EQ(describe(unstructured_dim(0, 1, 0, {})),
              R"({"dist_type": "u", "size": 0, "proc_grid_size": 1, "proc_grid_rank": 0, )"
              R"("indices": []})");
    EXPECT_EQ(describe(undistributed_dim(10)), R"({"dist_type": "n", "size": 10})");
}

// The JSON text does not depend on the locale.
TEST(ProtocolDimData, describe_follows_no_locale) {
    struct Grouping : std::numpunct<char> {
        char do_thousands_sep() const override { return ','; }
        std::string do_grouping() const override { return "\3"; }
        char do_decimal_point() const override { return ';'; }
    };
    const std::locale before = std::locale::global(std::locale(std::locale(), new Grouping));
    const std::string size = describe(undistributed_dim(4096));
    const std::string number = text(1234.5);
    std::locale::global(before);
    EXPECT_EQ(size, R"({"dist_type": "n", "size": 4096})");
    EXPECT_EQ(number, "1234.5");
}

TEST(ProtocolDimData, describe_of_what_no_rule_allows) {
    EXPECT_EQ(describe(DimData{.size = -4, .padding = PaddingValue{1, 0, 1}}),
              R"({"size": -4, "padding": [1 width]})");
    EXPECT_EQ(describe(DimData{.padding = PaddingValue{0, 0, 3}}), R"({"padding": [3 widths]})");
    EXPECT_EQ(describe(DimData{.dist_type = "a\"b\\\n\x7f"}),
              R"({"dist_type": "a\"b\\\u000a\u007f"})");
    EXPECT_EQ(describe(DimData{.size = 1, .has_other_keys = true}), R"({"size": 1, ...})");
    EXPECT_EQ(describe(DimData{.has_other_keys = true}), "{...}");
}

TEST(ProtocolDimData, describe_of_all_axes) {
    EXPECT_EQ(describe(std::vector<DimData>{}), "[]");
    EXPECT_EQ(describe(std::vector<DimData>{DimData{}, undistributed_dim(3)}),
              R"([{}, {"dist_type": "n", "size": 3}])");
}

TEST(ProtocolDimData, empty_is_without_any_key) {
    EXPECT_TRUE(DimData{}.empty());
    EXPECT_FALSE(DimData{.has_other_keys = true}.empty());
    EXPECT_FALSE(DimData{.dist_type = "b"}.empty());
    EXPECT_FALSE(DimData{.size = 0}.empty());
    EXPECT_FALSE(DimData{.proc_grid_size = 1}.empty());
    EXPECT_FALSE(DimData{.proc_grid_rank = 0}.empty());
    EXPECT_FALSE(DimData{.start = 0}.empty());
    EXPECT_FALSE(DimData{.stop = 0}.empty());
    EXPECT_FALSE(DimData{.padding = PaddingValue{}}.empty());
    EXPECT_FALSE(DimData{.periodic = false}.empty());
    EXPECT_FALSE(DimData{.block_size = 1}.empty());
    EXPECT_FALSE(DimData{.indices = std::vector<std::int64_t>{}}.empty());
    EXPECT_FALSE(DimData{.one_to_one = false}.empty());
}

} // namespace distview::testing
