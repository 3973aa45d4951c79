// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One of two programs that pass an array to the other, doubled, and back: "sends OTHER" begins, "receives OTHER" doubles;
// OTHER is the other program's name. between_c.c and between_fortran.f90 do the same. Element (i, j) is 1000 i + j + 1.
#include <distview/algorithms.hpp>

#include <mpi.h>

#include <cstdio>
#include <cstring>
#include <string>

using namespace distview;

namespace {

constexpr std::int64_t rows = 30;
constexpr std::int64_t columns = 22;
int wrong = 0;

void check(bool is_right, const char* what) {
    if (is_right) return;
    std::fprintf(stderr, "between_cpp: wrong: %s\n", what);
    wrong = 1;
}

template <class View>
void for_each_element(const View& view, auto&& action) {
    const auto cells = view.owned();
    const GridCoordinates at = view.layout().coordinates(view.process());
    for (std::size_t i = 0; i < cells.extent(0); ++i)
        for (std::size_t j = 0; j < cells.extent(1); ++j) {
            const auto global = [&](int d, std::size_t l) {
                return view.layout().axis(d).to_global(at[static_cast<std::size_t>(d)],
                                                       LocalIndex(static_cast<std::int64_t>(l)));
            };
            action(cells(i, j), 1000.0 * static_cast<double>(global(0, i).value()) +
                                    static_cast<double>(global(1, j).value()) + 1);
        }
}

/// Requires an error; both programs must make the call together.
void refuse(const OtherProgram& other, const ArrayLayout& layout,
            const RedistributionOptions& options, bool sends, const char* expected) {
    std::string message;
    try {
        sends ? other.plan_to(layout, options) : other.plan_from(layout, options);
    } catch (const Error& error) {
        message = error.what();
    }
    check(message.find(expected) != std::string::npos, (expected + (": " + message)).c_str());
}

/// `with_cpp`: whether the other program is between_cpp.cpp, too.
void meet(MPI_Comm own, MPI_Comm intercommunicator, bool begins, bool with_cpp) {
    const Kokkos::DefaultHostExecutionSpace exec;
    const Communicator comm(own);
    const OtherProgram other(intercommunicator);
    const ProcessGrid grid = ProcessGrid::balanced(comm.size(), 2);
    const ArrayLayout mine =
        begins ? ArrayLayout(grid, {block(rows), block(columns)})
               : ArrayLayout(grid, {block_cyclic(rows, 4), block_cyclic(columns, 3)});
    const ArrayLayout theirs = other.exchange(begins ? mine : ArrayLayout());
    if (begins)
        check(theirs == ArrayLayout(), "a program that says nothing");
    else
        check(theirs.rank() == 2 && theirs.extent(0) == rows && theirs.extent(1) == columns &&
                  theirs.process_count() == static_cast<int>(other.ranks().size()),
              "the other program's layout");
    const auto a = make_dist_view<double**>(exec, "a", comm, mine);
    fill(exec, a, -1.0);
    RedistributionPlan there = begins ? other.plan_to(mine) : other.plan_from(mine);
    RedistributionPlan back = begins ? other.plan_from(mine) : other.plan_to(mine);
    for (int turn = 1; turn <= 3; ++turn) {
        if (begins) {
            for_each_element(a, [&](double& x, double expected) { x = turn * expected; });
            there.execute(exec, a, other.nothing_of(a));
            back.execute(exec, other.nothing_of(a), a);
        } else {
            there.execute(exec, other.nothing_of(a), a);
        }
        for_each_element(a, [&](double& x, double expected) {
            check(x == (begins ? 2 : 1) * turn * expected, begins ? "doubled" : "received");
            x *= 2;
        });
        if (!begins) back.execute(exec, a, other.nothing_of(a));
    }
    if (!with_cpp) return;
    // Layouts of all kinds must arrive unchanged.
    const int n = comm.size();
    std::vector<std::vector<std::int64_t>> labels(static_cast<std::size_t>(n));
    for (int p = 0; p < n; ++p) labels[static_cast<std::size_t>(p)] = {2 * p + 1, 2 * p};
    std::vector<std::int64_t> bounds(static_cast<std::size_t>(n) + 1);
    std::vector<Widths> paddings(static_cast<std::size_t>(n));
    for (int p = 0; p < n; ++p) bounds[static_cast<std::size_t>(p) + 1] = 3 * (p + 1);
    for (int p = 0; p < n; ++p) paddings[static_cast<std::size_t>(p)] = Widths(p > 0, p + 1 < n);
    const ArrayLayout kinds[] = {
        {ProcessGrid{n, 1},
         {unstructured(labels, true), block(5, {.padding = 2, .periodic = true})}},
        {ProcessGrid{1, n}, {cyclic(7), block_bounds(bounds, {}, paddings)}},
        {ProcessGrid{n}, {regular_block(9, {.padding = {1, 0}, .boundary = {3, 0}})}},
        ArrayLayout()};
    for (const ArrayLayout& layout : kinds) {
        const ArrayLayout got = other.exchange(layout);
        check(other.exchange(got) == layout, "a layout goes there and back");
    }
    refuse(other, mine, {}, true, "plan_to() on all ranks of one program");
    refuse(other, begins ? mine : ArrayLayout(grid, {block(rows), block(columns + 1)}), {}, begins,
           "expected 23 cells, got 22");
}

} // namespace

int main(int argc, char** argv) {
    Runtime runtime(argc, argv);
    const bool begins = argc > 1 && std::strcmp(argv[1], "sends") == 0;
    const std::string partner = argc > 2 ? argv[2] : "";
    // One mpirun has started both programs; the ranks of the sending program are first.
    MPI_Comm own = MPI_COMM_NULL;
    MPI_Comm other = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, begins ? 0 : 1, 0, &own);
    int rank = 0;
    int size = 0;
    MPI_Comm_rank(own, &rank);
    MPI_Comm_size(own, &size);
    MPI_Intercomm_create(own, 0, MPI_COMM_WORLD, begins ? size : 0, 1, &other);
    meet(own, other, begins, partner.find("cpp") != std::string::npos);
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    MPI_Comm_free(&other);
    MPI_Comm_free(&own);
    if (begins && rank == 0) std::puts(wrong ? "DISTVIEW-TEST-FAILED" : "DISTVIEW-TEST-PASSED");
    return wrong;
}
