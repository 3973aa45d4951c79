// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/plan/padding_runners.hpp>

namespace distview::impl {

#ifdef KOKKOS_ENABLE_SERIAL
template void run_boxes(const Kokkos::Serial&, const std::string&, int, int, const CopyBoxes&);
#endif
#ifdef KOKKOS_ENABLE_OPENMP
template void run_boxes(const Kokkos::OpenMP&, const std::string&, int, int, const CopyBoxes&);
#endif

} // namespace distview::impl
