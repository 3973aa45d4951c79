// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "instantiations.hpp"

#include <distview/algorithms/axis_reduce.hpp>
#include <distview/algorithms/grid_axis.hpp>
#include <distview/algorithms/histogram.hpp>
#include <distview/algorithms/scan.hpp>
#include <distview/algorithms/transform.hpp>
#include <distview/algorithms/transform_reduce.hpp>
#include <distview/comm/make_dist_view.hpp>

#include <cstdint>
#include <vector>

namespace distview::testing {

namespace {

template <class A, class S>
void use_elementwise(const Cuda& exec, const Communicator& comm, const A& a, const S& small) {
    using T = typename A::value_type;
    transform(exec, a, KOKKOS_LAMBDA(T x, T y) { return x + 2 * y; }, a, a);
    transform(exec, Cells::owned, a, KOKKOS_LAMBDA(T x) { return x; }, a);
    transform(
        exec, a, KOKKOS_LAMBDA(T x, double mean) { return static_cast<T>(x - mean); }, a, small);
    double total = 0;
    double most = 0;
    const auto product = KOKKOS_LAMBDA(T x, T y) { return static_cast<double>(x * y); };
    transform_reduce(exec, comm, total, product, a, a);
    transform_reduce(exec, comm, Kokkos::Max<double>(most), product, a, a);
    const auto is_negative = KOKKOS_LAMBDA(T x) { return x < 0; };
    if (any_of(exec, comm, is_negative, a) || all_of(exec, comm, is_negative, a))
        count_if(exec, comm, is_negative, a);
    histogram(exec, comm, a, 10, -1.0, 1.0);
    histogram(exec, comm, a, std::vector<double>{-1, 0, 5});
}

template <class A, class S>
void use_axis(const Cuda& exec, const Communicator& comm, const A& a, const S& small) {
    axis_reduce(exec, comm, Sum{}, a, 0, small);
    axis_reduce(exec, comm, Sum{}, a, 0, small, {.reproducible = true});
    axis_reduce(exec, comm, Maximum{}, a, 0, small);
    inclusive_scan(exec, comm, a, 0, a);
    exclusive_scan(exec, comm, a, 0, a, 1, Product{});
}

} // namespace

void use_along_axes(const Cuda& exec, const Communicator& comm) {
    const ArrayLayout layout = some_layout(comm.size());
    const ArrayLayout reduced = reduced_layout(layout, 0, AxisResult::everywhere);
    const auto a = make_dist_view<double***>(exec, "a", comm, layout);
    const auto i = make_dist_view<std::int32_t***, Kokkos::LayoutLeft, Kokkos::CudaSpace>(
        exec, "i", comm, layout);
    const auto small = make_dist_view<double***>(exec, "small", comm, reduced);
    use_elementwise(exec, comm, a, small);
    use_elementwise(exec, comm, i, small);
    use_axis(exec, comm, a, small);
    use_axis(exec, comm, i, small);
    const auto z = make_dist_view<Kokkos::complex<double>***>(exec, "z", comm, layout);
    const auto sums = make_dist_view<Kokkos::complex<double>***>(exec, "sums", comm, reduced);
    axis_reduce(exec, comm, Sum{}, z, 0, sums);
    axis_reduce(exec, comm, Sum{}, z, 0, sums, {.reproducible = true});
    const ArrayLayout spread(ProcessGrid{comm.size()}, {block_cyclic(64, 3)});
    const auto c = make_dist_view<float*>(exec, "c", comm, spread);
    inclusive_scan(exec, comm, c, 0, c);

    GridAxis along(comm, layout.grid(), 0);
    const Kokkos::View<double**, Kokkos::CudaSpace> panel("distview::testing::panel", 4, 5);
    along.broadcast(exec, 0, panel);
    along.all_reduce(exec, Sum{}, panel);
    along.reduce(exec, Minimum{}, 0, panel);
}

} // namespace distview::testing
