// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "communicators.hpp"
#include "field_fixture.hpp"
#include "transports.hpp"

#include <distview/comm/make_dist_view.hpp>
#include <distview/comm/padding_exchange_plan.hpp>
#include <distview/core/text.hpp>
#include <distview_testing/assertions.hpp>
#include <distview_testing/mpi_counters.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace distview::testing {

namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;
using Host = Kokkos::HostSpace;
using Right = Kokkos::LayoutRight;
using Left = Kokkos::LayoutLeft;
using Strided = Kokkos::LayoutStride;

/// Exchanges fields of these types three times, with all checks.
template <class... Views>
class ExchangeCase {
public:
    ExchangeCase(Random& random, const Worlds& worlds, bool one_geometry)
        : m_random(random), m_reversed(random.chance(0.5)), m_one_geometry(one_geometry),
          m_comm(m_reversed ? worlds.reversed_comm : worlds.forward_comm) {}

    void run() {
        const std::vector<int> ranks{Views::rank()...};
        for (const int axis_count : ranks) {
            if (m_one_geometry && !m_geometries.empty()) {
                m_geometries.push_back(m_geometries.front());
                continue;
            }
            GeometryLimits limits = limits_for(axis_count);
            limits.valid_only = true;
            m_geometries.push_back(random_geometry(
                m_random, random_process_grid(m_random, m_comm.size(), axis_count), limits));
            ASSERT_TRUE(m_geometries.back().is_valid()) << m_geometries.back().describe();
        }
        std::vector<FieldExchange> exchanges;
        for (const ArrayGeometry& geometry : m_geometries)
            exchanges.push_back({geometry.layout(), geometry.options()});
        PaddingExchangePlan plan =
            m_one_geometry ? PaddingExchangePlan(m_comm, exchanges[0].layout, exchanges[0].options)
                           : PaddingExchangePlan(m_comm, exchanges);
        exchange(plan, exchanges, std::index_sequence_for<Views...>());
    }

private:
    template <std::size_t... I>
    void exchange(PaddingExchangePlan& plan, const std::vector<FieldExchange>& exchanges,
                  std::index_sequence<I...>) {
        const Exec exec;
        const Memory memory =
            m_random.pick(std::vector<Memory>{Memory::own, Memory::arena, Memory::mixed});
        std::tuple<TestField<Views>...> fields{
            TestField<Views>(m_geometries[I], exchanges[I].layout, m_comm, m_random, memory)...};
        const std::vector<std::int64_t> sizes{sizeof(typename Views::value_type)...};
        const bool in_arena = (std::get<I>(fields).in_arena() && ...);
        const Traffic expected = expected_traffic(
            plan, sizes, m_one_geometry, m_reversed,
            senders_of_messages(m_comm, distview::impl::required_transport(), in_arena),
            hosts_of(m_comm));
        for (std::uint64_t round = 1; round <= 3; ++round) {
            (std::get<I>(fields).fill(round * 100 + I), ...);
            MpiCounters counters;
            if (m_random.chance(0.5))
                plan.execute(exec, std::get<I>(fields).view()...);
            else
                plan.start(exec, std::get<I>(fields).view()...).finish();
            const MpiTraffic traffic = counters.stop();
            const std::string flaws[] = {std::get<I>(fields).find_flaw(round * 100 + I)...};
            for (std::size_t i = 0; i < sizeof...(I); ++i)
                EXPECT_EQ(flaws[i], "")
                    << "field " << i << ", round " << round << ": " << m_geometries[i].describe();
            if (round > 1) check(traffic, expected);
        }
    }

    static void check(const MpiTraffic& traffic, const Traffic& expected) {
        EXPECT_EQ(traffic.sent, expected.sent);
        EXPECT_EQ(traffic.received, expected.received);
        EXPECT_EQ(traffic.collective_calls(), 0);
        EXPECT_TRUE(traffic.one_sided.empty());
    }

    Random& m_random;
    bool m_reversed;
    bool m_one_geometry;
    Communicator m_comm;
    std::vector<ArrayGeometry> m_geometries;
};

template <class... Views>
void run_case(Random& random, const Worlds& worlds, bool one_geometry) {
    ExchangeCase<Views...>(random, worlds, one_geometry).run();
}

using RunCase = void (*)(Random&, const Worlds&, bool);

// One field, for all numbers of axes, array layouts and sizes of elements.
const std::vector<RunCase> single_fields{
    run_case<DistView<double*>>,
    run_case<DistView<Bytes<12>*, Strided, Host>>,
    run_case<DistView<float**>>,
    run_case<DistView<double**, Left, Host>>,
    run_case<DistView<std::int8_t**, Right, Host>>,
    run_case<DistView<Bytes<24>**, Strided, Host>>,
    run_case<DistView<Kokkos::complex<double>***, Left, Host>>,
    run_case<DistView<std::int16_t***, Strided, Host>>,
    run_case<DistView<Bytes<12>****, Right, Host>>,
    run_case<DistView<float****, Strided, Host>>,
    run_case<DistView<double*****, Left, Host>>,
    run_case<DistView<std::int8_t******, Strided, Host>>,
    run_case<DistView<float******>>,
};

// Several fields of one geometry in one exchange.
const std::vector<RunCase> alike_fields{
    run_case<DistView<double**>, DistView<double**>, DistView<double**>>,
    run_case<DistView<double**>, DistView<float**, Left, Host>,
             DistView<std::int8_t**, Strided, Host>, DistView<Bytes<24>**, Right, Host>>,
    run_case<DistView<std::int16_t***>, DistView<Kokkos::complex<double>***, Strided, Host>>,
};

// Several fields in one exchange, each with a different shape, grid, widths and stencil.
const std::vector<RunCase> different_fields{
    run_case<DistView<double**>, DistView<double**>>,
    run_case<DistView<float***>, DistView<std::int8_t*>, DistView<Bytes<12>**, Strided, Host>>,
    run_case<DistView<double*>, DistView<float****, Left, Host>, DistView<std::int16_t**>,
             DistView<Kokkos::complex<double>***>>,
};

TEST(PaddingExchangePlan, FillsOneFieldOfAnyKind) {
    const Worlds worlds;
    for_each_case(500, [&](Random& random, std::uint64_t) {
        random.pick(single_fields)(random, worlds, random.chance(0.5));
    });
}

TEST(PaddingExchangePlan, FillsSeveralFieldsOfOneGeometry) {
    const Worlds worlds;
    for_each_case(250, [&](Random& random, std::uint64_t) {
        random.pick(alike_fields)(random, worlds, true);
    });
}

TEST(PaddingExchangePlan, FillsFieldsOfDifferentGeometries) {
    const Worlds worlds;
    for_each_case(250, [&](Random& random, std::uint64_t) {
        random.pick(different_fields)(random, worlds, false);
    });
}

// Two halves of the world exchange different arrays at the same time.
TEST(PaddingExchangePlan, WorksOnPartsOfTheWorldAtOnce) {
    const int color = world_rank() % 2;
    const OwnedComm half = split_world(color, -world_rank());
    const Communicator comm(half.get());
    for (std::uint64_t i = 0; i < 20; ++i) {
        Random random(campaign_seed() + static_cast<std::uint64_t>(color), i);
        GeometryLimits limits = limits_for(2);
        limits.valid_only = true;
        const ArrayGeometry geometry =
            random_geometry(random, random_process_grid(random, comm.size(), 2), limits);
        const ArrayLayout layout = geometry.layout();
        PaddingExchangePlan plan(comm, layout, geometry.options());
        TestField<DistView<double**>> field(geometry, layout, comm, random,
                                            i % 2 == 0 ? Memory::arena : Memory::mixed);
        field.fill(i);
        plan.execute(Exec(), field.view());
        EXPECT_EQ(field.find_flaw(i), "") << geometry.describe();
    }
}

ArrayGeometry large_geometry(int process_count) {
    ArrayGeometry geometry;
    geometry.grid = {process_count, 1};
    AxisGeometry rows;
    rows.blocks.assign(static_cast<std::size_t>(process_count), 3);
    rows.padding.assign(static_cast<std::size_t>(process_count), Widths(2, 3));
    rows.boundary = Widths(2, 3);
    rows.periodic = true;
    const BlockOptions options{.padding = Widths(2, 3), .periodic = true};
    rows.spec = block(3 * process_count, options);
    rows.work_out();
    AxisGeometry columns;
    columns.blocks = {70000};
    columns.padding = {Widths(0)};
    columns.spec = block(70000);
    columns.work_out();
    geometry.axes = {rows, columns};
    return geometry;
}

// Messages of 1.1 and 1.7 MB, far larger than MPI sends eagerly, and copies split into many pieces.
TEST(PaddingExchangePlan, MovesLongRegions) {
    const Communicator comm(MPI_COMM_WORLD);
    const ArrayGeometry geometry = large_geometry(comm.size());
    const ArrayLayout layout = geometry.layout();
    Random random(1, 1);
    PaddingExchangePlan plan(comm, layout);
    for (const Memory memory : {Memory::own, Memory::arena}) {
        TestField<DistView<double**>> a(geometry, layout, comm, random, memory);
        TestField<DistView<double**, Strided, Host>> b(geometry, layout, comm, random, memory);
        for (std::uint64_t round = 0; round < 2; ++round) {
            a.fill(round);
            b.fill(round + 10);
            plan.execute(Exec(), a.view(), b.view());
            EXPECT_EQ(a.find_flaw(round), "");
            EXPECT_EQ(b.find_flaw(round + 10), "");
        }
    }
}

TEST(PaddingExchangePlan, StatesItsBuffersAndDescribesItself) {
    const Communicator comm(MPI_COMM_WORLD);
    const ArrayLayout layout(ProcessGrid{comm.size()},
                             {block(8 * comm.size(), {.padding = 2, .periodic = true})});
    constexpr bool on_device = distview::impl::on_device<Exec>;
    std::optional<TransportSetting> messages_only;
    if (!on_device) messages_only.emplace(Transport::message);
    PaddingExchangePlan plan(comm, layout);
    messages_only.reset();
    EXPECT_EQ(plan.workspace_bytes(), 0u);
    const DistView<double*> a(Exec(), "a", layout, comm.rank());
    plan.bind(Exec(), a);
    // Two doubles from each side, each side's message on separate cache lines; with one neighbour,
    // one message for both sides. On a device, a received staged message is stored a second time.
    const char* const aware = std::getenv("DISTVIEW_GPU_AWARE");
    const bool staged = on_device && !(aware && std::string(aware) == "1");
    const std::size_t messages = comm.size() == 1 ? 0 : comm.size() == 2 ? 1 : 2;
    const std::size_t buffers = (staged ? 3 : 2) * messages * 64;
    EXPECT_EQ(plan.workspace_bytes(), buffers);
    EXPECT_EQ(plan.send_peers().size(), messages);
    plan.bind(Exec(), a);
    EXPECT_EQ(plan.workspace_bytes(), buffers);
    const std::string geometry =
        "\nevery field: " + layout.describe() + '\n' + plan.schedule().describe();
    const std::string any_transport =
        distview::impl::DeviceLayer::any_exists()
            ? "direct, message; for device memory ipc, gpu_message, staged"
            : "direct, message";
    std::string expected =
        text("padding exchange; transports allowed: ", on_device ? any_transport : "message",
             geometry, "\nbound set 0 of 1 array:");
    const auto add = [&](const char* direction, const std::vector<int>& peers,
                         const std::string& how) {
        for (const int peer : peers) expected += text("\n  ", direction, " rank ", peer, how);
    };
    // Between two processes the message has two regions.
    const std::string bytes = comm.size() == 2 ? "32 bytes" : "16 bytes";
    const std::string message = staged      ? ": staged, "
                                : on_device ? ": gpu_message, "
                                            : ": message, ";
    add("from", plan.receive_peers(), message + bytes);
    add("to", plan.send_peers(), message + bytes);
    EXPECT_EQ(plan.describe(), expected);

    if (on_device || !is_possible(comm, Transport::direct)) return;
    PaddingExchangePlan free_plan(comm, layout);
    free_plan.bind(Exec(), a);
    expected = "padding exchange; transports allowed: " + any_transport + geometry +
               "\nbound set 0 of 1 array:";
    add("from", plan.receive_peers(), ": direct, " + bytes + ", packed by that rank");
    add("to", plan.send_peers(), ": direct, packed for it");
    EXPECT_EQ(free_plan.describe(), expected);
    // One line of shared memory per neighbour.
    EXPECT_EQ(free_plan.workspace_bytes(), 64 * free_plan.send_peers().size());
    const auto shared = make_dist_view<double*>(Exec(), "shared", comm, layout);
    free_plan.bind(Exec(), shared);
    expected += "\nbound set 1 of 1 array:";
    add("from", plan.receive_peers(), ": direct, " + bytes);
    add("to", plan.send_peers(), ": direct, read in place");
    EXPECT_EQ(free_plan.describe(), expected);

    const TransportSetting forced(Transport::direct);
    EXPECT_EQ(PaddingExchangePlan(comm, layout).describe(),
              "padding exchange; transports allowed: direct" + geometry);
}

} // namespace

} // namespace distview::testing
