// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/communicator.hpp>
#include <distview/core/dist_view.hpp>

#include <Kokkos_Core.hpp>

namespace distview::testing {

using Cuda = Kokkos::Cuda;
template <class Data, class Layout = Kokkos::LayoutRight>
using OnDevice = DistView<Data, Layout, Kokkos::CudaSpace>;
template <class Data>
using Managed = DistView<Data, Kokkos::CudaUVMSpace>;
template <class Data>
using Pinned = DistView<Data, Kokkos::CudaHostPinnedSpace>;

// The instantiations, by component; each could also run on a device.
void use_core(const Cuda& exec);
void use_exports(const Cuda& exec);
void use_padding_exchange(const Cuda& exec, const Communicator& comm);
void use_redistribution(const Cuda& exec, const Communicator& comm);
void use_algorithms(const Cuda& exec, const Communicator& comm);
void use_reductions(const Cuda& exec, const Communicator& comm);
void use_reproducible(const Cuda& exec, const Communicator& comm);
void use_local_copies(const Cuda& exec, const Communicator& comm);
void use_along_axes(const Cuda& exec, const Communicator& comm);
void use_elements_by_index(const Cuda& exec, const Communicator& comm);

/// A layout with padding and with 8 x 6 x 5 cells on each process.
inline ArrayLayout some_layout(int processes) {
    return {ProcessGrid{processes, 1, 1},
            {block(8 * processes, {.padding = 1, .periodic = true}),
             block(6, {.padding = 1, .periodic = true}), block(5, {.padding = 1})}};
}

} // namespace distview::testing
