// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "instantiations.hpp"

#include <distview/core.hpp>

#include <memory>

namespace distview::testing {

namespace {

template <class View>
void export_and_import(const Cuda& exec) {
    const View view(exec, "view", some_layout(1), 0);
    Kokkos::deep_copy(exec, view.view(), typename View::value_type(1));

    // The consumer continues on another stream, which waits for `exec`; the host does not wait.
    const AnySection taken =
        protocol::from_dlpack(protocol::to_dlpack(exec, view, legacy_default_stream).release());
    // The consumer is unknown: all work must have finished.
    const protocol::DlpackTensor tensor = protocol::to_dlpack(exec, view);

    const auto described = protocol::to_cuda_array_interface(exec, view);
    const AnySection again = protocol::from_cuda_array_interface(*device_runtime(), described,
                                                                 std::make_shared<View>(view));
    for (const AnySection& section : {taken, again}) {
        const auto typed = dist_view_cast<View>(AnyDistView(section, view.layout(), 0));
        Kokkos::deep_copy(exec, typed.view(), typename View::value_type(2));
    }
    exec.fence("distview::test: what was imported is written");
}

} // namespace

void use_exports(const Cuda& exec) {
    export_and_import<OnDevice<double***>>(exec);
    export_and_import<OnDevice<float***, Kokkos::LayoutLeft>>(exec);
    export_and_import<Managed<int***>>(exec);
    export_and_import<Pinned<double***>>(exec);
}

} // namespace distview::testing
