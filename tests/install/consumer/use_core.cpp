// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/core.hpp>

#include <cstdio>

#ifdef MPI_VERSION
#error "core includes mpi.h"
#endif

int main(int argc, char** argv) {
    const Kokkos::ScopeGuard kokkos(argc, argv);
    const Kokkos::DefaultExecutionSpace exec;
    const distview::ArrayLayout layout(distview::ProcessGrid{2, 3},
                                       {distview::block(10, {.padding = 1}), distview::cyclic(7)});
    std::int64_t cells = 0;
    for (int process = 0; process < layout.process_count(); ++process) {
        const distview::DistView<double**> a(exec, "a", layout, process);
        cells += a.interior_range(0).size() * a.interior_range(1).size();
    }
    std::printf("distview %s: %lld cells\n", distview::build_info().version.c_str(),
                static_cast<long long>(cells));
    return cells == 70 ? 0 : 1;
}
