// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Linear finite elements on triangles. Each process has cells. A contribution to a vertex of another process goes
// to a copy of that vertex (a ghost), and combine() adds it to the owner's element.

#include <distview/algorithms.hpp>
#include <distview/comm/ghost_exchange_plan.hpp>

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <numbers>
#include <optional>
#include <vector>

using namespace distview;
using Exec = Kokkos::DefaultHostExecutionSpace;
using Cell = std::array<std::int64_t, 3>; // its vertices, anticlockwise

constexpr std::int64_t side =
    40; // of the unit square, in small squares; each is cut into two cells
constexpr std::int64_t in_row = side + 1; // vertices in a row

/// Coordinate 0 or 1 of a vertex: inner vertices are moved away from their place in a regular mesh.
KOKKOS_FUNCTION double coordinate(std::int64_t vertex, int axis) {
    const std::int64_t at[] = {vertex % in_row, vertex / in_row};
    const bool inner = 0 < at[0] && at[0] < side && 0 < at[1] && at[1] < side;
    const double moved = inner ? 0.2 * Kokkos::sin(double(vertex * 29 + axis)) : 0.0;
    return (double(at[axis]) + moved) / double(side);
}

std::vector<Cell> make_cells() {
    std::vector<Cell> cells;
    for (std::int64_t j = 0; j < side; ++j)
        for (std::int64_t i = 0; i < side; ++i) {
            const std::int64_t a = j * in_row + i, b = a + 1, c = a + in_row, d = c + 1;
            const bool rising = (i * 7 + j * 3) % 5 < 2;
            cells.push_back({a, b, rising ? d : c});
            cells.push_back({rising ? a : b, d, c});
        }
    return cells;
}

/// The process of a cell: a slice of the square around its centre. This stands for a graph partitioner.
int process_of(const Cell& cell, int processes) {
    double middle[] = {0, 0};
    for (const std::int64_t vertex : cell)
        for (int axis = 0; axis < 2; ++axis) middle[axis] += coordinate(vertex, axis) / 3;
    const double turns = std::atan2(middle[1] - 0.5, middle[0] - 0.5) / (2 * std::numbers::pi);
    return std::min(static_cast<int>((turns + 0.5) * processes), processes - 1);
}

/// The part of the mesh on one process.
struct Part {
    std::vector<std::int64_t> vertices; // owned vertices: no lower process has a cell with them
    std::vector<std::int64_t> corners;  // three vertices for each of its cells
    std::vector<int> cells_of_vertex;   // counts cells of all processes, for comparison
};

Part make_part(const Communicator& comm) {
    Part part;
    std::vector<int> owner(in_row * in_row, comm.size());
    std::vector<int> cells_of(in_row * in_row, 0);
    for (const Cell& cell : make_cells()) {
        const int process = process_of(cell, comm.size());
        for (const std::int64_t vertex : cell) {
            owner[std::size_t(vertex)] = std::min(owner[std::size_t(vertex)], process);
            ++cells_of[std::size_t(vertex)];
            if (process == comm.rank()) part.corners.push_back(vertex);
        }
    }
    for (std::int64_t vertex = 0; vertex < in_row * in_row; ++vertex)
        if (owner[std::size_t(vertex)] == comm.rank()) {
            part.vertices.push_back(vertex);
            part.cells_of_vertex.push_back(cells_of[std::size_t(vertex)]);
        }
    return part;
}

/// Twice the area of a triangle and, for each corner, the gradient of its shape function times that.
struct Triangle {
    double slope[3][2];
    double twice_area;

    KOKKOS_FUNCTION Triangle(const double (&x)[3], const double (&y)[3]) {
        for (int k = 0; k < 3; ++k) {
            const int next = (k + 1) % 3, last = (k + 2) % 3;
            slope[k][0] = y[next] - y[last];
            slope[k][1] = x[last] - x[next];
        }
        twice_area = slope[1][0] * slope[2][1] - slope[1][1] * slope[2][0];
    }
};

using Array = DistView<double*, Exec::memory_space>;

/// Arrays on the vertices.
struct Fields {
    Array x, y, u;
    Array load, stiffness; // the integral of each shape function; the stiffness matrix times u
    DistView<int*, Exec::memory_space> cells;
};

Fields make_fields(const Exec& exec, const Communicator& comm, const ArrayLayout& layout) {
    const auto make = [&](const char* label) {
        return make_dist_view<double*>(exec, label, comm, layout);
    };
    return {make("x"),    make("y"),         make("u"),
            make("load"), make("stiffness"), make_dist_view<int*>(exec, "cells", comm, layout)};
}

/// Adds the contributions of each cell to its corners, whether owned by this process or ghosts.
void add_cells(const Exec& exec, const Fields& fields, const std::vector<std::int64_t>& corners) {
    const auto x = fields.x.view(), y = fields.y.view(), u = fields.u.view();
    const auto load = fields.load.view(), stiffness = fields.stiffness.view();
    const auto cells = fields.cells.view();
    const std::int64_t* const positions = corners.data();
    Kokkos::parallel_for(
        "add_cells", Kokkos::RangePolicy<Exec>(exec, 0, std::int64_t(corners.size()) / 3),
        KOKKOS_LAMBDA(std::int64_t cell) {
            const std::int64_t* const at = positions + 3 * cell;
            const Triangle triangle({x(at[0]), x(at[1]), x(at[2])}, {y(at[0]), y(at[1]), y(at[2])});
            double gradient[] = {0, 0};
            for (int k = 0; k < 3; ++k)
                for (int d = 0; d < 2; ++d)
                    gradient[d] += triangle.slope[k][d] * u(at[k]) / triangle.twice_area;
            for (int k = 0; k < 3; ++k) {
                const double(&slope)[2] = triangle.slope[k];
                Kokkos::atomic_add(&load(at[k]), triangle.twice_area / 6);
                Kokkos::atomic_add(&stiffness(at[k]),
                                   (slope[0] * gradient[0] + slope[1] * gradient[1]) / 2);
                Kokkos::atomic_add(&cells(at[k]), 1);
            }
        });
}

/// Whether all vertices got each contribution once: then the loads add up to the area 1, and u has the gradient (2, -3)
/// and no residual at inner vertices.
bool check(const Exec& exec, const Communicator& comm, const Fields& fields, const Part& part) {
    const auto x = fields.x.view(), y = fields.y.view(), stiffness = fields.stiffness.view();
    const double area = sum(exec, comm, fields.load);
    const double energy = dot(exec, comm, fields.u, fields.stiffness);
    double residual = 0;
    reduce(
        exec, comm, fields.stiffness,
        KOKKOS_LAMBDA(std::int64_t i, double& largest) {
            if (0 < x(i) && x(i) < 1 && 0 < y(i) && y(i) < 1)
                largest = Kokkos::max(largest, Kokkos::abs(stiffness(i)));
        },
        Kokkos::Max<double>(residual));
    std::int64_t wrong = 0;
    for (std::size_t i = 0; i < part.vertices.size(); ++i)
        wrong += fields.cells.view()(i) == part.cells_of_vertex[i] ? 0 : 1;
    wrong = all_reduce(comm, ReduceOperation::sum, wrong);
    // Energy is first, because std::max() returns its first argument if that is NaN.
    const double error = std::max({std::abs(energy - 13), std::abs(area - 1), residual});
    const bool right = wrong == 0 && error < 1e-12;
    if (comm.rank() == 0)
        std::printf("area %.12f, energy %.12f; vertices that miss a cell or have one twice: %lld; "
                    "by %.1e: %s\n",
                    area, energy, static_cast<long long>(wrong), error, right ? "right" : "wrong");
    return right;
}

/// Returns whether the results are right.
bool assemble(const Communicator& comm) {
    const Exec exec;
    const Part part = make_part(comm);
    const GhostedLayout ghosted = make_ghosted_layout(comm, part.vertices, part.corners);
    const Fields fields = make_fields(exec, comm, ghosted.layout);
    GhostExchangePlan ghosts(comm, ghosted);

    // Owners compute the places of their vertices, and a linear function there; ghosts get both from their owners.
    const auto x = fields.x.view(), y = fields.y.view(), u = fields.u.view();
    for (std::size_t i = 0; i < part.vertices.size(); ++i) {
        x(i) = coordinate(part.vertices[i], 0);
        y(i) = coordinate(part.vertices[i], 1);
        u(i) = 2.0 * x(i) - 3.0 * y(i) + 1.0;
    }
    ghosts.execute(exec, fields.x, fields.y, fields.u);

    add_cells(exec, fields, ghosted.positions); // of the corners, in the order of part.corners
    ghosts.combine(exec, Sum{}, fields.load, fields.stiffness, fields.cells);
    return check(exec, comm, fields, part);
}

int main(int argc, char** argv) {
    std::optional<Runtime> runtime;
    try {
        runtime.emplace(argc, argv);
        return assemble(Communicator(MPI_COMM_WORLD)) ? 0 : 1;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "07_finite_elements: %s\n", error.what());
        MPI_Abort(MPI_COMM_WORLD, 1); // if one rank fails alone, the others would wait for it
    }
}
