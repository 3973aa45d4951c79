// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sections.hpp"

#include <distview/algorithms/gather.hpp>
#include <distview/algorithms/sort.hpp>
#include <distview/algorithms/sum.hpp>
#include <distview/core/text.hpp>
#include <distview_testing/assertions.hpp>
#include <distview_testing/kokkos_events.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <stdexcept>
#include <type_traits>
#include <vector>

namespace distview::testing {

namespace {

/// All labels or indices of a layout of one axis in ascending order.
std::vector<std::int64_t> all_indices(const ArrayLayout& layout) {
    std::set<std::int64_t> indices;
    for_each_cell_of_all<1>(layout, Cells::interior,
                            [&](int, const Position<1>& g) { indices.insert(g[0]); });
    return {indices.begin(), indices.end()};
}

/// A number with a tag: elements that `order` treats as equal still differ.
struct Tagged {
    double key = 0;
    std::int64_t tag = 0;
};
struct ByKey {
    bool operator()(const Tagged& a, const Tagged& b) const { return a.key < b.key; }
};
struct ByMagnitudeDown {
    bool operator()(const Tagged& a, const Tagged& b) const {
        return std::abs(a.key) > std::abs(b.key);
    }
};

/// Values with many ties, signed zeros, infinities and NaNs; or all different.
template <class T>
T random_value(Random& random, int n_different, std::int64_t tag) {
    const std::int64_t n = random.integer(-n_different, n_different + 1);
    if constexpr (std::is_same_v<T, Tagged>) {
        return {static_cast<double>(n), tag};
    } else if constexpr (std::is_floating_point_v<T>) {
        switch (random.integer(0, 12)) {
        case 0: return std::copysign(std::numeric_limits<T>::quiet_NaN(), n < 0 ? T(-1) : T(1));
        case 1: return std::numeric_limits<T>::infinity();
        case 2: return -T(0);
        case 3: return T(0);
        default: return static_cast<T>(n) / T(4);
        }
    } else {
        return static_cast<T>(n);
    }
}

template <class T>
bool same(const T& a, const T& b) {
    if constexpr (std::is_same_v<T, Tagged>)
        return a.key == b.key && a.tag == b.tag;
    else
        return bits_equal(a, b);
}

template <class T, class Layout = Kokkos::LayoutRight, class Compare>
void check_sort(Random& random, std::int64_t limit, const Compare& compare) {
    const Exec exec;
    const ArrayLayout layout = random_layout(random, 1, limit, true);
    SCOPED_TRACE(layout.describe());
    const Communicator comm = communicator_of(layout);
    const auto x = make_section<T, 1, Layout>(layout);

    // The whole array by ascending index, as input of a serial sort; copies outside an index's
    // owner have other values.
    const std::vector<std::int64_t> indices = all_indices(layout);
    const int n_different = random.pick(std::vector<int>{0, 1, 5, 100});
    std::map<std::int64_t, T> before;
    std::vector<T> expected;
    for (const std::int64_t g : indices) {
        expected.push_back(random_value<T>(random, n_different, g));
        before[g] = expected.back();
    }
    if (random.chance(0.1)) std::stable_sort(expected.begin(), expected.end(), compare);
    for (std::size_t i = 0; i < indices.size(); ++i) before[indices[i]] = expected[i];
    std::stable_sort(expected.begin(), expected.end(), compare);

    const T outside = random_value<T>(random, 0, -1);
    auto host = create_mirror(x);
    for (std::size_t l = 0; l < host.view().extent(0); ++l) host.view()(l) = outside;
    const int p = layout.coordinates(x.process())[0];
    for_each_cell<1>(layout, x.process(), Cells::interior, [&](const auto& l, const auto& g) {
        const bool owned = layout.axis(0).owner(GlobalIndex(g[0])) == p;
        host.view()(l[0]) = owned ? before[g[0]] : outside;
    });
    deep_copy(exec, x, host);
    sort(exec, comm, x, compare);
    deep_copy(exec, host, x);
    exec.fence("distview::testing: the host reads");

    std::map<std::int64_t, T> after;
    for (std::size_t i = 0; i < indices.size(); ++i) after[indices[i]] = expected[i];
    std::vector<bool> is_cell(host.view().extent(0), false);
    for_each_cell<1>(layout, x.process(), Cells::interior, [&](const auto& l, const auto& g) {
        EXPECT_TRUE(same(T(host.view()(l[0])), after[g[0]])) << "at " << g[0];
        is_cell[static_cast<std::size_t>(l[0])] = true;
    });
    for (std::size_t l = 0; l < is_cell.size(); ++l)
        EXPECT_TRUE(is_cell[l] || same(T(host.view()(l)), outside)) << "padding written";
}

} // namespace

TEST(Sort, agrees_with_a_serial_stable_sort) {
    for_each_case(campaign_cases(12), [](Random& random, std::uint64_t) {
        check_sort<double>(random, 100, Ascending());
        check_sort<float>(random, 60, Descending());
        check_sort<int>(random, 100, Ascending());
        check_sort<std::int64_t>(random, 40, Descending());
        check_sort<std::uint8_t>(random, 100, Ascending());
        check_sort<double, Kokkos::LayoutStride>(random, 30, Descending());
        check_sort<int>(random, 3, std::greater<int>());
    });
}

// Elements that compare equal must keep the order of their indices, wherever they come from.
TEST(Sort, is_stable_in_any_layout_with_any_comparison) {
    for_each_case(campaign_cases(12), [](Random& random, std::uint64_t) {
        check_sort<Tagged>(random, 100, ByKey());
        check_sort<Tagged>(random, 60, ByMagnitudeDown());
    });
}

TEST(Sort, puts_nan_last_in_both_orders) {
    const Exec exec;
    const Communicator comm = world();
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const std::vector<double> values{3, nan, -1, nan, 7, -0.0, 0.0};
    const ArrayLayout layout(ProcessGrid{comm.size()}, {cyclic(7)});
    const auto x = make_section<double, 1>(layout);
    const auto value = [&](const Position<1>& g) { return values[static_cast<std::size_t>(g[0])]; };
    const auto expect = [&](const std::vector<double>& expected) {
        const auto host = to_host(exec, x);
        for_each_cell<1>(layout, x.process(), Cells::interior, [&](const auto& l, const auto& g) {
            EXPECT_TRUE(
                bits_equal(element(host.view(), l), expected[static_cast<std::size_t>(g[0])]));
        });
    };
    set_cells(exec, x, Cells::interior, value, 0.0);
    sort(exec, comm, x);
    expect({-1, -0.0, 0.0, 3, 7, nan, nan});
    set_cells(exec, x, Cells::interior, value, 0.0);
    sort(exec, comm, x, Descending());
    expect({7, 3, -0.0, 0.0, -1, nan, nan});
}

// One rank has all elements, in the worst order, or all equal elements.
TEST(Sort, cuts_exactly_where_elements_lie_unevenly) {
    const Exec exec;
    const Communicator comm = world();
    const int n = comm.size();
    for (int holder = 0; holder < n; ++holder) {
        std::vector<std::int64_t> bounds{0};
        for (int p = 0; p < n; ++p) bounds.push_back(bounds.back() + (p == holder ? 1000 : p % 2));
        const ArrayLayout layout(ProcessGrid{n}, {block_bounds(bounds, {.padding = 2})});
        const std::int64_t size = layout.extent(0);
        const auto x = make_section<std::int64_t, 1>(layout);
        for (const std::int64_t n_different : {std::int64_t{1}, std::int64_t{2}, size}) {
            set_cells(
                exec, x, Cells::interior,
                [&](const auto& g) { return (size - g[0]) % n_different; }, -1);
            std::vector<std::int64_t> expected;
            for (std::int64_t g = 0; g < size; ++g) expected.push_back((size - g) % n_different);
            std::sort(expected.begin(), expected.end());
            sort(exec, comm, x);
            const auto host = to_host(exec, x);
            int wrong = 0;
            for_each_cell<1>(
                layout, x.process(), Cells::interior, [&](const auto& l, const auto& g) {
                    wrong += element(host.view(), l) != expected[static_cast<std::size_t>(g[0])];
                });
            EXPECT_EQ(wrong, 0);
        }
    }
}

TEST(Sort, takes_labels_that_only_one_process_knows) {
    const Exec exec;
    const Communicator comm = world();
    const int n = comm.size();
    const std::int64_t me = comm.rank();
    // Label 3 * k + 1 lies on process k % n.
    std::vector<std::int64_t> labels;
    for (std::int64_t k = 4 * n - 1; k >= 0; --k)
        if (k % n == me) labels.push_back(3 * k + 1);
    const auto x = make_section<int, 1>(
        {ProcessGrid{n}, {unstructured_local(4 * n, comm.rank(), labels, true)}});
    set_section(exec, x, [&](const auto& l) {
        return static_cast<int>(-labels[static_cast<std::size_t>(l[0])]);
    });
    sort(exec, comm, x);
    const auto host = to_host(exec, x);
    for (std::size_t l = 0; l < labels.size(); ++l) // the k-th smallest label has the k-th value
        EXPECT_EQ(host.view()(l), -(3 * (4 * n - 1 - (labels[l] - 1) / 3) + 1));
}

namespace {

struct ThrowsAt {
    int rank;
    bool operator()(int a, int b) const {
        if (rank == testing::rank() && (a == 7 || b == 7)) throw std::runtime_error("no order");
        return a < b;
    }
};

/// Throws where ranks compare elements of each other: lists of one element need no comparison in the local sort.
struct ThrowsBetween {
    int rank;
    bool operator()(int a, int b) const {
        if (rank == testing::rank()) throw std::runtime_error("no order");
        return a < b;
    }
};

} // namespace

TEST(Sort, throws_on_all_ranks_what_the_comparison_throws_and_leaves_the_array) {
    const Exec exec;
    const Communicator comm = world();
    const ArrayLayout layout(ProcessGrid{comm.size()}, {block(5 * comm.size())});
    const auto x = make_section<int, 1>(layout);
    const auto value = [](const Position<1>& g) { return static_cast<int>(11 - g[0] % 5); };
    set_cells(exec, x, Cells::interior, value, 0);
    for (int odd = 0; odd < comm.size(); ++odd) {
        EXPECT_THROW_ON_ALL_RANKS(sort(exec, comm, x, ThrowsAt{odd}), std::runtime_error,
                                  "no order");
        const auto host = to_host(exec, x);
        for_each_cell<1>(layout, x.process(), Cells::interior, [&](const auto& l, const auto& g) {
            EXPECT_EQ(element(host.view(), l), value(g));
        });
    }
    if (comm.size() == 1) return;
    const auto one = make_section<int, 1>({ProcessGrid{comm.size()}, {block(comm.size())}});
    set_section(exec, one, [&](const auto&) { return comm.size() - comm.rank(); });
    for (int odd = 0; odd < comm.size(); ++odd)
        EXPECT_THROW_ON_ALL_RANKS(sort(exec, comm, one, ThrowsBetween{odd}), std::runtime_error,
                                  "no order");
    sort(exec, comm, one); // the communicator still works
    const auto host = to_host(exec, one);
    EXPECT_EQ(host.view()(0), comm.rank() + 1);
}

namespace {

/// No order: equal arguments, inconsistent answers.
struct Nonsense {
    template <class T>
    bool operator()(const T& a, const T& b) const {
        return (static_cast<std::int64_t>(a) * 7 + static_cast<std::int64_t>(b) * 13) % 3 == 0;
    }
};

} // namespace

// The result is useless, but the sort must end, with the same elements as before.
TEST(Sort, ends_whatever_the_comparison_says) {
    const Exec exec;
    const Communicator comm = world();
    const auto x =
        make_section<std::int64_t, 1>({ProcessGrid{comm.size()}, {block(12 * comm.size())}});
    set_cells(exec, x, Cells::interior, [](const auto& g) { return g[0] * 5 % 17; }, 0);
    const std::int64_t total = sum(exec, comm, x);
    sort(exec, comm, x, Nonsense());
    EXPECT_EQ(sum(exec, comm, x), total);
}

TEST(Sort, differing_arguments_throw_on_all_ranks) {
    const Exec exec;
    const Communicator comm = world();
    if (comm.size() == 1) GTEST_SKIP() << "needs a rank that differs";
    const bool last = comm.rank() == comm.size() - 1;
    const auto a = make_section<double, 1>({ProcessGrid{comm.size()}, {block(20)}});
    const auto b = make_section<double, 1>({ProcessGrid{comm.size()}, {cyclic(20)}});
    set_section(exec, a, [](const auto&) { return 1.0; });
    set_section(exec, b, [](const auto&) { return 1.0; });
    EXPECT_THROW_ON_ALL_RANKS(sort(exec, comm, last ? a : b), UsageError,
                              "sort: expected the same arguments on all ranks");
    EXPECT_THROW_ON_ALL_RANKS(last ? sort(exec, comm, a, Descending()) : sort(exec, comm, a),
                              UsageError, "order is Descending on rank ");
    const auto alone = make_section<double, 1>({ProcessGrid{1}, {block(7)}});
    EXPECT_THROW_ON_ALL_RANKS(sort(exec, comm, alone), UsageError,
                              "sort: expected the section of process 0 of ");
    sort(exec, comm, a);
}

TEST(Sort, labels_what_it_does_and_stays_on_the_instance) {
    const Exec exec = separate_instance<Exec>();
    const Communicator comm = world();
    const auto x = make_section<double, 1>({ProcessGrid{comm.size()}, {block_cyclic(60, 3)}});
    set_section(exec, x, [](const auto& l) { return static_cast<double>(l[0] * 7 % 5); });
    KokkosEvents events;
    sort(exec, comm, x);
    events.stop();
    EXPECT_EQ(labels(labelled_otherwise(events.all(), {"distview::", "Kokkos::"})),
              std::vector<std::string>())
        << describe(events.all());
    EXPECT_EQ(labels(escapes_from(exec, events)), std::vector<std::string>());
}

TEST(Sort, is_on_the_threads_of_the_given_instance) {
    const auto sort_twice = [](const Exec& exec) {
        const Communicator comm = world();
        const std::int64_t n = 150'000 * comm.size() * comm.size(); // each rank pair moves 1.2 MB
        for (const AxisSpec& axis : {block(n), block_cyclic(n, 3)}) {
            const auto x = make_section<double, 1>({ProcessGrid{comm.size()}, {axis}});
            set_section(exec, x, [](const auto& l) { return static_cast<double>(l[0] * 7 % 5); });
            sort(exec, comm, x);
        }
    };
    expect_threads_of_given_instance<Exec>({"distview::copy", "distview::GatherPlan::"},
                                           sort_twice);
}

} // namespace distview::testing
