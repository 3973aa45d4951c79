// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layouts in which each process knows only its own labels, as from a mesh partitioner, or from
// buffers of another library. For random cases see test_redistribution_plan_any.cpp.
#include "own_labels_fixture.hpp"

#include <distview/comm/collectives.hpp>
#include <distview_testing/allocations.hpp>
#include <distview_testing/assertions.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace distview::testing {

namespace {

TEST_F(OwnLabels, ToBlocksAndBack) {
    const std::int64_t size = 5 * n + 3;
    const Line mesh = make_of(own(size, every_nth(size), true), square);
    const Line line = make(blocks(size)), back = make(mesh.layout());
    RedistributionPlan there(comm, mesh.layout(), line.layout());
    RedistributionPlan home(comm, line.layout(), mesh.layout());
    there.execute(exec, mesh, line);
    EXPECT_EQ(wrong(line, square), 0);
    home.execute(exec, line, back);
    EXPECT_EQ(wrong(back, square), 0);
    EXPECT_EQ(there.schedule().delivered_elements(), size);
    EXPECT_EQ(there.schedule().wire_elements(), home.schedule().wire_elements());
}

TEST_F(OwnLabels, ToThoseOfAnotherPartitioning) {
    const std::int64_t size = 7 * n;
    const ArrayLayout from = own(size, every_nth(size));
    Labels others;
    for (std::int64_t l = 0; l < 7; ++l) others.push_back((n - 1 - me) * 7 + (l * 3) % 7);
    const Line source = make_of(from, square), target = make(own(size, others));
    RedistributionPlan plan(comm, from, target.layout());
    plan.execute(exec, source, target);
    EXPECT_EQ(wrong(target, square), 0);
    plan.combine(exec, Sum{}, source, target);
    EXPECT_EQ(wrong(target, [](std::int64_t label) { return 2 * square(label); }), 0);
}

// Element i of a slice is the one with the i-th smallest label, whatever the labels are.
TEST_F(OwnLabels, SlicesOfAnyValueAreNumberedByTheirOrder) {
    const std::int64_t size = 3 * n, apart = std::int64_t{1} << 57;
    Labels labels; // every n-th of the 3 n multiples of 2^57 / n around 0
    for (std::int64_t i = 2; i >= 0; --i) labels.push_back((i * n + me - n) * (apart / n));
    const Line mesh =
        make_of(own(size, labels), [](std::int64_t l) { return static_cast<double>(l); });
    const Line line = make(blocks(size));
    RedistributionPlan plan(comm, mesh.layout(), line.layout(), {.from_slice = {{0, size, 1}}});
    plan.execute(exec, mesh, line);
    EXPECT_EQ(
        wrong(line, [&](std::int64_t i) { return static_cast<double>((i - n) * (apart / n)); }), 0);
}

TEST_F(OwnLabels, SharedOnesAreReadFromTheLowestAndWrittenToAll) {
    const std::int64_t size = 2 * n + 1;
    Labels labels{2 * n, 2 * me, 2 * me + 1}; // label 2 n is on all processes
    if (me + 1 < n) labels.push_back(2 * me + 2);
    const ArrayLayout mesh = own(size, labels);
    const Line line = make(blocks(size));
    const Line source = make_of(mesh, [&](std::int64_t label) {
        const bool is_mine = label == 2 * n ? me == 0 : label == 0 || (label - 1) / 2 == me;
        return is_mine ? square(label) : -1;
    });
    RedistributionPlan gather(comm, mesh, line.layout());
    gather.execute(exec, source, line);
    EXPECT_EQ(wrong(line, square), 0);
    EXPECT_EQ(gather.schedule().delivered_elements(), size);

    const Line target = make(mesh);
    RedistributionPlan scatter(comm, line.layout(), mesh);
    scatter.execute(exec, line, target);
    EXPECT_EQ(wrong(target, square), 0);
    EXPECT_EQ(scatter.schedule().delivered_elements(), 4 * n - 1);
}

// Processes with the same coordinate have the same rows; each states them, and all must agree.
TEST_F(OwnLabels, AlongOneOfTwoAxes) {
    if (n % 2 != 0) GTEST_SKIP() << "for an even number of ranks";
    const std::int64_t rows = 3 * (n / 2), columns = 10;
    const ProcessGrid grid{n / 2, 2};
    const int at = me / 2;
    const Labels labels{3 * at + 2, 3 * at, 3 * at + 1};
    const ArrayLayout from(grid, {unstructured_local(rows, at, labels), block(columns)});
    const ArrayLayout to(ProcessGrid{n, 1}, {cyclic(columns), block(rows)});
    const auto value = [](std::int64_t i, std::int64_t j) {
        return static_cast<double>(100 * i + j);
    };
    const auto a = make_dist_view<double**>(exec, "distview::test::a", comm, from);
    const auto c = make_dist_view<double**>(exec, "distview::test::c", comm, to);
    for (std::int64_t i = 0; i < 3; ++i)
        for (std::int64_t j = 0; j < 5; ++j)
            a.view()(i, j) = value(labels[static_cast<std::size_t>(i)], 5 * (me % 2) + j);
    RedistributionPlan plan(comm, from, to, {.permutation = {1, 0}});
    plan.execute(exec, a, c);
    for (std::int64_t j = 0; j < c.view().extent_int(0); ++j)
        for (std::int64_t i = 0; i < rows; ++i)
            EXPECT_EQ(c.view()(j, i), value(i, c.global_index(0, LocalIndex(j)).value()));

    // One process lists its rows in another order than the process next to it.
    const Labels other = me == n - 1 ? Labels{3 * at, 3 * at + 2, 3 * at + 1} : labels;
    EXPECT_THROW_ON_ALL_RANKS(
        build(ArrayLayout(grid, {unstructured_local(rows, at, other), block(columns)}), to,
              {.permutation = {1, 0}}),
        LayoutError,
        "axis 0 of the source: the 2 processes with coordinate " + std::to_string(n / 2 - 1) +
            " list different indices, for example " + std::to_string(rows - 3));
}

TEST_F(OwnLabels, OfSlicesAndOfSomeRanks) {
    // All ranks but the last are the source's processes, in reverse order.
    const int processes = std::max(1, n - 1);
    std::vector<int> ranks;
    for (int p = 0; p < processes; ++p) ranks.push_back(processes - 1 - p);
    const bool inside = me < processes;
    const int p = processes - 1 - me;
    const std::int64_t size = 4 * processes;
    const Labels labels =
        inside ? Labels{p, p + processes, p + 2 * processes, p + 3 * processes} : Labels();
    const ArrayLayout from(ProcessGrid{processes},
                           {unstructured_local(size, inside ? p : 0, labels)});
    const Line target = make(blocks(2 * processes));
    RedistributionPlan plan(comm, from, target.layout(),
                            {.from_slice = {{size - 1, -1, -2}}, .from_ranks = ranks});
    Line source;
    if (inside) {
        source = Line(exec, "distview::test::source", from, p);
        for_each(source, [](double& element, std::int64_t label) { element = square(label); });
    }
    plan.execute(exec, inside ? &source : nullptr, &target);
    EXPECT_EQ(wrong(target, [&](std::int64_t t) { return square(size - 1 - 2 * t); }), 0);
}

TEST_F(OwnLabels, AlreadyInPlace) {
    const std::int64_t size = 4 * n;
    const Line mesh = make_of(own(size, every_nth(size)), square);
    RedistributionPlan plan(comm, mesh.layout(), mesh.layout());
    EXPECT_TRUE(plan.schedule().is_identity());
    EXPECT_EQ(plan.schedule().wire_elements(), 0);
    plan.execute(exec, mesh, mesh);
    EXPECT_EQ(wrong(mesh, square), 0);
    if (n == 1) return;
    // On one rank two elements are exchanged.
    Labels swapped = every_nth(size);
    if (me == 0) std::swap(swapped[0], swapped[1]);
    EXPECT_FALSE(
        RedistributionPlan(comm, mesh.layout(), own(size, swapped)).schedule().is_identity());
}

TEST_F(OwnLabels, OfNothing) {
    const Line mesh = make(own(0, {})), line = make(blocks(0));
    RedistributionPlan plan(comm, mesh.layout(), line.layout());
    plan.execute(exec, mesh, line);
    EXPECT_EQ(plan.schedule().elements(), 0);
}

TEST_F(OwnLabels, OfOthersAreNotTold) {
    const std::int64_t size = 4 * n;
    const RedistributionPlan plan(comm, own(size, every_nth(size)), blocks(size));
    std::string message = "no such exception";
    try {
        static_cast<void>(plan.schedule().runs_to(me == 0 ? n - 1 : me - 1));
    } catch (const LayoutError& e) {
        message = e.what();
    }
    if (n > 1) {
        EXPECT_EQ(message, "RedistributionSchedule: expected coordinate " + std::to_string(me) +
                               ", the only one whose labels are known, got " +
                               std::to_string(me == 0 ? n - 1 : me - 1));
    }
}

/// The heap bytes that this process allocates to build a plan over all ranks of `comm`, with `each` labels per rank.
std::int64_t bytes_to_build(const Communicator& comm, std::int64_t each, std::int64_t apart) {
    const int n = comm.size();
    const auto labels = [&](std::int64_t stride) {
        Labels result;
        for (std::int64_t l = 0; l < each; ++l)
            result.push_back((stride * l + comm.rank()) % (each * n) * apart);
        return result;
    };
    const auto layout = [&](Labels own) {
        return ArrayLayout(ProcessGrid{n},
                           {unstructured_local(each * n, comm.rank(), std::move(own))});
    };
    const ArrayLayout from = layout(labels(n));
    Labels consecutive;
    for (std::int64_t l = 0; l < each; ++l) consecutive.push_back((comm.rank() * each + l) * apart);
    const ArrayLayout to = layout(consecutive);
    const AllocationCounts counts =
        count_heap_allocations([&] { const RedistributionPlan plan(comm, from, to); });
    return all_reduce(comm, ReduceOperation::max, counts.heap_bytes);
}

// With three times as many processes and equally many labels each, a process must not need more
// memory: it never stores the labels of all others.
TEST_F(OwnLabels, NeedMemoryAsOwnOnesDoWhateverTheNumberOfProcesses) {
    if (n < 6) GTEST_SKIP() << "for 6 ranks and more";
    MPI_Comm pair = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, me / 2, me, &pair);
    for (const std::int64_t apart : {std::int64_t{1}, std::int64_t{1} << 30}) {
        std::int64_t of_pair = 0;
        {
            const Communicator two(pair);
            of_pair = two.size() == 2 ? bytes_to_build(two, 6000, apart) : 0;
        }
        const std::int64_t of_two = all_reduce(comm, ReduceOperation::max, of_pair);
        const std::int64_t of_all = bytes_to_build(comm, 6000, apart);
        // A table of all labels would need 8 bytes for each, and exceed this bound.
        EXPECT_LT(of_all, of_two + of_two / 4) << "apart " << apart;
        RecordProperty("bytes_per_label_" + std::to_string(apart), std::to_string(of_all / 6000));
    }
    MPI_Comm_free(&pair);
}

} // namespace

} // namespace distview::testing
