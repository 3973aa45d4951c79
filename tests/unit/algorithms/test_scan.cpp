// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scans along an axis, compared with loops over global indices in ascending order.
#include "axis_fixture.hpp"

#include <distview/algorithms/scan.hpp>
#include <distview/core/slice.hpp>
#include <distview_testing/assertions.hpp>
#include <distview_testing/kokkos_events.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <set>

namespace distview::testing {

namespace {

/// Composition of maps x -> a x + b modulo 2^32: associative, not commutative.
struct Affine {
    std::uint32_t a;
    std::uint32_t b;
    friend bool operator==(const Affine&, const Affine&) = default;
};
struct Compose {
    KOKKOS_FUNCTION Affine operator()(const Affine& here, const Affine& incoming) const {
        return {here.a * incoming.a, here.b * incoming.a + incoming.b};
    }
};

template <class T>
T scan_element(std::int64_t value) {
    if constexpr (std::is_same_v<T, Affine>)
        return {static_cast<std::uint32_t>(value * 2 + 1),
                static_cast<std::uint32_t>(value * 3 + 1)};
    else
        return as_element<T>(value);
}

/// The expected values at every index of an axis, for one line of cells; exclusive scans begin with `start`.
template <class T, class Wide, class Op, std::size_t Rank>
std::map<std::int64_t, Wide> scanned_line(const ArrayLayout& layout, std::size_t axis,
                                          std::array<std::int64_t, Rank> g, const Wide* start,
                                          const Op& op) {
    std::set<std::int64_t> indices;
    for (const auto& list : indices_of(layout.axis(static_cast<int>(axis))))
        indices.insert(list.begin(), list.end());
    std::map<std::int64_t, Wide> result;
    Wide value{};
    bool any = start != nullptr;
    if (start) value = *start;
    for (const std::int64_t index : indices) {
        g[axis] = index;
        const Wide mine = static_cast<Wide>(scan_element<T>(small_value(g)));
        if (start) result[index] = value;
        value = any ? op(value, mine) : mine;
        any = true;
        if (!start) result[index] = value;
    }
    return result;
}

template <class T, class Result, class Wide, int Rank, class Op>
class ScanCheck {
public:
    ScanCheck(const ArrayLayout& layout, int axis, const Op& op)
        : m_layout(layout), m_axis(static_cast<std::size_t>(axis)), m_op(op) {}

    template <DistViewLike View>
    void compare(const View& view, Result other, const Wide* start) {
        m_lines.clear();
        check_cells(Exec(), view, other, [&](const Result& value, const auto& g) {
            auto line = g;
            line[m_axis] = 0;
            const auto known = m_lines.find(line);
            const auto& expected =
                known != m_lines.end()
                    ? known->second
                    : m_lines.emplace(line, scanned_line<T>(m_layout, m_axis, g, start, m_op))
                          .first->second;
            EXPECT_EQ(value, static_cast<Result>(expected.at(g[m_axis])))
                << "at " << g[m_axis] << " of axis " << m_axis;
        });
    }

private:
    ArrayLayout m_layout;
    std::size_t m_axis;
    Op m_op;
    std::map<Position<Rank>, std::map<std::int64_t, Wide>> m_lines;
};

/// A layout with the same cells and different padding.
ArrayLayout padded_otherwise(Random& random, const ArrayLayout& layout) {
    std::vector<AxisSpec> axes;
    for (int d = 0; d < layout.rank(); ++d) {
        axes.push_back(axis_spec(layout.axis(d)));
        if (auto* block = std::get_if<BlockSpec>(&axes.back().value)) {
            block->paddings.clear();
            block->options.padding = {random.integer(0, 3), random.integer(0, 3)};
            block->options.boundary = Widths{random.integer(0, 3), random.integer(0, 3)};
        }
    }
    return {layout.grid(), axes};
}

template <class T, class Result, class Wide, int Rank, class Layout, class ResultLayout, class Op>
void check(Random& random, std::int64_t limit, const Op& op, std::int64_t start) {
    const Exec exec;
    const Communicator comm = world();
    const ArrayLayout layout = random_layout(random, Rank, limit, true);
    const int axis = static_cast<int>(random.integer(0, Rank));
    const ArrayLayout other = padded_otherwise(random, layout);
    SCOPED_TRACE(layout.describe() + "\naxis " + std::to_string(axis));
    const auto u = make_section<T, Rank, Layout>(layout);
    const auto s = make_section<Result, Rank, ResultLayout>(other);
    const auto value = [](const auto& g) { return scan_element<T>(small_value(g)); };
    set_cells(exec, u, Cells::interior, value, scan_element<T>(-20011));
    const auto untouched = scan_element<Result>(77);
    set_section(exec, s, [&](const auto&) { return untouched; });
    ScanCheck<T, Result, Wide, Rank, Op> reference(layout, axis, op);
    const Array<const T, Rank, Layout> source(u);
    inclusive_scan(exec, comm, source, axis, s, op);
    reference.compare(s, untouched, nullptr);
    const T first = scan_element<T>(start);
    const Wide wide = static_cast<Wide>(first);
    exclusive_scan(exec, comm, source, axis, s, first, op);
    reference.compare(s, untouched, &wide);
    if constexpr (std::is_same_v<T, Result>) {
        GridAxis along(comm, layout.grid(), axis);
        set_cells(exec, u, Cells::interior, value, untouched);
        if (random.chance(0.5)) {
            inclusive_scan(exec, along, u, u, op);
            reference.compare(u, untouched, nullptr);
        } else {
            exclusive_scan(exec, along, u, u, first, op);
            reference.compare(u, untouched, &wide);
        }
    }
}

} // namespace

TEST(Scan, of_any_layout_and_type) {
    for_each_case(campaign_cases(15), [](Random& random, std::uint64_t) {
        check<std::int32_t, std::int64_t, std::int64_t, 1, Kokkos::LayoutRight,
              Kokkos::LayoutRight>(random, 200, Sum{}, 5);
        check<float, double, double, 2, Kokkos::LayoutLeft, Kokkos::LayoutRight>(random, 20, Sum{},
                                                                                 0);
        check<double, double, double, 3, Kokkos::LayoutRight, Kokkos::LayoutLeft>(random, 8, Sum{},
                                                                                  -3);
    });
    for_each_case(campaign_cases(15), [](Random& random, std::uint64_t) {
        check<Complex, Complex, Complex, 2, Kokkos::LayoutStride, Kokkos::LayoutRight>(random, 20,
                                                                                       Sum{}, 1);
        check<std::uint64_t, std::uint64_t, std::uint64_t, 2, Kokkos::LayoutRight,
              Kokkos::LayoutRight>(random, 20, Product{}, 3);
        check<std::int16_t, std::int16_t, std::int16_t, 3, Kokkos::LayoutLeft, Kokkos::LayoutLeft>(
            random, 8, Maximum{}, -100);
        check<Affine, Affine, Affine, 2, Kokkos::LayoutRight, Kokkos::LayoutLeft>(random, 20,
                                                                                  Compose{}, 4);
    });
    // Sums of bool count the true elements.
    for_each_case(campaign_cases(15), [](Random& random, std::uint64_t) {
        check<bool, std::int64_t, std::int64_t, 2, Kokkos::LayoutRight, Kokkos::LayoutRight>(
            random, 20, Sum{}, 1);
        check<bool, bool, std::int64_t, 1, Kokkos::LayoutRight, Kokkos::LayoutRight>(random, 40,
                                                                                     Product{}, 1);
    });
}

// With several threads, lines are split into chunks.
TEST(Scan, of_long_lines) {
    const Exec exec;
    const Communicator comm = world();
    const std::int64_t n = 30011;
    for (const AxisSpec& axis : {block(n, {.padding = 2}), block_cyclic(n, 7)}) {
        const ArrayLayout layout(ProcessGrid{comm.size()}, {axis});
        const auto u = make_section<Affine, 1>(layout);
        const auto value = [](const auto& g) { return scan_element<Affine>(small_value(g)); };
        ScanCheck<Affine, Affine, Affine, 1, Compose> reference(layout, 0, Compose());
        set_cells(exec, u, Cells::interior, value, Affine{1, 2});
        inclusive_scan(exec, comm, u, 0, u, Compose());
        reference.compare(u, Affine{1, 2}, nullptr);
        const Affine start{3, 5};
        set_cells(exec, u, Cells::interior, value, Affine{1, 2});
        exclusive_scan(exec, comm, u, 0, u, start, Compose());
        reference.compare(u, Affine{1, 2}, &start);
    }
}

// So many values that each place works on a slice.
TEST(Scan, of_many_lines) {
    const Exec exec;
    const Communicator comm = world();
    for_each_case(campaign_cases(2), [&](Random& random, std::uint64_t) {
        const ProcessGrid grid(random_process_grid(random, comm.size(), 3));
        const ArrayLayout layout(
            grid, {random_axis(random, grid.extent(0), 8, true), block(70), cyclic(130)});
        SCOPED_TRACE(layout.describe());
        const auto u = make_section<Affine, 3>(layout);
        const auto s = make_section<Affine, 3>(layout);
        GridAxis along(comm, grid, 0);
        ScanCheck<Affine, Affine, Affine, 3, Compose> reference(layout, 0, Compose());
        for (int time = 0; time < 2; ++time) {
            set_cells(
                exec, u, Cells::interior,
                [](const auto& g) { return scan_element<Affine>(small_value(g)); }, Affine{1, 2});
            set_section(exec, s, [](const auto&) { return Affine{1, 2}; });
            inclusive_scan(exec, along, u, s, Compose());
            reference.compare(s, Affine{1, 2}, nullptr);
        }
    });
}

TEST(Scan, of_places_without_cells) {
    const Exec exec;
    const Communicator comm = world();
    for (const int cells_first : {0, 1})
        for (const std::int64_t lines : {3, 4000}) {
            std::vector<std::int64_t> bounds{0};
            for (int p = 0; p < comm.size(); ++p)
                bounds.push_back(bounds.back() + (p % 2 == cells_first ? 0 : 3));
            const ArrayLayout layout(ProcessGrid{comm.size(), 1},
                                     {block_bounds(bounds), block(lines)});
            SCOPED_TRACE(layout.describe());
            const auto u = make_section<Affine, 2>(layout);
            ScanCheck<Affine, Affine, Affine, 2, Compose> reference(layout, 0, Compose());
            const auto value = [](const auto& g) { return scan_element<Affine>(small_value(g)); };
            set_cells(exec, u, Cells::interior, value, Affine{1, 2});
            inclusive_scan(exec, comm, u, 0, u, Compose());
            reference.compare(u, Affine{1, 2}, nullptr);
            const Affine start{3, 5};
            set_cells(exec, u, Cells::interior, value, Affine{1, 2});
            exclusive_scan(exec, comm, u, 0, u, start, Compose());
            reference.compare(u, Affine{1, 2}, &start);
        }
}

TEST(Scan, counts_a_label_on_several_processes_once) {
    const Exec exec;
    const Communicator comm = world();
    std::vector<std::vector<std::int64_t>> lists(static_cast<std::size_t>(comm.size()));
    for (int p = 0; p < comm.size(); ++p) lists[std::size_t(p)] = {20 - p, 100, 5 * p + 40};
    const ArrayLayout layout(ProcessGrid{comm.size()}, {unstructured(lists)});
    const auto u = make_section<std::int64_t, 1>(layout);
    const auto s = make_section<std::int64_t, 1>(layout);
    set_cells(exec, u, Cells::interior, [](const auto&) { return 1; }, 0);
    inclusive_scan(exec, comm, u, 0, s);
    check_cells(exec, s, 0, [&](std::int64_t value, const auto& g) {
        const std::int64_t n = comm.size();
        const std::int64_t expected = g[0] == 100  ? 2 * n + 1
                                      : g[0] <= 20 ? n - 20 + g[0]
                                                   : n + (g[0] - 40) / 5 + 1;
        EXPECT_EQ(value, expected) << g[0];
    });
}

// Source, target and start value each have a different type.
TEST(Scan, starts_with_what_is_no_element) {
    const Exec exec;
    const Communicator comm = world();
    for (const AxisSpec& axis : {block(40), cyclic(40)}) {
        const ArrayLayout layout(ProcessGrid{comm.size()}, {axis});
        const auto flags = make_section<std::int8_t, 1>(layout);
        const auto mask = make_section<bool, 1>(layout);
        const auto ones = make_section<float, 1>(layout);
        const auto positions = make_section<std::int64_t, 1>(layout);
        const auto sums = make_section<double, 1>(layout);
        set_cells(
            exec, flags, Cells::interior, [](const auto& g) { return std::int8_t(g[0] % 2); }, 0);
        set_cells(exec, mask, Cells::interior, [](const auto& g) { return g[0] % 2 == 1; }, false);
        set_cells(exec, ones, Cells::interior, [](const auto&) { return 1.f; }, 0.f);
        exclusive_scan(exec, comm, flags, 0, positions, 1000);
        check_cells(exec, positions, 0,
                    [](std::int64_t value, const auto& g) { EXPECT_EQ(value, 1000 + g[0] / 2); });
        exclusive_scan(exec, comm, mask, 0, positions, -1000);
        check_cells(exec, positions, 0,
                    [](std::int64_t value, const auto& g) { EXPECT_EQ(value, g[0] / 2 - 1000); });
        exclusive_scan(exec, comm, ones, 0, sums, 1 + 0x1p-30);
        check_cells(exec, sums, 0.0, [](double value, const auto& g) {
            EXPECT_EQ(value, 1 + 0x1p-30 + double(g[0]));
        });
    }
}

TEST(Scan, is_on_the_threads_of_the_given_instance) {
    const Communicator comm = world();
    // Lines that are split into chunks, and so many lines that ranks send more than 1 MiB.
    const auto scan = [&](const Exec& exec, const auto& what) {
        for (const std::int64_t lines : {3, 600'000})
            for (const bool in_order : {true, false}) {
                const std::int64_t rows = lines == 3 ? 60'000 : 3;
                const ArrayLayout layout(ProcessGrid{comm.size(), 1},
                                         {in_order ? block(rows) : cyclic(rows), block(lines)});
                const auto u = make_section<double, 2>(layout);
                set_section(exec, u, [](const auto&) { return 1.0; });
                what(u);
            }
    };
    expect_threads_of_given_instance<Exec>({"distview::inclusive_scan"}, [&](const Exec& exec) {
        scan(exec, [&](const auto& u) { inclusive_scan(exec, comm, u, 0, u); });
    });
    expect_threads_of_given_instance<Exec>({"distview::exclusive_scan"}, [&](const Exec& exec) {
        scan(exec, [&](const auto& u) { exclusive_scan(exec, comm, u, 0, u, 0.0); });
    });
}

TEST(Scan, of_no_cells) {
    const Exec exec;
    const Communicator comm = world();
    const auto u = make_section<double, 2>({ProcessGrid{comm.size(), 1}, {block(0), cyclic(4)}});
    inclusive_scan(exec, comm, u, 0, u);
    exclusive_scan(exec, comm, u, 1, u, 2.0);
}

TEST(Scan, refuses_slices_that_overlap) {
    const Exec exec;
    const Communicator comm = world();
    const auto u =
        make_section<double, 2>({ProcessGrid{comm.size(), 1}, {block(2 * comm.size()), block(6)}});
    set_section(exec, u, [](const auto& g) { return double(g[1]); });
    const AxisSlice all{0, -1};
    const auto left = slice(u, {all, {0, 5}});
    const auto right = slice(u, {all, {1, 5}});
    EXPECT_THROW_ON_ALL_RANKS(
        inclusive_scan(exec, comm, left, 1, right), UsageError,
        "inclusive_scan: expected written cells that do not overlap other cells that are read");
    EXPECT_THROW_ON_ALL_RANKS(
        exclusive_scan(exec, comm, right, 1, left, 0.0), UsageError,
        "exclusive_scan: expected written cells that do not overlap other cells that are read");
    inclusive_scan(exec, comm, left, 1, left);
    const auto host = to_host(exec, u);
    for (std::size_t j = 0; j < 5; ++j) EXPECT_EQ(host.view()(0, j), double(j * (j + 1)) / 2);
}

TEST(Scan, errors_name_both_layouts) {
    const Exec exec;
    const Communicator comm = world();
    const auto u = make_section<double, 1>({ProcessGrid{comm.size()}, {block(40)}});
    const auto v = make_section<double, 1>({ProcessGrid{comm.size()}, {block(41)}});
    const auto dealt_out = make_section<double, 1>({ProcessGrid{comm.size()}, {cyclic(40)}});
    if (comm.size() > 1) {
        EXPECT_THROW_ON_ALL_RANKS(
            inclusive_scan(exec, comm, u, 0, dealt_out), ShapeError,
            "to align them: RedistributionPlan(comm, layout of 'source', layout of 'target')");
    }
    EXPECT_THROW_ON_ALL_RANKS(inclusive_scan(exec, comm, u, 0, v), ShapeError,
                              "no redistribution aligns them: their extents differ");
    EXPECT_THROW_ON_ALL_RANKS(exclusive_scan(exec, comm, u, 0, v, 0.0), ShapeError,
                              v.layout().describe());
    EXPECT_THROW_ON_ALL_RANKS(inclusive_scan(exec, comm, u, 3, u), UsageError,
                              "expected an axis in [0, 1), got 3");
}

TEST(Scan, begins_with_the_same_value_on_all_ranks) {
    const Exec exec;
    const Communicator comm = world();
    if (comm.size() == 1) GTEST_SKIP() << "one rank differs from nobody";
    const auto u = make_section<double, 1>({ProcessGrid{comm.size()}, {block(40)}});
    const auto n = make_section<int, 1>({ProcessGrid{comm.size()}, {block(40)}});
    const bool is_last = comm.rank() == comm.size() - 1;
    EXPECT_THROW_ON_ALL_RANKS(exclusive_scan(exec, comm, u, 0, u, is_last ? 1.0 + 0x1p-52 : 1.0),
                              UsageError, "value to start with");
    EXPECT_THROW_ON_ALL_RANKS(exclusive_scan(exec, comm, n, 0, n, is_last ? -2 : 1), UsageError,
                              "value to start with is -2 on rank ");
    exclusive_scan(exec, comm, n, 0, n, 2);
    EXPECT_THROW_ON_ALL_RANKS(is_last ? inclusive_scan(exec, comm, n, 0, n, Maximum{})
                                      : inclusive_scan(exec, comm, n, 0, n),
                              UsageError, "operation is Maximum on rank ");
}

} // namespace distview::testing
