// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Events in an exchange of device arrays (kernels, copies, fences, messages), recorded by a mock
// device.
#include "impl_mock_device.hpp"

#include "communicators.hpp"
#include "transports.hpp"

#include <distview/comm/gather_plan.hpp>
#include <distview/comm/impl/transport/make_field.hpp>
#include <distview/comm/impl/transport/peer_transports.hpp>
#include <distview/comm/make_dist_view.hpp>
#include <distview/comm/padding_exchange_plan.hpp>
#include <distview/comm/redistribution_plan.hpp>
#include <distview/core/any_dist_view.hpp>
#include <distview_testing/allocations.hpp>
#include <distview_testing/assertions.hpp>
#include <distview_testing/mpi_counters.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace distview::testing {

namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;
using Array = DistView<double***, Kokkos::HostSpace>;

const std::string name = "distview::PaddingExchangePlan";
const std::string copy_local = name + "::copy_local";
const std::string pack = name + "::pack";
const std::string unpack = name + "::unpack";
const std::string fence_ready = name + ": elements are written and packed, others may read";
const std::string fence_done = name + ": others' elements have been read";

/// A box with corners, periodic along all axes, distributed along the first one.
class DeviceExchange : public ::testing::Test {
protected:
    DeviceExchange() { device.take_record(); }
    ~DeviceExchange() override {
        device.mpi_takes_it = false;
        device.listen(true);
    }

    Array make(bool shared) const {
        return shared ? make_dist_view<double***>(exec, "shared", comm, layout)
                      : Array(exec, "own", layout, comm.rank());
    }
    /// Every interior cell gets a unique value; padding gets none.
    void fill(const Array& array) const {
        for_each(array, [&](std::int64_t i, std::int64_t j, std::int64_t k, bool interior) {
            array.view()(i, j, k) = interior ? value(array, i, j, k) : -1.0;
        });
    }
    std::string flaw(const Array& array) const {
        std::string result;
        for_each(array, [&](std::int64_t i, std::int64_t j, std::int64_t k, bool) {
            if (array.view()(i, j, k) != value(array, i, j, k) && result.empty())
                result = text("(", i, ", ", j, ", ", k, ") is ", array.view()(i, j, k));
        });
        return result;
    }
    template <class Visit>
    void for_each(const Array& array, Visit&& visit) const {
        for (std::int64_t i = 0; i < std::int64_t(array.view().extent(0)); ++i)
            for (std::int64_t j = 0; j < std::int64_t(array.view().extent(1)); ++j)
                for (std::int64_t k = 0; k < std::int64_t(array.view().extent(2)); ++k)
                    visit(i, j, k,
                          array.interior_range(0).contains(LocalIndex(i)) &&
                              array.interior_range(1).contains(LocalIndex(j)) &&
                              array.interior_range(2).contains(LocalIndex(k)));
    }
    /// The value for the element's place on the torus.
    double value(const Array& array, std::int64_t i, std::int64_t j, std::int64_t k) const {
        const std::int64_t at[] = {i, j, k};
        double result = 0;
        for (int d = 0; d < 3; ++d) {
            const std::int64_t size = layout.extent(d);
            const std::int64_t g = array.global_index(d, LocalIndex(at[d])).value();
            result = result * 1000 + static_cast<double>((g + size) % size);
        }
        return result;
    }
    static bool says(const PaddingExchangePlan& plan, const char* text) {
        return plan.describe().find(text) != std::string::npos;
    }
    std::vector<std::string> record_of_execute(PaddingExchangePlan& plan, const Array& array) {
        device.take_record();
        plan.execute(exec, array);
        return device.take_record();
    }

    MockDevice& device = MockDevice::instance();
    const Communicator comm{MPI_COMM_WORLD};
    const Exec exec{};
    const ArrayLayout layout{ProcessGrid{comm.size(), 1, 1},
                             {block(6 * comm.size(), {.padding = 1, .periodic = true}),
                              block(5, {.padding = 1, .periodic = true}),
                              block(4, {.padding = 1, .periodic = true})}};
    std::ptrdiff_t messages() const { return std::min(comm.size() - 1, 2); }
};

// One kernel packs messages and copies local cells, one kernel unpacks; only copies of arrived
// messages lie between them. A fence precedes every send and every read by a neighbour.
TEST_F(DeviceExchange, StagesInTwoKernels) {
    PaddingExchangePlan plan(comm, layout);
    const Array a = make(false);
    for (int round = 0; round < 3; ++round) {
        fill(a);
        const std::vector<std::string> record = record_of_execute(plan, a);
        EXPECT_EQ(flaw(a), "");
        std::vector<std::string> expected{messages() > 0 ? pack : copy_local, fence_ready};
        expected.insert(expected.end(), static_cast<std::size_t>(messages()), "copy");
        if (messages() > 0) expected.push_back(unpack);
        expected.push_back(fence_done);
        EXPECT_EQ(record, expected);
    }
}

TEST_F(DeviceExchange, SendsFromDeviceMemoryWithoutCopies) {
    device.mpi_takes_it = true;
    PaddingExchangePlan plan(comm, layout);
    const Array a = make(false);
    fill(a);
    const std::size_t pinned = device.pinned_bytes();
    const std::vector<std::string> record = record_of_execute(plan, a);
    EXPECT_EQ(flaw(a), "");
    EXPECT_EQ(std::count(record.begin(), record.end(), "copy"), 0);
    EXPECT_EQ(device.pinned_bytes(), pinned);
    EXPECT_EQ(says(plan, ": gpu_message, "), messages() > 0);
}

// Arrays of neighbours are read in place: no kernel packs, and no message is sent.
TEST_F(DeviceExchange, ReadsAllocationsOfOthersInOneKernel) {
    PaddingExchangePlan plan(comm, layout);
    const Array a = make(true);
    plan.bind(exec, a);
    MpiCounters counters;
    for (int round = 0; round < 2; ++round) {
        fill(a);
        std::vector<std::string> expected{copy_local, fence_ready};
        if (messages() > 0) expected.push_back(unpack);
        expected.push_back(fence_done);
        EXPECT_EQ(record_of_execute(plan, a), expected);
        EXPECT_EQ(flaw(a), "");
    }
    EXPECT_EQ(counters.stop().sent_total().messages, 0);
    EXPECT_EQ(says(plan, ": ipc, "), messages() > 0);
    EXPECT_EQ(says(plan, ": ipc, read in place"), messages() > 0) << plan.describe();
    EXPECT_FALSE(says(plan, ": direct, read in place")) << plan.describe();
    EXPECT_TRUE(says(plan, "direct, message; for device memory ipc, gpu_message, staged\n"));
}

// Kernels of the host and of the device do not read each other's arrays in place; memory that the device does not
// export is packed for no rank.
TEST_F(DeviceExchange, IsInPlaceAmongRanksOfOneKindAlone) {
    namespace impl = distview::impl;
    impl::CommunicatorState& state = *impl::state_of(comm);
    std::vector<int> others;
    for (int rank = 0; rank < comm.size(); ++rank)
        if (rank != comm.rank()) others.push_back(rank);
    const impl::PlanLines lines(state, 0, others);
    const impl::OfferedPacks none{std::vector<const char*>(others.size(), nullptr), true};
    for (const bool shared : {false, true}) {
        const Array a = make(shared);
        const impl::Field field = impl::make_field(a);
        impl::TransportSearch search(state,
                                     {.caller = "DeviceExchange",
                                      .fields = std::span(&field, 1),
                                      .sources = others,
                                      .lines = &lines,
                                      .layer = comm.rank() == 0 ? &device : nullptr},
                                     none);
        const impl::PeerTransports found = search.run(state.next_tag());
        for (const int other : others) {
            const bool of_the_host = comm.rank() > 0 && other > 0;
            EXPECT_EQ(found.source(other) != nullptr, of_the_host) << other << ' ' << shared;
            EXPECT_EQ(found.readers.contains(other), of_the_host) << other << ' ' << shared;
        }
    }
}

// Arrays in one allocation, and successive plans, share its mapping.
TEST_F(DeviceExchange, OpensAnAllocationOnce) {
    const int opened = device.opened();
    const int closed = device.closed();
    const Array a = make(true);
    const Array b = make(true); // in the same segment
    {
        PaddingExchangePlan first(comm, layout);
        PaddingExchangePlan second(comm, layout);
        first.execute(exec, a);
        second.execute(exec, a);
        second.execute(exec, b);
        EXPECT_EQ(device.opened() - opened, messages());
        EXPECT_EQ(device.closed() - closed, 0);
    }
    EXPECT_EQ(device.closed() - closed, messages());
    PaddingExchangePlan third(comm, layout);
    third.execute(exec, a);
    EXPECT_EQ(device.opened() - opened, 2 * messages());
}

// No message may start before the fence that follows the packing kernel.
TEST_F(DeviceExchange, SendsBehindTheFence) {
    const TransportSetting staged(Transport::staged);
    PaddingExchangePlan plan(comm, layout);
    const Array a = make(false);
    plan.execute(exec, a);
    static std::optional<MpiCounters> before;
    static std::int64_t sent_before = -1;
    device.listen(false);
    Kokkos::Tools::Experimental::set_begin_fence_callback(
        [](const char* label, std::uint32_t, std::uint64_t*) {
            if (fence_ready == label && sent_before < 0)
                sent_before = before->stop().sent_total().messages;
        });
    before.emplace();
    MpiCounters all;
    plan.execute(exec, a);
    Kokkos::Tools::Experimental::set_begin_fence_callback(nullptr);
    EXPECT_EQ(sent_before, 0);
    EXPECT_EQ(all.stop().sent_total().messages, messages());
    before.reset();
}

TEST_F(DeviceExchange, AllocatesNothingFromTheSecondTimeOn) {
    for (const bool takes : {false, true}) {
        device.mpi_takes_it = takes;
        PaddingExchangePlan plan(comm, layout);
        const Array own = make(false);
        const Array shared = make(true);
        const auto step = [&] {
            plan.execute(exec, own);
            auto handle = plan.start(exec, shared);
            handle.finish(plan.schedule().reads(plan.schedule().inner_cells()));
            handle.finish();
            plan.combine(exec, Sum{}, own);
            plan.combine(exec, Sum{}, shared);
        };
        step();
        device.listen(false);
        const int allocations = device.allocations();
        const AllocationCounts counts = count_heap_allocations([&] {
            for (int i = 0; i < 20; ++i) step();
        });
        device.listen(true);
        EXPECT_EQ(counts.heap, 0) << counts.description;
        EXPECT_EQ(device.allocations(), allocations);
    }
}

TEST_F(DeviceExchange, BuffersGoWithThePlan) {
    const std::size_t device_bytes = device.device_bytes();
    const std::size_t pinned_bytes = device.pinned_bytes();
    {
        PaddingExchangePlan plan(comm, layout);
        const Array a = make(false);
        plan.execute(exec, a);
        EXPECT_GT(device.device_bytes(), device_bytes);
        EXPECT_EQ(device.pinned_bytes() > pinned_bytes, messages() > 0);
        EXPECT_EQ(plan.workspace_bytes() > 0, messages() > 0);
    }
    EXPECT_EQ(device.device_bytes(), device_bytes);
    EXPECT_EQ(device.pinned_bytes(), pinned_bytes);
}

// Opposite sides do not overlap, but corners overlap both sides: far fewer kernels than regions are needed.
TEST_F(DeviceExchange, CombinesInFewKernels) {
    PaddingExchangePlan plan(comm, layout);
    const Array a = make(false);
    plan.combine(exec, Sum{}, a);
    device.take_record();
    plan.combine(exec, Sum{}, a);
    const std::vector<std::string> record = device.take_record();
    const auto kernels = std::count(record.begin(), record.end(), name + "::combine");
    EXPECT_GE(kernels, 1);
    EXPECT_LE(kernels, 18) << "of 26 regions";
}

TEST_F(DeviceExchange, RefusesTransportsOfHostMemory) {
    for (const Transport transport : {Transport::direct, Transport::message}) {
        const TransportSetting setting(transport);
        PaddingExchangePlan plan(comm, layout);
        const Array a = make(true);
        EXPECT_THROW_ON_ALL_RANKS(plan.execute(exec, a), UsageError,
                                  "' is not available for arrays in device memory");
    }
}

TEST_F(DeviceExchange, SendsFromTheDeviceOnlyWhereMpiTakesIt) {
    const TransportSetting setting(Transport::gpu_message);
    PaddingExchangePlan plan(comm, layout);
    const Array a = make(true);
    EXPECT_THROW_ON_ALL_RANKS(plan.execute(exec, a), UsageError, "MPI cannot use it");
    const VariableSetting believed("DISTVIEW_GPU_AWARE", "1");
    fill(a);
    plan.execute(exec, a);
    EXPECT_EQ(flaw(a), "");
}

TEST_F(DeviceExchange, RefusesAnotherAwareness) {
    const VariableSetting setting("DISTVIEW_GPU_AWARE", "yes");
    PaddingExchangePlan plan(comm, layout);
    const Array a = make(true);
    EXPECT_THROW_ON_ALL_RANKS(plan.execute(exec, a), UsageError,
                              "DISTVIEW_GPU_AWARE: expected 0 or 1, got 'yes'");
}

// Hosts load a complex number in parts, devices in one access. Padding is copied in units that are aligned.
TEST_F(DeviceExchange, RefusesElementsThatCannotBeLoadedAtOnce) {
    using Complex = Kokkos::complex<float>;
    const ArrayLayout line(ProcessGrid{comm.size()},
                           {block(4 * comm.size(), {.padding = 1, .periodic = true})});
    std::vector<float> memory(13, 1.0F);
    const auto wrap = [&](int first, const ArrayLayout& of) {
        return AnyDistView({.data = memory.data() + (comm.rank() == 0 ? first : 0),
                            .element = element_type<Complex>(),
                            .extents = {6},
                            .strides = {sizeof(Complex)}},
                           of, comm.rank());
    };
    const std::vector<AnyDistView> aligned{wrap(0, line)};
    const std::vector<AnyDistView> shifted{wrap(1, line)};
    const std::string error = ": expected elements in device memory at multiples of 8 bytes, "
                              "got some at multiples of 4";
    PaddingExchangePlan exchange(comm, line);
    exchange.execute(exec, shifted);
    exchange.combine_as<Complex>(exec, Sum{}, aligned);
    EXPECT_THROW_ON_ALL_RANKS(exchange.combine_as<Complex>(exec, Sum{}, shifted), ShapeError,
                              "field 0" + error);
    std::vector<Complex> other(6);
    const AnyDistView target(DistView<Complex*, Kokkos::HostSpace>(
        line, comm.rank(), Kokkos::View<Complex*, Kokkos::HostSpace>(other.data(), 6)));
    RedistributionPlan plan(comm, line, line);
    plan.execute(exec, aligned[0], target);
    EXPECT_THROW_ON_ALL_RANKS(plan.execute(exec, shifted[0], target), ShapeError,
                              "source 0" + error);
    EXPECT_THROW_ON_ALL_RANKS(
        plan.execute_as(exec, Complex(1), &target, Complex(0), shifted.data()), ShapeError,
        "target 0" + error);
}

/// 8 bytes, aligned to multiples of 4.
struct Pair {
    float x = 0;
    float y = 0;
};

// A sanitizer reports loads larger than the alignment allows.
TEST_F(DeviceExchange, GathersElementsWhereTheirTypeAllows) {
    const ArrayLayout line(ProcessGrid{comm.size()}, {block(4 * comm.size())});
    std::vector<float> memory(9);
    using List = Kokkos::View<Pair*, Kokkos::HostSpace>;
    const List section(reinterpret_cast<Pair*>(memory.data() + 1), 4);
    const DistView<Pair*, Kokkos::HostSpace> u(line, comm.rank(), section);
    for (std::size_t i = 0; i < 4; ++i)
        section(i) = {static_cast<float>(4 * comm.rank()), static_cast<float>(i)};
    const List values("values", 3);
    const std::int64_t last = 4 * comm.size() - 1;
    GatherPlan plan(comm, line, IndexList({last, 0, last}));
    plan.execute(exec, u, values);
    EXPECT_EQ(values(0).x + values(0).y, static_cast<float>(last));
    EXPECT_EQ(values(1).x + values(1).y, 0.0F);
    EXPECT_EQ(values(2).y, 3.0F);
}

TEST_F(DeviceExchange, RefusesMemoryOutOfReach) {
    device.reaches_all = false;
    PaddingExchangePlan plan(comm, layout);
    const Array shared = make(true);
    const Array own = make(false);
    plan.execute(exec, shared);
    EXPECT_THROW_ON_ALL_RANKS(plan.execute(exec, own), ShapeError,
                              "field 0 is in memory that the device cannot access");
    device.reaches_all = true;
}

} // namespace

} // namespace distview::testing
