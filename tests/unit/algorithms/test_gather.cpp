// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sections.hpp"

#include <distview/algorithms/gather.hpp>
#include <distview/algorithms/min_max.hpp>
#include <distview_testing/assertions.hpp>

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace distview::testing {

namespace {

/// The position at which gather() stores the element with these global indices.
template <int Rank>
class GatheredPlaces {
public:
    GatheredPlaces(const ArrayLayout& layout, Cells cells) : m_layout(layout), m_cells(cells) {
        for (int d = 0; d < Rank; ++d) {
            if (layout.axis(d).type() != DistType::unstructured) continue;
            const UnstructuredLayout& axis = layout.axis(d).as_unstructured();
            std::set<std::int64_t> labels;
            for (int p = 0; p < axis.grid_size(); ++p)
                labels.insert(axis.labels(p), axis.labels(p) + axis.local_extent(p));
            std::int64_t place = 0;
            for (const std::int64_t label : labels) m_place[d][label] = place++;
        }
    }
    Position<Rank> operator()(const Position<Rank>& global) const {
        Position<Rank> place = global;
        for (int d = 0; d < Rank; ++d) {
            auto& i = place[static_cast<std::size_t>(d)];
            if (const auto found = m_place.find(d); found != m_place.end())
                i = found->second.at(i);
            else if (m_layout.axis(d).is_block() && m_cells == Cells::owned)
                i += m_layout.axis(d).as_block().boundary().low;
        }
        return place;
    }
    Position<Rank> extents() const {
        Position<Rank> result{};
        for (int d = 0; d < Rank; ++d)
            result[static_cast<std::size_t>(d)] =
                m_cells == Cells::interior ? m_layout.extent(d) : m_layout.protocol_size(d);
        return result;
    }

private:
    ArrayLayout m_layout;
    Cells m_cells;
    std::map<int, std::map<std::int64_t, std::int64_t>> m_place;
};

template <class View, int Rank>
void expect_extents(const View& view, const Position<Rank>& extents) {
    for (std::size_t d = 0; d < extents.size(); ++d)
        EXPECT_EQ(static_cast<std::int64_t>(view.extent(d)), extents[d]) << "axis " << d;
}

template <class T, int Rank, class Layout = Kokkos::LayoutRight>
void check_gather_and_scatter(Random& random, std::int64_t limit) {
    const Exec exec;
    const ArrayLayout layout = random_layout(random, Rank, limit, true);
    SCOPED_TRACE(layout.describe());
    const Communicator comm = communicator_of(layout);
    const auto x = make_section<T, Rank, Layout>(layout);
    const Cells cells = random.chance(0.5) ? Cells::interior : Cells::owned;
    const int root = static_cast<int>(random.integer(0, comm.size()));
    const GatheredPlaces<Rank> places(layout, cells);

    // Values also depend on the process: if several processes hold a label, the owner's copy must be gathered.
    const auto value = [&](int process, const Position<Rank>& g) {
        return static_cast<T>(encoded<T>(g) + T(100'000 * process));
    };
    set_cells(exec, x, cells, [&](const auto& g) { return value(x.process(), g); }, T(-1));
    const GlobalView<Array<T, Rank, Layout>> all = gather(exec, comm, x, root, cells);
    if (comm.rank() == root) {
        expect_extents<decltype(all), Rank>(all, places.extents());
        std::int64_t n_seen = 0;
        for_each_cell_of_all<Rank>(layout, cells, [&](int process, const Position<Rank>& g) {
            std::vector<GlobalIndex> index(g.begin(), g.end());
            if (layout.owner(index) != process) return;
            ++n_seen;
            EXPECT_EQ(element(all, places(g)), value(process, g));
        });
        EXPECT_EQ(n_seen, static_cast<std::int64_t>(all.size()));
    } else {
        EXPECT_EQ(all.data(), nullptr);
    }

    // Scatters other values into a section full of -1.
    if (comm.rank() == root)
        for_each_position(Position<Rank>{}, places.extents(), [&](const Position<Rank>& at) {
            element(all, at) = encoded<T>(at) + T(7);
        });
    set_section(exec, x, [](const auto&) { return T(-1); });
    scatter(exec, comm, all, root, x, cells);
    auto host = to_host(exec, x);
    for_each_cell<Rank>(layout, x.process(), cells, [&](const auto& local, const auto& g) {
        EXPECT_EQ(element(host.view(), local), encoded<T>(places(g)) + T(7));
        element(host.view(), local) = T(-1);
    });
    Position<Rank> end{};
    for (std::size_t d = 0; d < end.size(); ++d) end[d] = layout.local_extents(x.process())[d];
    for_each_position(Position<Rank>{}, end, [&](const Position<Rank>& at) {
        EXPECT_EQ(element(host.view(), at), T(-1)) << "written outside of the cells";
    });
}

} // namespace

TEST(Gather, double_of_any_layout) {
    for_each_case(30, [](Random& random, std::uint64_t) {
        check_gather_and_scatter<double, 1>(random, 100);
        check_gather_and_scatter<double, 2>(random, 20);
        check_gather_and_scatter<double, 2, Kokkos::LayoutLeft>(random, 20);
        check_gather_and_scatter<double, 3, Kokkos::LayoutStride>(random, 8);
    });
}
TEST(Gather, other_types_and_ranks) {
    for_each_case(15, [](Random& random, std::uint64_t) {
        check_gather_and_scatter<double, 0>(random, 1);
        check_gather_and_scatter<float, 2>(random, 15);
        check_gather_and_scatter<int, 1>(random, 100);
        check_gather_and_scatter<std::int64_t, 2>(random, 15);
        check_gather_and_scatter<Kokkos::complex<double>, 2>(random, 15);
        check_gather_and_scatter<double, 4>(random, 4);
        check_gather_and_scatter<double, 6>(random, 3);
    });
}

/// Columns periodic and rows with walls; boundary padding is wider at one end than at the other.
ArrayLayout plate(int processes) {
    const ProcessGrid grid = ProcessGrid::balanced(processes, 2);
    return {grid,
            {block(3 * grid.extent(0) + 1, {.padding = 1, .boundary = {3, 1}}),
             block(4 * grid.extent(1), {.padding = {1, 1}, .boundary = {0, 2}, .periodic = true})}};
}

// gather() must have the extremum at the location that was found; padding contains greater values.
TEST(Gather, has_at_a_location_what_was_found_there) {
    const Exec exec;
    const Communicator comm = world();
    const auto x = make_section<double, 2>(plate(comm.size()));
    for_each_case(20, [&](Random& random, std::uint64_t) {
        const std::int64_t salt = random.integer(1, 1000);
        const auto value = [&](const Position<2>& g) {
            return static_cast<double>((g[0] * 37 + g[1] * 101 + salt) * salt % 1009);
        };
        set_cells(exec, x, Cells::interior, value, 1e9);
        const auto greatest = max_location(exec, comm, x);
        const auto all = gather(exec, comm, x, 0);
        set_cells(exec, x, Cells::interior, value, -1e9);
        const auto least = min_location(exec, comm, x);
        if (comm.rank() != 0) return;
        EXPECT_EQ(all(greatest.index[0].value(), greatest.index[1].value()), greatest.value);
        EXPECT_EQ(all(least.index[0].value(), least.index[1].value()), least.value);
    });
}

struct ColumnMinusRow {
    KOKKOS_FUNCTION double operator()(std::int64_t i, std::int64_t j) const {
        return static_cast<double>(j - i);
    }
};

// Boundary padding has negative indices and indices from the extent on, in all functions that use indices.
TEST(Gather, owned_cells_begin_with_boundary_padding) {
    const Exec exec;
    const Communicator comm = world();
    const ArrayLayout layout = plate(comm.size());
    const auto x = make_section<double, 2>(layout);
    fill_with(exec, x, ColumnMinusRow(), Cells::owned);
    const auto corner = max_location(exec, comm, x, Cells::owned);
    EXPECT_EQ(corner.index[0].value(), -3);
    EXPECT_EQ(corner.index[1].value(), layout.axis(1).size() + 1);
    const auto other = min_location(exec, comm, x, Cells::owned);
    EXPECT_EQ(other.index[0].value(), layout.axis(0).size());
    EXPECT_EQ(other.index[1].value(), 0);
    const auto all = gather(exec, comm, x, 0, Cells::owned);
    if (comm.rank() != 0) return;
    for (std::int64_t i = -3; i < layout.axis(0).size() + 1; ++i)
        for (std::int64_t j = 0; j < layout.axis(1).size() + 2; ++j)
            EXPECT_EQ(all(i + 3, j), static_cast<double>(-i + j));
}

TEST(Gather, const_views) {
    const Exec exec;
    const Communicator comm = world();
    const auto x = make_section<double, 1>({ProcessGrid{comm.size()}, {cyclic(10)}});
    set_cells(exec, x, Cells::interior, encoded<double, 1>, 0.0);
    const auto all = gather(exec, comm, Array<const double, 1>(x), 0);
    for (std::size_t i = 0; i < all.size(); ++i)
        EXPECT_EQ(all(i), encoded<double>(Position<1>{static_cast<std::int64_t>(i)}));
    EXPECT_EQ(all.size(), comm.rank() == 0 ? 10u : 0u);
}

TEST(Scatter, takes_strided_and_const_views) {
    const Exec exec;
    const Communicator comm = world();
    const auto x = make_section<int, 2>({ProcessGrid{1, comm.size()}, {block(4), block(6)}});
    const Kokkos::View<int**, Kokkos::LayoutLeft, Kokkos::HostSpace> left("distview::testing::left",
                                                                          9, 8);
    for (std::size_t i = 0; i < 9; ++i)
        for (std::size_t j = 0; j < 8; ++j) left(i, j) = static_cast<int>(100 * i + j);
    const auto part = Kokkos::subview(left, std::pair(3, 7), std::pair(1, 7));
    const Kokkos::View<const int**, Kokkos::LayoutStride, Kokkos::HostSpace> part_const = part;
    scatter(exec, comm, part_const, 0, x);
    const auto host = to_host(exec, x);
    for_each_cell<2>(x.layout(), x.process(), Cells::interior, [&](const auto& l, const auto& g) {
        EXPECT_EQ(element(host.view(), l), 100 * (g[0] + 3) + g[1] + 1);
    });
}

TEST(Gather, wrong_use_throws_on_all_ranks) {
    const Exec exec;
    const Communicator comm = world();
    const ProcessGrid grid{comm.size(), 1};
    const auto x = make_section<double, 2>({grid, {block(7), block(5)}});
    set_section(exec, x, [](const auto&) { return 1.0; });
    using Global = GlobalView<Array<double, 2>>;
    const Global right("distview::testing::right", 7, 5);
    for (const int root : {-1, comm.size()}) {
        EXPECT_THROW_ON_ALL_RANKS(gather(exec, comm, x, root), UsageError,
                                  "gather: expected a root in [0, ");
        EXPECT_THROW_ON_ALL_RANKS(scatter(exec, comm, right, root, x), UsageError,
                                  "scatter: expected a root in [0, ");
    }
    // Only the root knows the extents; all ranks must learn of the error.
    const int root = comm.size() - 1;
    const Global wrong("distview::testing::wrong", 7, 6);
    EXPECT_THROW_ON_ALL_RANKS(scatter(exec, comm, wrong, root, x), ShapeError,
                              "scatter: expected an array of extents (7, 5), got (7, 6)");
    Kokkos::deep_copy(right, 2.0);
    scatter(exec, comm, right, root, x); // the communicator still works
    const auto host = to_host(exec, x);
    for (std::size_t i = 0; i < host.view().extent(0); ++i) EXPECT_EQ(host.view()(i, 4), 2.0);
}

TEST(Gather, refuses_processes_side_by_side_with_other_indices) {
    const Exec exec;
    const Communicator comm = world();
    if (comm.size() < 2) return;
    std::vector<std::int64_t> mine{0, 1};
    if (comm.rank() == comm.size() - 1) std::swap(mine[0], mine[1]);
    const auto x = make_section<double, 2>(
        {ProcessGrid{1, comm.size()}, {unstructured_local(2, 0, mine), block(comm.size())}});
    EXPECT_THROW_ON_ALL_RANKS(
        gather(exec, comm, x, 0), LayoutError,
        "expected the same labels along axis 0 on all processes with the same coordinate");
}

TEST(Gather, differing_arguments_throw_on_all_ranks) {
    const Exec exec;
    const Communicator comm = world();
    if (comm.size() == 1) GTEST_SKIP() << "needs a rank that differs";
    const bool last = comm.rank() == comm.size() - 1;
    const auto x = make_section<double, 1>({ProcessGrid{comm.size()}, {block(7)}});
    set_section(exec, x, [](const auto&) { return 1.0; });
    EXPECT_THROW_ON_ALL_RANKS(gather(exec, comm, x, last ? 1 : 0), UsageError,
                              "gather: expected the same arguments on all ranks");
    EXPECT_THROW_ON_ALL_RANKS(gather(exec, comm, x, 0, last ? Cells::owned : Cells::interior),
                              UsageError, "gather: expected the same arguments on all ranks");
    const auto alone = make_section<double, 1>({ProcessGrid{1}, {block(7)}});
    EXPECT_THROW_ON_ALL_RANKS(gather(exec, comm, alone, 0), UsageError,
                              "gather: expected the section of process 0 of ");
}

} // namespace distview::testing
