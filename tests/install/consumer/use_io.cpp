// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm.hpp>
#include <distview/io.hpp>

#include <mpi.h>

#include <cstdio>

int main(int argc, char** argv) {
    distview::Runtime runtime(argc, argv);
    const distview::Communicator comm(MPI_COMM_WORLD);
    const Kokkos::DefaultHostExecutionSpace exec;
    const auto make = [&](distview::AxisSpec axis) {
        return distview::make_dist_view<double*>(
            exec, "a", comm, distview::ArrayLayout(distview::ProcessGrid{comm.size()}, {axis}));
    };
    const auto a = make(distview::block(12));
    const auto b = make(distview::cyclic(12));
    for (distview::LocalIndex l = a.interior_range(0).begin; l < a.interior_range(0).end; ++l)
        a.view()(l.value()) = static_cast<double>(a.global_index(0, l).value());
    const bool has_hdf5 = distview::has_hdf5();
    const std::string name = has_hdf5 ? "use_io.h5" : "use_io.npy";
    if (has_hdf5) {
        distview::save_hdf5(comm, name, {{"a", a}});
        distview::load_hdf5(comm, name, {{"a", b}});
    } else {
        distview::save_npy(comm, name, a);
        distview::load_npy(comm, name, b);
    }
    bool right = true;
    for (distview::LocalIndex l = b.interior_range(0).begin; l < b.interior_range(0).end; ++l)
        right = right && b.view()(l.value()) == static_cast<double>(b.global_index(0, l).value());
    std::printf("rank %d: %s is %s\n", comm.rank(), name.c_str(), right ? "right" : "wrong");
    return right ? 0 : 1;
}
