// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "instantiations.hpp"

#include <distview/core.hpp>

namespace distview::testing {

namespace {

template <class View>
void use_view(const Cuda& exec) {
    const ArrayLayout layout = some_layout(1);
    const View view(exec, "view", layout, 0);
    const DistViewOf<Kokkos::View<typename View::view_type::const_data_type,
                                  typename View::array_layout, typename View::device_type>>
        read_only(view);
    const auto host = create_mirror_view(read_only);
    deep_copy(exec, host, read_only);
    const auto owned = view.owned();
    const AnyDistView any(view);
    const auto again = dist_view_cast<View>(any);
    Kokkos::deep_copy(exec, owned, typename View::value_type(1));
    Kokkos::deep_copy(exec, again.view(), typename View::value_type(2));
}

} // namespace

void use_core(const Cuda& exec) {
    use_view<OnDevice<double***>>(exec);
    use_view<OnDevice<float***, Kokkos::LayoutLeft>>(exec);
    use_view<Managed<int***>>(exec);
    use_view<Pinned<double***>>(exec);

    // Kernels query layouts.
    const DeviceLayout<Kokkos::CudaSpace> layout(exec, some_layout(1));
    const BlockLayout axis = some_layout(1).axis(0).as_block();
    const Kokkos::View<std::int64_t*, Kokkos::CudaSpace> answers("answers", 8);
    Kokkos::parallel_for(
        "ask", Kokkos::RangePolicy<Cuda>(exec, 0, 8), KOKKOS_LAMBDA(int i) {
            const GlobalIndex g(i);
            answers(i) = layout.owner(g, g, g) + axis.to_global(0, LocalIndex(i)).value() +
                         (g < 3 && GlobalRange{GlobalIndex(0), g}.contains(GlobalIndex(1)) ? 1 : 0);
        });
    exec.fence("distview::test: answers are there");
}

} // namespace distview::testing
