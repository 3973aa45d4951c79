// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "instantiations.hpp"

#include <distview/algorithms/min_max.hpp>
#include <distview/algorithms/norm.hpp>
#include <distview/algorithms/sum.hpp>
#include <distview/comm/make_dist_view.hpp>

namespace distview::testing {

namespace {

template <class A>
double use_numbers(const Cuda& exec, const Communicator& comm, const A& a) {
    return (sum(exec, comm, a) == dot(exec, comm, a, a) ? 1 : 0) + norm1(exec, comm, a) +
           norm2(exec, comm, a) + norm_inf(exec, comm, a);
}

template <class A>
bool use_order(const Cuda& exec, const Communicator& comm, const A& a) {
    return min(exec, comm, a) < max(exec, comm, a) &&
           min_location(exec, comm, a) == max_location(exec, comm, a);
}

} // namespace

void use_reductions(const Cuda& exec, const Communicator& comm) {
    const ArrayLayout layout = some_layout(comm.size());
    const auto a = make_dist_view<double***>(exec, comm, layout, "a");
    const auto f = make_dist_view<float***, Kokkos::CudaUVMSpace>(exec, comm, layout, "f");
    const auto i = make_dist_view<std::int64_t***>(exec, comm, layout, "i");
    const auto z = make_dist_view<Kokkos::complex<double>***>(exec, comm, layout, "z");
    use_numbers(exec, comm, a);
    use_numbers(exec, comm, f);
    use_numbers(exec, comm, i);
    use_numbers(exec, comm, z);
    use_order(exec, comm, a);
    use_order(exec, comm, f);
    use_order(exec, comm, i);
    const ArrayLayout spread(ProcessGrid{comm.size()}, {block_cyclic(64, 3)});
    const auto c = make_dist_view<double*>(exec, comm, spread, "c");
    use_order(exec, comm, c);
}

} // namespace distview::testing
