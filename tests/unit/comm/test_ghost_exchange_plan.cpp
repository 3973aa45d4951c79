// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random graphs: each rank owns some indices and needs others. Ghosts are filled and combined over every transport.
#include "field_fixture.hpp"
#include "transports.hpp"

#include <distview/comm/ghost_exchange_plan.hpp>
#include <distview/comm/make_dist_view.hpp>
#include <distview_testing/assertions.hpp>
#include <distview_testing/random.hpp>
#include <distview_testing/values.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>
#include <vector>

namespace distview::testing {

namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;
using Indices = std::vector<std::int64_t>;

std::uint64_t case_count() {
    const char* const value = std::getenv("DISTVIEW_CASES");
    return value ? std::strtoull(value, nullptr, 10) : 40;
}

/// What every rank owns and needs, known to all.
struct Graph {
    std::vector<Indices> owned;
    std::vector<Indices> needed;

    Graph(Random& random, int ranks)
        : owned(static_cast<std::size_t>(ranks)), needed(static_cast<std::size_t>(ranks)) {
        std::set<std::int64_t> different;
        for (std::int64_t count = random.integer(0, 80); count > 0; --count)
            different.insert(random.chance(0.5) ? random.integer(0, 100)
                                                : random.integer(-1000000, 1000000));
        Indices all(different.begin(), different.end());
        random.shuffle(all);
        const bool all_on_one = random.chance(0.15);
        for (const std::int64_t index : all)
            owned[all_on_one ? 0 : static_cast<std::size_t>(random.integer(0, ranks))].push_back(
                index);
        for (Indices& each : needed)
            for (std::int64_t count = random.chance(0.2) ? 0 : random.integer(0, 60);
                 count > 0 && !all.empty(); --count)
                each.push_back(random.pick(all));
    }
};

/// The index at each position of a rank's section.
Indices section_of(const Graph& graph, int rank) {
    const auto r = static_cast<std::size_t>(rank);
    Indices result = graph.owned[r];
    const std::set<std::int64_t> own(result.begin(), result.end());
    const std::set<std::int64_t> needed(graph.needed[r].begin(), graph.needed[r].end());
    for (const std::int64_t index : needed)
        if (!own.contains(index)) result.push_back(index);
    return result;
}

/// Arrays with two components along a second axis.
class GhostCase {
public:
    GhostCase(Random& random, const Communicator& comm)
        : m_comm(comm), m_graph(random, comm.size()), m_section(section_of(m_graph, comm.rank())),
          m_salt(random.bits()) {
        const auto r = static_cast<std::size_t>(comm.rank());
        m_layout = make_ghosted_layout(comm, m_graph.owned[r], m_graph.needed[r], {block(2)});
        EXPECT_EQ(m_layout.owned, static_cast<std::int64_t>(m_graph.owned[r].size()));
        EXPECT_EQ(m_layout.owned + m_layout.ghosts, static_cast<std::int64_t>(m_section.size()));
        for (std::size_t k = 0; k < m_graph.needed[r].size(); ++k)
            EXPECT_EQ(m_section[static_cast<std::size_t>(m_layout.positions[k])],
                      m_graph.needed[r][k]);
        const std::uint64_t drawn = random.bits();
        m_in_arena = random.chance(0.6) || (drawn >> static_cast<unsigned>(comm.rank())) % 2 == 0;
        m_array = make_dist_view<double**>(m_exec, comm, m_layout.layout, "array");
        if (!m_in_arena)
            m_array = {m_layout.layout, comm.rank(),
                       Kokkos::View<double**, Kokkos::LayoutRight, Exec::memory_space>(
                           "section", m_section.size(), 2),
                       nullptr, "array"};
        m_other = make_dist_view<int**>(m_exec, comm, m_layout.layout, "other");
    }

    void run(const std::vector<TransportChoice>& choices) {
        for (const TransportChoice choice : choices) {
            SCOPED_TRACE("transport " + name_of(choice));
            const TransportSetting setting(choice);
            GhostExchangePlan plan(m_comm, m_layout);
            if (is_refused(plan, choice)) {
                EXPECT_THROW_ON_ALL_RANKS(plan.execute(m_exec, m_array), UsageError,
                                          "DISTVIEW_TRANSPORT: '" + name_of(choice) +
                                              "' from rank ");
                continue;
            }
            for (int round = 0; round < 3; ++round) fill(plan, round);
            if (choice != Transport::ipc)
                for (int round = 0; round < 2; ++round) combine(plan, round);
        }
    }

private:
    bool is_refused(const GhostExchangePlan& plan, TransportChoice choice) const {
        if (choice != Transport::direct && choice != Transport::ipc) return false;
        const std::vector<char> refusals =
            on_all_ranks(m_comm, !is_readable(m_in_arena) && !plan.send_peers().empty());
        return std::count(refusals.begin(), refusals.end(), char{1}) > 0;
    }

    double value(std::int64_t index, int component, int what) const {
        return static_cast<double>(
                   value_of<std::uint32_t>(Position{index, component, what}, m_salt)) /
               3;
    }

    void fill(GhostExchangePlan& plan, int round) {
        const auto u = m_array.view();
        const auto v = m_other.view();
        const auto owned = static_cast<std::size_t>(m_layout.owned);
        for (std::size_t i = 0; i < m_section.size(); ++i)
            for (int c = 0; c < 2; ++c) {
                const bool own = i < owned;
                u(i, c) = own ? value(m_section[i], c, round) : -1;
                v(i, c) = own ? static_cast<int>(m_section[i]) + c : -7;
            }
        if (round == 0)
            plan.execute(m_exec, m_array);
        else
            plan.start(m_exec, m_array, m_other).finish();
        std::int64_t wrong = 0;
        for (std::size_t i = 0; i < m_section.size(); ++i)
            for (int c = 0; c < 2; ++c) {
                wrong += bits_equal(u(i, c), value(m_section[i], c, round)) ? 0 : 1;
                const int expected = static_cast<int>(m_section[i]) + c;
                wrong += v(i, c) == (round > 0 || i < owned ? expected : -7) ? 0 : 1;
            }
        EXPECT_EQ(wrong, 0) << "round " << round;
    }

    void combine(GhostExchangePlan& plan, int round) {
        const auto u = m_array.view();
        for (std::size_t i = 0; i < m_section.size(); ++i)
            for (int c = 0; c < 2; ++c)
                u(i, c) = value(m_section[i], c, 100 * round + m_comm.rank());
        plan.combine(m_exec, Sum{}, m_array);
        std::int64_t wrong = 0;
        const auto owned = static_cast<std::size_t>(m_layout.owned);
        for (std::size_t i = 0; i < m_section.size(); ++i)
            for (int c = 0; c < 2; ++c) {
                double expected = value(m_section[i], c, 100 * round + m_comm.rank());
                for (int rank = 0; rank < m_comm.size() && i < owned; ++rank) {
                    const Indices& needed = m_graph.needed[static_cast<std::size_t>(rank)];
                    const bool has =
                        std::find(needed.begin(), needed.end(), m_section[i]) != needed.end();
                    if (rank != m_comm.rank() && has)
                        expected += value(m_section[i], c, 100 * round + rank);
                }
                wrong += bits_equal(u(i, c), expected) ? 0 : 1;
            }
        EXPECT_EQ(wrong, 0) << "combine, round " << round;
    }

    Exec m_exec{};
    Communicator m_comm;
    Graph m_graph;
    Indices m_section;
    std::uint64_t m_salt;
    GhostedLayout m_layout;
    bool m_in_arena = true;
    DistView<double**> m_array;
    DistView<int**> m_other;
};

TEST(GhostExchangePlans, FillAndCombineWhatAGraphSays) {
    const Worlds worlds;
    const std::vector<TransportChoice> choices = possible_transports(worlds.forward_comm);
    for_each_case(case_count(), [&](Random& random, std::uint64_t) {
        const Communicator& comm = random.chance(0.7) ? worlds.forward_comm : worlds.reversed_comm;
        GhostCase(random, comm).run(choices);
    });
}

TEST(GhostExchangePlans, WrongIndicesAreTheSameErrorOnAllRanks) {
    const Communicator comm(MPI_COMM_WORLD);
    const std::int64_t rank = comm.rank(), n = comm.size();
    EXPECT_THROW_ON_ALL_RANKS(make_ghosted_layout(comm, {5 * rank, 5 * rank}, {}), LayoutError,
                              "expected each owned index once, got ");
    if (n == 1) {
        EXPECT_THROW_ON_ALL_RANKS(make_ghosted_layout(comm, {0}, {77}), UsageError,
                                  "there are 1, and this process has and needs 2");
        return;
    }
    const GhostedLayout missing =
        make_ghosted_layout(comm, {rank}, rank == n - 1 ? Indices{77} : Indices{});
    EXPECT_THROW_ON_ALL_RANKS(GhostExchangePlan(comm, missing), UsageError,
                              "expected indices that a process owns along axis 0, got 77");
    GhostedLayout uncounted = make_ghosted_layout(comm, {rank}, {});
    uncounted.owned = 0;
    EXPECT_THROW_ON_ALL_RANKS(GhostExchangePlan(comm, uncounted), UsageError,
                              "expected 1 owned indices and ghosts along axis 0, got 0 and 0");
    const GhostedLayout twice = make_ghosted_layout(comm, {rank % (n - 1)}, {0});
    EXPECT_THROW_ON_ALL_RANKS(
        GhostExchangePlan(comm, twice), UsageError,
        text("expected each index to have one owner, got 0 owned by processes 0 and ", n - 1));
}

} // namespace

} // namespace distview::testing
