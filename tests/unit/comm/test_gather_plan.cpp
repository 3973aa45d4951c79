// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random lists of global indices, gathered and combined over every transport. Oracle: each rank
// computes every element from the layout alone.
//
// DISTVIEW_CASES sets the number of cases; the campaign with label `full` sets it.
#include "combine_operations.hpp"
#include "drawn_lists.hpp"
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
#include <chrono>
#include <complex>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace distview::testing {

namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;

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

template <class T, int Rank>
struct Field {
    using Value = T;
    using Data = typename ViewOfRank<T, Rank>::type;
    using Section = Kokkos::View<Data, Kokkos::LayoutRight, Exec::memory_space>;
    using Array = DistView<Data, Kokkos::LayoutRight, Exec::memory_space>;
    using List = Kokkos::View<T*, Exec::memory_space>;

    bool in_arena = true;
    Array array{};
    List values{};
    std::vector<T> expected{}; ///< elements of the section after a combination
};

/// Arrays of one random layout, which are passed together, and a random list of this rank.
template <int Rank, class... Ts>
class Case {
public:
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
        m_salt = random.bits();
        m_operation = random.bits();
        Random own(random.bits(), static_cast<std::uint64_t>(comm.rank()));
        m_list = draw_list(own, m_layout);
        for (int rank = 0; rank < comm.size(); ++rank) m_lists.push_back(list_of(rank));
        for_each_field([&](auto& field, std::size_t) { make(field, random); });
        m_is_any = sizeof...(Ts) == 1 && random.chance(0.5);
    }

    std::string describe() const {
        return text(m_layout.describe(), "\nlist of ", m_list.elements.size(), ", ", sizeof...(Ts),
                    " fields", m_is_any ? ", as AnyDistView" : "");
    }

    void run(const std::vector<TransportChoice>& choices) {
        for (const TransportChoice choice : choices) {
            SCOPED_TRACE("transport " + name_of(choice));
            const TransportSetting setting(choice);
            GatherPlan plan(m_comm, m_known, m_list.list);
            EXPECT_EQ(plan.size(), static_cast<std::int64_t>(m_list.elements.size()));
            if (is_refused(plan, choice)) {
                fill(0);
                EXPECT_THROW_ON_ALL_RANKS(execute(plan), UsageError,
                                          "DISTVIEW_TRANSPORT: '" + name_of(choice) +
                                              "' from rank ");
                continue;
            }
            for (std::uint64_t round = 0; round < 2; ++round) {
                fill(round);
                gather(plan, round);
            }
            if (choice != Transport::ipc) {
                with_operation<Ts...>(m_operation, [&](const auto& op, const char* name) {
                    SCOPED_TRACE(name);
                    for (std::uint64_t round = 0; round < 2; ++round)
                        check_combination(plan, op, round);
                });
                if (m_is_any) check_combination(plan, Replace{}, 2);
                check_adjoint(plan);
            }
            // A binding made after the first executions.
            fill(7);
            gather(plan, 7);
        }
    }

private:
    /// Calls visit(field, number of the field).
    template <class Visit>
    void for_each_field(Visit&& visit) {
        std::size_t number = 0;
        std::apply([&](auto&... each) { (visit(each, number++), ...); }, m_fields);
    }
    /// Calls visit(arrays, lists of values); several arrays or lists are passed as tuples.
    template <class Visit>
    void with_arguments(Visit&& visit) const {
        std::apply(
            [&](const auto&... each) {
                if constexpr (sizeof...(each) == 1)
                    visit(each.array..., each.values...);
                else
                    visit(std::tie(each.array...), std::tie(each.values...));
            },
            m_fields);
    }
    /// The only array and its values, for the calls that know their types at run time only.
    AnyDistView any() const { return std::get<0>(m_fields).array; }
    auto numbers() const {
        const auto& values = std::get<0>(m_fields).values;
        return std::span(values.data(), values.extent(0));
    }

    void execute(GatherPlan& plan) const {
        if (m_is_any) return plan.execute(m_exec, any(), std::as_writable_bytes(numbers()));
        with_arguments(
            [&](const auto& arrays, const auto& values) { plan.execute(m_exec, arrays, values); });
    }
    void start_and_finish(GatherPlan& plan) const {
        if (m_is_any) return plan.start(m_exec, any(), std::as_writable_bytes(numbers())).finish();
        with_arguments([&](const auto& arrays, const auto& values) {
            auto handle = plan.start(m_exec, arrays, values);
            handle.finish();
        });
    }
    void read(GatherPlan& plan) const {
        if (m_is_any) return plan.read(m_exec, any(), std::as_writable_bytes(numbers()));
        with_arguments(
            [&](const auto& arrays, const auto& values) { plan.read(m_exec, arrays, values); });
    }
    template <class Op>
    void combine(GatherPlan& plan, const Op& op, bool starts) const {
        if constexpr (std::is_same_v<Op, Replace>)
            return plan.put(m_exec, std::as_bytes(numbers()), any());
        if constexpr (sizeof...(Ts) == 1) {
            using T = std::tuple_element_t<0, std::tuple<Ts...>>;
            if (m_is_any && starts)
                return plan.start_combine_as<T>(m_exec, op, numbers(), any()).finish();
            if (m_is_any) return plan.combine_as<T>(m_exec, op, numbers(), any());
        }
        with_arguments([&](const auto& arrays, const auto& values) {
            if (starts)
                plan.start_combine(m_exec, op, values, arrays).finish();
            else
                plan.combine(m_exec, op, values, arrays);
        });
    }

    template <class T>
    void make(Field<T, Rank>& field, Random& random) {
        using F = Field<T, Rank>;
        const double all = random.unit();
        const std::uint64_t drawn = random.bits();
        field.in_arena =
            all < 0.5 || (all < 0.8 && (drawn >> static_cast<unsigned>(m_comm.rank())) % 2 == 0);
        field.values = typename F::List("values", m_list.elements.size());
        field.array = make_dist_view<typename F::Data>(m_exec, "array", m_comm, m_known);
        if (field.in_arena) return;
        const Extents extents = m_layout.local_extents(m_comm.rank());
        const auto section = [&]<std::size_t... D>(std::index_sequence<D...>) {
            return typename F::Section("section", static_cast<std::size_t>(extents[D])...);
        }(std::make_index_sequence<static_cast<std::size_t>(Rank)>());
        field.array = typename F::Array(m_known, m_comm.rank(), section, nullptr, "array");
    }

    bool is_refused(const GatherPlan& plan, TransportChoice choice) {
        if (choice != Transport::direct && choice != Transport::ipc) return false;
        bool readable = true;
        for_each_field([&](const auto& field, std::size_t) {
            readable = readable && is_readable(field.in_arena);
        });
        const std::vector<char> refusals =
            on_all_ranks(m_comm, !readable && !plan.send_peers().empty());
        return std::count(refusals.begin(), refusals.end(), char{1}) > 0;
    }

    std::uint64_t salt_of(std::size_t field, std::uint64_t round) const {
        return m_salt + 65537 * field + round;
    }

    /// Sets owned elements to their values, and all other elements to different values.
    void fill(std::uint64_t round) {
        for_each_field([&]<class T>(Field<T, Rank>& field, std::size_t f) {
            T* const data = field.array.view().data();
            for_each_position(
                m_layout, m_comm.rank(), [&](const Index& global, bool owned, std::int64_t number) {
                    data[number] =
                        value_of<T>(position_of(global), salt_of(f, owned ? round : round + 1000));
                });
        });
    }

    void gather(GatherPlan& plan, std::uint64_t round) {
        const auto check = [&](const char* how) {
            std::int64_t wrong = 0;
            for_each_field([&]<class T>(const Field<T, Rank>& field, std::size_t f) {
                for (std::size_t k = 0; k < m_list.elements.size(); ++k)
                    wrong +=
                        bits_equal(field.values(k),
                                   value_of<T>(position_of(m_list.elements[k]), salt_of(f, round)))
                            ? 0
                            : 1;
            });
            EXPECT_EQ(wrong, 0) << how;
        };
        poison_values();
        if (round % 2 == 0)
            execute(plan);
        else
            start_and_finish(plan);
        check("execute");
        if (round > 0) read(plan, check);
    }

    template <class Check>
    void read(GatherPlan& plan, Check&& check) {
        const bool reads_all = plan.describe().find("message") == std::string::npos;
        poison_values();
        barrier(m_comm);
        try {
            read(plan);
            check("read");
        } catch (const UsageError& error) {
            EXPECT_FALSE(plan.receive_peers().empty());
            EXPECT_NE(std::string(error.what()).find("must take part"), std::string::npos);
            EXPECT_FALSE(reads_all && m_comm.size() == 1);
        }
        barrier(m_comm);
    }

    void poison_values() {
        for_each_field([]<class T>(Field<T, Rank>& field, std::size_t) {
            if (field.values.extent(0) > 0)
                std::memset(static_cast<void*>(field.values.data()), 0xa5,
                            field.values.span() * sizeof(T));
        });
    }

    template <class T>
    T contribution(std::size_t field, int rank, std::size_t k, std::uint64_t round) const {
        return summand<T>(rank, Position{static_cast<std::int64_t>(k)}, salt_of(field, 17 + round));
    }

    /// Values of all ranks in the documented order: by ascending rank, and for one rank in the order of its list.
    template <class Op>
    void check_combination(GatherPlan& plan, const Op& op, std::uint64_t round) {
        for_each_field([&]<class T>(Field<T, Rank>& field, std::size_t f) {
            T* const data = field.array.view().data();
            for_each_position(
                m_layout, m_comm.rank(), [&](const Index& global, bool, std::int64_t number) {
                    data[number] = summand<T>(of_no_rank, position_of(global), salt_of(f, round));
                });
            field.expected.assign(data, data + field.array.view().size());
            for (std::size_t k = 0; k < m_list.elements.size(); ++k)
                field.values(k) = contribution<T>(f, m_comm.rank(), k, round);
            for (int rank = 0; rank < m_comm.size(); ++rank) {
                const auto& list = m_lists[static_cast<std::size_t>(rank)];
                for (std::size_t k = 0; k * Rank < list.size(); ++k) {
                    const std::int64_t number = number_if_owned(&list[k * Rank]);
                    if (number < 0) continue;
                    T& element = field.expected[static_cast<std::size_t>(number)];
                    element = op(element, contribution<T>(f, rank, k, round));
                }
            }
        });
        combine(plan, op, round % 2 != 0);
        std::int64_t wrong = 0;
        for_each_field([&](const auto& field, std::size_t) {
            for (std::size_t i = 0; i < field.expected.size(); ++i)
                wrong += bits_equal(field.array.view().data()[i], field.expected[i]) ? 0 : 1;
        });
        EXPECT_EQ(wrong, 0) << "combine";
    }

    /// <gather(u), v> = <u, combine(v) onto zero>, in integers.
    void check_adjoint(GatherPlan& plan) {
        using Whole = Field<std::int64_t, Rank>;
        const auto make_array = [&](const char* label) {
            return make_dist_view<typename Whole::Data>(m_exec, label, m_comm, m_known);
        };
        const auto u = make_array("u"), combined = make_array("combined");
        const typename Whole::List gathered("gathered", m_list.elements.size());
        const typename Whole::List v("v", m_list.elements.size());
        const auto value = [&](const Position& at, std::uint64_t salt) {
            return static_cast<std::int64_t>(value_of<std::uint32_t>(at, m_salt + salt) % 2001) -
                   1000;
        };
        const auto for_each_element = [&](auto&& visit) {
            for_each_position(m_layout, m_comm.rank(), visit);
        };
        for_each_element([&](const Index& global, bool owned, std::int64_t number) {
            u.view().data()[number] = owned ? value(position_of(global), 1) : 123456789;
            combined.view().data()[number] = 0;
        });
        for (std::size_t k = 0; k < v.extent(0); ++k)
            v(k) = value(Position{m_comm.rank(), static_cast<std::int64_t>(k)}, 2);
        plan.execute(m_exec, u, gathered);
        plan.combine(m_exec, Sum{}, v, combined);
        std::int64_t products[2] = {0, 0};
        for (std::size_t k = 0; k < v.extent(0); ++k) products[0] += gathered(k) * v(k);
        for_each_element([&](const Index&, bool, std::int64_t number) {
            products[1] += u.view().data()[number] * combined.view().data()[number];
        });
        MPI_Allreduce(MPI_IN_PLACE, products, 2, MPI_INT64_T, MPI_SUM, m_comm.mpi());
        EXPECT_EQ(products[0], products[1]) << "combine() is not the adjoint of execute()";
    }

    /// The position of an element in this process's section, in C order; -1 if the process does not own it.
    std::int64_t number_if_owned(const std::int64_t* index) const {
        const GridCoordinates at = m_layout.coordinates(m_comm.rank());
        const Extents extents = m_layout.local_extents(m_comm.rank());
        std::int64_t number = 0;
        for (std::size_t d = 0; d < Rank; ++d) {
            const AxisLayout& axis = m_layout.axis(static_cast<int>(d));
            if (axis.owner(GlobalIndex(index[d])) != at[d]) return -1;
            number = number * extents[d] + axis.to_local(at[d], GlobalIndex(index[d])).value();
        }
        return number;
    }

    /// The flattened list of a rank. Collective.
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

    static constexpr int of_no_rank = 63; ///< for summand()
    Exec m_exec{};
    Communicator m_comm;
    ArrayLayout m_layout; ///< with all labels
    ArrayLayout m_known;  ///< with the labels that this rank knows
    std::uint64_t m_salt = 0;
    std::uint64_t m_operation = 0;
    bool m_is_any = false; ///< calls pass the array as an AnyDistView
    DrawnList m_list{IndexList(Rank), {}};
    std::vector<std::vector<std::int64_t>> m_lists; ///< by rank
    std::tuple<Field<Ts, Rank>...> m_fields;
};

template <int Rank, class... Ts>
void run_case(Random& random, const Communicator& comm,
              const std::vector<TransportChoice>& choices) {
    Case<Rank, Ts...> drawn(random, comm);
    SCOPED_TRACE(drawn.describe());
    drawn.run(choices);
}

using RunCase = void (*)(Random&, const Communicator&, const std::vector<TransportChoice>&);

TEST(GatherPlans, BringAndCombineWhatALayoutSays) {
    const Worlds worlds;
    using Complex = Kokkos::complex<double>;
    const std::vector<RunCase> runs{
        run_case<1, double>,      run_case<2, double, std::int32_t>,
        run_case<3, double>,      run_case<1, std::int32_t, float, std::int8_t>,
        run_case<2, std::int8_t>, run_case<2, Complex, double>,
        run_case<1, Bytes<12>>,   run_case<2, float, Bytes<12>, std::int64_t>};
    const std::vector<TransportChoice> choices = possible_transports(worlds.forward_comm);
    for_each_case(campaign_cases(worlds.forward_comm.size() > 4 ? 40 : 60), [&](Random& random,
                                                                                std::uint64_t) {
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
    DistView<double*> u = make_dist_view<double*>(exec, "u", comm, layout);
    using List = Kokkos::View<double*, Exec::memory_space>;
    List list(std::int64_t count) {
        return List("list", static_cast<std::size_t>(count)); // explicit in Kokkos 4
    }
    void number() {
        for (int i = 0; i < 10; ++i) u.view()(i) = 10 * comm.rank() + i;
    }
};

TEST_F(GatherPlanExamples, SeveralArraysOfSeveralTypesTravelTogether) {
    number();
    const auto v = make_dist_view<int*>(exec, "v", comm, layout);
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
    const auto w = make_dist_view<double*>(exec, "w", comm, layout);
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
    // A wrong index on one rank only.
    const Index bad = comm.rank() == n - 1 ? Index{3, 10 * n} : Index{0};
    EXPECT_THROW_ON_ALL_RANKS(
        GatherPlan(comm, layout, IndexList(bad)), UsageError,
        text("expected indices in [0, ", 10 * n, ") along axis 0, got ", 10 * n));
    const ArrayLayout other(ProcessGrid{n}, {cyclic(10 * n)});
    GatherPlan plan(comm, layout, IndexList(Index{0}));
    const auto v = make_dist_view<double*>(exec, "v", comm, other);
    EXPECT_THROW_ON_ALL_RANKS(plan.execute(exec, v, list(1)), ShapeError, "the plan is for a");
    EXPECT_THROW_ON_ALL_RANKS(plan.execute(exec, u, list(2)), ShapeError,
                              "expected 1 values in 'list', got 2");
    const Kokkos::View<double**, Kokkos::LayoutRight, Exec::memory_space> table("table", 1, 2);
    number();
    const auto values = list(1);
    plan.execute(exec, u, values);
    EXPECT_EQ(values(0), 0);
}

TEST_F(GatherPlanExamples, WrongTypesAtRunTimeAreTheSameErrorOnAllRanks) {
    GatherPlan plan(comm, layout, IndexList(Index{0}));
    const AnyDistView any = u, reading = DistView<const double*>(u);
    const std::vector<std::int64_t> integers(1);
    const std::vector<float> floats(1);
    std::vector<double> one(1), two(2);
    EXPECT_THROW_ON_ALL_RANKS(plan.combine_as<std::int64_t>(exec, Sum{}, std::span(integers), any),
                              ShapeError,
                              "expected an array with the element type of combine_as()");
    EXPECT_THROW_ON_ALL_RANKS(plan.combine_as<float>(exec, Sum{}, std::span(floats), any),
                              ShapeError, "expected 1 values of 8 bytes, got 4 bytes");
    EXPECT_THROW_ON_ALL_RANKS(plan.execute(exec, any, std::as_writable_bytes(std::span(two))),
                              ShapeError, "expected 1 values of 8 bytes, got 16 bytes");
    EXPECT_THROW_ON_ALL_RANKS(plan.put(exec, std::as_bytes(std::span(one)), reading), ShapeError,
                              "array 0 is read-only");
    number();
    plan.execute(exec, reading, std::as_writable_bytes(std::span(one)));
    EXPECT_EQ(one[0], 0);
}

// Processes with the same coordinate along an axis, each with only its own labels, must list the same labels.
TEST_F(GatherPlanExamples, ProcessesSideBySideMustListTheSameIndices) {
    if (n % 2 != 0) GTEST_SKIP() << "for an even number of ranks";
    const int at = comm.rank() / 2;
    const auto layout_of = [&](const Index& labels) {
        return ArrayLayout(ProcessGrid{n / 2, 2},
                           {unstructured_local(3 * n / 2, at, labels), block(4)});
    };
    const Index labels{3 * at + 1, 3 * at, 3 * at + 2};
    const ArrayLayout same = layout_of(labels);
    const auto v = make_dist_view<double**>(exec, "v", comm, same);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 2; ++j)
            v.view()(i, j) = static_cast<double>(10 * labels[static_cast<std::size_t>(i)] +
                                                 2 * (comm.rank() % 2) + j);
    IndexList all(2);
    all.add_box({{0, 3 * n / 2}, {0, 4}});
    GatherPlan plan(comm, same, all);
    const auto values = list(plan.size());
    plan.execute(exec, v, values);
    for (int k = 0; k < plan.size(); ++k) EXPECT_EQ(values(k), 10 * (k / 4) + k % 4);

    const bool is_last = comm.rank() == n - 1;
    const Index another_order = is_last ? Index{3 * at, 3 * at + 1, 3 * at + 2} : labels;
    const Index fewer = is_last ? Index{3 * at + 1, 3 * at} : labels;
    for (const Index& other : {another_order, fewer})
        EXPECT_THROW_ON_ALL_RANKS(
            GatherPlan(comm, layout_of(other), all), LayoutError,
            text("expected processes with the same coordinate along axis 0 to list the same "
                 "indices, got different lists on ranks ",
                 n - 1, " and ", n - 2));
}

TEST_F(GatherPlanExamples, ListsShareNoMemory) {
    Index wanted(10);
    std::iota(wanted.rbegin(), wanted.rend(), 10 * comm.rank());
    GatherPlan plan(comm, layout, IndexList(wanted));
    number();
    EXPECT_THROW_ON_ALL_RANKS(plan.execute(exec, u, u.view()), UsageError,
                              "list of values 0 shares memory with array 0");
    EXPECT_THROW_ON_ALL_RANKS(plan.combine(exec, Sum{}, u.view(), u), UsageError,
                              "list of values 0 shares memory with array 0");
    EXPECT_THROW_ON_ALL_RANKS(plan.read(exec, u, u.view()), UsageError, "shares memory");
    const auto v = make_dist_view<double*>(exec, "v", comm, layout);
    const auto values = list(10);
    EXPECT_THROW_ON_ALL_RANKS(plan.execute(exec, std::tie(u, v), std::tie(values, values)),
                              UsageError, "lists of values 0 and 1 share memory");
    plan.execute(exec, u, values);
    plan.combine(exec, Sum{}, std::tie(values, values), std::tie(u, v));
    for (int i = 0; i < 10; ++i) {
        EXPECT_EQ(values(9 - i), 10 * comm.rank() + i);
        EXPECT_EQ(u.view()(i), 2 * v.view()(i));
    }
}

// Rank 0's call fails while the others begin it, and rank 0 destroys the plan. The others abandon their execution after
// the next plan has been bound; that plan must not mistake their notification for its own.
TEST_F(GatherPlanExamples, LateNewsOfAPlanDoNotReachTheNextOne) {
    if (n == 1) return;
    number();
    Index wanted(static_cast<std::size_t>(10 * n));
    std::iota(wanted.begin(), wanted.end(), 0);
    const auto values = list(10 * n);
    std::optional<decltype(std::declval<GatherPlan&>().start(exec, u, values))> late;
    {
        GatherPlan plan(comm, layout, IndexList(wanted));
        for (int time = 0; time < 20; ++time) plan.execute(exec, u, values);
        if (comm.rank() == 0)
            EXPECT_THROW(plan.execute(exec, u, list(1)), ShapeError);
        else
            late = plan.start(exec, u, values);
    }
    GatherPlan next(comm, layout, IndexList(wanted));
    next.bind(exec, u);
    late.reset();
    for (int time = 0; time < 3; ++time) {
        for (int i = 0; i < 10; ++i) u.view()(i) = 1000 * time + 10 * comm.rank() + i;
        auto handle = next.start(exec, u, values);
        // Rank 0's finish() must wait until the others have read.
        if (comm.rank() != 0) std::this_thread::sleep_for(std::chrono::milliseconds(30));
        handle.finish();
        for (int i = 0; i < 10; ++i) u.view()(i) = -1;
        for (int k = 0; k < 10 * n; ++k) ASSERT_EQ(values(k), 1000 * time + k);
    }
}

TEST_F(GatherPlanExamples, ReadSaysWhoMustTakePart) {
    GatherPlan plan(comm, layout, IndexList(Index{0, 10 * n - 1}));
    const auto values = list(2);
    EXPECT_THROW_ON_ALL_RANKS(plan.read(exec, u, values), UsageError,
                              "call bind() or execute(), on all ranks");
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
                      .find(text("elements of rank ", first, " arrive in messages, so rank ", first,
                                 " must take part; call execute() on all ranks")),
                  std::string::npos)
            << error.what();
    }
}

/// Lists larger than caches, which begin anywhere in a cache line.
template <class T>
void gather_long_list(const Communicator& comm, std::size_t begin) {
    const Exec exec{};
    const int per_rank = 500;
    const ArrayLayout layout(ProcessGrid{comm.size()}, {block(per_rank * comm.size())});
    const auto u = make_dist_view<T*>(exec, "u", comm, layout);
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

TEST_F(GatherPlanExamples, WorkspaceCountsWhatIsPackedForNeighbours) {
    if (!is_possible(comm, Transport::direct)) GTEST_SKIP() << "ranks share no memory";
    const TransportSetting setting(Transport::direct);
    Index all(static_cast<std::size_t>(10 * n));
    std::iota(all.begin(), all.end(), 0);
    GatherPlan plan(comm, layout, IndexList(all));
    plan.bind(exec, u);
    EXPECT_EQ(plan.workspace_bytes(), 0u);
    const DistView<double*> borrowed(exec, "borrowed", layout, comm.rank());
    plan.bind(exec, borrowed);
    // 10 elements for each reader, in whole cache lines.
    EXPECT_EQ(plan.workspace_bytes(), std::size_t{128} * static_cast<std::size_t>(n - 1));
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
