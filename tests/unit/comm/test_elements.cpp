// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements read, written and combined once, by global index, over every transport. Every rank knows all ranks' lists and
// values, and does all that they do to the whole array, one after the other.
//
// DISTVIEW_CASES sets the number of cases; the campaign with label `full` runs this program so.
#include "field_fixture.hpp"
#include "transports.hpp"

#include <distview/comm/elements.hpp>
#include <distview_testing/assertions.hpp>
#include <distview_testing/random.hpp>
#include <distview_testing/values.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

namespace distview::testing {

namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;
using Index = std::vector<std::int64_t>;

std::uint64_t case_count(const Communicator& comm) {
    const char* const value = std::getenv("DISTVIEW_CASES");
    return value ? std::strtoull(value, nullptr, 10) : comm.size() > 4 ? 20 : 30;
}

AxisSpec draw_axis(Random& random, std::int64_t extent, int parts) {
    switch (random.integer(0, 5)) {
    case 0: return block(extent);
    case 1: return cyclic(extent);
    case 2: return block_cyclic(extent, random.integer(1, 5));
    case 3: return block_bounds(random_bounds(random, extent, parts));
    default: break;
    }
    std::vector<Index> lists(static_cast<std::size_t>(parts));
    Index all;
    for (std::int64_t i = 0; i < extent; ++i) all.push_back(i);
    random.shuffle(all);
    for (const std::int64_t i : all)
        lists[static_cast<std::size_t>(random.integer(0, parts))].push_back(i);
    return unstructured(lists, true);
}

/// An array with two axes and what all ranks do to it.
template <class T>
class Case {
public:
    Case(Random& random, const Communicator& comm) : m_comm(comm) {
        const std::vector<int> grid = random_process_grid(random, comm.size(), 2);
        std::vector<AxisSpec> axes;
        for (int d = 0; d < 2; ++d) {
            const int parts = grid[static_cast<std::size_t>(d)];
            m_extents[d] = random_extent(random, 12, parts);
            axes.push_back(draw_axis(random, m_extents[d], parts));
        }
        m_layout = ArrayLayout(ProcessGrid(grid), axes);
        m_salt = random.bits();
        const bool empty = m_extents[0] * m_extents[1] == 0 || random.chance(0.05);
        const std::int64_t most = random.pick(Index{3, 60});
        for (int rank = 0; rank < comm.size(); ++rank) {
            Index list;
            std::int64_t count = random.chance(0.2) ? 0 : random.integer(0, most + 1);
            if (empty) count = 0;
            for (; count > 0; --count) {
                list.push_back(random.integer(0, m_extents[0]));
                list.push_back(random.integer(0, m_extents[1]));
            }
            m_lists.push_back(std::move(list));
        }
        make_array(random);
    }

    std::string describe() const { return m_layout.describe(); }

    void run(const std::vector<TransportChoice>& choices) {
        for (const TransportChoice choice : choices) {
            // Combinations go in messages on a device; ipc reads only.
            if (choice == Transport::ipc) continue;
            SCOPED_TRACE("transport " + name_of(choice));
            const TransportSetting setting(choice);
            const bool refused = choice == Transport::direct && !m_readable;
            if (!refused) get();
            put();
            if constexpr (std::is_arithmetic_v<T>) {
                accumulate(Sum{});
                accumulate(Maximum{});
            }
        }
    }

private:
    void make_array(Random& random) {
        const std::uint64_t drawn = random.bits();
        const bool in_arena =
            random.chance(0.6) || (drawn >> static_cast<unsigned>(m_comm.rank())) % 2 == 0;
        m_array = make_dist_view<T**>(m_exec, m_comm, m_layout, "array");
        const Extents extents = m_layout.local_extents(m_comm.rank());
        if (!in_arena)
            m_array = {m_layout, m_comm.rank(),
                       Kokkos::View<T**, Kokkos::LayoutRight, Exec::memory_space>(
                           "section", static_cast<std::size_t>(extents[0]),
                           static_cast<std::size_t>(extents[1])),
                       nullptr, "array"};
        const std::vector<char> readable = on_all_ranks(m_comm, is_readable(in_arena));
        m_readable = std::count(readable.begin(), readable.end(), char{0}) == 0;
    }

    T value(int rank, std::size_t k, std::uint64_t what) const {
        const Position position{rank, static_cast<std::int64_t>(k),
                                static_cast<std::int64_t>(what)};
        if constexpr (std::is_floating_point_v<T>)
            return static_cast<T>(value_of<std::uint32_t>(position, m_salt)) / static_cast<T>(3);
        else if constexpr (std::is_integral_v<T>)
            return static_cast<T>(value_of<std::uint32_t>(position, m_salt) % 50);
        else
            return value_of<T>(position, m_salt);
    }

    /// Calls visit(element of the section, number in the whole array).
    template <class Visit>
    void for_each_owned(Visit&& visit) const {
        for (std::size_t i = 0; i < m_array.view().extent(0); ++i)
            for (std::size_t j = 0; j < m_array.view().extent(1); ++j) {
                const GridCoordinates at = m_layout.coordinates(m_comm.rank());
                const auto global = [&](int d, std::size_t local) {
                    return m_layout.axis(d)
                        .to_global(at[static_cast<std::size_t>(d)],
                                   LocalIndex(static_cast<std::int64_t>(local)))
                        .value();
                };
                visit(m_array.view()(i, j),
                      static_cast<std::size_t>(global(0, i) * m_extents[1] + global(1, j)));
            }
    }

    std::vector<T> fill() const {
        std::vector<T> whole;
        for (std::int64_t i = 0; i < m_extents[0] * m_extents[1]; ++i)
            whole.push_back(value(-1, static_cast<std::size_t>(i), 0));
        for_each_owned([&](T& element, std::size_t number) { element = whole[number]; });
        return whole;
    }

    std::size_t number_of(const Index& list, std::size_t k) const {
        return static_cast<std::size_t>(list[2 * k] * m_extents[1] + list[2 * k + 1]);
    }
    const Index& own() const { return m_lists[static_cast<std::size_t>(m_comm.rank())]; }
    IndexList list() const {
        IndexList result(2);
        result.add_elements(own());
        return result;
    }
    Kokkos::View<T*, Exec::memory_space> values(std::uint64_t what) const {
        Kokkos::View<T*, Exec::memory_space> result("values", own().size() / 2);
        for (std::size_t k = 0; k < result.extent(0); ++k)
            result(k) = value(m_comm.rank(), k, what);
        return result;
    }
    /// What all ranks do, in the order that is promised.
    template <class Op>
    std::vector<T> combined(std::vector<T> whole, const Op& op, std::uint64_t what) const {
        for (std::size_t rank = 0; rank < m_lists.size(); ++rank)
            for (std::size_t k = 0; 2 * k < m_lists[rank].size(); ++k) {
                T& element = whole[number_of(m_lists[rank], k)];
                element = op(element, value(static_cast<int>(rank), k, what));
            }
        return whole;
    }
    void check(const std::vector<T>& whole, const char* what) const {
        std::int64_t wrong = 0;
        for_each_owned([&](const T& element, std::size_t number) {
            wrong += std::memcmp(&element, &whole[number], sizeof(T)) == 0 ? 0 : 1;
        });
        EXPECT_EQ(wrong, 0) << what;
    }

    void get() const {
        const std::vector<T> whole = fill();
        const auto got = get_elements(m_exec, m_comm, m_array, list());
        EXPECT_EQ(got.extent(0), own().size() / 2);
        std::int64_t wrong = 0;
        for (std::size_t k = 0; k < got.extent(0); ++k)
            wrong += std::memcmp(&got(k), &whole[number_of(own(), k)], sizeof(T)) == 0 ? 0 : 1;
        EXPECT_EQ(wrong, 0) << "get";
        check(whole, "get");
    }
    void put() const {
        const std::vector<T> whole = fill();
        const Kokkos::View<const T*, Exec::memory_space> given = values(1);
        put_elements(m_exec, m_comm, m_array, list(), given);
        const auto last = [](const T&, const T& incoming) { return incoming; };
        check(combined(whole, last, 1), "put");
    }
    template <class Op>
    void accumulate(const Op& op) const {
        const std::vector<T> whole = fill();
        accumulate_elements(m_exec, m_comm, op, m_array, list(), values(2));
        check(combined(whole, op, 2), "accumulate");
    }

    Exec m_exec{};
    Communicator m_comm;
    std::int64_t m_extents[2] = {};
    ArrayLayout m_layout;
    std::uint64_t m_salt = 0;
    std::vector<Index> m_lists; ///< by rank, two numbers an element
    bool m_readable = true;     ///< all sections in place
    DistView<T**, Kokkos::LayoutRight, Exec::memory_space> m_array;
};

template <class T>
void run_case(Random& random, const Communicator& comm,
              const std::vector<TransportChoice>& choices) {
    Case<T> drawn(random, comm);
    SCOPED_TRACE(drawn.describe());
    drawn.run(choices);
}

using RunCase = void (*)(Random&, const Communicator&, const std::vector<TransportChoice>&);

TEST(Elements, AreReadWrittenAndCombinedWhereverTheyAre) {
    const Worlds worlds;
    const std::vector<RunCase> runs{run_case<double>, run_case<std::int32_t>, run_case<std::int8_t>,
                                    run_case<Bytes<12>>};
    const std::vector<TransportChoice> choices = possible_transports(worlds.forward_comm);
    for_each_case(case_count(worlds.forward_comm), [&](Random& random, std::uint64_t) {
        const Communicator& comm = random.chance(0.7) ? worlds.forward_comm : worlds.reversed_comm;
        random.pick(runs)(random, comm, choices);
    });
}

class ElementsExamples : public ::testing::Test {
protected:
    Exec exec{};
    Communicator comm{MPI_COMM_WORLD};
    int n = comm.size();
    ArrayLayout layout{ProcessGrid{n}, {block(10 * n)}};
    DistView<double*> u = make_dist_view<double*>(exec, comm, layout, "u");
};

// All ranks write all elements: those of the last rank stay, and there the last value.
TEST_F(ElementsExamples, TheLastValueStays) {
    IndexList all(1);
    all.add_box({{0, 10 * n}});
    all.add_box({{0, 10 * n}});
    const Kokkos::View<double*, Exec::memory_space> values("values",
                                                           static_cast<std::size_t>(20 * n));
    for (std::size_t k = 0; k < values.extent(0); ++k)
        values(k) = 1000 * comm.rank() + static_cast<double>(k);
    put_elements(exec, comm, u, all, values);
    for (int i = 0; i < 10; ++i)
        EXPECT_EQ(u.view()(i), 1000 * (n - 1) + 10 * n + 10 * comm.rank() + i);
    const auto first = get_elements(exec, comm, u, IndexList(Index{0}));
    EXPECT_EQ(first(0), 1000 * (n - 1) + 10 * n);
    accumulate_elements(exec, comm, Minimum{}, u, IndexList(Index{0}), first);
    const Kokkos::View<double*, Exec::memory_space> own("own", 1);
    own(0) = comm.rank() - 5;
    accumulate_elements(exec, comm, Minimum{}, u, IndexList(Index{0}), own);
    EXPECT_EQ(get_elements(exec, comm, u, IndexList(Index{0}))(0), -5);
}

TEST_F(ElementsExamples, WrongArgumentsAreTheSameErrorOnAllRanks) {
    const Index bad = comm.rank() == n - 1 ? Index{10 * n} : Index{0};
    EXPECT_THROW_ON_ALL_RANKS(
        get_elements(exec, comm, u, IndexList(bad)), UsageError,
        text("expected indices in [0, ", 10 * n, ") along axis 0, got ", 10 * n));
    EXPECT_THROW_ON_ALL_RANKS(get_elements(exec, comm, u, IndexList(2)), UsageError,
                              "expected a list of elements with 1 indices each, got 2");
    // On one rank alone.
    const Kokkos::View<double*, Exec::memory_space> values("values", comm.rank() == n - 1 ? 2 : 1);
    EXPECT_THROW_ON_ALL_RANKS(put_elements(exec, comm, u, IndexList(Index{0}), values), ShapeError,
                              "put_elements: expected 1 values in 'values', got 2");
    EXPECT_THROW_ON_ALL_RANKS(
        accumulate_elements(exec, comm, Sum{}, u, IndexList(Index{0}), values), ShapeError,
        "accumulate_elements: expected 1 values in 'values', got 2");
    const Kokkos::View<double**, Kokkos::LayoutRight, Exec::memory_space> table("table", 3, 2);
    const auto column = Kokkos::subview(table, Kokkos::ALL(), 0);
    EXPECT_THROW_ON_ALL_RANKS(put_elements(exec, comm, u, IndexList(Index{0, 1, 2}), column),
                              ShapeError, "got a stride of 2");
    const auto first = get_elements(exec, comm, u, IndexList(Index{0}));
    EXPECT_EQ(first(0), 0);
}

} // namespace

} // namespace distview::testing
