// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "instantiations.hpp"

#include <distview/algorithms/random.hpp>
#include <distview/algorithms/sort.hpp>
#include <distview/algorithms/with_local_copy.hpp>
#include <distview/comm/make_dist_view.hpp>

#include <cstdint>

namespace distview::testing {

namespace {

/// Passes every kind of part to a function that launches a kernel.
template <class A>
void use_parts(const Cuda& exec, const Communicator& comm, const A& a) {
    const auto clear = [&](const auto& part) { Kokkos::deep_copy(exec, part.view(), 0); };
    for (const Intent intent : {Intent::in, Intent::out, Intent::inout}) {
        with_local_copy(exec, a, intent, MemoryOrder::column_major, clear);
        const GlobalRange range{GlobalIndex(comm.rank()), GlobalIndex(comm.rank() + 1)};
        const GlobalRange all{GlobalIndex(0), GlobalIndex(5)};
        with_local_copy(exec, comm, a, intent, MemoryOrder::row_major, {range, all, all}, clear);
        with_local_copy(exec, comm, a, intent, MemoryOrder::row_major, WholeArray{}, clear);
    }
}

struct ByLastDigit {
    KOKKOS_FUNCTION bool operator()(std::int64_t x, std::int64_t y) const {
        return x % 10 < y % 10;
    }
};

} // namespace

void use_local_copies(const Cuda& exec, const Communicator& comm) {
    const ArrayLayout layout = some_layout(comm.size());
    const auto d = make_dist_view<double***>(exec, "d", comm, layout);
    const auto i = make_dist_view<std::int64_t***>(exec, "i", comm, layout);
    const auto z = make_dist_view<Kokkos::complex<float>***>(exec, "z", comm, layout);
    fill_random(exec, d, {.seed = 42});
    fill_random_normal(exec, d, {.seed = 42, .stream = 1}, 1, 2);
    fill_random_integers(exec, i, {.seed = 42}, -5, 5);
    use_parts(exec, comm, d);
    use_parts(exec, comm, i);
    use_parts(exec, comm, z);

    const ArrayLayout spread(ProcessGrid{comm.size()}, {block_cyclic(64, 3)});
    const auto x = make_dist_view<float*>(exec, "x", comm, spread);
    const auto n = make_dist_view<std::int64_t*>(exec, "n", comm, spread);
    fill_random(exec, x, {.seed = 42});
    sort(exec, comm, x);
    sort(exec, comm, x, Descending());
    sort(exec, comm, n, ByLastDigit());
}

} // namespace distview::testing
