// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random redistributions over every transport. Every element is compared with a reference that
// searches each position of each section, the bytes with those of the other transports, the
// messages with the schedule.
//
// DISTVIEW_CASES sets the number of cases; the campaign with label `full` sets it.
#include "moved_arrays.hpp"
#include "transports.hpp"

#include <distview_testing/assertions.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <map>
#include <numeric>
#include <string>
#include <vector>

namespace distview::testing {

namespace {

using distview::impl::AxisIntersection;
using distview::impl::AxisRun;

/// As many different ranks of a communicator, in any order.
std::vector<int> random_ranks(Random& random, int count, int size) {
    std::vector<int> ranks(static_cast<std::size_t>(size));
    std::iota(ranks.begin(), ranks.end(), 0);
    random.shuffle(ranks);
    ranks.resize(static_cast<std::size_t>(count));
    return ranks;
}

int process_of(const std::vector<int>& ranks, int rank) {
    const auto found = std::find(ranks.begin(), ranks.end(), rank);
    return found == ranks.end() ? -1 : static_cast<int>(found - ranks.begin());
}

class PlanCase {
public:
    PlanCase(Random& random, const Communicator& comm, std::map<std::string, std::int64_t>& tally)
        : m_random(random), m_tally(tally), m_comm(comm) {
        const auto processes = [&] {
            return random.chance(0.6) ? comm.size()
                                      : static_cast<int>(random.integer(1, comm.size() + 1));
        };
        const auto rank = static_cast<int>(random.integer(0, 5));
        const int from_processes = processes();
        const int to_processes = random.chance(0.4) ? from_processes : processes();
        m_case = random_redistribution_case(random, rank, from_processes, to_processes);
        const int from = m_case.from.process_count();
        const int to = m_case.to.process_count();
        m_case.options.conjugate = random.chance(0.5);
        const bool in_order = random.chance(0.4);
        std::vector<int> from_ranks = random_ranks(random, from, comm.size());
        std::vector<int> to_ranks = random_ranks(random, to, comm.size());
        if (in_order) {
            std::sort(from_ranks.begin(), from_ranks.end());
            std::sort(to_ranks.begin(), to_ranks.end());
        }
        m_case.options.from_ranks = from_ranks;
        m_case.options.to_ranks = to_ranks;
        // The memory of some processes cannot be read by others.
        const std::uint64_t drawn = random.bits();
        m_in_arena = random.chance(0.7) || (drawn >> static_cast<unsigned>(comm.rank())) % 2 == 0;
        m_known.from_process = process_of(from_ranks, comm.rank());
        m_known.to_process = process_of(to_ranks, comm.rank());
        // Along some axes every process knows only its own labels.
        m_known.from = known_part(m_case.from, m_known.from_process, random.bits());
        m_known.to = known_part(m_case.to, m_known.to_process, random.bits());
        m_arrays = random_arrays(m_case, comm, m_known, m_in_arena, random);
    }

    std::string describe() const { return m_case.describe(); }

    void run(std::vector<TransportChoice> choices) {
        m_random.shuffle(choices);
        const auto arriving = m_arrays->possible(static_cast<Arriving>(m_random.integer(0, 6)));
        const bool in_two_steps = m_random.chance(0.3);
        const bool twice = m_random.chance(0.2);
        std::vector<unsigned char> first;
        for (const TransportChoice choice : choices) {
            SCOPED_TRACE("transport " + name_of(choice));
            const TransportSetting setting(choice);
            RedistributionPlan plan(m_comm, m_known.from, m_known.to, m_case.options);
            check_schedule(plan);
            for (std::uint64_t round = 0; round < 2; ++round) {
                if (round == 0 && is_refused(plan, choice, arriving)) {
                    EXPECT_THROW_ON_ALL_RANKS(
                        m_arrays->run(plan, arriving, in_two_steps, twice, round), UsageError,
                        "DISTVIEW_TRANSPORT: '" + name_of(choice) + "' from rank ");
                    break;
                }
                MpiCounters counters;
                const std::string flaw = m_arrays->run(plan, arriving, in_two_steps, twice, round);
                const MpiTraffic traffic = counters.stop();
                EXPECT_EQ(flaw, "") << "round " << round;
                if (round == 0) {
                    ++m_tally[name_of(choice)];
                    continue;
                }
                check_traffic(plan, choice, traffic, arriving,
                              twice && arriving == Arriving::insert ? 2 : 1);
                if (first.empty())
                    first = m_arrays->result();
                else
                    EXPECT_TRUE(first == m_arrays->result()) << "other bytes";
            }
        }
    }

private:
    bool is_refused(const RedistributionPlan& plan, TransportChoice choice,
                    Arriving arriving) const {
        if (choice != Transport::direct && choice != Transport::ipc) return false;
        bool sends = false;
        if (plan.from_process() >= 0)
            for (const auto& message : plan.schedule().sends(plan.from_process()))
                sends = sends || (message.elements > 0 &&
                                  plan.schedule().to_rank(message.peer) != m_comm.rank());
        for (const auto& message : further_sends(plan, arriving))
            sends = sends || plan.schedule().to_rank(message.peer) != m_comm.rank();
        const std::vector<char> refusals = on_all_ranks(m_comm, !is_readable(m_in_arena) && sends);
        return std::count(refusals.begin(), refusals.end(), char{1}) > 0;
    }

    static bool combines(Arriving arriving) {
        return arriving == Arriving::sum || arriving == Arriving::maximum ||
               arriving == Arriving::own;
    }

    using Message = RedistributionSchedule::Message;
    /// The messages by which this process sends elements that others hold as well, beyond those in
    /// the plan's schedule: one copy per axis, in all combinations.
    static std::vector<Message> further_sends(const RedistributionPlan& plan, Arriving arriving) {
        if (plan.from_process() < 0 || !combines(arriving)) return {};
        const RedistributionSchedule& schedule = plan.schedule();
        const GridCoordinates at = schedule.from_layout().coordinates(plan.from_process());
        std::vector<std::pair<Message, bool>> products{
            {{0, 1}, true}}; // the flag: whether all copies are first copies
        for (int d = 0; d < schedule.rank(); ++d) {
            std::vector<std::pair<Message, bool>> longer;
            for (int copy = 0; copy < schedule.axis(d).most_copies(); ++copy) {
                const AxisIntersection axis = schedule.axis(d).of_copy(copy);
                std::map<int, std::int64_t> elements; // by peer
                for (const AxisRun& run :
                     axis.runs_from(at[static_cast<std::size_t>(schedule.permutation(d))]))
                    elements[run.peer] += run.elements();
                for (const auto& [message, is_first] : products)
                    for (const auto& [peer, count] : elements)
                        longer.push_back(
                            {{message.peer * schedule.to_layout().grid().extent(d) + peer,
                              message.elements * count},
                             is_first && copy == 0});
            }
            products = std::move(longer);
        }
        std::vector<Message> result;
        for (const auto& [message, is_first] : products)
            if (!is_first) result.push_back(message);
        return result;
    }

    /// The schedule must be the same whether labels were given or found by messages.
    void check_schedule(const RedistributionPlan& plan) {
        const RedistributionSchedule expected(m_case.from, m_case.to, m_case.options);
        const RedistributionSchedule& schedule = plan.schedule();
        bool is_found = false;
        for (int d = 0; d < schedule.rank(); ++d) is_found |= schedule.axis(d).found() != nullptr;
        if (is_found) ++m_tally["with labels found"];
        for (int d = 0; d < schedule.rank(); ++d) {
            EXPECT_EQ(schedule.axis(d).pairs_indices(), expected.axis(d).pairs_indices());
            check_copies(plan, d, expected.axis(d));
        }
        EXPECT_EQ(schedule.elements(), expected.elements());
        EXPECT_EQ(schedule.delivered_elements(), expected.delivered_elements());
        EXPECT_EQ(schedule.wire_elements(), expected.wire_elements());
        if (expected.is_identity()) {
            EXPECT_TRUE(schedule.is_identity());
        }
        if (plan.to_process() >= 0) {
            EXPECT_EQ(schedule.runs_to(plan.to_process()).axes,
                      expected.runs_to(plan.to_process()).axes);
        }
        if (plan.from_process() >= 0) {
            EXPECT_EQ(schedule.runs_from(plan.from_process()).axes,
                      expected.runs_from(plan.from_process()).axes);
        }
    }

    /// An axis with labels found by messages has copies of moved elements only; a layout has those of all its labels.
    static void check_copies(const RedistributionPlan& plan, int d,
                             const AxisIntersection& expected) {
        const AxisIntersection& axis = plan.schedule().axis(d);
        EXPECT_LE(axis.most_copies(), expected.most_copies());
        if (axis.found() == nullptr) {
            EXPECT_EQ(axis.most_copies(), expected.most_copies());
        }
        for (int copy = 1; copy < expected.most_copies(); ++copy) {
            if (plan.to_process() >= 0) {
                const int p = plan.schedule().to_layout().coordinates(
                    plan.to_process())[static_cast<std::size_t>(d)];
                EXPECT_EQ(axis.of_copy(copy).runs_to(p), expected.of_copy(copy).runs_to(p));
            }
            if (plan.from_process() >= 0) {
                const int p = plan.schedule().from_layout().coordinates(
                    plan.from_process())[static_cast<std::size_t>(plan.schedule().permutation(d))];
                EXPECT_EQ(axis.of_copy(copy).runs_from(p), expected.of_copy(copy).runs_from(p));
            }
        }
    }

    /// Expects one message to each peer that cannot read in place, with the bytes stated by the schedule.
    void check_traffic(const RedistributionPlan& plan, TransportChoice choice,
                       const MpiTraffic& traffic, Arriving arriving,
                       std::int64_t executions) const {
        const std::vector<char> sends = senders_of_messages(m_comm, choice, m_in_arena);
        const std::vector<int> hosts = hosts_of(m_comm);
        const auto me = static_cast<std::size_t>(m_comm.rank());
        std::map<int, MessageCount> sent;
        std::vector<Message> messages = further_sends(plan, arriving);
        if (plan.from_process() >= 0)
            for (const Message& message : plan.schedule().sends(plan.from_process()))
                if (message.elements > 0) messages.push_back(message);
        for (const Message& message : messages) {
            const int rank = plan.schedule().to_rank(message.peer);
            const bool one_host = hosts[me] == hosts[static_cast<std::size_t>(rank)];
            if (rank == m_comm.rank() || (one_host && !sends[me])) continue;
            sent[rank].messages += executions;
            sent[rank].bytes += executions * message.elements * m_arrays->element_size();
        }
        bool has_copies = false;
        for (int d = 0; d < plan.schedule().rank(); ++d)
            has_copies = has_copies || plan.schedule().axis(d).most_copies() > 1;
        if (has_copies && combines(arriving)) ++m_tally["with copies combined"];
        // If a rank has no section, all ranks compare in each execution whether arrays are new.
        const bool has_outsiders = m_case.from.process_count() < m_comm.size() ||
                                   m_case.to.process_count() < m_comm.size();
        // Between nodes, agreements send messages, too.
        if (!has_outsiders) {
            EXPECT_EQ(traffic.sent, sent);
        }
        EXPECT_EQ(traffic.collective_calls(), has_outsiders ? executions : 0);
    }

    Random& m_random;
    std::map<std::string, std::int64_t>& m_tally;
    const Communicator& m_comm;
    bool m_in_arena = true;
    RedistributionCase m_case;
    KnownLayouts m_known;
    std::unique_ptr<MovedArrays> m_arrays;
};

TEST(RedistributionPlanAny, MovesWhatTheReferenceMoves) {
    const Communicator comm(MPI_COMM_WORLD);
    const std::vector<TransportChoice> choices = possible_transports(comm);
    std::map<std::string, std::int64_t> tally;
    for_each_case(campaign_cases(comm.size() > 6 ? 200 : 500), [&](Random& random, std::uint64_t) {
        PlanCase plan_case(random, comm, tally);
        SCOPED_TRACE(plan_case.describe());
        plan_case.run(choices);
    });
    std::int64_t total = 0;
    const auto found = tally.extract("with labels found");
    const auto copies = tally.extract("with copies combined");
    for (const auto& [name, cases] : tally) total += cases;
    EXPECT_FALSE(found.empty() && total > 100);
    EXPECT_FALSE(copies.empty() && total > 100 && comm.size() > 1);
    RecordProperty("cases", std::to_string(total));
    if (world_rank() == 0) {
        std::cout << "cases: " << total;
        for (const auto& [name, cases] : tally) std::cout << ", " << name << ' ' << cases;
        std::cout << "; with labels found " << (found.empty() ? 0 : found.mapped())
                  << ", with copies combined " << (copies.empty() ? 0 : copies.mapped())
                  << std::endl;
    }
}

} // namespace

} // namespace distview::testing
