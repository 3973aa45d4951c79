// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Combining with Sum is the adjoint of execute(): <E x, y> = <x, E^T y>.
#include "field_fixture.hpp"
#include "summands.hpp"

#include <distview/comm/padding_exchange_plan.hpp>

#include <gtest/gtest.h>

#include <mpi.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace distview::testing {

namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;
using Host = Kokkos::HostSpace;
using Left = Kokkos::LayoutLeft;
using Strided = Kokkos::LayoutStride;

/// <execute(x), y> and <x, combine(Sum, y)> over all ranks, and the sum of their terms' magnitudes.
template <class T>
struct Products {
    T filled = 0;
    T combined = 0;
    T magnitude = 0;
    std::int64_t terms = 0;
};

template <class View>
auto products(const Communicator& comm, Random& random) {
    using T = typename View::value_type;
    GeometryLimits limits = limits_for(View::rank());
    limits.valid_only = true;
    const ArrayGeometry geometry =
        random_geometry(random, random_process_grid(random, comm.size(), View::rank()), limits);
    const ArrayLayout layout = geometry.layout();
    const TestField<View> x(geometry, layout, comm, random, Memory::mixed);
    const TestField<View> y(geometry, layout, comm, random, Memory::mixed);
    const int me = comm.rank();
    // Elements that are not exchanged do not belong to the operator: they are zero in both vectors.
    const auto each = [&](auto&& visit) {
        geometry.for_each_cell(me, [&](const ExpectedCell& cell) { visit(cell); });
    };
    const auto factor = [&](const ExpectedCell& cell, std::uint64_t salt) {
        const T value = summand<T>(me, cell.position, salt);
        if constexpr (std::is_integral_v<T>)
            return value >> 24; // leaves 22 bits
        else
            return value;
    };
    each([&](const ExpectedCell& cell) {
        x.at(cell) = cell.kept ? factor(cell, 1) : T(0);
        y.at(cell) = cell.kept || cell.filled ? factor(cell, 2) : T(0);
    });
    PaddingExchangePlan plan(comm, layout, geometry.options());
    Products<T> mine;
    plan.execute(Exec(), x.view());
    each([&](const ExpectedCell& cell) {
        mine.filled += x.at(cell) * y.at(cell);
        mine.magnitude += std::abs(x.at(cell) * y.at(cell));
        ++mine.terms;
    });
    plan.combine(Exec(), Sum{}, y.view());
    each([&](const ExpectedCell& cell) {
        if (cell.kept) mine.combined += x.at(cell) * y.at(cell);
    });
    const MPI_Datatype type = std::is_same_v<T, double> ? MPI_DOUBLE : MPI_INT64_T;
    for (T* sum : {&mine.filled, &mine.combined, &mine.magnitude})
        MPI_Allreduce(MPI_IN_PLACE, sum, 1, type, MPI_SUM, comm.mpi());
    MPI_Allreduce(MPI_IN_PLACE, &mine.terms, 1, MPI_INT64_T, MPI_SUM, comm.mpi());
    return mine;
}

TEST(PaddingExchangeAdjoint, IsTheAdjointOfExecuteForIntegers) {
    const Communicator comm(MPI_COMM_WORLD);
    for_each_case(60, [&](Random& random, std::uint64_t) {
        // Products have 44 bits, so sums of so few do not overflow.
        const auto sums = random.chance(0.5)
                              ? products<DistView<std::int64_t***>>(comm, random)
                              : products<DistView<std::int64_t**, Strided, Host>>(comm, random);
        EXPECT_EQ(sums.filled, sums.combined);
    });
}

TEST(PaddingExchangeAdjoint, IsTheAdjointOfExecuteForDoubles) {
    const Communicator comm(MPI_COMM_WORLD);
    for_each_case(60, [&](Random& random, std::uint64_t) {
        const auto sums = random.chance(0.5)
                              ? products<DistView<double***>>(comm, random)
                              : products<DistView<double**, Left, Host>>(comm, random);
        // Each term is rounded once, and so is each addition; at most 27 copies are added in between.
        const double unit = std::numeric_limits<double>::epsilon();
        const double bound = 2 * unit * static_cast<double>(sums.terms + 27) * sums.magnitude;
        EXPECT_LE(std::abs(sums.filled - sums.combined), bound);
    });
}

} // namespace

} // namespace distview::testing
