// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/make_dist_view.hpp>

namespace distview::testing {

/// An array that neighbours read in place, or a wrapped array in private memory. Collective.
inline DistView<double**> shared_or_wrapped(const Communicator& comm, const ArrayLayout& layout,
                                            bool wrapped) {
    if (!wrapped)
        return make_dist_view<double**>(Kokkos::DefaultHostExecutionSpace(), "array", comm, layout);
    const Extents extents = layout.local_extents(comm.rank());
    return wrap_dist_view(comm, layout,
                          DistView<double**>::view_type("array", extents[0], extents[1]), "array");
}

} // namespace distview::testing
