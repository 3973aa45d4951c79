// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements read, written and combined once, by global index, over every transport. Oracle: every rank knows the lists
// and values of all ranks, and applies all their operations to the whole array, one after the other. Lists are random,
// some with duplicates, some empty, or a permutation of all elements; arrays of several types are passed one by one or
// together.
//
// DISTVIEW_CASES sets the number of cases; the campaign with label `full` sets it.
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
#include <limits>
#include <numeric>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace distview::testing {

namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;
using Index = std::vector<std::int64_t>;

/// Arrays in one call may have different axis orders in memory.
template <class T>
using OrderOf =
    std::conditional_t<std::is_same_v<T, std::int32_t>, Kokkos::LayoutLeft, Kokkos::LayoutRight>;

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

/// A layout with two axes, and the elements that each rank lists.
struct Drawn {
    Communicator comm;
    std::int64_t extents[2] = {};
    ArrayLayout layout;
    std::vector<Index> lists; ///< by rank, two indices per element

    Drawn(Random& random, const Communicator& ranks) : comm(ranks) {
        const std::vector<int> grid = random_process_grid(random, comm.size(), 2);
        std::vector<AxisSpec> axes;
        for (int d = 0; d < 2; ++d) {
            const int parts = grid[static_cast<std::size_t>(d)];
            extents[d] = random_extent(random, 12, parts);
            axes.push_back(draw_axis(random, extents[d], parts));
        }
        layout = ArrayLayout(ProcessGrid(grid), axes);
        lists.resize(static_cast<std::size_t>(comm.size()));
        if (random.chance(0.3))
            permute(random);
        else
            draw(random);
    }

    /// The position of an element in the whole array.
    std::size_t number_of(const Index& list, std::size_t k) const {
        return static_cast<std::size_t>(list[2 * k] * extents[1] + list[2 * k + 1]);
    }
    std::size_t size() const { return static_cast<std::size_t>(extents[0] * extents[1]); }
    const Index& own() const { return lists[static_cast<std::size_t>(comm.rank())]; }
    IndexList list() const {
        IndexList result(2);
        result.add_elements(own());
        return result;
    }

private:
    void permute(Random& random) {
        std::vector<std::int64_t> numbers(size());
        std::iota(numbers.begin(), numbers.end(), std::int64_t{0});
        random.shuffle(numbers);
        for (const std::int64_t number : numbers) {
            Index& list = lists[static_cast<std::size_t>(random.integer(0, comm.size()))];
            list.push_back(number / extents[1]);
            list.push_back(number % extents[1]);
        }
    }
    void draw(Random& random) {
        const bool empty = size() == 0 || random.chance(0.05);
        const std::int64_t most = random.pick(Index{3, 60});
        for (Index& list : lists) {
            std::int64_t count = random.chance(0.2) ? 0 : random.integer(0, most + 1);
            if (empty) count = 0;
            for (; count > 0; --count) {
                list.push_back(random.integer(0, extents[0]));
                list.push_back(random.integer(0, extents[1]));
            }
        }
    }
};

/// An array of a drawn layout, and the expected elements after the calls of all ranks.
template <class T, class Order>
class Field {
public:
    using Array = DistView<T**, Order, Exec::memory_space>;
    using List = Kokkos::View<T*, Exec::memory_space>;

    Field(Random& random, const Drawn& drawn) : m_drawn(&drawn), m_salt(random.bits()) {
        const Communicator& comm = drawn.comm;
        const std::uint64_t bits = random.bits();
        const bool in_arena =
            random.chance(0.6) || (bits >> static_cast<unsigned>(comm.rank())) % 2 == 0;
        array = make_dist_view<T**, Order, Exec::memory_space>(Exec(), "array", comm, drawn.layout);
        const Extents extents = drawn.layout.local_extents(comm.rank());
        if (!in_arena)
            array = {drawn.layout, comm.rank(),
                     Kokkos::View<T**, Order, Exec::memory_space>(
                         "section", static_cast<std::size_t>(extents[0]),
                         static_cast<std::size_t>(extents[1])),
                     nullptr, "array"};
        const std::vector<char> readable = on_all_ranks(comm, is_readable(in_arena));
        is_in_place = std::count(readable.begin(), readable.end(), char{0}) == 0;
    }

    Array array;
    bool is_in_place = true; ///< true if this holds for all sections

    void fill() {
        m_whole.clear();
        for (std::size_t i = 0; i < m_drawn->size(); ++i) m_whole.push_back(value(-1, i, 0));
        for_each_owned([&](T& element, std::size_t number) { element = m_whole[number]; });
    }
    List values(std::uint64_t what) const {
        List result("values", m_drawn->own().size() / 2);
        for (std::size_t k = 0; k < result.extent(0); ++k)
            result(k) = value(m_drawn->comm.rank(), k, what);
        return result;
    }
    /// Applies the operations of all ranks in the documented order.
    template <class Op>
    void expect_combined(const Op& op, std::uint64_t what) {
        for (std::size_t rank = 0; rank < m_drawn->lists.size(); ++rank)
            for (std::size_t k = 0; 2 * k < m_drawn->lists[rank].size(); ++k) {
                T& element = m_whole[m_drawn->number_of(m_drawn->lists[rank], k)];
                element = op(element, value(static_cast<int>(rank), k, what));
            }
    }
    void check(const char* what) const {
        std::int64_t wrong = 0;
        for_each_owned([&](const T& element, std::size_t number) {
            wrong += std::memcmp(&element, &m_whole[number], sizeof(T)) == 0 ? 0 : 1;
        });
        EXPECT_EQ(wrong, 0) << what;
    }
    void check_got(const List& got) const {
        ASSERT_EQ(got.extent(0), m_drawn->own().size() / 2);
        std::int64_t wrong = 0;
        for (std::size_t k = 0; k < got.extent(0); ++k) {
            const T& expected = m_whole[m_drawn->number_of(m_drawn->own(), k)];
            wrong += std::memcmp(&got(k), &expected, sizeof(T)) == 0 ? 0 : 1;
        }
        EXPECT_EQ(wrong, 0) << "get";
    }

private:
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

    /// Calls visit(element of the section, position in the whole array).
    template <class Visit>
    void for_each_owned(Visit&& visit) const {
        const ArrayLayout& layout = m_drawn->layout;
        const GridCoordinates at = layout.coordinates(m_drawn->comm.rank());
        const auto global = [&](int d, std::size_t local) {
            return layout.axis(d)
                .to_global(at[static_cast<std::size_t>(d)],
                           LocalIndex(static_cast<std::int64_t>(local)))
                .value();
        };
        for (std::size_t i = 0; i < array.view().extent(0); ++i)
            for (std::size_t j = 0; j < array.view().extent(1); ++j)
                visit(array.view()(i, j), m_drawn->number_of({global(0, i), global(1, j)}, 0));
    }

    const Drawn* m_drawn;
    std::uint64_t m_salt;
    std::vector<T> m_whole;
};

/// Calls with one array, or with the arrays of several fields together.
template <class... Fields>
class Calls {
public:
    Calls(const Drawn& drawn, const std::tuple<Fields...>& fields)
        : m_drawn(drawn), m_fields(fields) {}

    void fill() {
        each([](auto& field) { field.fill(); });
    }
    void get() {
        const auto got = get_elements(m_exec, m_drawn.comm, arrays(), m_drawn.list());
        if constexpr (sizeof...(Fields) == 1)
            std::get<0>(m_fields).check_got(got);
        else
            check_got(got, std::index_sequence_for<Fields...>());
        each([](const auto& field) { field.check("get"); });
    }
    void put() {
        put_elements(m_exec, m_drawn.comm, arrays(), m_drawn.list(), values(1));
        each([](auto& field) {
            field.expect_combined([](const auto&, const auto& incoming) { return incoming; }, 1);
            field.check("put");
        });
    }
    template <class Op>
    void accumulate(const Op& op) {
        accumulate_elements(m_exec, m_drawn.comm, op, arrays(), m_drawn.list(), values(2));
        each([&](auto& field) {
            field.expect_combined(op, 2);
            field.check("accumulate");
        });
    }
    bool is_in_place() const {
        return std::apply([](const auto&... field) { return (field.is_in_place && ...); },
                          m_fields);
    }

private:
    template <class Do>
    void each(const Do& action) {
        std::apply([&](auto&... field) { (action(field), ...); }, m_fields);
    }
    /// Returns of(field), or a tuple of of(field) for each of several fields.
    template <class Of>
    auto given(const Of& of) const {
        if constexpr (sizeof...(Fields) == 1)
            return of(std::get<0>(m_fields));
        else
            return std::apply([&](const auto&... field) { return std::tuple{of(field)...}; },
                              m_fields);
    }
    auto arrays() const {
        return given([](const auto& field) { return field.array; });
    }
    auto values(std::uint64_t what) const {
        return given([&](const auto& field) { return field.values(what); });
    }
    template <class Got, std::size_t... N>
    void check_got(const Got& got, std::index_sequence<N...>) const {
        (std::get<N>(m_fields).check_got(std::get<N>(got)), ...);
    }

    Exec m_exec{};
    const Drawn& m_drawn;
    std::tuple<Fields...> m_fields;
};

/// Runs a case with arrays of these types; several arrays are passed together.
template <class... Ts>
void run_case(Random& random, const Communicator& comm,
              const std::vector<TransportChoice>& choices) {
    const Drawn drawn(random, comm);
    SCOPED_TRACE(drawn.layout.describe());
    // In braces: drawn from left to right, in the same order on all ranks.
    Calls calls(drawn,
                std::tuple<Field<Ts, OrderOf<Ts>>...>{Field<Ts, OrderOf<Ts>>(random, drawn)...});
    for (const TransportChoice choice : choices) {
        // On a device combinations need messages; ipc only reads.
        if (choice == Transport::ipc) continue;
        SCOPED_TRACE("transport " + name_of(choice));
        const TransportSetting setting(choice);
        const bool refused = choice == Transport::direct && !calls.is_in_place();
        calls.fill();
        if (!refused) calls.get();
        calls.put();
        if (!refused) calls.get(); // get() returns the written elements
        if constexpr ((std::is_arithmetic_v<Ts> && ...)) {
            calls.accumulate(Sum{});
            calls.accumulate(Maximum{});
        }
    }
}

using RunCase = void (*)(Random&, const Communicator&, const std::vector<TransportChoice>&);

TEST(Elements, AreReadWrittenAndCombinedWhereverTheyAre) {
    const Worlds worlds;
    const std::vector<RunCase> runs{run_case<double>,
                                    run_case<std::int32_t>,
                                    run_case<std::int8_t>,
                                    run_case<Bytes<12>>,
                                    run_case<double, std::int8_t>,
                                    run_case<float, Bytes<12>, std::int32_t>,
                                    run_case<double, std::int32_t, double, std::int8_t>};
    const std::vector<TransportChoice> choices = possible_transports(worlds.forward_comm);
    for_each_case(campaign_cases(worlds.forward_comm.size() > 4 ? 20 : 30), [&](Random& random,
                                                                                std::uint64_t) {
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
    DistView<double*> u = make_dist_view<double*>(exec, "u", comm, layout);
};

// All ranks write all elements: the values of the last rank stay, and of these the last for each element.
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

// Particles with two fields: rank p stores those of the next rank's section, in reverse order.
TEST_F(ElementsExamples, SeveralFieldsMoveTogether) {
    const auto w = make_dist_view<std::int32_t*>(exec, "w", comm, layout);
    const int next = (comm.rank() + 1) % n;
    Index places;
    for (int i = 9; i >= 0; --i) places.push_back(10 * next + i);
    const Kokkos::View<double*, Exec::memory_space> x("x", 10);
    const Kokkos::View<std::int32_t*, Exec::memory_space> id("id", 10);
    for (std::size_t k = 0; k < 10; ++k) {
        x(k) = 0.5 * static_cast<double>(places[k]);
        id(k) = static_cast<std::int32_t>(places[k]);
    }
    put_elements(exec, comm, std::tie(u, w), IndexList(places), std::tie(x, id));
    for (int i = 0; i < 10; ++i) {
        EXPECT_EQ(u.view()(i), 0.5 * (10 * comm.rank() + i));
        EXPECT_EQ(w.view()(i), 10 * comm.rank() + i);
    }
    const auto [x2, id2] =
        get_elements(exec, comm, std::tie(u, w), IndexList(Index{3, 3, 10 * n - 1}));
    EXPECT_EQ(x2(1), 1.5);
    EXPECT_EQ(id2(2), 10 * n - 1);
    accumulate_elements(exec, comm, Sum{}, std::tie(w, u), IndexList(places), std::tie(id, x));
    for (int i = 0; i < 10; ++i) {
        EXPECT_EQ(u.view()(i), 10 * comm.rank() + i);
        EXPECT_EQ(w.view()(i), 2 * (10 * comm.rank() + i));
    }
}

TEST(IndexLists, CountWithoutOverflow) {
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    IndexList ends(1);
    ends.add_box({{5, 10, most}});
    ends.add_box({{-5, -10, -most}});
    ends.add_box({{-most, most, most}});
    ends.add_box({{most, -most, -most - 1}});
    EXPECT_EQ(ends.size(), 6);
    const auto first = [&](std::size_t part) { return ends.parts()[part].axes[0]; };
    EXPECT_EQ(first(0), Index{5});
    EXPECT_EQ(first(1), Index{-5});
    EXPECT_EQ(first(2), (Index{-most, 0}));
    EXPECT_EQ(first(3), (Index{most, -1}));
    IndexList stepping(1);
    stepping.add_box({{2, 9, 3}});
    stepping.add_box({{9, 2, -3}});
    stepping.add_box({{3, 3}});
    EXPECT_EQ(stepping.size(), 6);

    IndexList product(8);
    const Index axis(256);
    EXPECT_THROW(product.add_product(std::vector<Index>(8, axis)), UsageError);
    EXPECT_THROW(ends.add_box({{-most, most}}), std::exception);
    std::vector<Index> with_an_empty_axis(8, axis);
    with_an_empty_axis.back().clear();
    product.add_product(with_an_empty_axis);
    EXPECT_EQ(product.size(), 0);
}

TEST_F(ElementsExamples, WrongArgumentsAreTheSameErrorOnAllRanks) {
    const Index bad = comm.rank() == n - 1 ? Index{10 * n} : Index{0};
    EXPECT_THROW_ON_ALL_RANKS(
        get_elements(exec, comm, u, IndexList(bad)), UsageError,
        text("expected indices in [0, ", 10 * n, ") along axis 0, got ", 10 * n));
    EXPECT_THROW_ON_ALL_RANKS(get_elements(exec, comm, u, IndexList(2)), UsageError,
                              "expected a list of elements with 1 indices each, got 2");
    // A wrong number of values on one rank only.
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
    EXPECT_THROW_ON_ALL_RANKS(put_elements(exec, comm, u, IndexList(Index{0, 1}),
                                           Kokkos::subview(u.view(), Kokkos::make_pair(0, 2))),
                              UsageError,
                              "put_elements: list of values 0 shares memory with array 0");
    // A wrong second field, and arrays of other layouts.
    const Kokkos::View<double*, Exec::memory_space> one("one", 1);
    EXPECT_THROW_ON_ALL_RANKS(
        put_elements(exec, comm, std::tie(u, u), IndexList(Index{0}), std::tie(one, values)),
        ShapeError, "put_elements: expected 1 values in 'values', got 2");
    const auto other = make_dist_view<double*>(exec, "other", comm,
                                               ArrayLayout(ProcessGrid{n}, {block(10 * n + 1)}));
    EXPECT_THROW_ON_ALL_RANKS(
        put_elements(exec, comm, std::tie(u, other), IndexList(Index{0}), std::tie(one, one)),
        ShapeError, "GatherPlan");
    EXPECT_THROW_ON_ALL_RANKS(get_elements(exec, comm, std::tie(u, other), IndexList(Index{0})),
                              ShapeError, "GatherPlan");
    const bool is_odd = n > 1 && comm.rank() == n - 1;
    if (n > 1) {
        EXPECT_THROW_ON_ALL_RANKS(
            is_odd ? accumulate_elements(exec, comm, Maximum{}, u, IndexList(Index{0}), one)
                   : accumulate_elements(exec, comm, Sum{}, u, IndexList(Index{0}), one),
            UsageError, text("operation is Maximum on rank ", n - 1, ", Sum on rank 0"));
    }
    const auto first = get_elements(exec, comm, u, IndexList(Index{0}));
    EXPECT_EQ(first(0), 0);
}

} // namespace

} // namespace distview::testing
