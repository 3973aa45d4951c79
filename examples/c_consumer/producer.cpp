// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes a DistView to a C library that does not depend on it. One program plays all processes in turn,
// so that it needs no MPI; with MPI, each rank would pass its own section.

#include "consumer.h"

#include <distview/core.hpp>

#include <cstdio>
#include <cstdlib>

using namespace distview;

namespace {

using Array = DistView<double**, Kokkos::HostSpace>;

/// The section of `process`, padding included: element (i, j) of the whole array is 100 i + j.
Array make_section(const ArrayLayout& layout, int process) {
    Array u(Kokkos::DefaultHostExecutionSpace(), "u", layout, process);
    for (LocalIndex i(0); i < layout.local_extents(process)[0]; ++i)
        for (LocalIndex j(0); j < layout.local_extents(process)[1]; ++j)
            u.view()(i.value(), j.value()) =
                100.0 * static_cast<double>(u.global_index(0, i).value()) +
                static_cast<double>(u.global_index(1, j).value());
    return u;
}

} // namespace

int main(int argc, char** argv) {
    const Kokkos::ScopeGuard kokkos(argc, argv);
    // 10 rows in blocks, each with one row of its neighbour; 7 columns dealt out in pairs.
    const ArrayLayout layout(ProcessGrid{2, 2},
                             {block(10, {.padding = 1, .boundary = 0}), block_cyclic(7, 2)});
    double total = 0;
    for (int process = 0; process < layout.process_count(); ++process) {
        distview_dap_section section;
        {
            const Array u = make_section(layout, process);
            Kokkos::DefaultHostExecutionSpace().fence("c_consumer: the section is filled");
            protocol::to_dap(u, &section);
        } // u is destroyed; the section keeps the memory
        double sum = 0;
        if (consume(&section, &sum) != 0) return EXIT_FAILURE;
        total += sum;
    }

    const double expected = 100.0 * 45 * 7 + 21.0 * 10;
    std::printf("sum over all processes: %g, expected %g\n", total, expected);
    return total == expected ? EXIT_SUCCESS : EXIT_FAILURE;
}
