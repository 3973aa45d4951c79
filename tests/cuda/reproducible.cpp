// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "instantiations.hpp"

#include <distview/algorithms/conjugate_gradient.hpp>
#include <distview/algorithms/norm.hpp>
#include <distview/algorithms/sum.hpp>
#include <distview/comm/make_dist_view.hpp>

#include <cstdint>

namespace distview::testing {

namespace {

template <class A>
bool use_exact_sums(const Cuda& exec, const Communicator& comm, const A& a) {
    const ReductionOptions options{.reproducible = true};
    return sum(exec, comm, a, options) == dot(exec, comm, a, a, options) &&
           norm1(exec, comm, a, options) < norm2(exec, comm, a, options) &&
           norm_inf(exec, comm, a, options) > 0;
}

template <class A>
void use_solver(const Cuda& exec, const Communicator& comm, const A& b, const A& x) {
    using T = typename A::value_type;
    using View = typename A::view_type;
    PaddingExchangePlan plan(comm, x.layout());
    const StencilOperator laplace{
        plan, KOKKOS_LAMBDA(const View& u, std::int64_t i, std::int64_t j,
                            std::int64_t k){return 6 * u(i, j, k) - u(i - 1, j, k) - u(i + 1, j, k);
}
}; // namespace
const PointPreconditioner jacobi{
    KOKKOS_LAMBDA(T r, std::int64_t, std::int64_t, std::int64_t){return r / 6;
} // namespace distview::testing
}
;
for (const bool reproducible : {false, true}) {
    ConjugateGradient<A> solver(exec, comm, x.layout(), {.reproducible = reproducible});
    solver.solve(exec, laplace, b, x);
    solver.solve(exec, laplace, jacobi, b, x);
    const auto called = [&](const Cuda& space, const A& from, const A& to) {
        Kokkos::deep_copy(space, to.view(), from.view());
    };
    solver.solve(exec, called, called, b, x);
}
}

} // namespace

void use_reproducible(const Cuda& exec, const Communicator& comm) {
    const ArrayLayout layout = some_layout(comm.size());
    const auto a = make_dist_view<double***>(exec, "a", comm, layout);
    const auto b = make_dist_view<double***>(exec, "b", comm, layout);
    const auto f = make_dist_view<float***, Kokkos::CudaUVMSpace>(exec, "f", comm, layout);
    const auto g = make_dist_view<float***, Kokkos::CudaUVMSpace>(exec, "g", comm, layout);
    const auto i = make_dist_view<std::int64_t***>(exec, "i", comm, layout);
    const auto z = make_dist_view<Kokkos::complex<double>***>(exec, "z", comm, layout);
    use_exact_sums(exec, comm, a);
    use_exact_sums(exec, comm, f);
    use_exact_sums(exec, comm, i);
    use_exact_sums(exec, comm, z);
    use_solver(exec, comm, a, b);
    use_solver(exec, comm, f, g);
}

} // namespace distview::testing
