// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random graphs: each rank owns some indices and needs others. Ghosts are filled and combined over every transport.
#include "combine_operations.hpp"
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
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

namespace distview::testing {

namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;
using Indices = std::vector<std::int64_t>;

/// The indices that every rank owns and needs, known to all ranks.
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

/// The index at each position of a rank's section, owned indices first.
Indices section_of(const Graph& graph, int rank) {
    const auto r = static_cast<std::size_t>(rank);
    Indices result = graph.owned[r];
    const std::set<std::int64_t> own(result.begin(), result.end());
    const std::set<std::int64_t> needed(graph.needed[r].begin(), graph.needed[r].end());
    for (const std::int64_t index : needed)
        if (!own.contains(index)) result.push_back(index);
    return result;
}

template <class T>
struct Field {
    bool in_arena = true;
    DistView<T**> array{};
};

/// Arrays with two components along a second axis, which are passed together.
template <class... Ts>
class GhostCase {
public:
    GhostCase(Random& random, const Communicator& comm)
        : m_comm(comm), m_graph(random, comm.size()), m_section(section_of(m_graph, comm.rank())),
          m_salt(random.bits()), m_operation(random.bits()) {
        const auto r = static_cast<std::size_t>(comm.rank());
        m_layout = make_ghosted_layout(comm, m_graph.owned[r], m_graph.needed[r], {block(2)});
        EXPECT_EQ(m_layout.owned, static_cast<std::int64_t>(m_graph.owned[r].size()));
        EXPECT_EQ(m_layout.owned + m_layout.ghosts, static_cast<std::int64_t>(m_section.size()));
        for (std::size_t k = 0; k < m_graph.needed[r].size(); ++k)
            EXPECT_EQ(m_section[static_cast<std::size_t>(m_layout.positions[k])],
                      m_graph.needed[r][k]);
        for_each_field([&](auto& field, std::size_t) { make(field, random); });
        m_is_any = sizeof...(Ts) == 1 && random.chance(0.5);
    }

    void run(const std::vector<TransportChoice>& choices) {
        for (const TransportChoice choice : choices) {
            SCOPED_TRACE("transport " + name_of(choice));
            const TransportSetting setting(choice);
            GhostExchangePlan plan(m_comm, m_layout);
            if (is_refused(plan, choice)) {
                with_arrays([&](const auto&... arrays) {
                    EXPECT_THROW_ON_ALL_RANKS(plan.execute(m_exec, arrays...), UsageError,
                                              "DISTVIEW_TRANSPORT: '" + name_of(choice) +
                                                  "' from rank ");
                });
                continue;
            }
            for (int round = 0; round < 3; ++round) fill(plan, round);
            if (choice == Transport::ipc) continue;
            with_operation<Ts...>(m_operation, [&](const auto& op, const char* name) {
                SCOPED_TRACE(name);
                for (int round = 0; round < 2; ++round) combine(plan, op, round);
            });
            check_adjoint(plan);
        }
    }

private:
    /// Calls visit(field, number of the field).
    template <class Visit>
    void for_each_field(Visit&& visit) {
        std::size_t number = 0;
        std::apply([&](auto&... each) { (visit(each, number++), ...); }, m_fields);
    }
    template <class Visit>
    void with_arrays(Visit&& visit) const {
        std::apply([&](const auto&... each) { visit(each.array...); }, m_fields);
    }
    /// Calls visit(position along the first axis, component) for the whole section.
    template <class Visit>
    void for_each_element(Visit&& visit) const {
        for (std::size_t i = 0; i < m_section.size(); ++i)
            for (int c = 0; c < 2; ++c) visit(i, c);
    }
    bool is_owned(std::size_t i) const { return i < static_cast<std::size_t>(m_layout.owned); }

    template <class T>
    void make(Field<T>& field, Random& random) {
        const std::uint64_t drawn = random.bits();
        field.in_arena =
            random.chance(0.6) || (drawn >> static_cast<unsigned>(m_comm.rank())) % 2 == 0;
        field.array = make_dist_view<T**>(m_exec, "array", m_comm, m_layout.layout);
        if (!field.in_arena)
            field.array = {m_layout.layout, m_comm.rank(),
                           Kokkos::View<T**, Kokkos::LayoutRight, Exec::memory_space>(
                               "section", m_section.size(), 2),
                           nullptr, "array"};
    }

    bool is_refused(const GhostExchangePlan& plan, TransportChoice choice) {
        if (choice != Transport::direct && choice != Transport::ipc) return false;
        bool readable = true;
        for_each_field([&](const auto& field, std::size_t) {
            readable = readable && is_readable(field.in_arena);
        });
        const std::vector<char> refusals =
            on_all_ranks(m_comm, !readable && !plan.send_peers().empty());
        return std::count(refusals.begin(), refusals.end(), char{1}) > 0;
    }

    std::uint64_t salt_of(std::size_t field, int round) const {
        return m_salt + 65537 * field + static_cast<std::uint64_t>(round);
    }

    void fill(GhostExchangePlan& plan, int round) {
        for_each_field([&]<class T>(Field<T>& field, std::size_t f) {
            for_each_element([&](std::size_t i, int c) {
                field.array.view()(i, c) = value_of<T>(Position{m_section[i], c},
                                                       salt_of(f, round + (is_owned(i) ? 0 : 100)));
            });
        });
        const auto call = [&](const auto&... arrays) {
            if (round == 0)
                plan.execute(m_exec, arrays...);
            else
                plan.start(m_exec, arrays...).finish();
        };
        if constexpr (sizeof...(Ts) == 1)
            m_is_any ? call(AnyDistView(std::get<0>(m_fields).array)) : with_arrays(call);
        else
            with_arrays(call);
        std::int64_t wrong = 0;
        for_each_field([&]<class T>(const Field<T>& field, std::size_t f) {
            for_each_element([&](std::size_t i, int c) {
                wrong += bits_equal(field.array.view()(i, c),
                                    value_of<T>(Position{m_section[i], c}, salt_of(f, round)))
                             ? 0
                             : 1;
            });
        });
        EXPECT_EQ(wrong, 0) << "round " << round;
    }

    /// Owned elements are combined with their ghosts by ascending rank; ghosts keep their values.
    template <class Op>
    void combine(GhostExchangePlan& plan, const Op& op, int round) {
        const auto value = [&]<class T>(T&, std::size_t f, int rank, std::size_t i, int c) {
            return summand<T>(rank, Position{m_section[i], c}, salt_of(f, round));
        };
        for_each_field([&]<class T>(Field<T>& field, std::size_t f) {
            for_each_element([&](std::size_t i, int c) {
                T& element = field.array.view()(i, c);
                element = value(element, f, m_comm.rank(), i, c);
            });
        });
        const auto call = [&](const auto&... arrays) {
            if (round == 0)
                plan.combine(m_exec, op, arrays...);
            else
                plan.start_combine(m_exec, op, arrays...).finish();
        };
        if constexpr (sizeof...(Ts) == 1) {
            using T = std::tuple_element_t<0, std::tuple<Ts...>>;
            const AnyDistView any(std::get<0>(m_fields).array);
            if (!m_is_any)
                with_arrays(call);
            else if (round == 0)
                plan.combine_as<T>(m_exec, op, any);
            else
                plan.start_combine_as<T>(m_exec, op, any).finish();
        } else {
            with_arrays(call);
        }
        std::int64_t wrong = 0;
        for_each_field([&]<class T>(Field<T>& field, std::size_t f) {
            for_each_element([&](std::size_t i, int c) {
                T expected{};
                expected = value(expected, f, m_comm.rank(), i, c);
                for (int rank = 0; rank < m_comm.size() && is_owned(i); ++rank)
                    if (rank != m_comm.rank() && has_ghost(rank, m_section[i]))
                        expected = op(expected, value(expected, f, rank, i, c));
                wrong += bits_equal(field.array.view()(i, c), expected) ? 0 : 1;
            });
        });
        EXPECT_EQ(wrong, 0) << "combine, round " << round;
    }
    bool has_ghost(int rank, std::int64_t index) const {
        const Indices& needed = m_graph.needed[static_cast<std::size_t>(rank)];
        return std::find(needed.begin(), needed.end(), index) != needed.end();
    }

    /// Checks <u with its ghosts filled, v> = <u, combine(v)>, in integers; on the right only owned elements count.
    void check_adjoint(GhostExchangePlan& plan) {
        const auto u = make_dist_view<std::int64_t**>(m_exec, "u", m_comm, m_layout.layout);
        const auto v = make_dist_view<std::int64_t**>(m_exec, "v", m_comm, m_layout.layout);
        const auto value = [&](std::size_t i, int c, int rank) {
            const Position at{m_section[i], c, rank};
            return static_cast<std::int64_t>(value_of<std::uint32_t>(at, m_salt) % 2001) - 1000;
        };
        for_each_element([&](std::size_t i, int c) {
            u.view()(i, c) = is_owned(i) ? value(i, c, -1) : 123456789;
            v.view()(i, c) = value(i, c, m_comm.rank());
        });
        plan.execute(m_exec, u);
        std::int64_t products[2] = {0, 0};
        for_each_element(
            [&](std::size_t i, int c) { products[0] += u.view()(i, c) * v.view()(i, c); });
        plan.combine(m_exec, Sum{}, v);
        for_each_element([&](std::size_t i, int c) {
            if (is_owned(i)) products[1] += u.view()(i, c) * v.view()(i, c);
        });
        MPI_Allreduce(MPI_IN_PLACE, products, 2, MPI_INT64_T, MPI_SUM, m_comm.mpi());
        EXPECT_EQ(products[0], products[1]) << "combine() is not the adjoint of execute()";
    }

    Exec m_exec{};
    Communicator m_comm;
    Graph m_graph;
    Indices m_section;
    std::uint64_t m_salt;
    std::uint64_t m_operation;
    bool m_is_any = false; ///< calls pass the array as an AnyDistView
    GhostedLayout m_layout;
    std::tuple<Field<Ts>...> m_fields;
};

template <class... Ts>
void run_case(Random& random, const Communicator& comm,
              const std::vector<TransportChoice>& choices) {
    GhostCase<Ts...>(random, comm).run(choices);
}

using RunCase = void (*)(Random&, const Communicator&, const std::vector<TransportChoice>&);

TEST(GhostExchangePlans, FillAndCombineWhatAGraphSays) {
    const Worlds worlds;
    const std::vector<RunCase> runs{run_case<double>,
                                    run_case<Bytes<12>>,
                                    run_case<double, std::int32_t>,
                                    run_case<std::int8_t, double, float>,
                                    run_case<Bytes<12>, std::int64_t>,
                                    run_case<Kokkos::complex<double>, double, double>};
    const std::vector<TransportChoice> choices = possible_transports(worlds.forward_comm);
    for_each_case(campaign_cases(40), [&](Random& random, std::uint64_t) {
        const Communicator& comm = random.chance(0.7) ? worlds.forward_comm : worlds.reversed_comm;
        random.pick(runs)(random, comm, choices);
    });
}

/// Counts the lines of a plan's description that contain both words.
std::int64_t count_lines(const GhostExchangePlan& plan, const char* word, const char* other) {
    std::istringstream lines(plan.describe());
    std::int64_t count = 0;
    for (std::string line; std::getline(lines, line);)
        count += line.find(word) != line.npos && line.find(other) != line.npos;
    return count;
}

/// Rows of 40 elements, separated by as many others: 160 bytes for float, 320 for double.
TEST(GhostExchangePlans, OwnersPackShortRowsOfOneFieldAndNotLongOnesOfAnother) {
    const Communicator comm(MPI_COMM_WORLD);
    const std::int64_t each = 160, first = each * comm.rank();
    const std::int64_t next = each * ((comm.rank() + 1) % comm.size());
    Indices owned, needed;
    for (std::int64_t i = 0; i < each; ++i) {
        owned.push_back(first + i);
        if (i % 80 < 40 && comm.size() > 1) needed.push_back(next + i);
    }
    const GhostedLayout ghosted = make_ghosted_layout(comm, owned, needed);
    const Exec exec;
    const auto single = make_dist_view<float*>(exec, "single", comm, ghosted.layout);
    const auto other = make_dist_view<double*>(exec, "double", comm, ghosted.layout);
    for (std::int64_t i = 0; i < each; ++i) {
        single.view()(i) = static_cast<float>(first + i);
        other.view()(i) = static_cast<double>(first + i) + 0.5;
    }
    GhostExchangePlan plan(comm, ghosted), of_single(comm, ghosted), of_double(comm, ghosted);
    of_single.execute(exec, single);
    of_double.execute(exec, other);
    const auto wrong = [&] {
        std::int64_t count = 0;
        for (std::size_t k = 0; k < needed.size(); ++k) {
            const std::int64_t at = ghosted.positions[k];
            if (single.view()(at) != static_cast<float>(needed[k])) ++count;
            if (other.view()(at) != static_cast<double>(needed[k]) + 0.5) ++count;
            single.view()(at) = -1;
            other.view()(at) = -1;
        }
        return count;
    };
    EXPECT_EQ(wrong(), 0);
    plan.execute(exec, other, single);
    EXPECT_EQ(wrong(), 0);
    // Ranks on other hosts, or without shared memory, send messages.
    const auto packed = [](const auto& of) { return count_lines(of, "from rank", "packed by"); };
    const auto direct = [](const auto& of) { return count_lines(of, "from rank", ": direct, "); };
    EXPECT_EQ(packed(of_single), direct(of_single));
    EXPECT_EQ(packed(plan), direct(plan));
    EXPECT_EQ(packed(of_double), 0);
}

TEST(GhostExchangePlans, WrongIndicesAreTheSameErrorOnAllRanks) {
    const Communicator comm(MPI_COMM_WORLD);
    const std::int64_t rank = comm.rank(), n = comm.size();
    EXPECT_THROW_ON_ALL_RANKS(make_ghosted_layout(comm, {5 * rank, 5 * rank}, {}), LayoutError,
                              "expected each owned index once, got ");
    if (n == 1) {
        EXPECT_THROW_ON_ALL_RANKS(make_ghosted_layout(comm, {0}, {77}), UsageError,
                                  "all processes own 1, but this process owns and needs 2");
        return;
    }
    const GhostedLayout missing =
        make_ghosted_layout(comm, {rank}, rank == n - 1 ? Indices{77} : Indices{});
    EXPECT_THROW_ON_ALL_RANKS(GhostExchangePlan(comm, missing), UsageError,
                              "expected indices that a process owns along axis 0, got 77");
    GhostedLayout uncounted = make_ghosted_layout(comm, {rank}, {});
    uncounted.owned = 0;
    EXPECT_THROW_ON_ALL_RANKS(
        GhostExchangePlan(comm, uncounted), UsageError,
        "expected 1 owned indices and 0 ghosts along axis 0, as in the layout, got 0 and 0");
    const GhostedLayout twice = make_ghosted_layout(comm, {rank % (n - 1)}, {0});
    EXPECT_THROW_ON_ALL_RANKS(
        GhostExchangePlan(comm, twice), UsageError,
        text("expected each index to have one owner, got 0 owned by processes 0 and ", n - 1));
}

TEST(GhostExchangePlans, WrongTypesAtRunTimeAreTheSameErrorOnAllRanks) {
    const Communicator comm(MPI_COMM_WORLD);
    const Exec exec;
    const std::int64_t rank = comm.rank();
    const GhostedLayout ghosted = make_ghosted_layout(comm, {rank}, {(rank + 1) % comm.size()});
    GhostExchangePlan plan(comm, ghosted);
    const auto u = make_dist_view<double*>(exec, "u", comm, ghosted.layout);
    const AnyDistView any = u, reading = DistView<const double*>(u);
    EXPECT_THROW_ON_ALL_RANKS(plan.combine_as<float>(exec, Sum{}, any), ShapeError,
                              "expected an array with the element type of combine_as()");
    EXPECT_THROW_ON_ALL_RANKS(plan.execute(exec, reading), ShapeError, "array 0 is read-only");
    u.view()(0) = static_cast<double>(rank);
    plan.execute(exec, any);
    EXPECT_EQ(u.view()(ghosted.positions[0]), (rank + 1) % comm.size());
}

} // namespace

} // namespace distview::testing
