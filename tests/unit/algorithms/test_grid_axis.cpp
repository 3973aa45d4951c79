// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Broadcast and reduction along one axis of a process grid, for few values, and for so many that they are sliced.
#include "axis_fixture.hpp"

#include <distview/algorithms/grid_axis.hpp>
#include <distview_testing/assertions.hpp>
#include <distview_testing/environment.hpp>

#include <gtest/gtest.h>

#include <cstdint>

namespace distview::testing {

namespace {

/// Not commutative: returns the later operand unless it is 0.
struct Later {
    KOKKOS_FUNCTION std::int32_t operator()(std::int32_t here, std::int32_t incoming) const {
        return incoming != 0 ? incoming : here;
    }
};

/// A type of odd size: combining (a, b, c) gives the larger a, and the sums of b and c.
struct Triple {
    float a;
    float b;
    float c;
    friend bool operator==(const Triple&, const Triple&) = default;
};
struct JoinTriples {
    KOKKOS_FUNCTION Triple operator()(const Triple& here, const Triple& incoming) const {
        return {Kokkos::max(here.a, incoming.a), here.b + incoming.b, here.c + incoming.c};
    }
};

template <class T>
T value_at(int process, std::int64_t i, std::int64_t j) {
    const std::int64_t value = (process * 7919 + i * 613 + j * 31) % 10007;
    if constexpr (std::is_same_v<T, Triple>)
        return {float(value), float(value % 101), float(value % 11)};
    else
        return as_element<T>(value % 3 == 0 ? 0 : value);
}

template <class T, class Layout>
using MatrixView = Kokkos::View<T**, Layout, Memory>;

/// Calls action(view) with a part of a matrix that contains this process's values. Then compares
/// this part with expected(i, j), and the rest with 0.
template <class T, class Layout, class Action, class Expected>
void with_matrix(std::int64_t rows, std::int64_t columns, int process, const Action& action,
                 const Expected& expected) {
    const MatrixView<T, Layout> whole("distview::testing::matrix", std::size_t(rows + 1),
                                      std::size_t(columns + 2));
    const auto host = Kokkos::create_mirror_view(whole);
    for (std::int64_t i = 0; i < rows; ++i)
        for (std::int64_t j = 0; j < columns; ++j) host(i, j + 1) = value_at<T>(process, i, j);
    Kokkos::deep_copy(whole, host);
    action(Kokkos::subview(whole, std::pair<std::int64_t, std::int64_t>(0, rows),
                           std::pair<std::int64_t, std::int64_t>(1, columns + 1)));
    Kokkos::deep_copy(host, whole);
    std::int64_t wrong = 0;
    for (std::int64_t i = 0; i < rows + 1; ++i)
        for (std::int64_t j = 0; j < columns + 2; ++j) {
            const bool inside = i < rows && j > 0 && j <= columns;
            const T right = inside ? expected(i, j - 1) : T{};
            wrong += host(i, j) == right ? 0 : 1;
        }
    EXPECT_EQ(wrong, 0) << "of " << rows << " x " << columns;
}

/// A grid, an axis, and the extents for each line.
struct Setting {
    ProcessGrid grid;
    int axis;
    std::vector<int> line; ///< the processes of this rank's line, by place
    std::int64_t rows;
    std::int64_t columns;
};

Setting random_setting(Random& random, std::int64_t limit) {
    const int n_dims = static_cast<int>(random.integer(1, 4));
    const ProcessGrid grid(random_process_grid(random, world().size(), n_dims));
    Setting setting{grid, static_cast<int>(random.integer(0, n_dims)), {}, 0, 0};
    GridCoordinates at = grid.coordinates(world().rank());
    const auto axis = static_cast<std::size_t>(setting.axis);
    for (at[axis] = 0; at[axis] < grid.extent(setting.axis); ++at[axis])
        setting.line.push_back(grid.process(at));
    // Other lines have other extents; all ranks draw the same numbers.
    std::vector<std::int64_t> extents;
    for (int process = 0; process < 2 * grid.size(); ++process)
        extents.push_back(random.chance(0.15) ? 0 : random.integer(1, limit));
    setting.rows = extents[static_cast<std::size_t>(2 * setting.line[0])];
    setting.columns = extents[static_cast<std::size_t>(2 * setting.line[0] + 1)];
    return setting;
}

template <class T, class Layout, class Op>
void check(Random& random, std::int64_t limit, const Op& op) {
    const Exec exec;
    const Setting setting = random_setting(random, limit);
    const int rank = world().rank();
    const int root = static_cast<int>(random.integer(0, setting.grid.extent(setting.axis)));
    GridAxis along(world(), setting.grid, setting.axis);
    ASSERT_EQ(along.extent(), static_cast<int>(setting.line.size()));
    const int place = along.coordinate();
    ASSERT_EQ(setting.line[static_cast<std::size_t>(place)], rank);
    const auto joined = [&](std::int64_t i, std::int64_t j) {
        T value = value_at<T>(setting.line[0], i, j);
        for (std::size_t p = 1; p < setting.line.size(); ++p)
            value = op(value, value_at<T>(setting.line[p], i, j));
        return value;
    };
    const auto own = [&](std::int64_t i, std::int64_t j) { return value_at<T>(rank, i, j); };
    for (int time = 0; time < 2; ++time) {
        with_matrix<T, Layout>(
            setting.rows, setting.columns, rank,
            [&](const auto& view) { along.broadcast(exec, root, view); },
            [&](std::int64_t i, std::int64_t j) {
                return value_at<T>(setting.line[static_cast<std::size_t>(root)], i, j);
            });
        with_matrix<T, Layout>(
            setting.rows, setting.columns, rank,
            [&](const auto& view) { along.all_reduce(exec, op, view); }, joined);
        with_matrix<T, Layout>(
            setting.rows, setting.columns, rank,
            [&](const auto& view) { along.reduce(exec, op, root, view); },
            [&](std::int64_t i, std::int64_t j) {
                return place == root ? joined(i, j) : own(i, j);
            });
    }
}

} // namespace

TEST(GridAxis, broadcasts_and_reduces_few_values) {
    for_each_case(campaign_cases(30), [](Random& random, std::uint64_t) {
        check<double, Kokkos::LayoutRight>(random, 6, Sum{});
        check<std::int32_t, Kokkos::LayoutLeft>(random, 6, Later{});
        check<Triple, Kokkos::LayoutRight>(random, 6, JoinTriples{});
    });
}

// More than 64 KiB: several slices.
TEST(GridAxis, broadcasts_and_reduces_many_values) {
    for_each_case(campaign_cases(4), [](Random& random, std::uint64_t) {
        check<double, Kokkos::LayoutLeft>(random, 150, Maximum{});
        check<std::int32_t, Kokkos::LayoutRight>(random, 200, Later{});
        check<Triple, Kokkos::LayoutLeft>(random, 150, JoinTriples{});
    });
}

TEST(GridAxis, keeps_what_it_has_made) {
    const Exec exec;
    const Communicator comm = world();
    GridAxis along(comm, ProcessGrid{comm.size()}, 0);
    const Kokkos::View<double*, Memory> view("distview::testing::view", 10);
    along.all_reduce(exec, Sum{}, view);
    const std::size_t bytes = along.workspace_bytes();
    EXPECT_GE(bytes, 80u);
    for (int time = 0; time < 3; ++time) along.all_reduce(exec, Sum{}, view);
    EXPECT_EQ(along.workspace_bytes(), bytes);
    for (std::size_t n = 20; n < 28; ++n)
        along.all_reduce(exec, Sum{}, Kokkos::View<double*, Memory>("distview::testing::v", n));
    EXPECT_LE(along.workspace_bytes(), 4 * 3 * bytes * std::size_t(comm.size()));
}

TEST(GridAxis, works_again_after_a_plan_could_not_be_made) {
    const Exec exec;
    const Communicator comm = world();
    if (comm.size() == 1) return; // a single process has no plan
    GridAxis along(comm, ProcessGrid{comm.size()}, 0);
    const Kokkos::View<double*, Memory> view("distview::testing::view", 10);
    {
        const VariableSetting wrong("DISTVIEW_TRANSPORT", "nonsense");
        EXPECT_THROW_ON_ALL_RANKS(along.all_reduce(exec, Sum{}, view), UsageError,
                                  "DISTVIEW_TRANSPORT");
    }
    EXPECT_EQ(along.workspace_bytes(), 0u);
    Kokkos::deep_copy(exec, view, 1.0);
    along.all_reduce(exec, Sum{}, view);
    const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
    EXPECT_EQ(host(9), double(comm.size()));
}

TEST(GridAxis, refuses_what_differs_on_all_ranks) {
    const Exec exec;
    const Communicator comm = world();
    const ProcessGrid grid{comm.size()};
    EXPECT_THROW_ON_ALL_RANKS(GridAxis(comm, grid, 1), UsageError, "expected an axis in [0, 1)");
    EXPECT_THROW_ON_ALL_RANKS(GridAxis(comm, ProcessGrid{comm.size(), 2}, 0), UsageError,
                              "expected a grid of");
    GridAxis along(comm, grid, 0);
    const Kokkos::View<double*, Memory> view("distview::testing::view", 4);
    EXPECT_THROW_ON_ALL_RANKS(along.broadcast(exec, comm.size(), view), UsageError,
                              "expected a root in [0, ");
    if (comm.size() == 1) return;
    EXPECT_THROW_ON_ALL_RANKS(along.broadcast(exec, comm.rank() == 1 ? 1 : 0, view), UsageError,
                              "root is 1 on rank 1, 0 on rank 0");
    const Kokkos::View<double*, Memory> other("distview::testing::view", comm.rank() == 1 ? 5 : 4);
    EXPECT_THROW_ON_ALL_RANKS(along.all_reduce(exec, Sum{}, other), ShapeError,
                              "got 4 on rank 0 and 5 on rank 1");
    const auto join = [&](const auto& op) { along.all_reduce(exec, op, view); };
    EXPECT_THROW_ON_ALL_RANKS(comm.rank() == 1 ? join(Product{}) : join(Sum{}), UsageError,
                              "operation is Product on rank 1, Sum on rank 0");
    const auto plus = KOKKOS_LAMBDA(double a, double b) { return a + b; };
    EXPECT_THROW_ON_ALL_RANKS(
        comm.rank() == 1 ? join(plus) : join(Maximum{}), UsageError,
        "operation is a function object of the program on rank 1, Maximum on rank 0");
    const Kokkos::View<std::int64_t*, Memory> integers("distview::testing::integers", 4);
    EXPECT_THROW_ON_ALL_RANKS(comm.rank() == 1 ? along.all_reduce(exec, Sum{}, integers)
                                               : along.all_reduce(exec, Sum{}, view),
                              UsageError, "element type is int64 on rank 1, float64 on rank 0");
    along.all_reduce(exec, Sum{}, view); // it can still be used
}

} // namespace distview::testing
