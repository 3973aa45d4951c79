// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The redistributions of a three-dimensional Fourier transform. In the slab layout planes of x are dealt out over
// the ranks: lines along z and, once z and y have changed places, along y are whole on every rank.
// For the lines along x the array moves to a grid over the other two axes (pencils), and back.

#include <distview/algorithms.hpp>
#include <distview/comm/redistribution_plan.hpp>

#include <mpi.h>

#include <cstdio>
#include <exception>
#include <numbers>
#include <optional>
#include <vector>

using namespace distview;
using Exec = Kokkos::DefaultHostExecutionSpace;
using Complex = Kokkos::complex<double>;

KOKKOS_FUNCTION Complex turned(double turns) {
    const double angle = 2 * std::numbers::pi * turns;
    return {Kokkos::cos(angle), Kokkos::sin(angle)};
}

/// The Fourier transform of all lines along the last axis, by its definition. Each line is contiguous
/// in memory: a real program calls its FFT library here.
template <class Array>
void transform_lines(const Array& array, double sign) {
    const auto a = array.view();
    const std::size_t n = a.extent(2);
    std::vector<Complex> roots(n);
    for (std::size_t k = 0; k < n; ++k) roots[k] = turned(sign * double(k) / double(n));
    std::vector<Complex> line(n);
    for (std::size_t i = 0; i < a.extent(0); ++i)
        for (std::size_t j = 0; j < a.extent(1); ++j) {
            for (std::size_t k = 0; k < n; ++k) {
                line[k] = 0;
                for (std::size_t l = 0; l < n; ++l) line[k] += roots[k * l % n] * a(i, j, l);
            }
            for (std::size_t k = 0; k < n; ++k) a(i, j, k) = line[k];
        }
}

/// Returns whether the result is right.
bool transform_wave(const Communicator& comm) {
    const Exec exec;
    constexpr std::int64_t nx = 20, ny = 12, nz = 15;
    constexpr std::int64_t kx = 3, ky = 7, kz = 2; // the wave number
    constexpr double cells = nx * ny * nz;

    // Three layouts of one array, named by the order of its axes.
    const ProcessGrid slabs{comm.size(), 1, 1};
    const ProcessGrid plane = ProcessGrid::balanced(comm.size(), 2);
    const ProcessGrid pencils{plane.extent(0), plane.extent(1), 1};
    const ArrayLayout xyz(slabs, {block(nx), block(ny), block(nz)});
    const ArrayLayout xzy(slabs, {block(nx), block(nz), block(ny)});
    const ArrayLayout yzx(pencils, {block(ny), block(nz), block(nx)});
    const auto u_xyz = make_dist_view<Complex***>(exec, "x y z", comm, xyz);
    const auto u_xzy = make_dist_view<Complex***>(exec, "x z y", comm, xzy);
    const auto u_yzx = make_dist_view<Complex***>(exec, "y z x", comm, yzx);

    // Axis d of the target is axis permutation[d] of the source. Plans are made once, for many transforms.
    RedistributionPlan to_y(comm, xyz, xzy,
                            {.permutation = {0, 2, 1}}); // moves nothing between ranks
    RedistributionPlan to_x(comm, xzy, yzx, {.permutation = {2, 1, 0}});
    RedistributionPlan from_x(comm, yzx, xzy, {.permutation = {2, 1, 0}});
    RedistributionPlan from_y(comm, xzy, xyz, {.permutation = {0, 2, 1}});

    const auto wave = KOKKOS_LAMBDA(std::int64_t x, std::int64_t y, std::int64_t z) {
        return turned(double(kx * x) / nx + double(ky * y) / ny + double(kz * z) / nz);
    };
    fill_with(exec, u_xyz, wave);
    exec.fence("04_slab_to_pencil: the host reads what a kernel has written");

    transform_lines(u_xyz, -1);
    to_y.execute(exec, u_xyz, u_xzy);
    transform_lines(u_xzy, -1);
    to_x.execute(exec, u_xzy, u_yzx);
    transform_lines(u_yzx, -1);

    // The spectrum of one wave is a single number.
    const auto error_yzx = make_dist_view<Complex***>(exec, "error of the spectrum", comm, yzx);
    fill_with(
        exec, error_yzx, KOKKOS_LAMBDA(std::int64_t y, std::int64_t z, std::int64_t x) {
            return Complex(x == kx && y == ky && z == kz ? cells : 0.0);
        });
    axpby(exec, Complex(1 / cells), u_yzx, Complex(-1 / cells), error_yzx);
    const double error = norm_inf(exec, comm, error_yzx);

    transform_lines(u_yzx, +1);
    from_x.execute(exec, u_yzx, u_xzy);
    transform_lines(u_xzy, +1);
    from_y.execute(exec, u_xzy, u_xyz);
    transform_lines(u_xyz, +1);

    const auto error_xyz = make_dist_view<Complex***>(exec, "error of the wave", comm, xyz);
    fill_with(exec, error_xyz, wave);
    axpby(exec, Complex(1 / cells), u_xyz, Complex(-1), error_xyz);
    const double error_of_return = norm_inf(exec, comm, error_xyz);

    const bool right = error < 1e-12 && error_of_return < 1e-12;
    if (comm.rank() == 0)
        std::printf("%s\nspectrum off by %.1e, wave after the inverse transform by %.1e: %s\n",
                    to_x.schedule().describe().c_str(), error, error_of_return,
                    right ? "right" : "wrong");
    return right;
}

int main(int argc, char** argv) {
    std::optional<Runtime> runtime;
    try {
        runtime.emplace(argc, argv);
        return transform_wave(Communicator(MPI_COMM_WORLD)) ? 0 : 1;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "04_slab_to_pencil: %s\n", error.what());
        MPI_Abort(MPI_COMM_WORLD, 1); // if one rank fails alone, the others would wait for it
    }
}
