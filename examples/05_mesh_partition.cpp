// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks of mesh cells are read from a file, moved to the parts of a partitioner, in its order,
// processed there, and moved back to blocks: several fields of different types at once.

#include <distview/algorithms.hpp>
#include <distview/comm/redistribution_plan.hpp>

#include <mpi.h>

#include <cstdio>
#include <exception>
#include <optional>
#include <tuple>
#include <vector>

using namespace distview;
using Exec = Kokkos::DefaultHostExecutionSpace;

/// The cells of each process, in its order. This stands for a graph partitioner: stripes of a square
/// of side x side cells, each numbered along its own diagonal, so that blocks of the file are torn apart.
std::vector<std::vector<std::int64_t>> partition(std::int64_t side, int parts) {
    std::vector<std::vector<std::int64_t>> cells(static_cast<std::size_t>(parts));
    for (std::int64_t diagonal = 0; diagonal < 2 * side - 1; ++diagonal)
        for (std::int64_t column = 0; column < side; ++column) {
            const std::int64_t row = diagonal - column;
            if (row < 0 || row >= side) continue;
            const std::int64_t part = column * parts / side;
            cells[static_cast<std::size_t>(part)].push_back(row * side + column);
        }
    return cells;
}

KOKKOS_FUNCTION double temperature_of(std::int64_t cell) { return 273.0 + double(cell % 1000); }
KOKKOS_FUNCTION int material_of(std::int64_t cell) { return static_cast<int>(cell % 3); }

/// Returns whether the result is right.
bool heat_one_material(const Communicator& comm) {
    const Exec exec;
    constexpr std::int64_t side = 60;

    const ProcessGrid grid{comm.size()};
    const ArrayLayout in_file(grid, {block(side * side)});
    const ArrayLayout in_parts(grid, {unstructured(partition(side, comm.size()), true)});
    const auto file_temperature = make_dist_view<double*>(exec, "temperature", comm, in_file);
    const auto file_material = make_dist_view<int*>(exec, "material", comm, in_file);
    const auto temperature = make_dist_view<double*>(exec, "temperature", comm, in_parts);
    const auto material = make_dist_view<int*>(exec, "material", comm, in_parts);

    // "Read" from a file, in the order of cells.
    fill_with(
        exec, file_temperature, KOKKOS_LAMBDA(std::int64_t cell) { return temperature_of(cell); });
    fill_with(exec, file_material, KOKKOS_LAMBDA(std::int64_t cell) { return material_of(cell); });

    RedistributionPlan distribute(comm, in_file, in_parts);
    RedistributionPlan collect(comm, in_parts, in_file);
    distribute.execute(exec, std::tie(file_temperature, file_material),
                       std::tie(temperature, material));

    // The work: heat one material. The kernel does not use the numbers of cells.
    const auto t = temperature.view();
    const auto m = material.view();
    for_each(
        exec, temperature, KOKKOS_LAMBDA(std::int64_t i) {
            if (m(i) == 1) t(i) += 100.0;
        });

    collect.execute(exec, temperature, file_temperature);

    // Every cell is back at its place in the file, and the cells of material 1 are warmer.
    const auto error = make_dist_view<double*>(exec, "error", comm, in_file);
    fill_with(
        exec, error, KOKKOS_LAMBDA(std::int64_t cell) {
            return temperature_of(cell) + (material_of(cell) == 1 ? 100.0 : 0.0);
        });
    axpby(exec, 1.0, file_temperature, -1.0, error);
    const bool right = norm_inf(exec, comm, error) == 0.0;
    if (comm.rank() == 0)
        std::printf("%s\ntemperatures after the way there and back: %s\n",
                    distribute.schedule().describe().c_str(), right ? "right" : "wrong");
    return right;
}

int main(int argc, char** argv) {
    std::optional<Runtime> runtime;
    try {
        runtime.emplace(argc, argv);
        return heat_one_material(Communicator(MPI_COMM_WORLD)) ? 0 : 1;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "05_mesh_partition: %s\n", error.what());
        MPI_Abort(MPI_COMM_WORLD, 1); // if one rank fails alone, the others would wait for it
    }
}
