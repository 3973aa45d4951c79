// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/algorithms.hpp>

#include <mpi.h>

#include <cstdio>

int main(int argc, char** argv) {
    distview::Runtime runtime(argc, argv);
    const distview::Communicator comm(MPI_COMM_WORLD);
    const Kokkos::DefaultHostExecutionSpace exec;
    const distview::ArrayLayout layout(distview::ProcessGrid{comm.size()}, {distview::block(11)});
    const auto a = distview::make_dist_view<double*>(exec, "a", comm, layout);
    distview::fill(exec, a, 3.0);
    const double total = distview::sum(exec, comm, a);
    if (comm.rank() == 0) std::printf("sum %g\n", total);
    return total == 33.0 ? 0 : 1;
}
