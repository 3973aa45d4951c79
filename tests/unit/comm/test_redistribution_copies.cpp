// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// If several processes of the source hold an index, execute() uses the element of the lowest
// process, and combine() uses all of them. For random cases see test_redistribution_plan_any.cpp;
// here the identity <A x, y> = <x, A^T y>.
#include "moved_arrays.hpp"
#include "own_labels_fixture.hpp"

#include <distview/comm/collectives.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

namespace distview::testing {

namespace {

/// Every process holds two cells of a ring of n, and all hold index n; parameter: whether only own
/// labels are known.
class Copies : public OwnLabels, public ::testing::WithParamInterface<bool> {
protected:
    ArrayLayout ring() const {
        const auto list = [&](int p) { return n == 1 ? Labels{1, 0} : Labels{n, (p + 1) % n, p}; };
        std::vector<Labels> lists;
        for (int p = 0; p < n; ++p) lists.push_back(list(p));
        if (GetParam()) return own(n + 1, list(me));
        return {ProcessGrid{n}, {unstructured(lists)}};
    }
    /// 2^p on process p: a sum shows which processes contributed.
    Line powers() const {
        return make_of(ring(), [&](std::int64_t) { return static_cast<double>(1 << me); });
    }
    double of_all(std::int64_t index) const {
        if (index == n || n == 1) return static_cast<double>((1 << n) - 1);
        return static_cast<double>((1 << index) + (1 << (index + n - 1) % n));
    }
    double of_lowest(std::int64_t index) const {
        if (index == n || index == 0) return 1;
        return static_cast<double>(1 << (index - 1));
    }
};

INSTANTIATE_TEST_SUITE_P(KnownToAllOrToTheirOwn, Copies, ::testing::Bool());

TEST_P(Copies, AreAllCombinedAndOneIsInserted) {
    const Line source = powers();
    const Line line = make(blocks(n + 1)), shared = make(ring());
    for (const Line& target : {line, shared}) {
        RedistributionPlan plan(comm, source.layout(), target.layout());
        plan.execute(exec, source, target);
        EXPECT_EQ(wrong(target, [&](std::int64_t i) { return of_lowest(i); }), 0);
        plan.combine(exec, Sum{}, source, target);
        EXPECT_EQ(wrong(target, [&](std::int64_t i) { return of_lowest(i) + of_all(i); }), 0);
        plan.execute(exec, 2., source, 3., target);
        EXPECT_EQ(wrong(target, [&](std::int64_t i) { return 5 * of_lowest(i) + 3 * of_all(i); }),
                  0);
        plan.combine(exec, Minimum{}, source, target);
        EXPECT_EQ(wrong(target, [&](std::int64_t i) { return of_lowest(i); }), 0);
        plan.combine(exec, Maximum{}, source, target);
        EXPECT_EQ(wrong(target,
                        [&](std::int64_t i) {
                            if (n == 1) return 1.;
                            const int highest = i == n || i == 0 ? n - 1 : static_cast<int>(i);
                            return static_cast<double>(1 << highest);
                        }),
                  0);
    }
}

// TwiceAndLess gives a different result for each order of contributions.
TEST_P(Copies, AreCombinedByAscendingProcess) {
    const Line source = make_of(ring(), [&](std::int64_t) { return me + 1.; });
    const Line line = make(blocks(n + 1));
    RedistributionPlan plan(comm, source.layout(), line.layout());
    plan.combine(exec, TwiceAndLess{}, source, line);
    EXPECT_EQ(wrong(line,
                    [&](std::int64_t i) {
                        double value = 0;
                        for (int p = 0; p < n; ++p)
                            if (i == n || i == p || i == (p + 1) % n || n == 1)
                                value = 2 * value - (p + 1);
                        return value;
                    }),
              0);
}

template <int Rank>
using Section = MovedSection<std::int64_t, Rank>;

template <int Rank>
void fill_randomly(Section<Rank>& section, std::uint64_t salt) {
    section.for_each_position([&](const Position& local) {
        section.store(local, number_at(section.process(), local, salt));
    });
}

/// <A x, y> and <x, A^T y>, in integers.
struct Products {
    std::int64_t there = 0;
    std::int64_t back = 0;
};

/// This process's part of the sum of products of two arrays' elements.
template <int Rank>
std::int64_t dot(const Section<Rank>& a, const Section<Rank>& b) {
    const std::vector<unsigned char> of_a = a.bytes(), of_b = b.bytes();
    const auto value = [](const std::vector<unsigned char>& bytes, std::size_t offset) {
        std::int64_t result = 0;
        std::memcpy(&result, bytes.data() + offset, sizeof result);
        return result;
    };
    std::int64_t sum = 0;
    a.for_each_position([&](const Position& local) {
        sum += value(of_a, a.offset(local)) * value(of_b, b.offset(local));
    });
    return sum;
}

template <int Rank>
Products products(Random& random, const RedistributionCase& c, const Communicator& comm) {
    using Exec = Kokkos::DefaultHostExecutionSpace;
    const int from = comm.rank() < c.from.process_count() ? comm.rank() : -1;
    const int to = comm.rank() < c.to.process_count() ? comm.rank() : -1;
    const ArrayLayout from_layout = known_part(c.from, from, random.bits());
    const ArrayLayout to_layout = known_part(c.to, to, random.bits());
    Random mine(random.bits(), static_cast<std::uint64_t>(comm.rank()));
    std::optional<Section<Rank>> x, back, y, there;
    const auto make = [&](std::optional<Section<Rank>>& section, const ArrayLayout& layout,
                          int process) {
        if (process >= 0) section.emplace(layout, process, comm, mine, mine.chance(0.5));
    };
    make(x, from_layout, from);
    make(back, from_layout, from);
    make(y, to_layout, to);
    make(there, to_layout, to);
    for (auto* const section : {&x, &y})
        if (*section) fill_randomly(**section, section == &x ? 1 : 2);
    const auto clear = [](std::optional<Section<Rank>>& section) {
        if (section)
            section->for_each_position([&](const Position& local) { section->store(local, 0); });
    };
    clear(back);
    clear(there);
    const auto view = [](const std::optional<Section<Rank>>& section) {
        return section ? &section->view() : nullptr;
    };
    // The reverse plan: the inverse permutation, with slices exchanged.
    RedistributionOptions options = c.options;
    options.fill_padding = false; // padding would be written but never read
    RedistributionOptions reverse = options;
    for (std::size_t d = 0; d < options.permutation.size(); ++d)
        reverse.permutation[static_cast<std::size_t>(options.permutation[d])] = static_cast<int>(d);
    std::swap(reverse.from_slice, reverse.to_slice);
    reverse.allow_missing_indices = true; // the source may have more indices than the target
    RedistributionPlan(comm, from_layout, to_layout, options)
        .combine(Exec(), Sum{}, view(x), view(there));
    RedistributionPlan(comm, to_layout, from_layout, reverse)
        .combine(Exec(), Sum{}, view(y), view(back));
    Products result;
    if (to >= 0) result.there = dot<Rank>(*there, *y);
    if (from >= 0) result.back = dot<Rank>(*x, *back);
    return result;
}

// Integers, so sums are exact in any order.
TEST(RedistributionAdjoint, CombinationsOfBothDirectionsAreAdjoint) {
    const Communicator comm(MPI_COMM_WORLD);
    std::int64_t shared = 0;
    for_each_case(80, [&](Random& random, std::uint64_t) {
        const auto rank = static_cast<int>(random.integer(1, 4));
        const auto processes = [&] {
            return random.chance(0.6) ? comm.size()
                                      : static_cast<int>(random.integer(1, comm.size() + 1));
        };
        const int from_processes = processes();
        const RedistributionCase c =
            random_redistribution_case(random, rank, from_processes, processes());
        SCOPED_TRACE(c.describe());
        const RedistributionSchedule schedule(c.from, c.to, c.options);
        for (int d = 0; d < rank; ++d) shared += schedule.axis(d).most_copies() > 1;
        const Products mine = rank == 1   ? products<1>(random, c, comm)
                              : rank == 2 ? products<2>(random, c, comm)
                                          : products<3>(random, c, comm);
        EXPECT_EQ(all_reduce(comm, ReduceOperation::sum, mine.there),
                  all_reduce(comm, ReduceOperation::sum, mine.back));
    });
    EXPECT_TRUE(shared > 2 || comm.size() == 1 || std::getenv("DISTVIEW_CASE"));
}

} // namespace

} // namespace distview::testing
