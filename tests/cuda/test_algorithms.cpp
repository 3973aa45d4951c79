// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// On a device, algorithms give the same numbers as on the host. Needs a GPU, which the ranks share.
#include "instantiations.hpp"

#include <distview/algorithms/axpby.hpp>
#include <distview/algorithms/copy.hpp>
#include <distview/algorithms/fill.hpp>
#include <distview/algorithms/for_each.hpp>
#include <distview/algorithms/gather.hpp>
#include <distview/algorithms/min_max.hpp>
#include <distview/algorithms/norm.hpp>
#include <distview/algorithms/stencil.hpp>
#include <distview/algorithms/sum.hpp>
#include <distview/comm/make_dist_view.hpp>
#include <distview_testing/kokkos_events.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace distview::testing {

namespace {

using Host = Kokkos::DefaultHostExecutionSpace;

/// Whole arrays, on rank 0 only, and numbers, on all ranks; exact whatever the order of additions.
struct Results {
    std::vector<double> arrays;
    std::vector<double> numbers;
};

template <class Exec, class Array>
void add_array(Results& results, const Exec& exec, const Communicator& comm, const Array& array) {
    const auto all = gather(exec, comm, array, 0);
    for (std::size_t i = 0; i < all.size(); ++i)
        results.arrays.push_back(static_cast<double>(all.data()[i]));
}

/// Values of either sign that identify the cell.
struct Numbered {
    KOKKOS_FUNCTION double operator()(GlobalIndex i, GlobalIndex j, GlobalIndex k) const {
        return static_cast<double>((i.value() * 389 + j.value() * 41 + k.value() * 7) % 1009 - 500);
    }
};

template <class Data, class Layout, class Exec>
Results run(const Exec& exec, const Communicator& comm, const ArrayLayout& layout) {
    using Memory = typename Exec::memory_space;
    const auto a = make_dist_view<Data, Layout, Memory>(exec, "a", comm, layout);
    const auto b = make_dist_view<Data, Layout, Memory>(exec, "b", comm, layout);
    using Value = typename decltype(a)::value_type;
    const auto u = a.view();
    const auto v = b.view();
    Results results;
    fill(exec, b, Value(3));
    fill_with(
        exec, a, KOKKOS_LAMBDA(GlobalIndex i, GlobalIndex j, GlobalIndex k) {
            return static_cast<Value>(Numbered()(i, j, k));
        });
    add_array(results, exec, comm, a);
    for_each(exec, b, KOKKOS_LAMBDA(int i, int j, int k) { v(i, j, k) += 2 * u(i, j, k); });
    add_array(results, exec, comm, b);
    axpby(exec, Value(2), a, Value(-3), b);
    scale(exec, Value(5), b);
    add_array(results, exec, comm, b);
    PaddingExchangePlan plan(comm, layout);
    apply_stencil(
        exec, plan, b,
        KOKKOS_LAMBDA(int i, int j, int k) {
            v(i, j, k) = u(i - 1, j, k) + u(i + 1, j + 1, k) - 2 * u(i, j, k);
        },
        a);
    add_array(results, exec, comm, b);
    copy(exec, a, b);
    scatter(exec, comm, gather(exec, comm, b, 0), 0, a);
    add_array(results, exec, comm, a);
    results.numbers = {static_cast<double>(sum(exec, comm, a)),
                       static_cast<double>(dot(exec, comm, a, b)),
                       norm1(exec, comm, a),
                       norm2(exec, comm, a),
                       norm_inf(exec, comm, a),
                       static_cast<double>(min(exec, comm, a)),
                       static_cast<double>(max(exec, comm, a))};
    return results;
}

template <class Data, class Layout>
void expect_as_on_the_host(const ArrayLayout& layout) {
    const Communicator comm(MPI_COMM_WORLD);
    const Results expected = run<Data, Layout>(Host(), comm, layout);
    const Results results = run<Data, Layout>(Cuda(), comm, layout);
    EXPECT_EQ(results.arrays, expected.arrays) << layout.describe();
    EXPECT_EQ(results.numbers, expected.numbers) << layout.describe();
}

ArrayLayout rows(int processes) {
    const BlockOptions periodic{.padding = 1, .periodic = true};
    return {ProcessGrid{processes, 1, 1},
            {block(37 * processes, periodic), block(19, periodic), block(45, {.padding = 2})}};
}

TEST(DeviceAlgorithms, LeaveTheNumbersOfTheHost) {
    const int ranks = Communicator(MPI_COMM_WORLD).size();
    expect_as_on_the_host<double***, Kokkos::LayoutRight>(rows(ranks));
    expect_as_on_the_host<float***, Kokkos::LayoutLeft>(rows(ranks));
    expect_as_on_the_host<std::int64_t***, Kokkos::LayoutRight>(rows(ranks));
}

/// Numbers spread over two hundred powers of two.
struct Wide {
    KOKKOS_FUNCTION double operator()(GlobalIndex i, GlobalIndex j, GlobalIndex k) const {
        const std::int64_t seed = i.value() * 389 + j.value() * 41 + k.value() * 7;
        double number = static_cast<double>(seed % 1009 - 500) / 1009;
        for (std::int64_t power = 0; power < seed % 200; ++power) number *= seed % 2 == 0 ? 2 : 0.5;
        return number;
    }
};

template <class Exec>
std::vector<double> reproducible_numbers(const Exec& exec, const Communicator& comm,
                                         const ArrayLayout& layout) {
    using Memory = typename Exec::memory_space;
    const auto a = make_dist_view<double***, Kokkos::LayoutLeft, Memory>(exec, "a", comm, layout);
    const auto b = make_dist_view<float***, Kokkos::LayoutLeft, Memory>(exec, "b", comm, layout);
    fill_with(exec, a, Wide());
    fill_with(
        exec, b, KOKKOS_LAMBDA(GlobalIndex i, GlobalIndex j, GlobalIndex k) {
            return static_cast<float>(Numbered()(i, j, k)) / 7;
        });
    const ReductionOptions exactly{.reproducible = true};
    return {sum(exec, comm, a, exactly),   dot(exec, comm, a, a, exactly),
            norm1(exec, comm, a, exactly), norm2(exec, comm, a, exactly),
            sum(exec, comm, b, exactly),   dot(exec, comm, b, b, exactly)};
}

// On a device, instances have numbers: kernels and fences on another instance are detected.
TEST(DeviceAlgorithms, StayOnTheGivenInstance) {
    const Communicator comm(MPI_COMM_WORLD);
    const auto layout = rows(comm.size());
    const Cuda exec = separate_instance<Cuda>();
    ASSERT_NE(device_id_of(exec), device_id_of(Cuda()));
    using Memory = Cuda::memory_space;
    const auto a = make_dist_view<double***, Kokkos::LayoutLeft, Memory>(exec, "a", comm, layout);
    const auto b = make_dist_view<float***, Kokkos::LayoutLeft, Memory>(exec, "b", comm, layout);
    exec.fence("distview::testing: before recording");
    {
        KokkosEvents events;
        fill(exec, a, 1.0);
        fill_with(exec, "numbered", b, Numbered());
        copy(exec, b, a);
        axpby(exec, 2.0, b, 3.0, a);
        scale(exec, 0.5, a);
        events.stop();
        EXPECT_EQ(events.kernels().size(), 5U);
        EXPECT_EQ(labels(escapes_from(exec, events)), std::vector<std::string>());
    }
    KokkosEvents events;
    fill(Cuda(), a, 1.0);
    events.stop();
    EXPECT_EQ(labels(escapes_from(exec, events)), std::vector<std::string>{"distview::fill"});
    Cuda().fence("distview::testing: the fill has finished");
}

TEST(DeviceAlgorithms, GiveTheReproducibleSumsOfTheHost) {
    const Communicator comm(MPI_COMM_WORLD);
    EXPECT_EQ(reproducible_numbers(Cuda(), comm, rows(comm.size())),
              reproducible_numbers(Host(), comm, rows(comm.size())));
}

} // namespace

} // namespace distview::testing
