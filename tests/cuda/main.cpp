// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "instantiations.hpp"

#include <distview/comm/runtime.hpp>

#include <mpi.h>

int main(int argc, char** argv) {
    using namespace distview;
    const Runtime runtime(argc, argv);
    const Communicator comm(MPI_COMM_WORLD);
    const testing::Cuda exec;
    testing::use_core(exec);
    testing::use_exports(exec);
    testing::use_padding_exchange(exec, comm);
    testing::use_redistribution(exec, comm);
    testing::use_algorithms(exec, comm);
    testing::use_reductions(exec, comm);
    testing::use_reproducible(exec, comm);
    testing::use_local_copies(exec, comm);
    testing::use_along_axes(exec, comm);
    testing::use_elements_by_index(exec, comm);
    return 0;
}
