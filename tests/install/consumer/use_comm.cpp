// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm.hpp>

#include <mpi.h>

#include <cstdio>

int main(int argc, char** argv) {
    distview::Runtime runtime(argc, argv);
    const distview::Communicator comm(MPI_COMM_WORLD);
    const Kokkos::DefaultHostExecutionSpace exec;
    const distview::ArrayLayout layout(distview::ProcessGrid{comm.size()},
                                       {distview::block(12, {.padding = 1, .periodic = true})});
    const auto a = distview::make_dist_view<int*>(exec, "a", comm, layout);
    Kokkos::deep_copy(exec, a.view(), comm.rank());
    exec.fence("the values are written");

    distview::PaddingExchangePlan plan(comm, layout);
    plan.execute(exec, a);
    const int left = (comm.rank() + comm.size() - 1) % comm.size();
    std::printf("rank %d: %d from the left\n", comm.rank(), a.view()(0));
    return a.view()(0) == left ? 0 : 1;
}
