// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "instantiations.hpp"

#include <distview/algorithms/min_max.hpp>
#include <distview/algorithms/norm.hpp>
#include <distview/algorithms/reduce.hpp>
#include <distview/algorithms/sum.hpp>
#include <distview/comm/make_dist_view.hpp>

#include <cstdint>

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

/// Several results, of any Kokkos reducers, in one pass.
template <class A>
void use_functor(const Cuda& exec, const Communicator& comm, const A& a) {
    using T = typename A::value_type;
    using Range = Kokkos::MinMaxScalar<T>;
    using Place = Kokkos::ValLocScalar<T, int>;
    const auto u = a.view();
    double total = 0;
    T most{};
    reduce(
        exec, comm, a,
        KOKKOS_LAMBDA(int i, int j, int k, double& sum, T& greatest) {
            sum += static_cast<double>(u(i, j, k));
            greatest = Kokkos::max(greatest, u(i, j, k));
        },
        total, Kokkos::Max<T>(most));
    Range range{};
    Place least{};
    T product{};
    reduce(
        exec, comm, a, Cells::owned,
        KOKKOS_LAMBDA(std::int64_t i, std::int64_t j, std::int64_t k, Range& both, Place& place,
                      T& factors) {
            const T value = u(i, j, k);
            both.min_val = Kokkos::min(both.min_val, value);
            both.max_val = Kokkos::max(both.max_val, value);
            if (value < place.val) place = {value, static_cast<int>(i)};
            factors *= value;
        },
        Kokkos::MinMax<T>(range), Kokkos::MinLoc<T, int>(least), Kokkos::Prod<T>(product));
}

} // namespace

void use_reductions(const Cuda& exec, const Communicator& comm) {
    const ArrayLayout layout = some_layout(comm.size());
    const auto a = make_dist_view<double***>(exec, "a", comm, layout);
    const auto f = make_dist_view<float***, Kokkos::CudaUVMSpace>(exec, "f", comm, layout);
    const auto i = make_dist_view<std::int64_t***>(exec, "i", comm, layout);
    const auto z = make_dist_view<Kokkos::complex<double>***>(exec, "z", comm, layout);
    use_numbers(exec, comm, a);
    use_numbers(exec, comm, f);
    use_numbers(exec, comm, i);
    use_numbers(exec, comm, z);
    use_order(exec, comm, a);
    use_order(exec, comm, f);
    use_order(exec, comm, i);
    const ArrayLayout spread(ProcessGrid{comm.size()}, {block_cyclic(64, 3)});
    const auto c = make_dist_view<double*>(exec, "c", comm, spread);
    use_order(exec, comm, c);
    use_functor(exec, comm, a);
    use_functor(exec, comm, f);
    use_functor(exec, comm, i);
}

} // namespace distview::testing
