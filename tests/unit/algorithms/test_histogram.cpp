// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Histograms, compared with a loop over all cells and bins.
#include "axis_fixture.hpp"

#include <distview/algorithms/histogram.hpp>
#include <distview_testing/assertions.hpp>
#include <distview_testing/kokkos_events.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <set>

namespace distview::testing {

namespace {

/// The definition, bin by bin.
template <class T, int Rank>
std::vector<std::int64_t> expected(const ArrayLayout& layout, Cells cells,
                                   const std::vector<double>& edges, double scale) {
    std::vector<std::int64_t> counts(edges.size() - 1, 0);
    for_each_cell_of_all<Rank>(layout, cells, [&](int, const auto& g) {
        const auto value =
            static_cast<double>(static_cast<T>(scale * static_cast<double>(small_value(g))));
        for (std::size_t b = 0; b < counts.size(); ++b) {
            const bool last = b + 1 == counts.size();
            if (edges[b] <= value && (value < edges[b + 1] || (last && value == edges[b + 1])))
                ++counts[b];
        }
    });
    return counts;
}

template <class T, int Rank, class Layout>
void check(Random& random, std::int64_t limit, double scale) {
    const Exec exec;
    const ArrayLayout layout = random_layout(random, Rank, limit);
    const Cells cells = random.chance(0.5) ? Cells::interior : Cells::owned;
    SCOPED_TRACE(layout.describe());
    const Communicator comm = communicator_of(layout);
    const auto u = make_section<T, Rank, Layout>(layout);
    set_cells(
        exec, u, cells,
        [&](const auto& g) { return static_cast<T>(scale * static_cast<double>(small_value(g))); },
        T(1));
    const int bins = static_cast<int>(random.integer(1, 30));
    const double low = scale * static_cast<double>(random.integer(-500, 100));
    const double high = low + scale * static_cast<double>(random.integer(1, 500));
    std::vector<double> edges;
    for (int b = 0; b < bins; ++b) edges.push_back(low + b * ((high - low) / bins));
    edges.push_back(high);
    EXPECT_EQ(histogram(exec, comm, u, bins, low, high, cells),
              (expected<T, Rank>(layout, cells, edges, scale)));

    std::set<double> uneven;
    for (int b = 0; b <= bins; ++b)
        uneven.insert(scale * static_cast<double>(random.integer(-600, 600)));
    if (random.chance(0.3)) uneven.insert(-std::numeric_limits<double>::infinity());
    if (random.chance(0.3)) uneven.insert(std::numeric_limits<double>::infinity());
    if (uneven.size() < 2) return;
    edges.assign(uneven.begin(), uneven.end());
    EXPECT_EQ(histogram(exec, comm, u, edges, cells),
              (expected<T, Rank>(layout, cells, edges, scale)));
}

} // namespace

TEST(Histogram, of_any_layout_and_type) {
    for_each_case(campaign_cases(20), [](Random& random, std::uint64_t) {
        check<double, 1, Kokkos::LayoutRight>(random, 300, 0.1);
        check<std::int32_t, 2, Kokkos::LayoutLeft>(random, 25, 1);
        check<float, 3, Kokkos::LayoutStride>(random, 8, 0.7);
    });
}

TEST(Histogram, of_the_edges_and_of_what_lies_outside) {
    const Exec exec;
    const Communicator comm = world();
    const ArrayLayout layout(ProcessGrid{comm.size()}, {block(9, {.padding = 1})});
    const double infinity = std::numeric_limits<double>::infinity();
    const double values[] = {
        0,        0.25,     std::nextafter(0.25, 0), 1, std::nextafter(1, 2), -0.0, std::nan(""),
        infinity, -infinity};
    const auto u = make_section<double, 1>(layout);
    set_cells(exec, u, Cells::interior, [&](const auto& g) { return values[g[0]]; }, 0.6);
    EXPECT_EQ(histogram(exec, comm, u, 4, 0, 1), (std::vector<std::int64_t>{3, 1, 0, 1}));
    const std::vector<double> edges{-infinity, 0, infinity};
    EXPECT_EQ(histogram(exec, comm, u, edges), (std::vector<std::int64_t>{1, 7}));
}

// A bin computed from a value's distance to the first edge can be off by one.
TEST(Histogram, of_values_next_to_the_edges) {
    const Exec exec;
    const Communicator comm = world();
    for (const int bins : {3, 7, 10, 30, 49, 100}) {
        const double low = -0.3;
        const double high = 1.1;
        std::vector<double> edges;
        for (int b = 0; b < bins; ++b) edges.push_back(low + b * ((high - low) / bins));
        edges.push_back(high);
        // Around every edge: two values below it, one on it, three above it.
        const auto value = [&](const auto& g) {
            const double edge = edges[std::size_t(g[0] / 6)];
            const std::int64_t which = g[0] % 6;
            return which < 2    ? std::nextafter(edge, -9)
                   : which == 2 ? edge
                                : std::nextafter(edge, 9);
        };
        const ArrayLayout layout(ProcessGrid{comm.size()}, {block(6 * (bins + 1))});
        const auto u = make_section<double, 1>(layout);
        set_cells(exec, u, Cells::interior, value, 0.0);
        std::vector<std::int64_t> expected(std::size_t(bins), 4 + 2);
        expected.back() += 1;
        EXPECT_EQ(histogram(exec, comm, u, bins, low, high), expected) << bins;
        EXPECT_EQ(histogram(exec, comm, u, edges), expected) << bins;
    }
}

TEST(Histogram, of_more_bins_than_threads_have_counters_for) {
    const Exec exec;
    const Communicator comm = world();
    const int bins = (1 << 21) + 5;
    const ArrayLayout layout(ProcessGrid{comm.size()}, {cyclic(300)});
    const auto u = make_section<std::int64_t, 1>(layout);
    set_cells(exec, u, Cells::interior, [](const auto& g) { return g[0] * 5000; }, -1);
    const std::vector<std::int64_t> counts = histogram(exec, comm, u, bins, 0, bins);
    std::int64_t wrong = 0;
    for (std::int64_t b = 0; b < bins; ++b)
        wrong += counts[std::size_t(b)] == (b % 5000 == 0 && b < 300 * 5000 ? 1 : 0) ? 0 : 1;
    EXPECT_EQ(wrong, 0);
}

TEST(Histogram, refuses_bins_that_are_none_on_all_ranks) {
    const Exec exec;
    const Communicator comm = world();
    const auto u = make_section<double, 1>({ProcessGrid{comm.size()}, {block(9)}});
    EXPECT_THROW_ON_ALL_RANKS(histogram(exec, comm, u, 0, 0, 1), UsageError,
                              "histogram: expected at least one bin, got 0");
    EXPECT_THROW_ON_ALL_RANKS(histogram(exec, comm, u, 4, 1, 1), UsageError,
                              "bins between finite bounds low < high, got 1 and 1");
    EXPECT_THROW_ON_ALL_RANKS(histogram(exec, comm, u, 4, 0, std::nan("")), UsageError,
                              "got 0 and nan");
    const std::vector<double> edges{0, 2, 2};
    EXPECT_THROW_ON_ALL_RANKS(histogram(exec, comm, u, edges), UsageError,
                              "expected ascending edges, got 2 and 2");
    if (comm.size() == 1) return;
    EXPECT_THROW_ON_ALL_RANKS(histogram(exec, comm, u, comm.rank() == 1 ? 4 : 5, 0, 1), UsageError,
                              "number of bins is 4 on rank 1, 5 on rank 0");
}

TEST(Histogram, is_one_kernel) {
    const Exec exec;
    const Communicator comm = world();
    const auto u = make_section<double, 1>({ProcessGrid{comm.size()}, {block(9 * comm.size())}});
    const KokkosEvents events;
    histogram(exec, comm, u, 4, 0, 1);
    EXPECT_EQ(std::ranges::count_if(
                  events.kernels(),
                  [](const auto& kernel) { return kernel.label == "distview::histogram"; }),
              1);
}

TEST(Histogram, is_on_the_threads_of_the_given_instance) {
    expect_threads_of_given_instance<Exec>({"distview::histogram"}, [](const Exec& exec) {
        const Communicator comm = world();
        const auto u =
            make_section<double, 1>({ProcessGrid{comm.size()}, {block(9 * comm.size())}});
        set_section(exec, u, [](const auto&) { return 0.5; });
        histogram(exec, comm, u, 4, 0, 1);
        histogram(exec, comm, u, (1 << 21) + 5, 0, 1); // all threads share one counter per bin
    });
}

} // namespace distview::testing
