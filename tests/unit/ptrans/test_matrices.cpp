// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "matrices.hpp"

#include <distview_testing/random.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <fstream>
#include <numeric>
#include <vector>

namespace distview::testing {

namespace {

using Json = nlohmann::json;
using ptrans::Elements;
using ptrans::Matrix;
using ptrans::Options;
using ptrans::Variant;

std::vector<std::int64_t> all(std::int64_t n) {
    std::vector<std::int64_t> indices(static_cast<std::size_t>(n));
    std::iota(indices.begin(), indices.end(), 0);
    return indices;
}

/// The definition: element by element, from its number in the sequence.
double definition(const Options& options, Matrix matrix, std::int64_t i, std::int64_t j) {
    if (options.variant == Variant::chapel) {
        const auto x = static_cast<double>(i + 1);
        const auto y = static_cast<double>(j + 1);
        switch (matrix) {
        case Matrix::a: return std::erf(x) * std::cos(y);
        case Matrix::a_transposed: return std::erf(y) * std::cos(x);
        case Matrix::c: break;
        }
        return std::sin(y) * std::cbrt(x);
    }
    switch (matrix) {
    case Matrix::a:
        return ptrans::hpcc_value(options.seed_a, static_cast<std::uint64_t>(i + j * options.m));
    case Matrix::a_transposed:
        return ptrans::hpcc_value(options.seed_a, static_cast<std::uint64_t>(j + i * options.m));
    case Matrix::c: break;
    }
    return ptrans::hpcc_value(options.seed_c, static_cast<std::uint64_t>(j + i * options.m));
}

TEST(MatricesTest, corners_of_the_reference) {
    std::ifstream in(DISTVIEW_TEST_DATA "/dense_reference.json");
    const Json sizes = Json::parse(in).at("ptrans_hpcc").at("n");
    for (const auto& [text, truth] : sizes.items()) {
        Options options;
        options.m = options.n = std::stoll(text);
        const auto indices = all(options.n);
        const std::size_t last = indices.size() - 1;
        const Elements a(options, Matrix::a, indices, indices);
        const Elements a_transposed(options, Matrix::a_transposed, indices, indices);
        const Elements c(options, Matrix::c, indices, indices);
        EXPECT_EQ(a(0, 0), truth.at("A00"));
        EXPECT_EQ(a(last, last), truth.at("A_last"));
        EXPECT_EQ(c(0, 0), truth.at("C00"));
        EXPECT_EQ(a_transposed(0, 0) + c(0, 0), truth.at("R00"));
        EXPECT_EQ(a_transposed(0, last) + c(0, last), truth.at("R_0_last"));
        EXPECT_EQ(a_transposed(last, 0) + c(last, 0), truth.at("R_last_0"));
        double largest = 0;
        for (std::size_t i = 0; i <= last; ++i)
            for (std::size_t j = 0; j <= last; ++j)
                largest = std::max(largest, std::abs(a_transposed(i, j) + c(i, j)));
        EXPECT_EQ(largest, truth.at("max_abs"));
    }
}

TEST(MatricesTest, any_rows_and_columns_of_any_shape) {
    for_each_case(60, [](Random& random, std::uint64_t) {
        Options options;
        options.variant = random.chance(0.5) ? Variant::hpcc : Variant::chapel;
        // Some cases have more than 2^31 elements, where the sequence repeats.
        const std::int64_t limit = random.chance(0.3) ? std::int64_t{1} << 24 : 50;
        options.m = random.integer(1, limit);
        options.n = random.integer(1, limit);
        options.seed_a = static_cast<std::uint32_t>(random.integer(0, std::int64_t{1} << 31));
        options.seed_c = static_cast<std::uint32_t>(random.integer(0, std::int64_t{1} << 31));
        for (const Matrix matrix : {Matrix::a, Matrix::c, Matrix::a_transposed}) {
            std::vector<std::int64_t> rows(5);
            std::vector<std::int64_t> columns(4);
            for (auto& i : rows) i = random.integer(0, matrix == Matrix::a ? options.m : options.n);
            for (auto& j : columns)
                j = random.integer(0, matrix == Matrix::a ? options.n : options.m);
            const Elements elements(options, matrix, rows, columns);
            for (std::size_t i = 0; i < rows.size(); ++i)
                for (std::size_t j = 0; j < columns.size(); ++j)
                    EXPECT_EQ(elements(i, j), definition(options, matrix, rows[i], columns[j]));
        }
    });
}

TEST(MatricesTest, weights_follow_rows) {
    EXPECT_EQ(ptrans::weight(0, 0, 7), 1);
    EXPECT_EQ(ptrans::weight(1, 2, 7), 10);
    EXPECT_EQ(ptrans::weight(0, 1008, 2000), 1009);
    EXPECT_EQ(ptrans::weight(0, 1009, 2000), 1);
    EXPECT_EQ(ptrans::weight(1 << 20, 5, 1 << 20), ((std::int64_t{1} << 40) + 5) % 1009 + 1);
}

} // namespace

} // namespace distview::testing
