// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random exchanges over every transport. Every cell is compared with the value for its global index, the bytes with
// those of the other transports, the messages with those that the arrays' memory requires.
//
// DISTVIEW_CASES sets the number of cases; the campaign with label `full` sets it.
#include "any_field.hpp"
#include "transports.hpp"

#include <distview/core/text.hpp>
#include <distview_testing/assertions.hpp>

#include <gtest/gtest.h>

#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace distview::testing {

namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;

/// Ranges that extend into and beyond any section in these tests.
LocalBox random_box(Random& random) {
    LocalBox box{};
    for (LocalRange& range : box) {
        const std::int64_t begin = random.integer(0, 5);
        range = {LocalIndex(begin), LocalIndex(begin + random.integer(1, 8))};
    }
    return box;
}

/// Exchanges one set of fields over all transports, one after the other.
class TransportCase {
public:
    TransportCase(Random& random, const Worlds& worlds, std::map<std::string, std::int64_t>& tally)
        : m_random(random), m_tally(tally), m_reversed(random.chance(0.5)),
          m_comm(m_reversed ? worlds.reversed_comm : worlds.forward_comm), m_set(m_comm, random) {}

    void run(std::vector<TransportChoice> choices) {
        m_random.shuffle(choices);
        std::vector<std::vector<unsigned char>> first(rounds);
        for (const TransportChoice choice : choices) {
            SCOPED_TRACE("transport " + name_of(choice));
            const TransportSetting setting(choice);
            PaddingExchangePlan plan = m_set.plan(m_comm);
            if (!bind(plan, choice)) continue;
            ++m_tally[name_of(choice)];
            const Traffic expected = expected_traffic(
                plan, m_set.element_sizes(), m_set.one_geometry, m_reversed,
                senders_of_messages(m_comm, choice, m_set.all_in_arena()), hosts_of(m_comm));
            for (std::uint64_t round = 0; round < rounds; ++round) {
                m_set.fill(round);
                MpiCounters counters;
                exchange(plan, round);
                const MpiTraffic traffic = counters.stop();
                EXPECT_EQ(m_set.find_flaw(round), "") << "round " << round;
                EXPECT_EQ(traffic.sent, expected.sent);
                EXPECT_EQ(traffic.received, expected.received);
                EXPECT_EQ(traffic.collective_calls(), 0);
                std::vector<unsigned char> bytes = m_set.bytes();
                if (first[round].empty())
                    first[round] = std::move(bytes);
                else
                    EXPECT_TRUE(bytes == first[round]) << "other bytes in round " << round;
            }
        }
    }

private:
    static constexpr std::uint64_t rounds = 3;

    /// Returns false if private memory of a neighbour prevents the only allowed transport; all
    /// ranks must then get the error.
    bool bind(PaddingExchangePlan& plan, TransportChoice choice) const {
        const bool refused = !is_readable(m_set.all_in_arena()) && !plan.send_peers().empty();
        const std::vector<char> refusals = on_all_ranks(m_comm, refused);
        if ((choice == Transport::direct || choice == Transport::ipc) &&
            std::count(refusals.begin(), refusals.end(), char{1}) > 0) {
            EXPECT_THROW_ON_ALL_RANKS(plan.bind(Exec(), m_set.views), UsageError,
                                      "DISTVIEW_TRANSPORT: '" + name_of(choice) + "' from rank ");
            return false;
        }
        plan.bind(Exec(), m_set.views);
        return true;
    }

    void exchange(PaddingExchangePlan& plan, std::uint64_t round) const {
        const Exec exec;
        const std::span<const AnyDistView> views(m_set.views);
        switch (m_random.integer(0, 4)) {
        case 0: plan.execute(exec, views); break;
        case 1: plan.start(exec, views).finish(); break;
        case 2:
            plan.start(exec, views).finish_filling();
            EXPECT_EQ(m_set.find_flaw(round), "") << "before the others have read";
            plan.wait_for_readers();
            break;
        default:
            auto handle = plan.start(exec, views);
            for (auto boxes = m_random.integer(1, 4); boxes > 0; --boxes) {
                const LocalBox box = random_box(m_random);
                handle.finish(box);
                EXPECT_EQ(m_set.find_flaw_in(box, round), "") << "after finish(box)";
            }
            if (m_random.chance(0.5)) {
                handle.finish();
            } else {
                handle.finish_filling();
                plan.wait_for_readers();
            }
        }
    }

    Random& m_random;
    std::map<std::string, std::int64_t>& m_tally;
    bool m_reversed;
    const Communicator& m_comm;
    FieldSet m_set;
};

TEST(PaddingExchangeTransports, FillTheSameBytes) {
    const Worlds worlds;
    const std::vector<TransportChoice> choices = possible_transports(worlds.forward_comm);
    std::map<std::string, std::int64_t> tally;
    for_each_case(campaign_cases(250), [&](Random& random, std::uint64_t) {
        TransportCase(random, worlds, tally).run(choices);
    });
    std::int64_t total = 0;
    for (const auto& [name, cases] : tally) total += cases;
    RecordProperty("cases", std::to_string(total));
    if (world_rank() == 0) {
        std::cout << "cases: " << total;
        for (const auto& [name, cases] : tally) std::cout << ", " << name << ' ' << cases;
        std::cout << std::endl;
    }
}

// The plan's communicator did not allocate their memory.
TEST(PaddingExchangeTransports, TakeArraysOfAnotherCommunicator) {
    const Communicator comm(MPI_COMM_WORLD);
    const OwnedComm parent = duplicate_world();
    for_each_case(40, [&](Random& random, std::uint64_t i) {
        const Communicator other(parent.get());
        const FieldSet set(comm, random);
        PaddingExchangePlan plan = set.plan(other);
        for (std::uint64_t round = i; round < i + 2; ++round) {
            set.fill(round);
            plan.execute(Exec(), set.views);
            EXPECT_EQ(set.find_flaw(round), "");
        }
    });
}

/// Whether files can be made in /dev/shm, and have room there.
bool has_shared_memory() {
    struct statvfs status{};
    return ::statvfs("/dev/shm", &status) == 0 && (status.f_flag & ST_RDONLY) == 0 &&
           ::access("/dev/shm", W_OK) == 0 &&
           status.f_bavail * status.f_frsize >= std::uint64_t{256} << 20;
}

// Skips with a message if this machine cannot run the tests above, so that the result shows it.
TEST(PaddingExchangeTransports, DirectIsPossibleHere) {
    const Communicator comm(MPI_COMM_WORLD);
    if (is_possible(comm, Transport::direct)) return;
    const std::vector<int> hosts = hosts_of(comm);
    const bool is_one_host = std::ranges::count(hosts, hosts.front()) == std::ssize(hosts);
    const std::vector<char> have_memory = on_all_ranks(comm, has_shared_memory());
    EXPECT_FALSE(is_one_host && !distview::impl::on_device<Exec> &&
                 std::ranges::count(have_memory, 0) == 0)
        << "there is room in /dev/shm, but DISTVIEW_TRANSPORT=direct is not possible";
    GTEST_SKIP() << "no segments that processes share: DISTVIEW_TRANSPORT=direct is not tested";
}

// Shows that the oracle can fail: it detects one wrong bit in one cell, wherever the section lies.
TEST(PaddingExchangeTransports, PlantedFlawsAreSeen) {
    const Communicator comm(MPI_COMM_WORLD);
    for_each_case(40, [&](Random& random, std::uint64_t) {
        const FieldSet set(comm, random);
        PaddingExchangePlan plan = set.plan(comm);
        set.fill(1);
        plan.execute(Exec(), set.views);
        EXPECT_EQ(set.find_flaw(1), "");
        const AnySection& section = set.views.front().section();
        if (section.count() > 0) {
            auto* const last = static_cast<unsigned char*>(section.data);
            std::int64_t offset = 0;
            for (std::size_t d = 0; d < section.extents.size(); ++d)
                offset += (section.extents[d] - 1) * section.strides[d];
            last[offset] ^= 1;
            EXPECT_NE(set.find_flaw(1), "");
        }
    });
}

} // namespace

} // namespace distview::testing
