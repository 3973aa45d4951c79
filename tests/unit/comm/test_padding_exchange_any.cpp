// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PaddingExchangePlan with arrays whose types are known only at run time: same results as typed
// calls, byte for byte, at the same cost, and errors that all ranks share.
#include "communicators.hpp"
#include "field_fixture.hpp"
#include "numbered_array.hpp"

#include <distview/comm/combine.hpp>
#include <distview/comm/padding_exchange_plan.hpp>
#include <distview_testing/allocations.hpp>
#include <distview_testing/assertions.hpp>
#include <distview_testing/mpi_counters.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace distview::testing {

namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;
using Host = Kokkos::HostSpace;
using Strided = Kokkos::LayoutStride;

class PaddingExchangeAny : public ::testing::Test {
protected:
    const Communicator comm{MPI_COMM_WORLD};
    const Exec exec{};
    const int n = comm.size();
};

template <class... Views>
void exchange_both_ways(const Communicator& comm, Random& random) {
    const std::vector<int> axis_counts{Views::rank()...};
    std::vector<ArrayGeometry> geometries;
    std::vector<FieldExchange> exchanges;
    for (const int axis_count : axis_counts) {
        GeometryLimits limits = limits_for(axis_count);
        limits.valid_only = true;
        geometries.push_back(
            random_geometry(random, random_process_grid(random, comm.size(), axis_count), limits));
        exchanges.push_back({geometries.back().layout(), geometries.back().options()});
    }
    PaddingExchangePlan typed(comm, exchanges);
    PaddingExchangePlan untyped(comm, exchanges);
    [&]<std::size_t... I>(std::index_sequence<I...>) {
        std::tuple<TestField<Views>...> first{
            TestField<Views>(geometries[I], exchanges[I].layout, comm.rank(), random)...};
        std::tuple<TestField<Views>...> second{
            TestField<Views>(geometries[I], exchanges[I].layout, comm.rank(), random)...};
        const std::vector<AnyDistView> any{std::get<I>(second).view()...};
        const std::vector<const AnyDistView*> apart{&any[I]...};
        for (std::uint64_t round = 1; round <= 3; ++round) {
            (std::get<I>(first).fill(round * 100 + I), ...);
            (std::get<I>(second).fill(round * 100 + I), ...);
            MpiCounters of_typed;
            typed.execute(Exec(), std::get<I>(first).view()...);
            const MpiTraffic one = of_typed.stop();
            MpiCounters of_untyped;
            switch (random.integer(0, 4)) {
            case 0: untyped.execute(Exec(), std::span<const AnyDistView>(any)); break;
            case 1: untyped.start(Exec(), std::span<const AnyDistView>(any)).finish(); break;
            case 2: untyped.execute(Exec(), std::span<const AnyDistView* const>(apart)); break;
            default: untyped.start(Exec(), std::span<const AnyDistView* const>(apart)).finish();
            }
            const MpiTraffic other = of_untyped.stop();
            for (const std::string& flaw : {std::get<I>(first).find_flaw(round * 100 + I)...,
                                            std::get<I>(second).find_flaw(round * 100 + I)...})
                EXPECT_EQ(flaw, "") << "round " << round;
            EXPECT_EQ(one.sent, other.sent);
            EXPECT_EQ(one.received, other.received);
            EXPECT_EQ(one.collectives, other.collectives);
        }
    }(std::index_sequence_for<Views...>());
}

TEST_F(PaddingExchangeAny, MovesTheSameBytesAsTypedCalls) {
    for_each_case(150, [&](Random& random, std::uint64_t) {
        switch (random.integer(0, 4)) {
        case 0: exchange_both_ways<DistView<double**, Host>>(comm, random); break;
        case 1:
            exchange_both_ways<DistView<float***, Strided, Host>, DistView<std::int8_t*, Host>>(
                comm, random);
            break;
        case 2:
            exchange_both_ways<DistView<Bytes<24>**, Strided, Host>,
                               DistView<Kokkos::complex<double>*, Strided, Host>>(comm, random);
            break;
        default:
            exchange_both_ways<DistView<std::uint16_t**, Kokkos::LayoutLeft, Host>,
                               DistView<Bytes<3>****, Strided, Host>, DistView<bool*, Host>>(
                comm, random);
        }
    });
}

/// An array over the same memory, whose axes run backwards.
AnyDistView turned_round(const Communicator& comm, const ArrayLayout& layout,
                         std::vector<double>& memory) {
    const Extents extents = layout.local_extents(comm.rank());
    AnySection section;
    section.element = element_type<double>();
    section.extents = {extents[0], extents[1]};
    section.strides = {-8 * extents[1], -8};
    memory.assign(static_cast<std::size_t>(section.count()), -1.0);
    section.data = memory.data() + memory.size() - 1;
    return {section, layout, comm.rank()};
}

TEST_F(PaddingExchangeAny, TakesMemoryWithNegativeStrides) {
    const ArrayLayout layout = ring(comm);
    const NumberedArray reference = make_array(comm, layout);
    std::vector<double> memory;
    const AnyDistView any = turned_round(comm, layout, memory);
    PaddingExchangePlan plan(comm, layout);
    for (int round = 1; round <= 2; ++round) {
        number(reference, round);
        for (std::size_t i = 0; i < memory.size(); ++i)
            memory[memory.size() - 1 - i] = reference.view().data()[i];
        plan.execute(exec, std::span(&any, 1));
        plan.execute(exec, reference);
        ASSERT_EQ(find_wrong_number(reference, round), "");
        for (std::size_t i = 0; i < memory.size(); ++i)
            EXPECT_EQ(memory[memory.size() - 1 - i], reference.view().data()[i]) << i;
    }
}

TEST_F(PaddingExchangeAny, IsTheSameSetAsTheTypedArray) {
    const NumberedArray a = make_array(comm, ring(comm));
    const AnyDistView any = a;
    const AnyDistView copy = any;
    PaddingExchangePlan plan(comm, ring(comm));
    plan.bind(Exec(), a);
    const std::size_t workspace = plan.workspace_bytes();
    MpiCounters counters;
    plan.bind(Exec(), std::span(&any, 1));
    plan.execute(exec, std::span(&copy, 1));
    plan.execute(exec, a);
    const MpiTraffic traffic = counters.stop();
    EXPECT_EQ(traffic.collectives, (std::map<std::string, std::int64_t>{}));
    EXPECT_EQ(plan.workspace_bytes(), workspace);
}

// Oracle: combine() of typed arrays, for different numbers of arrays.
TEST_F(PaddingExchangeAny, CombinesElementsOfATypeFoundOutAtRunTime) {
    const ArrayLayout layout = ring(comm);
    std::vector<NumberedArray> typed, untyped;
    for (int i = 0; i < 3; ++i)
        for (auto* const arrays : {&typed, &untyped}) {
            arrays->push_back(make_array(comm, layout));
            for (std::size_t k = 0; k < arrays->back().view().size(); ++k)
                arrays->back().view().data()[k] = 1 + i + 10 * static_cast<double>(k);
        }
    PaddingExchangePlan plan(comm, layout);
    plan.combine(exec, Sum{}, typed[0], typed[1], typed[2]);
    const std::vector<AnyDistView> any(untyped.begin(), untyped.end());
    plan.combine_as<double>(exec, Sum{}, any);
    for (std::size_t i = 0; i < typed.size(); ++i)
        for (std::size_t k = 0; k < typed[i].view().size(); ++k)
            EXPECT_EQ(untyped[i].view().data()[k], typed[i].view().data()[k]);
    EXPECT_THROW_ON_ALL_RANKS(plan.combine_as<std::int64_t>(exec, Sum{}, any), ShapeError,
                              "expected fields with the element type of combine_as()");
}

TEST_F(PaddingExchangeAny, BindsAheadOfTheFirstExecute) {
    std::vector<AnyDistView> fields;
    for (int i = 0; i < 3; ++i) fields.emplace_back(make_array(comm, ring(comm)));
    PaddingExchangePlan plan(comm, ring(comm));
    plan.bind(Exec(), fields);
    EXPECT_NE(plan.describe().find("bound set 0 of 3 arrays"), std::string::npos);
    MpiCounters counters;
    plan.execute(exec, std::span<const AnyDistView>(fields));
    EXPECT_EQ(counters.stop().collectives, (std::map<std::string, std::int64_t>{}));
}

TEST_F(PaddingExchangeAny, AllocatesNothingFromTheSecondExecuteOn) {
    PaddingExchangePlan plan(comm, ring(comm));
    PaddingExchangePlan other(comm, std::vector<FieldExchange>{{ring(comm)}, {ring(comm)}});
    const AnyDistView one = make_array(comm, ring(comm));
    std::vector<AnyDistView> two;
    for (int i = 0; i < 2; ++i) two.emplace_back(make_array(comm, ring(comm)));
    const auto step = [&] {
        plan.execute(exec, std::span(&one, 1));
        const std::array<const AnyDistView*, 1> apart{&one};
        plan.execute(exec, std::span<const AnyDistView* const>(apart));
        auto handle = other.start(exec, std::span<const AnyDistView>(two));
        plan.bind(Exec(), std::span(&one, 1));
        handle.finish();
    };
    step();
    const auto steps = [&] {
        for (int i = 0; i < 50; ++i) step();
    };
    const AllocationCounts counts = count_heap_allocations(steps);
    EXPECT_EQ(counts.heap, 0) << counts.description;
    const AllocationCounts watched = count_allocations(steps);
    EXPECT_EQ(watched.kokkos, 0) << watched.description;
}

// Wrong arguments on one rank

class PaddingExchangeAnyErrors : public PaddingExchangeAny {
protected:
    PaddingExchangePlan plan{comm, ring(comm)};
    const NumberedArray array = make_array(comm, ring(comm));
    const AnyDistView good = array;

    void execute(const AnyDistView& field) { plan.execute(exec, std::span(&field, 1)); }

    /// A field that equals the good one, except for the effect of `change` on rank `odd`.
    template <class Change>
    AnyDistView changed(int odd, Change&& change) const {
        const NumberedArray other = make_array(comm, ring(comm));
        AnySection section = AnyDistView(other).section();
        if (comm.rank() == odd) change(section);
        return {section, ring(comm), comm.rank()};
    }

    std::string end(int odd) const { return n > 1 ? text(" [rank ", odd, " of ", n, ']') : ""; }

    /// After each test the plan must still exchange the good field.
    void TearDown() override {
        for (int round = 1; round <= 2; ++round) {
            number(array, round);
            execute(good);
            EXPECT_EQ(find_wrong_number(array, round), "");
        }
    }
};

TEST_F(PaddingExchangeAnyErrors, ReadOnlyMemoryOnOneRank) {
    for (int odd = 0; odd < n; ++odd) {
        const AnyDistView bad = changed(odd, [](AnySection& s) { s.read_only = true; });
        const std::string expected =
            "PaddingExchangePlan: field 0 is read-only: an exchange writes its padding" + end(odd);
        EXPECT_THROW_ON_ALL_RANKS(execute(bad), ShapeError, expected);
        EXPECT_THROW_ON_ALL_RANKS(plan.bind(Exec(), std::span(&bad, 1)), ShapeError, expected);
        const std::vector<AnyDistView> both{good, bad};
        EXPECT_THROW_ON_ALL_RANKS(plan.execute(exec, std::span<const AnyDistView>(both)),
                                  ShapeError, "field 1 is read-only");
    }
}

TEST_F(PaddingExchangeAnyErrors, AReadOnlyViewOfABoundArray) {
    execute(good);
    const DistView<const double**> fixed = array;
    const AnyDistView bad = fixed;
    const std::span<const AnyDistView> fields(&bad, 1);
    const std::string expected = "field 0 is read-only: an exchange writes its padding";
    EXPECT_THROW_ON_ALL_RANKS(execute(bad), ShapeError, expected);
    EXPECT_THROW_ON_ALL_RANKS(plan.bind(Exec(), fields), ShapeError, expected);
    array.mark_written();
    EXPECT_THROW_ON_ALL_RANKS(plan.require(exec, 1, fields), ShapeError, expected);
    plan.combine(exec, Sum{}, array);
    EXPECT_THROW_ON_ALL_RANKS(plan.combine_as<double>(exec, Sum{}, fields), ShapeError, expected);
}

TEST_F(PaddingExchangeAnyErrors, DeviceMemoryOnOneRank) {
    for (int odd = 0; odd < n; ++odd)
        for (const DeviceType type : {DeviceType::cuda, DeviceType::rocm, DeviceType::one_api}) {
            const AnyDistView bad = changed(odd, [&](AnySection& s) { s.device = {type, 1}; });
            EXPECT_THROW_ON_ALL_RANKS(
                execute(bad), ShapeError,
                "PaddingExchangePlan: field 0 is in memory that the host cannot access" + end(odd));
        }
    // Memory that the host can access is accepted.
    for (const DeviceType type :
         {DeviceType::cuda_host, DeviceType::cuda_managed, DeviceType::rocm_host}) {
        const AnyDistView pinned = changed(0, [&](AnySection& s) { s.device = {type, 0}; });
        execute(pinned);
    }
}

TEST_F(PaddingExchangeAnyErrors, OtherElementTypesOnOneRank) {
    if (n == 1) return;
    for (int odd = 0; odd < n; ++odd) {
        const AnyDistView bad =
            changed(odd, [](AnySection& s) { s.element = element_type<std::int64_t>(); });
        EXPECT_THROW_ON_ALL_RANKS(execute(bad), UsageError,
                                  "PaddingExchangePlan: expected the same arguments on all ranks");
    }
}

TEST_F(PaddingExchangeAnyErrors, OtherLayoutsAndNumbersOnOneRank) {
    const AnyDistView wider = make_array(comm, ring(comm, 4, 3, 2));
    const std::vector<AnyDistView> none;
    const std::vector<AnyDistView> fresh{make_array(comm, ring(comm)),
                                         make_array(comm, ring(comm))};
    PaddingExchangePlan pair(comm, std::vector<FieldExchange>{{ring(comm)}, {ring(comm)}});
    for (int odd = 0; odd < n; ++odd) {
        const AnyDistView unknown = make_array(comm, ring(comm));
        EXPECT_THROW_ON_ALL_RANKS(execute(comm.rank() == odd ? wider : unknown), ShapeError,
                                  "PaddingExchangePlan: field 0 is a 2-d array");
        EXPECT_THROW_ON_ALL_RANKS(
            plan.execute(exec, comm.rank() == odd ? std::span<const AnyDistView>(none)
                                                  : std::span(&unknown, 1)),
            UsageError, "PaddingExchangePlan: expected at least 1 field, got 0" + end(odd));
        EXPECT_THROW_ON_ALL_RANKS(
            pair.execute(exec, comm.rank() == odd ? std::span<const AnyDistView>(fresh).first(1)
                                                  : std::span<const AnyDistView>(fresh)),
            UsageError, "PaddingExchangePlan: expected 2 fields, got 1" + end(odd));
    }
    pair.execute(exec, std::span<const AnyDistView>(fresh));
}

} // namespace

} // namespace distview::testing
