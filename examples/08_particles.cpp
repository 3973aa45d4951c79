// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Particles in a periodic box of blocks: every step moves them, and migrates each to the rank that owns its block.
// Positions are integers, so nothing is rounded and the whole run can be checked exactly.

#include <distview/algorithms.hpp>

#include <mpi.h>

#include <array>
#include <cstdio>
#include <exception>
#include <optional>
#include <span>
#include <vector>

using namespace distview;
using Exec = Kokkos::DefaultHostExecutionSpace;

/// The box has cells x cells cells, each of cell_width x cell_width positions.
constexpr std::int64_t cells = 48, cell_width = 1 << 16, box = cells * cell_width;
constexpr std::int64_t particle_count = 20000, steps = 60;

/// Elements may have any trivially copyable type.
struct Vector {
    std::int64_t x = 0, y = 0;
};

KOKKOS_FUNCTION std::int64_t mixed(std::int64_t number, std::int64_t bound) {
    auto bits = static_cast<std::uint64_t>(number) * 0x9e3779b97f4a7c15u;
    bits = (bits ^ (bits >> 31)) * 0xd6e8feb86659fd93u;
    return static_cast<std::int64_t>((bits >> 32) % static_cast<std::uint64_t>(bound));
}
KOKKOS_FUNCTION std::int64_t wrapped(std::int64_t place) { return (place % box + box) % box; }

/// Some particles are slow, some cross several cells in a step.
KOKKOS_FUNCTION Vector velocity_of(std::int64_t id) {
    const std::int64_t most = id % 10 == 0 ? 5 * cell_width : cell_width / 4;
    return {mixed(4 * id, 2 * most) - most, mixed(4 * id + 1, 2 * most) - most};
}
KOKKOS_FUNCTION Vector position_of(std::int64_t id, std::int64_t step) {
    const Vector v = velocity_of(id);
    return {wrapped(mixed(4 * id + 2, box) + step * v.x),
            wrapped(mixed(4 * id + 3, box) + step * v.y)};
}

template <class T>
using List = Kokkos::View<T*, Exec::memory_space>;

struct Particles {
    List<Vector> position, velocity;
    List<std::int64_t> id;
};

/// Some particles on every rank, at any place of the box.
Particles make_particles(const Exec& exec, const Communicator& comm) {
    const std::int64_t first = particle_count * comm.rank() / comm.size();
    const std::int64_t last = particle_count * (comm.rank() + 1) / comm.size();
    const auto count = static_cast<std::size_t>(last - first);
    const Particles made{List<Vector>("position", count), List<Vector>("velocity", count),
                         List<std::int64_t>("id", count)};
    Kokkos::parallel_for(
        "make particles", Kokkos::RangePolicy(exec, 0, last - first),
        KOKKOS_LAMBDA(std::int64_t k) {
            made.id(k) = first + k;
            made.position(k) = position_of(first + k, 0);
            made.velocity(k) = velocity_of(first + k);
        });
    return made;
}

void move(const Exec& exec, const Particles& particles) {
    Kokkos::parallel_for(
        "move", Kokkos::RangePolicy(exec, 0, particles.id.extent(0)), KOKKOS_LAMBDA(std::size_t k) {
            Vector& place = particles.position(k);
            place.x = wrapped(place.x + particles.velocity(k).x);
            place.y = wrapped(place.y + particles.velocity(k).y);
        });
}

/// The rank that owns the block of each particle.
std::vector<int> owners(const Exec& exec, const ArrayLayout& layout, const Particles& particles) {
    std::vector<int> result(particles.id.extent(0));
    const AxisLayout rows = layout.axis(0), columns = layout.axis(1);
    const int columns_of_processes = layout.grid().extent(1);
    int* const target = result.data();
    Kokkos::parallel_for(
        "owners", Kokkos::RangePolicy(exec, 0, result.size()), KOKKOS_LAMBDA(std::size_t k) {
            const Vector place = particles.position(k);
            target[k] = rows.owner(GlobalIndex(place.x / cell_width)) * columns_of_processes +
                        columns.owner(GlobalIndex(place.y / cell_width));
        });
    exec.fence("08_particles: the plan reads targets that a kernel has written");
    return result;
}

/// Moves each particle to its owner, in all fields.
std::int64_t migrate(const Exec& exec, const Communicator& comm, const ArrayLayout& layout,
                     Particles& particles) {
    MigrationPlan plan(comm, owners(exec, layout, particles));
    const auto [position, velocity, id] =
        plan.moved(exec, particles.position, particles.velocity, particles.id);
    particles = {position, velocity, id};
    return plan.source_size() - plan.kept();
}

/// Number of particles whose place differs from that in a box that is not distributed.
std::int64_t count_wrong(const ArrayLayout& layout, int rank, const Particles& particles) {
    std::int64_t wrong = 0;
    for (std::size_t k = 0; k < particles.id.extent(0); ++k) {
        const Vector place = particles.position(k);
        const Vector expected = position_of(particles.id(k), steps);
        const int owner = layout.owner(
            std::array{GlobalIndex(place.x / cell_width), GlobalIndex(place.y / cell_width)});
        if (place.x != expected.x || place.y != expected.y || owner != rank) ++wrong;
    }
    return wrong;
}

/// Returns whether the result is right.
bool fly(const Communicator& comm) {
    const Exec exec;
    const ArrayLayout layout(ProcessGrid::balanced(comm.size(), 2), {block(cells), block(cells)});

    Particles particles = make_particles(exec, comm);
    std::int64_t moved = 0;
    migrate(exec, comm, layout, particles); // to the owners of their first places
    for (std::int64_t step = 0; step < steps; ++step) {
        move(exec, particles);
        moved += migrate(exec, comm, layout, particles);
    }
    exec.fence("08_particles: the host reads what a kernel has written");

    // Over all ranks: number, sum of the ids, momentum, wrong particles, migrations.
    std::array<std::int64_t, 6> sums{static_cast<std::int64_t>(particles.id.extent(0))};
    for (std::size_t k = 0; k < particles.id.extent(0); ++k) {
        sums[1] += particles.id(k);
        sums[2] += particles.velocity(k).x;
        sums[3] += particles.velocity(k).y;
    }
    sums[4] = count_wrong(layout, comm.rank(), particles);
    sums[5] = moved;
    all_reduce(comm, ReduceOperation::sum, std::span<std::int64_t>(sums));

    std::array<std::int64_t, 4> expected{particle_count};
    for (std::int64_t id = 0; id < particle_count; ++id) {
        expected[1] += id;
        expected[2] += velocity_of(id).x;
        expected[3] += velocity_of(id).y;
    }
    bool right = sums[4] == 0;
    for (std::size_t i = 0; i < expected.size(); ++i) right = right && sums[i] == expected[i];
    if (comm.rank() == 0)
        std::printf("%lld particles, %lld steps, %lld migrations; %lld at a wrong place; number, "
                    "ids and momentum: %s\n",
                    static_cast<long long>(sums[0]), static_cast<long long>(steps),
                    static_cast<long long>(sums[5]), static_cast<long long>(sums[4]),
                    right ? "right" : "wrong");
    return right;
}

int main(int argc, char** argv) {
    std::optional<Runtime> runtime;
    try {
        runtime.emplace(argc, argv);
        return fly(Communicator(MPI_COMM_WORLD)) ? 0 : 1;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "08_particles: %s\n", error.what());
        MPI_Abort(MPI_COMM_WORLD, 1); // if one rank fails alone, the others would wait for it
    }
}
