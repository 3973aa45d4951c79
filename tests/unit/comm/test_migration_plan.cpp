// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements with a target rank each, moved over every transport, in fields of several types at once. Oracle: every rank
// knows the targets of all ranks, and so which elements must arrive, and in which order.
//
// DISTVIEW_CASES sets the number of cases; the campaign with label `full` sets it.
#include "field_fixture.hpp"
#include "transports.hpp"

#include <distview/comm/collectives.hpp>
#include <distview/comm/migration_plan.hpp>
#include <distview_testing/allocations.hpp>
#include <distview_testing/assertions.hpp>
#include <distview_testing/random.hpp>
#include <distview_testing/values.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <complex>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace distview::testing {

namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;
template <class T>
using List = Kokkos::View<T*, Exec::memory_space>;

/// Draws the targets of all ranks, the same on every rank.
std::vector<std::vector<int>> draw_targets(Random& random, int ranks) {
    std::vector<std::vector<int>> result(static_cast<std::size_t>(ranks));
    const std::int64_t most = random.pick(std::vector<std::int64_t>{1, 10, 100, 1000});
    const double kind = random.unit();
    const bool none = kind < 0.05, all_to_one = kind < 0.2,
               all_from_one = 0.2 <= kind && kind < 0.3;
    const bool neighbours = 0.3 <= kind && kind < 0.5;
    const auto one = static_cast<int>(random.integer(0, ranks));
    for (int rank = 0; rank < ranks; ++rank) {
        std::int64_t count = random.chance(0.15) ? 0 : random.integer(0, most + 1);
        if (none || (all_from_one && rank != one)) count = 0;
        const double stay = random.pick(std::vector<double>{0, 0.5, 0.95, 1});
        for (; count > 0; --count) {
            auto target = static_cast<int>(random.integer(0, ranks));
            if (neighbours)
                target = (rank + ranks + static_cast<int>(random.integer(-1, 2))) % ranks;
            if (random.chance(stay)) target = rank;
            result[static_cast<std::size_t>(rank)].push_back(all_to_one ? one : target);
        }
    }
    return result;
}

/// The value of an element, computed from the rank and position that it had.
template <class T>
T element(int rank, std::size_t k, std::uint64_t salt) {
    return value_of<T>(Position{rank, static_cast<std::int64_t>(k)}, salt);
}

class MigrationCase {
public:
    MigrationCase(Random& random, const Communicator& comm)
        : m_comm(comm), m_targets(draw_targets(random, comm.size())), m_salt(random.bits()) {
        for (std::size_t rank = 0; rank < m_targets.size(); ++rank)
            for (std::size_t k = 0; k < m_targets[rank].size(); ++k)
                if (m_targets[rank][k] == comm.rank())
                    m_arriving.emplace_back(static_cast<int>(rank), k);
    }

    std::string describe() const {
        std::string result = "elements to move:";
        for (const std::vector<int>& targets : m_targets) result += text(' ', targets.size());
        return result;
    }

    const std::vector<int>& own() const {
        return m_targets[static_cast<std::size_t>(m_comm.rank())];
    }

    void run(const std::vector<TransportChoice>& choices) {
        for (const TransportChoice choice : choices) {
            SCOPED_TRACE("transport " + name_of(choice));
            const TransportSetting setting(choice);
            MigrationPlan plan(m_comm, own());
            check_numbers(plan);
            if (choice == Transport::ipc && crosses()) {
                EXPECT_THROW_ON_ALL_RANKS(plan.moved(m_exec, source<double>(0)), UsageError,
                                          "DISTVIEW_TRANSPORT: 'ipc' from rank ");
                continue;
            }
            move(plan, 0);
            const std::size_t bytes = plan.workspace_bytes();
            move(plan, 1);
            // Other Views of the same types do not make a new set.
            EXPECT_EQ(plan.workspace_bytes(), bytes);
            EXPECT_TRUE(plan.is_usable());
        }
    }

private:
    bool crosses() const {
        for (std::size_t rank = 0; rank < m_targets.size(); ++rank)
            for (const int target : m_targets[rank])
                if (target != static_cast<int>(rank)) return true;
        return false;
    }

    void check_numbers(const MigrationPlan& plan) const {
        std::int64_t kept = 0;
        for (const int target : own()) kept += target == m_comm.rank() ? 1 : 0;
        EXPECT_EQ(plan.size(), static_cast<std::int64_t>(m_arriving.size()));
        EXPECT_EQ(plan.source_size(), static_cast<std::int64_t>(own().size()));
        EXPECT_EQ(plan.kept(), kept);
        std::vector<int> from, to;
        for (int rank = 0; rank < m_comm.size(); ++rank) {
            const auto sends = [&](int one, int other) {
                const std::vector<int>& targets = m_targets[static_cast<std::size_t>(one)];
                return one != other &&
                       std::find(targets.begin(), targets.end(), other) != targets.end();
            };
            if (sends(rank, m_comm.rank())) from.push_back(rank);
            if (sends(m_comm.rank(), rank)) to.push_back(rank);
        }
        EXPECT_EQ(plan.receive_peers(), from);
        EXPECT_EQ(plan.send_peers(), to);
    }

    template <class T>
    List<T> source(std::uint64_t round) const {
        List<T> list("source", own().size());
        for (std::size_t k = 0; k < own().size(); ++k)
            list(k) = element<T>(m_comm.rank(), k, m_salt + round);
        return list;
    }
    template <class T>
    List<T> target() const {
        List<T> list("target", m_arriving.size());
        if (list.extent(0) > 0)
            std::memset(static_cast<void*>(list.data()), 0xa5, list.extent(0) * sizeof(T));
        return list;
    }

    template <class View>
    void check(const View& list, std::uint64_t round, const char* how) const {
        using T = typename View::non_const_value_type;
        EXPECT_EQ(list.extent(0), m_arriving.size());
        std::int64_t wrong = 0;
        for (std::size_t k = 0; k < m_arriving.size() && k < list.extent(0); ++k) {
            const T expected =
                element<T>(m_arriving[k].first, m_arriving[k].second, m_salt + round);
            wrong += std::memcmp(&list(k), &expected, sizeof(T)) == 0 ? 0 : 1;
        }
        EXPECT_EQ(wrong, 0) << how << ", elements of " << sizeof(T) << " bytes";
    }

    void move(MigrationPlan& plan, std::uint64_t round) {
        // One field, into existing memory.
        const List<const double> x = source<double>(round);
        const auto x2 = target<double>();
        plan.execute(m_exec, x, x2);
        check(x2, round, "execute");
        check_source(x, round);

        // Several fields, by start() and finish().
        const auto id = source<std::int64_t>(round);
        const auto v = source<Bytes<12>>(round);
        const auto c = source<std::int8_t>(round);
        const auto id2 = target<std::int64_t>();
        const auto v2 = target<Bytes<12>>();
        const auto c2 = target<std::int8_t>();
        auto handle = plan.start(m_exec, std::tie(id, v, c), std::tie(id2, v2, c2));
        handle.finish();
        check(id2, round, "start");
        check(v2, round, "start");
        check(c2, round, "start");

        // Into new memory, with two fields of one type.
        const auto p = source<std::complex<double>>(round);
        const auto q = source<std::complex<double>>(round + 10);
        const auto s = source<std::uint16_t>(round);
        const auto [p2, q2, s2] = plan.moved(m_exec, p, q, s);
        check(p2, round, "moved");
        check(q2, round + 10, "moved");
        check(s2, round, "moved");
    }

    template <class View>
    void check_source(const View& list, std::uint64_t round) const {
        std::int64_t wrong = 0;
        for (std::size_t k = 0; k < own().size(); ++k)
            wrong += bits_equal(double(list(k)), element<double>(m_comm.rank(), k, m_salt + round))
                         ? 0
                         : 1;
        EXPECT_EQ(wrong, 0) << "source";
    }

    Exec m_exec{};
    Communicator m_comm;
    std::vector<std::vector<int>> m_targets; ///< by rank
    std::uint64_t m_salt;
    std::vector<std::pair<int, std::size_t>> m_arriving; ///< rank and number of each, in order
};

TEST(MigrationPlans, MoveElementsToTheRanksThatTheyName) {
    const Worlds worlds;
    const std::vector<TransportChoice> choices = possible_transports(worlds.forward_comm);
    for_each_case(campaign_cases(40), [&](Random& random, std::uint64_t) {
        const Communicator& comm = random.chance(0.7) ? worlds.forward_comm : worlds.reversed_comm;
        MigrationCase drawn(random, comm);
        SCOPED_TRACE(drawn.describe());
        drawn.run(choices);
    });
}

class MigrationPlanExamples : public ::testing::Test {
protected:
    Exec exec{};
    Communicator comm{MPI_COMM_WORLD};
    int n = comm.size();
};

// One element to every rank, in reverse order: arrivals are ordered by source rank.
TEST_F(MigrationPlanExamples, ArrivalsAreOrderedByTheRankThatTheyComeFrom) {
    std::vector<int> targets;
    for (int rank = n - 1; rank >= 0; --rank) targets.insert(targets.end(), 2, rank);
    MigrationPlan plan(comm, targets);
    List<int> x("x", targets.size());
    for (std::size_t k = 0; k < targets.size(); ++k) x(k) = 100 * comm.rank() + static_cast<int>(k);
    const auto [moved] = plan.moved(exec, x);
    ASSERT_ON_ALL_RANKS(moved.extent(0) == static_cast<std::size_t>(2 * n));
    EXPECT_EQ(moved.label(), "x");
    for (int rank = 0; rank < n; ++rank)
        for (int i = 0; i < 2; ++i)
            EXPECT_EQ(moved(static_cast<std::size_t>(2 * rank + i)),
                      100 * rank + 2 * (n - 1 - comm.rank()) + i);
    EXPECT_NE(plan.describe().find("MigrationPlan; transports allowed: "), std::string::npos);
}

// Many elements to and fro: more than one piece of a kernel, and the identity as the result.
TEST_F(MigrationPlanExamples, MoveThereAndBack) {
    constexpr std::size_t count = 30000;
    std::vector<int> targets(count);
    List<std::int64_t> home("home", count), number("number", count);
    for (std::size_t k = 0; k < count; ++k) {
        targets[k] = static_cast<int>((k * k + static_cast<std::size_t>(comm.rank())) %
                                      static_cast<std::size_t>(n));
        home(k) = comm.rank();
        number(k) = static_cast<std::int64_t>(k);
    }
    MigrationPlan forth(comm, targets);
    const auto [home_there, number_there] = forth.moved(exec, home, number);
    std::vector<int> homes(home_there.data(), home_there.data() + home_there.extent(0));
    MigrationPlan back(comm, homes);
    const auto [home_again, number_again] = back.moved(exec, home_there, number_there);
    ASSERT_ON_ALL_RANKS(home_again.extent(0) == count);
    std::vector<char> seen(count, 0);
    std::int64_t wrong = 0;
    for (std::size_t k = 0; k < count; ++k) {
        wrong += home_again(k) == comm.rank() ? 0 : 1;
        char& once = seen[static_cast<std::size_t>(number_again(k)) % count];
        wrong += once == 0 ? 0 : 1;
        once = 1;
    }
    EXPECT_EQ(wrong, 0);
}

TEST_F(MigrationPlanExamples, WrongTargetsAreTheSameErrorOnAllRanks) {
    for (const int wrong : {n, -1}) {
        std::vector<int> targets{0, comm.rank(), 0};
        if (comm.rank() == n - 1) targets[1] = wrong;
        EXPECT_THROW_ON_ALL_RANKS(MigrationPlan(comm, targets), UsageError,
                                  text("MigrationPlan: expected targets in [0, ", n, "), got ",
                                       wrong, " for element 1 of rank ", n - 1));
    }
    const VariableSetting setting("DISTVIEW_TRANSPORT", "pigeon");
    EXPECT_THROW_ON_ALL_RANKS(MigrationPlan(comm, std::vector<int>{0}), UsageError, "got 'pigeon'");
}

TEST_F(MigrationPlanExamples, WrongFieldsAreErrors) {
    const std::vector<int> targets(3, comm.rank());
    MigrationPlan plan(comm, targets);
    const List<double> x("x", 3), y("y", 3), z("z", 4);
    EXPECT_THROW_ON_ALL_RANKS(plan.execute(exec, z, x), ShapeError,
                              "expected 3 elements in 'z', got 4");
    EXPECT_THROW_ON_ALL_RANKS(plan.execute(exec, x, z), ShapeError,
                              "expected 3 elements in 'z', got 4");
    const Kokkos::View<double**, Kokkos::LayoutRight, Exec::memory_space> table("table", 3, 2);
    const auto column = Kokkos::subview(table, Kokkos::ALL(), 0);
    EXPECT_THROW_ON_ALL_RANKS(plan.execute(exec, column, x), ShapeError, "got a stride of 2");
    EXPECT_THROW_ON_ALL_RANKS(plan.execute(exec, x, x), UsageError,
                              "the target of field 0 shares memory with the source of field 0");
    const auto part = Kokkos::subview(z, std::pair<int, int>(1, 4));
    const auto first = Kokkos::subview(z, std::pair<int, int>(0, 3));
    EXPECT_THROW_ON_ALL_RANKS(plan.execute(exec, std::tie(x, y), std::tie(part, first)), UsageError,
                              "the targets of fields 0 and 1 share memory");
    // Errors in arguments leave the plan unchanged.
    Kokkos::deep_copy(x, 7);
    plan.execute(exec, x, y);
    EXPECT_EQ(y(2), 7);
    if (n == 1) return;
    // Types that differ between ranks are detected when they are first used.
    const List<float> f("f", 3), g("g", 3), h("h", 3);
    EXPECT_THROW_ON_ALL_RANKS(comm.rank() == 0 ? plan.execute(exec, std::tie(f, f), std::tie(g, h))
                                               : plan.execute(exec, std::tie(f, x), std::tie(g, y)),
                              UsageError, "element type of array 1");
}

// Element k of rank r goes to rank (r + k) % n; elements of 12 bytes are opaque.
TEST_F(MigrationPlanExamples, TakesListsOfTypesKnownAtRunTime) {
    if (distview::impl::on_device<Exec>) GTEST_SKIP() << "lists are in host memory";
    struct Item {
        std::array<float, 3> place;
    };
    std::vector<int> targets;
    std::vector<double> x;
    std::vector<Item> y;
    for (int k = 0; k < n; ++k) {
        targets.push_back((comm.rank() + k) % n);
        x.push_back(100 * comm.rank() + k);
        y.push_back({{static_cast<float>(k), 0.5F, static_cast<float>(comm.rank())}});
    }
    MigrationPlan plan(comm, targets);
    std::vector<double> x2(x.size(), -1);
    std::vector<Item> y2(y.size());
    const std::array fields{MigratingField{x.data(), x2.data(), element_type<double>()},
                            MigratingField{y.data(), y2.data(), {ElementKind::opaque, 12}}};
    const std::span<const MigratingField> both(fields);
    for (int turn = 0; turn < 3; ++turn) {
        if (turn == 2)
            plan.start(exec, both).finish();
        else
            plan.execute(exec, both);
        for (int r = 0; r < n; ++r) {
            const int k = (comm.rank() + n - r) % n;
            const auto at = static_cast<std::size_t>(r);
            EXPECT_EQ(x2[at], 100 * r + k);
            EXPECT_EQ(y2[at].place[0], static_cast<float>(k));
            EXPECT_EQ(y2[at].place[2], static_cast<float>(r));
        }
        std::fill(x2.begin(), x2.end(), -1);
        std::fill(y2.begin(), y2.end(), Item{});
    }
    const auto allocations = count_allocations([&] { plan.execute(exec, both); });
    EXPECT_EQ(allocations.heap, 0) << allocations.description;
    const std::vector<MigratingField> many(17, fields[0]);
    EXPECT_THROW_ON_ALL_RANKS(plan.execute(exec, std::span<const MigratingField>(many)), UsageError,
                              "expected from 1 to 16 fields, got 17");
    EXPECT_THROW_ON_ALL_RANKS(plan.execute(exec, std::span<const MigratingField>()), UsageError,
                              "expected from 1 to 16 fields, got 0");
    const std::array wrong{MigratingField{x.data(), x2.data()},
                           MigratingField{nullptr, x2.data(), element_type<double>()},
                           MigratingField{x.data(), nullptr, element_type<double>()}};
    const std::array expected{"expected the element type of field 0",
                              "elements to move for field 0, got null",
                              "elements to write for field 0, got null"};
    for (std::size_t i = 0; i < wrong.size(); ++i)
        EXPECT_THROW_ON_ALL_RANKS(plan.execute(exec, std::span<const MigratingField>(&wrong[i], 1)),
                                  UsageError, expected[i]);
}

TEST_F(MigrationPlanExamples, APlanThatHasBeenMovedFromIsAnError) {
    const std::vector<int> targets(1, (comm.rank() + 1) % n);
    MigrationPlan plan(comm, targets);
    MigrationPlan other = std::move(plan);
    const List<double> x("x", 1);
    // NOLINTBEGIN(bugprone-use-after-move)
    const std::vector<std::function<void()>> calls{
        [&] { plan.size(); },           [&] { plan.source_size(); },
        [&] { plan.kept(); },           [&] { plan.moved(exec, x); },
        [&] { plan.describe(); },       [&] { plan.send_peers(); },
        [&] { plan.receive_peers(); },  [&] { plan.is_usable(); },
        [&] { plan.workspace_bytes(); }};
    // NOLINTEND(bugprone-use-after-move)
    for (const auto& call : calls)
        EXPECT_THROW_ON_ALL_RANKS(call(), UsageError,
                                  "MigrationPlan: this plan has been moved from");
    x(0) = comm.rank();
    const auto [moved] = other.moved(exec, x);
    EXPECT_EQ(moved(0), (comm.rank() + n - 1) % n);
}

TEST_F(MigrationPlanExamples, ExecutionsAllocateNothing) {
    if (distview::impl::on_device<Exec>) GTEST_SKIP() << "the mock device keeps a record";
    std::vector<int> targets;
    for (int rank = 0; rank < n; ++rank) targets.push_back(rank);
    MigrationPlan plan(comm, targets);
    const auto size = static_cast<std::size_t>(n);
    const List<double> x("x", size), x2("x2", size), y("y", size), y2("y2", size);
    plan.execute(exec, x, x2);
    const auto allocations = count_allocations([&] { plan.execute(exec, y, y2); });
    EXPECT_EQ(allocations.heap, 0) << allocations.description;
    EXPECT_EQ(allocations.kokkos, 0);
}

} // namespace

} // namespace distview::testing
