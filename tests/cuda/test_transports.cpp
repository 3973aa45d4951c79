// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// On a device: every transport leaves the bits that the host's plans leave. Needs a GPU, which the ranks share.
#include "instantiations.hpp"

#include <distview/comm/make_dist_view.hpp>
#include <distview/comm/padding_exchange_plan.hpp>
#include <distview/comm/redistribution_plan.hpp>
#include <distview/core/mirror.hpp>
#include <distview/core/text.hpp>

#include <distview_testing/kokkos_events.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <tuple>
#include <utility>

namespace distview::testing {

namespace {

using Host = Kokkos::DefaultHostExecutionSpace;

/// DISTVIEW_TRANSPORT, "" for none; and DISTVIEW_GPU_AWARE.
struct Choice {
    const char* transport;
    bool of_mpi; ///< whether MPI must take device memory
};

class DeviceTransports : public ::testing::TestWithParam<Choice> {
protected:
    DeviceTransports() {
        if (*GetParam().transport) setenv("DISTVIEW_TRANSPORT", GetParam().transport, 1);
    }
    ~DeviceTransports() override { unsetenv("DISTVIEW_TRANSPORT"); }
    void SetUp() override {
        if (GetParam().of_mpi && !mpi_takes_device_memory())
            GTEST_SKIP() << "this MPI does not take device memory";
    }

    /// What plans make of MPI and of DISTVIEW_GPU_AWARE, the same on all ranks. Collective.
    bool mpi_takes_device_memory() const {
        const ArrayLayout layout(ProcessGrid{n}, {block(4 * n, {.padding = 1, .periodic = true})});
        PaddingExchangePlan plan(comm, layout);
        try {
            plan.bind(exec, make_dist_view<double*, Kokkos::LayoutRight, Kokkos::CudaSpace>(
                                exec, "a", comm, layout));
        } catch (const UsageError& error) {
            if (std::string(error.what()).find("MPI cannot use it") == std::string::npos) throw;
            return false;
        }
        return true;
    }

    /// A value for every position, padding too.
    template <class View>
    void fill(const View& view, int salt) const {
        using Value = typename View::non_const_value_type;
        Value* const data = view.view().data();
        for (std::size_t i = 0; i < view.view().span(); ++i)
            data[i] =
                static_cast<Value>((i * 7919 + static_cast<std::size_t>(comm.rank()) * 104729 +
                                    static_cast<std::size_t>(salt)) %
                                   8191);
    }
    template <class View>
    bool same(const View& a, const View& b) const {
        return std::memcmp(a.view().data(), b.view().data(),
                           a.view().span() * sizeof(typename View::value_type)) == 0;
    }
    /// Arrays of the host for the host's plan and for the device's result, and the device's array.
    template <class Data, class Layout>
    auto trio(const ArrayLayout& layout, int salt) const {
        using OnHost = DistView<Data, Layout, Kokkos::HostSpace>;
        const OnHost reference(Host(), "reference", layout, comm.rank());
        const OnHost result(Host(), "result", layout, comm.rank());
        const auto device =
            make_dist_view<Data, Layout, Kokkos::CudaSpace>(exec, "device", comm, layout);
        Host().fence("distview::test: arrays are zero");
        fill(reference, salt);
        deep_copy(exec, device, reference);
        exec.fence("distview::test: the device's array is set");
        return std::tuple(reference, result, device);
    }

    /// The host's plan, whose transport is its own affair.
    template <class Run>
    void on_host(Run&& run) const {
        unsetenv("DISTVIEW_TRANSPORT");
        run();
        if (*GetParam().transport) setenv("DISTVIEW_TRANSPORT", GetParam().transport, 1);
    }

    template <class Data, class Layout = Kokkos::LayoutRight>
    void exchange(const ArrayLayout& layout) const {
        const auto [reference, result, device] = trio<Data, Layout>(layout, 1);
        PaddingExchangePlan plan(comm, layout);
        on_host([&, &reference = reference] {
            PaddingExchangePlan host_plan(comm, layout);
            host_plan.execute(Host(), reference);
            host_plan.combine(Host(), Sum{}, reference);
            host_plan.execute(Host(), reference);
        });
        plan.execute(exec, device);
        plan.combine(exec, Sum{}, device);
        plan.execute(exec, device);
        deep_copy(exec, result, device);
        exec.fence("distview::test: the result is here");
        EXPECT_TRUE(same(reference, result)) << layout.describe() << '\n' << plan.describe();
    }

    template <class Data, class Layout = Kokkos::LayoutRight>
    void redistribute(const ArrayLayout& from, const ArrayLayout& to,
                      const RedistributionOptions& options) const {
        const auto [reference, unused, device] = trio<Data, Layout>(from, 2);
        const auto [target, result, device_target] = trio<Data, Layout>(to, 3);
        RedistributionPlan plan(comm, from, to, options);
        using Value = std::remove_all_extents_t<
            typename std::remove_reference_t<decltype(reference)>::value_type>;
        const Value two = 2;
        const Value three = 3;
        on_host([&, &reference = reference, &target = target] {
            RedistributionPlan host_plan(comm, from, to, options);
            host_plan.execute(Host(), two, reference, three, target);
        });
        plan.execute(exec, two, device, three, device_target);
        deep_copy(exec, result, device_target);
        exec.fence("distview::test: the result is here");
        EXPECT_TRUE(same(target, result)) << plan.describe();
    }

    const Communicator comm{MPI_COMM_WORLD};
    const Cuda exec{};
    const int n = comm.size();
};

TEST_P(DeviceTransports, ExchangesLikeTheHost) {
    for (const bool periodic : {false, true}) {
        exchange<double***>({ProcessGrid{n, 1, 1},
                             {block(9 * n, {.padding = 2, .periodic = periodic}),
                              block(17, {.padding = 1, .periodic = true}),
                              block(33, {.padding = 1, .periodic = periodic})}});
        exchange<float***, Kokkos::LayoutLeft>(
            {ProcessGrid{1, 1, n},
             {block(31, {.padding = 1, .periodic = periodic}), block(7, {.padding = 3}),
              block(5 * n, {.padding = 2, .periodic = true})}});
        exchange<std::int8_t**>({ProcessGrid{1, n},
                                 {block(64, {.padding = 1, .periodic = true}),
                                  block(65 * n, {.padding = 4, .periodic = periodic})}});
    }
}

TEST_P(DeviceTransports, ExchangesWithTwoKernelsAndAllocatesNothing) {
    const BlockOptions periodic{.padding = 1, .periodic = true};
    const ArrayLayout layout(ProcessGrid{n, 1, 1},
                             {block(8 * n, periodic), block(12, periodic), block(20, periodic)});
    const auto device =
        make_dist_view<double***, Kokkos::LayoutRight, Kokkos::CudaSpace>(exec, "a", comm, layout);
    PaddingExchangePlan plan(comm, layout);
    plan.execute(exec, device); // binds
    KokkosEvents events;
    plan.execute(exec, device);
    events.stop();
    EXPECT_GE(events.kernels().size(), 1u);
    EXPECT_LE(events.kernels().size(), 2u) << describe(events.kernels());
    EXPECT_TRUE(events.allocations().empty()) << describe(events.allocations());
    EXPECT_TRUE(events.deep_copies().empty()) << describe(events.deep_copies());
}

TEST_P(DeviceTransports, RedistributesLikeTheHost) {
    const ArrayLayout rows(ProcessGrid{n, 1}, {block(96 * n), block(130)});
    const ArrayLayout columns(ProcessGrid{1, n}, {block(96 * n), block(130)});
    const ArrayLayout cyclic_transposed(ProcessGrid{1, n},
                                        {block_cyclic(130, 3), block_cyclic(96 * n, 32)});
    redistribute<double**>(rows, columns, {});
    redistribute<double**>(rows, cyclic_transposed, {.permutation = {1, 0}});
    redistribute<float**, Kokkos::LayoutLeft>(columns, cyclic_transposed, {.permutation = {1, 0}});
}

INSTANTIATE_TEST_SUITE_P(All, DeviceTransports,
                         ::testing::Values(Choice{"", false}, Choice{"ipc", false},
                                           Choice{"staged", false}, Choice{"gpu_message", true}),
                         [](const auto& choice) {
                             return *choice.param.transport ? std::string(choice.param.transport)
                                                            : std::string("unset");
                         });

} // namespace

} // namespace distview::testing
