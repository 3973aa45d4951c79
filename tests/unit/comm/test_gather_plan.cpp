// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random lists of global indices, gathered and combined over every transport, compared element by element with what each
// rank works out from the layout alone.
//
// DISTVIEW_CASES sets the number of cases; the campaign with label `full` runs this program so.
#include "field_fixture.hpp"
#include "redistribution_oracle.hpp"
#include "transports.hpp"

#include <distview/comm/collectives.hpp>
#include <distview/comm/gather_plan.hpp>
#include <distview_testing/allocations.hpp>
#include <distview_testing/assertions.hpp>
#include <distview_testing/random.hpp>
#include <distview_testing/values.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace distview::testing {

namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;
using Index = std::vector<std::int64_t>;

std::uint64_t case_count(const Communicator& comm) {
    const char* const value = std::getenv("DISTVIEW_CASES");
    return value ? std::strtoull(value, nullptr, 10) : comm.size() > 4 ? 40 : 60;
}

/// A list for the plan, and the same written out.
struct DrawnList {
    IndexList list;
    std::vector<Index> elements;
};

/// Indices of an axis that some process owns.
Index valid_indices(const AxisLayout& axis) {
    Index result;
    if (axis.type() == DistType::unstructured) {
        const auto& lists = axis.as_unstructured();
        result.assign(lists.all_labels(), lists.all_labels() + lists.size());
        return result;
    }
    const GlobalRange range = axis.global_range();
    for (std::int64_t i = range.begin.value(); i < range.end.value(); ++i)
        if (axis.owner(GlobalIndex(i)) >= 0) result.push_back(i);
    return result;
}

void append_product(std::vector<Index>& elements, const std::vector<Index>& lists) {
    std::vector<Index> product{{}};
    for (const Index& list : lists) {
        std::vector<Index> longer;
        for (const Index& begun : product)
            for (const std::int64_t index : list) {
                longer.push_back(begun);
                longer.back().push_back(index);
            }
        product = std::move(longer);
    }
    elements.insert(elements.end(), product.begin(), product.end());
}

DrawnList draw_list(Random& random, const ArrayLayout& layout) {
    const int rank = layout.rank();
    DrawnList drawn{IndexList(rank), {}};
    std::vector<Index> valid;
    for (int d = 0; d < rank; ++d) valid.push_back(valid_indices(layout.axis(d)));
    for (const Index& indices : valid)
        if (indices.empty()) return drawn;
    for (std::int64_t parts = random.integer(0, 4); parts > 0; --parts) {
        const double kind = random.unit();
        if (kind < 0.5) {
            for (std::int64_t count = random.integer(0, 30); count > 0; --count) {
                Index element;
                for (const Index& indices : valid) element.push_back(random.pick(indices));
                drawn.list.add_element(element);
                drawn.elements.push_back(element);
            }
        } else if (kind < 0.8) {
            std::vector<Index> lists;
            for (const Index& indices : valid) {
                Index list;
                for (std::int64_t count = random.integer(0, 5); count > 0; --count)
                    list.push_back(random.pick(indices));
                lists.push_back(std::move(list));
            }
            drawn.list.add_product(lists);
            append_product(drawn.elements, lists);
        } else {
            std::vector<IndexRange> ranges;
            std::vector<Index> lists;
            for (int d = 0; d < rank; ++d) {
                const Index& indices = valid[static_cast<std::size_t>(d)];
                // Labels have gaps: one of them.
                const std::int64_t at = random.pick(indices);
                std::int64_t step = random.chance(0.5) ? 1 : random.integer(1, 4);
                std::int64_t count = random.integer(0, 6);
                if (layout.axis(d).type() == DistType::unstructured)
                    count = std::min<std::int64_t>(count, 1);
                if (random.chance(0.3)) step = -step;
                Index list;
                for (std::int64_t i = at; count > 0 && i >= indices.front() && i <= indices.back();
                     i += step, --count)
                    list.push_back(i);
                ranges.push_back({at, list.empty() ? at : list.back() + (step > 0 ? 1 : -1), step});
                lists.push_back(std::move(list));
            }
            drawn.list.add_box(ranges);
            append_product(drawn.elements, lists);
        }
    }
    return drawn;
}

/// Calls visit(global indices, whether this process owns the element for all, number in C order) for all positions of a
/// section.
template <class Visit>
void for_each_position(const ArrayLayout& layout, int process, Visit&& visit) {
    const Extents extents = layout.local_extents(process);
    const GridCoordinates at = layout.coordinates(process);
    std::int64_t count = 1;
    for (int d = 0; d < layout.rank(); ++d) count *= extents[static_cast<std::size_t>(d)];
    for (std::int64_t number = 0; number < count; ++number) {
        std::int64_t rest = number;
        Index global(static_cast<std::size_t>(layout.rank()));
        bool owned = true;
        for (auto d = static_cast<std::size_t>(layout.rank()); d-- > 0;) {
            const AxisLayout& axis = layout.axis(static_cast<int>(d));
            const LocalIndex local(rest % extents[d]);
            rest /= extents[d];
            const LocalRange range = axis.owned_local(at[d]);
            const bool inside = range.begin <= local && local < range.end;
            global[d] = inside ? axis.to_global(at[d], local).value() : -1;
            owned = owned && inside && axis.owner(GlobalIndex(global[d])) == at[d];
        }
        visit(global, owned, number);
    }
}

template <class T, int Rank>
struct ViewOfRank;
template <class T>
struct ViewOfRank<T, 1> {
    using type = T*;
};
template <class T>
struct ViewOfRank<T, 2> {
    using type = T**;
};
template <class T>
struct ViewOfRank<T, 3> {
    using type = T***;
};

Position position_of(const Index& index) {
    Position position{};
    std::copy(index.begin(), index.end(), position.begin());
    return position;
}

template <class T>
constexpr bool can_combine = std::is_arithmetic_v<T>;

/// An array of random layout and a random list of this rank.
template <class T, int Rank>
class Case {
public:
    using Data = typename ViewOfRank<T, Rank>::type;
    using Section = Kokkos::View<Data, Kokkos::LayoutRight, Exec::memory_space>;
    using Array = DistView<Data, Kokkos::LayoutRight, Exec::memory_space>;
    using List = Kokkos::View<T*, Exec::memory_space>;

    Case(Random& random, const Communicator& comm) : m_comm(comm) {
        constexpr std::int64_t limits[] = {60, 14, 7};
        const std::vector<int> grid = random_process_grid(random, comm.size(), Rank);
        std::vector<AxisSpec> axes;
        for (int d = 0; d < Rank; ++d) {
            const int parts = grid[static_cast<std::size_t>(d)];
            axes.push_back(
                random_axis_spec(random, parts, random_extent(random, limits[Rank - 1], parts)));
        }
        m_layout = ArrayLayout(ProcessGrid(grid), axes);
        m_known = known_part(m_layout, comm.rank(), random.bits());
        const double all = random.unit();
        const std::uint64_t drawn = random.bits();
        m_in_arena =
            all < 0.5 || (all < 0.8 && (drawn >> static_cast<unsigned>(comm.rank())) % 2 == 0);
        m_salt = random.bits();
        Random own(random.bits(), static_cast<std::uint64_t>(comm.rank()));
        m_list = draw_list(own, m_layout);
        m_values = List("values", m_list.elements.size());
        make_array();
    }

    std::string describe() const {
        return text(m_layout.describe(), "\nlist of ", m_list.elements.size());
    }

    void run(const std::vector<TransportChoice>& choices) {
        for (const TransportChoice choice : choices) {
            SCOPED_TRACE("transport " + name_of(choice));
            const TransportSetting setting(choice);
            GatherPlan plan(m_comm, m_known, m_list.list);
            EXPECT_EQ(plan.size(), static_cast<std::int64_t>(m_list.elements.size()));
            if (is_refused(plan, choice)) {
                fill(0);
                EXPECT_THROW_ON_ALL_RANKS(plan.execute(m_exec, m_array, m_values), UsageError,
                                          "DISTVIEW_TRANSPORT: '" + name_of(choice) +
                                              "' from rank ");
                continue;
            }
            for (std::uint64_t round = 0; round < 2; ++round) {
                fill(round);
                gather(plan, round);
            }
            if constexpr (can_combine<T>)
                if (choice != Transport::ipc)
                    for (std::uint64_t round = 0; round < 2; ++round) combine(plan, round);
            // Another binding after the first ones.
            fill(7);
            gather(plan, 7);
        }
    }

private:
    void make_array() {
        const Extents extents = m_layout.local_extents(m_comm.rank());
        if (m_in_arena) {
            m_array = make_dist_view<Data>(m_exec, m_comm, m_known, "array");
        } else {
            // The same calls on all ranks: one whose array nobody can read.
            (void)make_dist_view<Data>(m_exec, m_comm, m_known, "unused");
            const auto section = [&]<std::size_t... D>(std::index_sequence<D...>) {
                return Section("section", static_cast<std::size_t>(extents[D])...);
            }(std::make_index_sequence<static_cast<std::size_t>(Rank)>());
            m_array = Array(m_known, m_comm.rank(), section, nullptr, "array");
        }
    }

    bool is_refused(const GatherPlan& plan, TransportChoice choice) const {
        if (choice != Transport::direct && choice != Transport::ipc) return false;
        const std::vector<char> refusals =
            on_all_ranks(m_comm, !is_readable(m_in_arena) && !plan.send_peers().empty());
        return std::count(refusals.begin(), refusals.end(), char{1}) > 0;
    }

    T element(const Index& index, std::uint64_t round) const {
        if constexpr (can_combine<T>)
            return static_cast<T>(value_of<std::uint32_t>(position_of(index), m_salt + round) % 97);
        else
            return value_of<T>(position_of(index), m_salt + round);
    }

    /// Elements that are not their owner's are others.
    void fill(std::uint64_t round) {
        T* const data = m_array.view().data();
        for_each_position(m_layout, m_comm.rank(),
                          [&](const Index& global, bool owned, std::int64_t number) {
                              data[number] = element(global, owned ? round : round + 1000);
                          });
    }

    void gather(GatherPlan& plan, std::uint64_t round) {
        const auto check = [&](const char* how) {
            std::int64_t wrong = 0;
            for (std::size_t k = 0; k < m_list.elements.size(); ++k) {
                const T expected = element(m_list.elements[k], round);
                wrong += std::memcmp(&m_values(k), &expected, sizeof(T)) == 0 ? 0 : 1;
            }
            EXPECT_EQ(wrong, 0) << how;
        };
        poison_values();
        if (round % 2 == 0) {
            plan.execute(m_exec, m_array, m_values);
        } else {
            auto handle = plan.start(m_exec, m_array, m_values);
            handle.finish();
        }
        check("execute");
        if (round > 0) read(plan, check);
    }

    template <class Check>
    void read(GatherPlan& plan, Check&& check) {
        const bool reads_all = plan.describe().find("message") == std::string::npos;
        poison_values();
        barrier(m_comm);
        try {
            plan.read(m_exec, m_array, m_values);
            check("read");
        } catch (const UsageError& error) {
            EXPECT_FALSE(plan.receive_peers().empty());
            EXPECT_NE(std::string(error.what()).find("must take part"), std::string::npos);
            EXPECT_FALSE(reads_all && m_comm.size() == 1);
        }
        barrier(m_comm);
    }

    void poison_values() {
        if (m_values.extent(0) > 0)
            std::memset(static_cast<void*>(m_values.data()), 0xa5, m_values.span() * sizeof(T));
    }

    /// Sums of doubles depend on their order.
    T contribution(int rank, std::size_t k, std::uint64_t round) const {
        const auto bits = value_of<std::uint32_t>(Position{rank, static_cast<std::int64_t>(k)},
                                                  m_salt + 17 * round);
        if constexpr (std::is_floating_point_v<T>)
            return static_cast<T>(bits) / static_cast<T>(3);
        else
            return static_cast<T>(bits % 89);
    }

    void combine(GatherPlan& plan, std::uint64_t round) {
        fill(round);
        const T* const data = m_array.view().data();
        std::vector<T> expected(data, data + m_array.view().size());
        for (std::size_t k = 0; k < m_list.elements.size(); ++k)
            m_values(k) = contribution(m_comm.rank(), k, round);
        for (int rank = 0; rank < m_comm.size(); ++rank) {
            const std::vector<std::int64_t> list = list_of(rank);
            for (std::size_t k = 0; k * Rank < list.size(); ++k)
                add(expected, &list[k * Rank], contribution(rank, k, round));
        }
        if (round % 2 == 0)
            plan.combine(m_exec, Sum{}, m_values, m_array);
        else
            plan.start_combine(m_exec, Sum{}, m_values, m_array).finish();
        std::int64_t wrong = 0;
        for (std::size_t i = 0; i < expected.size(); ++i)
            wrong += bits_equal(data[i], expected[i]) ? 0 : 1;
        EXPECT_EQ(wrong, 0) << "combine";
    }

    void add(std::vector<T>& section, const std::int64_t* index, T value) const {
        const GridCoordinates at = m_layout.coordinates(m_comm.rank());
        const Extents extents = m_layout.local_extents(m_comm.rank());
        std::int64_t number = 0;
        for (std::size_t d = 0; d < Rank; ++d) {
            const AxisLayout& axis = m_layout.axis(static_cast<int>(d));
            if (axis.owner(GlobalIndex(index[d])) != at[d]) return;
            number = number * extents[d] + axis.to_local(at[d], GlobalIndex(index[d])).value();
        }
        T& element = section[static_cast<std::size_t>(number)];
        element = static_cast<T>(element + value);
    }

    /// The list of a rank, one index after the other. Collective.
    std::vector<std::int64_t> list_of(int rank) const {
        std::vector<std::int64_t> flat;
        if (rank == m_comm.rank())
            for (const Index& index : m_list.elements)
                flat.insert(flat.end(), index.begin(), index.end());
        auto count = static_cast<std::int64_t>(flat.size());
        MPI_Bcast(&count, 1, MPI_INT64_T, rank, m_comm.mpi());
        flat.resize(static_cast<std::size_t>(count));
        MPI_Bcast(flat.data(), static_cast<int>(count), MPI_INT64_T, rank, m_comm.mpi());
        return flat;
    }

    Exec m_exec{};
    Communicator m_comm;
    ArrayLayout m_layout; ///< all of it
    ArrayLayout m_known;  ///< as this rank knows it
    bool m_in_arena = true;
    std::uint64_t m_salt = 0;
    DrawnList m_list{IndexList(Rank), {}};
    List m_values;
    Array m_array;
};

template <class T, int Rank>
void run_case(Random& random, const Communicator& comm,
              const std::vector<TransportChoice>& choices) {
    Case<T, Rank> drawn(random, comm);
    SCOPED_TRACE(drawn.describe());
    drawn.run(choices);
}

using RunCase = void (*)(Random&, const Communicator&, const std::vector<TransportChoice>&);

TEST(GatherPlans, BringAndCombineWhatALayoutSays) {
    const Worlds worlds;
    const std::vector<RunCase> runs{run_case<double, 1>,      run_case<double, 2>,
                                    run_case<double, 3>,      run_case<std::int32_t, 1>,
                                    run_case<std::int8_t, 2>, run_case<std::complex<double>, 2>,
                                    run_case<Bytes<12>, 1>,   run_case<float, 2>};
    const std::vector<TransportChoice> choices = possible_transports(worlds.forward_comm);
    for_each_case(case_count(worlds.forward_comm), [&](Random& random, std::uint64_t) {
        const Communicator& comm = random.chance(0.7) ? worlds.forward_comm : worlds.reversed_comm;
        random.pick(runs)(random, comm, choices);
    });
}

class GatherPlanExamples : public ::testing::Test {
protected:
    Exec exec{};
    Communicator comm{MPI_COMM_WORLD};
    int n = comm.size();
    ArrayLayout layout{ProcessGrid{n}, {block(10 * n)}};
    DistView<double*> u = make_dist_view<double*>(exec, comm, layout, "u");
    Kokkos::View<double*, Exec::memory_space> list(std::int64_t count) {
        return {"list", static_cast<std::size_t>(count)};
    }
    void number() {
        for (int i = 0; i < 10; ++i) u.view()(i) = 10 * comm.rank() + i;
    }
};

TEST_F(GatherPlanExamples, SeveralArraysOfSeveralTypesTravelTogether) {
    number();
    const auto v = make_dist_view<int*>(exec, comm, layout, "v");
    for (int i = 0; i < 10; ++i) v.view()(i) = -(10 * comm.rank() + i);
    std::vector<std::int64_t> all(static_cast<std::size_t>(10 * n));
    std::iota(all.rbegin(), all.rend(), 0);
    GatherPlan plan(comm, layout, IndexList(all));
    const auto a = list(10 * n);
    const Kokkos::View<int*, Exec::memory_space> b("b", static_cast<std::size_t>(10 * n));
    plan.execute(exec, std::tie(u, v), std::tie(a, b));
    for (std::size_t k = 0; k < all.size(); ++k) {
        EXPECT_EQ(a(k), static_cast<double>(all[k]));
        EXPECT_EQ(b(k), -static_cast<int>(all[k]));
    }
    // Every rank adds 1 to every element.
    Kokkos::deep_copy(a, 1);
    Kokkos::deep_copy(b, 1);
    plan.combine(exec, Sum{}, std::tie(a, b), std::tie(u, v));
    for (int i = 0; i < 10; ++i) {
        EXPECT_EQ(u.view()(i), 10 * comm.rank() + i + n);
        EXPECT_EQ(v.view()(i), -(10 * comm.rank() + i) + n);
    }
}

// sum over lists of y * gather(x) = sum over the array of x * combine(y): integers, so that sums are exact.
TEST_F(GatherPlanExamples, CombineIsTheAdjointOfExecute) {
    number();
    Index wanted;
    for (std::int64_t k = 0; k < 25; ++k) wanted.push_back((k * 7 + 3 * comm.rank()) % (10 * n));
    GatherPlan plan(comm, layout, IndexList(wanted));
    const auto x = list(25), y = list(25);
    for (std::size_t k = 0; k < 25; ++k) y(k) = static_cast<double>(k % 5);
    plan.execute(exec, u, x);
    double forth = 0, back = 0;
    for (std::size_t k = 0; k < 25; ++k) forth += x(k) * y(k);
    const auto w = make_dist_view<double*>(exec, comm, layout, "w");
    Kokkos::deep_copy(w.view(), 0);
    plan.combine(exec, Sum{}, y, w);
    for (int i = 0; i < 10; ++i) back += u.view()(i) * w.view()(i);
    MPI_Allreduce(MPI_IN_PLACE, &forth, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, &back, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    EXPECT_EQ(forth, back);
    EXPECT_GT(forth, 0);
}

TEST_F(GatherPlanExamples, WrongArgumentsAreTheSameErrorOnAllRanks) {
    EXPECT_THROW_ON_ALL_RANKS(GatherPlan(comm, layout, IndexList(2)), UsageError,
                              "expected a list of elements with 1 indices each, got 2");
    // On one rank alone.
    const Index bad = comm.rank() == n - 1 ? Index{3, 10 * n} : Index{0};
    EXPECT_THROW_ON_ALL_RANKS(
        GatherPlan(comm, layout, IndexList(bad)), UsageError,
        text("expected indices in [0, ", 10 * n, ") along axis 0, got ", 10 * n));
    const ArrayLayout other(ProcessGrid{n}, {cyclic(10 * n)});
    GatherPlan plan(comm, layout, IndexList(Index{0}));
    const auto v = make_dist_view<double*>(exec, comm, other, "v");
    EXPECT_THROW_ON_ALL_RANKS(plan.execute(exec, v, list(1)), ShapeError, "the plan is for a");
    EXPECT_THROW_ON_ALL_RANKS(plan.execute(exec, u, list(2)), ShapeError,
                              "expected 1 values in 'list', got 2");
    const Kokkos::View<double**, Kokkos::LayoutRight, Exec::memory_space> table("table", 1, 2);
    number();
    const auto values = list(1);
    plan.execute(exec, u, values);
    EXPECT_EQ(values(0), 0);
}

TEST_F(GatherPlanExamples, ReadSaysWhoMustTakePart) {
    GatherPlan plan(comm, layout, IndexList(Index{0, 10 * n - 1}));
    const auto values = list(2);
    EXPECT_THROW_ON_ALL_RANKS(plan.read(exec, u, values), UsageError, "call bind(), on all ranks");
    const TransportSetting setting(distview::impl::on_device<Exec> ? Transport::staged
                                                                   : Transport::message);
    GatherPlan by_message(comm, layout, IndexList(Index{0, 10 * n - 1}));
    by_message.bind(exec, u);
    if (n == 1) return;
    try {
        by_message.read(exec, u, values);
        ADD_FAILURE() << "read elements that come in messages";
    } catch (const UsageError& error) {
        const int first = comm.rank() == 0 ? n - 1 : 0;
        EXPECT_NE(std::string(error.what())
                      .find(text("elements of rank ", first,
                                 " come in messages, so that it must take part; call execute()")),
                  std::string::npos)
            << error.what();
    }
}

/// Lists of more than caches hold, which begin anywhere in a cache line.
template <class T>
void gather_long_list(const Communicator& comm, std::size_t begin) {
    const Exec exec{};
    const int per_rank = 500;
    const ArrayLayout layout(ProcessGrid{comm.size()}, {block(per_rank * comm.size())});
    const auto u = make_dist_view<T*>(exec, comm, layout, "u");
    for (std::size_t i = 0; i < per_rank; ++i)
        u.view()(i) = value_of<T>({comm.rank(), static_cast<std::int64_t>(i)}, 5);
    const std::int64_t extent = per_rank * comm.size();
    Index wanted(comm.rank() < 2 ? (std::size_t{9} << 19) / sizeof(T) : 100); // 4.5 MiB
    for (std::size_t k = 0; k < wanted.size(); ++k)
        wanted[k] = static_cast<std::int64_t>(k * 7919 + k / 3) % extent;
    GatherPlan plan(comm, layout, IndexList(wanted));
    const Kokkos::View<T*, Exec::memory_space> memory("memory", wanted.size() + begin + 1);
    const auto values = Kokkos::subview(memory, Kokkos::make_pair(begin, begin + wanted.size()));
    plan.execute(exec, u, values);
    std::int64_t wrong = 0;
    for (std::size_t k = 0; k < wanted.size(); ++k) {
        const T expected =
            value_of<T>({static_cast<int>(wanted[k] / per_rank), wanted[k] % per_rank}, 5);
        wrong += std::memcmp(&values(k), &expected, sizeof(T)) == 0 ? 0 : 1;
    }
    EXPECT_EQ(wrong, 0) << "of " << sizeof(T) << " bytes";
    for (std::size_t k = 0; k < begin; ++k) EXPECT_EQ(memory(k), T{});
    EXPECT_EQ(memory(begin + wanted.size()), T{});
}

TEST_F(GatherPlanExamples, ListsOfAnyLengthAndPlaceAreFilled) {
    if (n > 4) GTEST_SKIP() << "nothing that fewer ranks do not show";
    for (const std::size_t begin : {std::size_t{0}, std::size_t{3}}) {
        gather_long_list<double>(comm, begin);
        gather_long_list<float>(comm, begin);
        gather_long_list<std::complex<double>>(comm, begin);
    }
}

TEST_F(GatherPlanExamples, ExecutionsAllocateNothing) {
    if (distview::impl::on_device<Exec>) GTEST_SKIP() << "the mock device keeps a record";
    number();
    GatherPlan plan(comm, layout, IndexList(Index{0, 10 * n - 1, 5}));
    const auto values = list(3);
    plan.execute(exec, u, values);
    const auto allocations = count_allocations([&] { plan.execute(exec, u, values); });
    EXPECT_EQ(allocations.heap, 0) << allocations.description;
    EXPECT_EQ(allocations.kokkos, 0);
}

} // namespace

} // namespace distview::testing
