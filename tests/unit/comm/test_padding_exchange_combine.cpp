// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PaddingExchangePlan::combine, compared with a fold over all copies of every element, found cell by cell.
#include "field_fixture.hpp"
#include "summands.hpp"
#include "transports.hpp"

#include <distview/comm/padding_exchange_plan.hpp>
#include <distview_testing/assertions.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace distview::testing {

namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;
using Host = Kokkos::HostSpace;
using Right = Kokkos::LayoutRight;
using Left = Kokkos::LayoutLeft;
using Strided = Kokkos::LayoutStride;

/// The result depends on the order of operands, on their order within each operation, and on every copy.
struct Chain {
    template <class T>
    KOKKOS_FUNCTION T operator()(const T& here, const T& incoming) const {
        if constexpr (std::is_integral_v<T>)
            return static_cast<T>(static_cast<std::uint64_t>(here) * 31 +
                                  static_cast<std::uint64_t>(incoming));
        else
            return static_cast<T>(here * static_cast<T>(0.5) + incoming);
    }
    template <std::size_t Size>
    KOKKOS_FUNCTION Bytes<Size> operator()(const Bytes<Size>& here,
                                           const Bytes<Size>& incoming) const {
        Bytes<Size> result;
        for (std::size_t i = 0; i < Size; ++i)
            result.bytes[i] = static_cast<std::byte>(std::to_integer<int>(here.bytes[i]) * 31 +
                                                     std::to_integer<int>(incoming.bytes[i]));
        return result;
    }
};

/// The elements of process `owner` by number in C order, each with the cells that copy it, in the
/// order documented for combine().
struct Copy {
    int process;
    Position position;
};
using Order = std::vector<std::pair<int, int>>; // by axis: direction and steps, the last fastest
std::map<std::int64_t, std::map<Order, Copy>> copies_of(const ArrayGeometry& geometry, int owner) {
    std::map<std::int64_t, std::map<Order, Copy>> result;
    for (int p = 0; p < geometry.process_count(); ++p) {
        const std::vector<int> at = geometry.coordinates(p);
        geometry.for_each_cell(p, [&](const ExpectedCell& cell) {
            if (!cell.filled || cell.source_process != owner) return;
            Order order;
            for (std::size_t d = 0; d < geometry.axes.size(); ++d) {
                const auto l = static_cast<std::size_t>(cell.position[d]);
                const AxisCell& along = geometry.axes[d].cells(at[d])[l];
                order.emplace_back(along.direction, along.steps);
            }
            const bool is_new =
                result[cell.source_number].emplace(order, Copy{p, cell.position}).second;
            EXPECT_TRUE(is_new) << "two copies as near in one direction: the order is not defined";
        });
    }
    return result;
}

template <class View>
void fill_with_summands(TestField<View>& field, const ArrayGeometry& geometry, int process,
                        std::uint64_t salt) {
    field.fill(salt);
    geometry.for_each_cell(process, [&](const ExpectedCell& cell) {
        field.at(cell) = summand<typename View::value_type>(process, cell.position, salt);
    });
}

/// The first cell with a wrong value after combine(); "" if all are right.
template <class View, class Op>
std::string find_flaw(const TestField<View>& field, const ArrayGeometry& geometry, int process,
                      const Op& op, std::uint64_t salt) {
    using Value = typename View::value_type;
    const auto copies = copies_of(geometry, process);
    std::string flaw = field.find_flaw_in_gaps();
    geometry.for_each_cell(process, [&](const ExpectedCell& cell) {
        Value expected = summand<Value>(process, cell.position, salt);
        const auto of_cell = copies.find(cell.number);
        if (cell.kept && of_cell != copies.end())
            for (const auto& [order, copy] : of_cell->second)
                expected = op(expected, summand<Value>(copy.process, copy.position, salt));
        if (flaw.empty() && std::memcmp(&field.at(cell), &expected, sizeof(Value)) != 0)
            flaw = text("process ", process, ": ", cell.kept ? "element " : "padding ",
                        tuple_text(cell.position), " is not what it should be, with ",
                        of_cell == copies.end() ? 0 : of_cell->second.size(), " copies");
    });
    return flaw;
}

/// Combines fields of these types over every transport, with all checks.
template <class Op, class... Views>
void run_case(Random& random, const Worlds& worlds, const std::vector<TransportChoice>& choices) {
    const Communicator& comm = random.chance(0.5) ? worlds.reversed_comm : worlds.forward_comm;
    const std::vector<int> ranks{Views::rank()...};
    const bool alike = std::count(ranks.begin(), ranks.end(), ranks[0]) == std::ssize(ranks);
    const bool one_geometry = alike && random.chance(0.5);
    std::vector<ArrayGeometry> geometries;
    std::vector<FieldExchange> exchanges;
    for (const int axis_count : ranks) {
        GeometryLimits limits = limits_for(axis_count);
        limits.valid_only = true;
        geometries.push_back(
            one_geometry && !geometries.empty()
                ? geometries.front()
                : random_geometry(random, random_process_grid(random, comm.size(), axis_count),
                                  limits));
        exchanges.push_back({geometries.back().layout(), geometries.back().options()});
    }
    const Memory memory = random.chance(0.6) ? Memory::arena : Memory::mixed;
    [&]<std::size_t... I>(std::index_sequence<I...>) {
        std::tuple<TestField<Views>...> fields{
            TestField<Views>(geometries[I], exchanges[I].layout, comm, random, memory)...};
        const bool in_arena = (std::get<I>(fields).in_arena() && ...);
        const std::vector<char> arenas = on_all_ranks(comm, in_arena);
        const bool all_in_arena = std::count(arenas.begin(), arenas.end(), char{0}) == 0;
        const Exec exec;
        for (const TransportChoice choice : choices) {
            if ((choice == Transport::direct || choice == Transport::ipc) &&
                !is_readable(all_in_arena))
                continue;
            SCOPED_TRACE("transport " + name_of(choice));
            const TransportSetting setting(choice);
            PaddingExchangePlan plan =
                one_geometry ? PaddingExchangePlan(comm, exchanges[0].layout, exchanges[0].options)
                             : PaddingExchangePlan(comm, exchanges);
            for (std::uint64_t round = 1; round <= 2; ++round) {
                (fill_with_summands(std::get<I>(fields), geometries[I], comm.rank(), round * 8 + I),
                 ...);
                if (random.chance(0.5))
                    plan.combine(exec, Op{}, std::get<I>(fields).view()...);
                else
                    plan.start_combine(exec, Op{}, std::get<I>(fields).view()...).finish();
                const std::string flaws[] = {find_flaw(std::get<I>(fields), geometries[I],
                                                       comm.rank(), Op{}, round * 8 + I)...};
                for (std::size_t i = 0; i < sizeof...(I); ++i)
                    EXPECT_EQ(flaws[i], "")
                        << "field " << i << ", round " << round << ": " << geometries[i].describe();
                // The same plan, alternating between execute() and combine().
                (std::get<I>(fields).fill(round), ...);
                plan.execute(exec, std::get<I>(fields).view()...);
                EXPECT_EQ((std::get<I>(fields).find_flaw(round) + ...), "");
            }
        }
    }(std::index_sequence_for<Views...>());
}

using RunCase = void (*)(Random&, const Worlds&, const std::vector<TransportChoice>&);

const std::vector<RunCase> cases{
    run_case<Sum, DistView<double*>>,
    run_case<Chain, DistView<Bytes<12>*, Strided, Host>>,
    run_case<Sum, DistView<float**>>,
    run_case<Chain, DistView<double**, Left, Host>>,
    run_case<Minimum, DistView<std::int8_t**, Strided, Host>>,
    run_case<Chain, DistView<std::int64_t**>, DistView<double**, Left, Host>>,
    run_case<Sum, DistView<std::int32_t**>, DistView<float**, Strided, Host>, DistView<double*>>,
    run_case<Maximum, DistView<double***, Left, Host>, DistView<std::int16_t**>>,
    run_case<Chain, DistView<Bytes<24>***>, DistView<std::int8_t*>, DistView<double***>>,
    run_case<Sum, DistView<Kokkos::complex<double>***, Strided, Host>>,
    run_case<Chain, DistView<float****, Strided, Host>>,
    run_case<Sum, DistView<double*****, Left, Host>>,
    run_case<Chain, DistView<std::int64_t******, Right, Host>>,
};

TEST(PaddingExchangeCombine, FoldsTheCopiesInOrderOverEveryTransport) {
    const Worlds worlds;
    const std::vector<TransportChoice> choices = possible_transports(worlds.forward_comm);
    for_each_case(
        150, [&](Random& random, std::uint64_t) { random.pick(cases)(random, worlds, choices); });
}

// Four elements per process in a ring, two copies on each side: the sums can be checked by hand.
TEST(PaddingExchangeCombine, AddsBothSidesOfARing) {
    const Communicator comm(MPI_COMM_WORLD);
    const ArrayLayout layout(ProcessGrid{comm.size()},
                             {block(4 * comm.size(), {.padding = 2, .periodic = true})});
    PaddingExchangePlan plan(comm, layout);
    const auto a = make_dist_view<double*>(Exec(), "a", comm, layout);
    const double low_copies = 100 * (comm.rank() + 1); // value of a process's low padding
    for (int i = 0; i < 8; ++i)
        a.view()(i) = i < 2 ? low_copies + i : i < 6 ? i : low_copies / 100 * 1e4 + i;
    const int n = comm.size();
    const int before = (comm.rank() + n - 1) % n + 1; // one-based ranks of the neighbours
    const int after = (comm.rank() + 1) % n + 1;
    plan.combine(Exec(), Sum{}, a);
    EXPECT_EQ(a.view()(2), 2 + before * 1e4 + 6);
    EXPECT_EQ(a.view()(3), 3 + before * 1e4 + 7);
    EXPECT_EQ(a.view()(4), 4 + after * 100 + 0);
    EXPECT_EQ(a.view()(5), 5 + after * 100 + 1);
}

// Four fields of 1600 bytes, or twice that between two ranks, exceed the size that MPI sends at
// once, so several messages are needed.
TEST(PaddingExchangeCombine, AddsSeveralFieldsOverEveryTransport) {
    const Communicator comm(MPI_COMM_WORLD);
    constexpr int columns = 200;
    const ArrayLayout layout(
        ProcessGrid{comm.size(), 1},
        {block(4 * comm.size(), {.padding = 1, .periodic = true}), block(columns)});
    std::vector<DistView<double**, Kokkos::LayoutRight, Kokkos::HostSpace>> fields;
    for (int f = 0; f < 4; ++f)
        fields.push_back(make_dist_view<double**, Kokkos::LayoutRight, Kokkos::HostSpace>(
            Exec(), "field", comm, layout));
    for (const TransportChoice choice : possible_transports(comm)) {
        SCOPED_TRACE("transport " + name_of(choice));
        const TransportSetting setting(choice);
        PaddingExchangePlan plan(comm, layout);
        for (int f = 0; f < 4; ++f)
            for (int i = 0; i < 6; ++i)
                for (int j = 0; j < columns; ++j)
                    fields[static_cast<std::size_t>(f)].view()(i, j) =
                        i == 0 || i == 5 ? 1000 * (f + 1) + j : 0.5;
        plan.combine(Exec(), Sum{}, fields[0], fields[1], fields[2], fields[3]);
        for (int f = 0; f < 4; ++f)
            for (int j = 0; j < columns; ++j)
                for (const int i : {1, 4})
                    ASSERT_EQ(fields[static_cast<std::size_t>(f)].view()(i, j),
                              1000 * (f + 1) + j + 0.5)
                        << "field " << f << ", position (" << i << ", " << j << ')';
    }
}

TEST(PaddingExchangeCombine, TakesAFunctionOfTheProgram) {
    const Communicator comm(MPI_COMM_WORLD);
    const ArrayLayout layout(ProcessGrid{comm.size()},
                             {block(2 * comm.size(), {.padding = 1, .periodic = true})});
    PaddingExchangePlan plan(comm, layout);
    const auto a = make_dist_view<int*>(Exec(), "a", comm, layout);
    const int values[] = {7, 3, 5, 9};
    for (int i = 0; i < 4; ++i) a.view()(i) = values[i];
    int offset = 1000; // not a constant, so the lambda stores it
    plan.combine(
        Exec(), [offset](int here, int incoming) { return here * 10 + incoming + offset; }, a);
    EXPECT_EQ(a.view()(1), 30 + 9 + 1000);
    EXPECT_EQ(a.view()(2), 50 + 7 + 1000);
}

} // namespace

} // namespace distview::testing
