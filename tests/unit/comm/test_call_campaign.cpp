// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One random rank makes another call than the others, or passes other arguments. No rank may wait forever or get a
// wrong value, and the communicator and other plans must stay usable. DISTVIEW_CASES, DISTVIEW_SEED.
#include "communicators.hpp"
#include "impl_meetings.hpp"
#include "numbered_array.hpp"
#include "transports.hpp"

#include <distview/comm/agreement.hpp>
#include <distview/comm/collectives.hpp>
#include <distview/comm/combine.hpp>
#include <distview/comm/make_dist_view.hpp>
#include <distview/comm/padding_exchange_plan.hpp>
#include <distview/comm/redistribution_plan.hpp>
#include <distview/core/slice.hpp>
#include <distview/core/text.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace distview::testing {

namespace {

using distview::impl::gather_pieces;
using distview::impl::scatter_pieces;

using Exec = Kokkos::DefaultHostExecutionSpace;

int setting(const char* name, int otherwise) {
    const char* const value = std::getenv(name);
    return value ? std::atoi(value) : otherwise;
}

/// Where the arrays of a case lie, and how their elements travel.
enum class Way { shared_memory, packed, messages };

/// Arrays and plans of one case, and the calls that use them.
class Bench {
public:
    Bench(const Communicator& comm, Way way) : m_comm(comm), m_way(way) {
        m_first.bind(Exec(), m_a);
        m_first.bind(Exec(), m_b);
        m_second.bind(Exec(), m_a);
        m_spare.bind(Exec(), m_c);
        m_move.bind(Exec(), m_a, m_target);
    }

    struct Call {
        std::string name;
        std::function<std::string()> make; ///< describes a wrong result; "" if it is right
        bool meets = true; ///< all ranks meet in it; false for executions of bound arrays
    };

    std::vector<Call> calls() {
        const auto fill = [&](std::string name, PaddingExchangePlan& plan, NumberedArray& array) {
            return Call{std::move(name),
                        [&] {
                            number(array, 7);
                            plan.execute(m_exec, array);
                            return find_wrong_number(array, 7);
                        },
                        &array == &m_d};
        };
        const auto fill_both = [&](std::string name, NumberedArray& first, NumberedArray& second) {
            return Call{std::move(name), [&] {
                            number(first, 7);
                            number(second, 7);
                            m_first.execute(m_exec, first, second);
                            return find_wrong_number(first, 7) + find_wrong_number(second, 7);
                        }};
        };
        const auto redistribute = [&](std::string name, NumberedArray& from, bool meets) {
            return Call{std::move(name),
                        [&] {
                            number(from, 7);
                            Kokkos::deep_copy(m_target.view(), -1.);
                            m_move.execute(m_exec, from, m_target);
                            return find_wrong_number(m_target, 7);
                        },
                        meets};
        };
        const auto reduce = [&](std::string name, ReduceOperation operation, double expected) {
            return Call{std::move(name), [&, operation, expected] {
                            return unless(all_reduce(m_comm, operation, 1.0) == expected);
                        }};
        };
        const auto send = [&](std::string name, int root, std::size_t bytes) {
            return Call{std::move(name), [&, root, bytes] {
                            const std::byte sent{static_cast<unsigned char>(40 + root)};
                            std::vector<std::byte> data(bytes);
                            if (m_comm.rank() == root) std::ranges::fill(data, sent);
                            broadcast(m_comm, root, std::span(data));
                            return unless(std::ranges::count(data, sent) == std::ssize(data));
                        }};
        };
        const auto gather_all = [&](std::string name, auto zero) {
            return Call{std::move(name), [&, zero] {
                            const auto values = all_gather(m_comm, zero + m_comm.rank());
                            bool right = true;
                            for (int r = 0; r < m_comm.size(); ++r)
                                right = right && values[static_cast<std::size_t>(r)] == zero + r;
                            return unless(right);
                        }};
        };
        // Calls whose results are checked by other tests.
        const auto make_only = [](std::string name, std::function<void()> make) {
            return Call{std::move(name), [make = std::move(make)] {
                            make();
                            return std::string();
                        }};
        };
        return {
            fill("first plan, a", m_first, m_a),
            fill("first plan, b", m_first, m_b),
            fill("second plan, a", m_second, m_a),
            fill("first plan, new array", m_first, m_d),
            fill_both("two arrays", m_a, m_b),
            fill_both("two arrays in another order", m_b, m_a),
            {"combine", [&] { return combine_ones(); }},
            redistribute("redistribution", m_a, false),
            redistribute("redistribution of a new array", m_b, true),
            make_only("bind", [&] { m_second.bind(Exec(), m_d); }),
            reduce("sum", ReduceOperation::sum, m_comm.size()),
            reduce("min", ReduceOperation::min, 1),
            reduce("max", ReduceOperation::max, 1),
            send("broadcast", 0, 100),
            send("broadcast of another root", 1, 100),
            send("broadcast of more", 0, 101),
            {"gather_bytes",
             [&] {
                 std::vector<std::byte> all(m_comm.rank() == 0 ? 8 * m_sizes.size() : 0);
                 gather_bytes(m_comm, 0, bytes_of(m_comm.rank()), m_sizes, all);
                 bool right = true;
                 for (std::size_t i = 0; i < all.size(); ++i)
                     right = right && all[i] == bytes_of(static_cast<int>(i / 8)).front();
                 return unless(right);
             }},
            {"gather_pieces",
             [&] {
                 int right = 0;
                 gather_pieces(m_comm, 0, bytes_of(m_comm.rank()), m_sizes, {},
                               [&](int rank, std::int64_t, std::span<const std::byte> piece) {
                                   right += std::ranges::equal(piece, bytes_of(rank));
                               });
                 return unless(right == (m_comm.rank() == 0 ? m_comm.size() : 0));
             }},
            {"scatter_pieces",
             [&] {
                 std::vector<std::byte> mine(8);
                 scatter_pieces(
                     m_comm, 0, m_sizes, {},
                     [](int rank, std::int64_t, std::span<std::byte> piece) {
                         std::ranges::fill(piece, bytes_of(rank).front());
                     },
                     mine);
                 return unless(mine == bytes_of(m_comm.rank()));
             }},
            {"start, another call, finish",
             [&] {
                 number(m_a, 7);
                 const CollectiveCall whole(m_comm, "start and finish");
                 auto handle = m_second.start(m_exec, m_a);
                 const int ranks = all_reduce(m_comm, ReduceOperation::sum, 1);
                 handle.finish();
                 return find_wrong_number(m_a, 7) + unless(ranks == m_comm.size());
             },
             false},
            {"two in flight",
             [&] {
                 number(m_a, 7);
                 number(m_b, 7);
                 const CollectiveCall whole(m_comm, "two in flight");
                 auto first = m_first.start(m_exec, m_b);
                 auto second = m_second.start(m_exec, m_a);
                 first.finish();
                 second.finish();
                 return find_wrong_number(m_a, 7) + find_wrong_number(m_b, 7);
             },
             false},
            make_only("wrap_dist_view",
                      [&] { wrap_dist_view(m_comm, m_layout, m_d.view(), "again"); }),
            gather_all("all_gather", 0),
            gather_all("all_gather of more", 0.0),
            make_only("agree", [&] { agree(m_comm, "agree", nullptr, 5); }),
            make_only("agree on something else", [&] { agree(m_comm, "agree", nullptr, 6); }),
            make_only("make_dist_view",
                      [&] { make_dist_view<double**>(m_exec, "e", m_comm, m_layout); }),
            make_only("make_dist_view<float>",
                      [&] { make_dist_view<float**>(m_exec, "e", m_comm, m_layout); }),
            make_only("plan", [&] { const PaddingExchangePlan plan(m_comm, m_layout); }),
            make_only("plan of another layout",
                      [&] { const PaddingExchangePlan plan(m_comm, ring(m_comm, 6)); }),
            make_only("redistribution plan",
                      [&] { const RedistributionPlan plan(m_comm, m_layout, m_layout); }),
        };
    }

    /// Checks a plan that has not been used in this case; describes the fault, never throws.
    std::string spare_is_usable() {
        number(m_c, 9);
        try {
            m_spare.execute(m_exec, m_c);
        } catch (const std::exception& error) {
            return text("not usable: ", error.what());
        }
        return find_wrong_number(m_c, 9);
    }

private:
    static std::string unless(bool right) { return right ? "" : "a wrong value"; }
    /// The bytes that a rank passes or receives.
    static std::vector<std::byte> bytes_of(int rank) {
        return std::vector<std::byte>(8, std::byte{static_cast<unsigned char>(1 + rank)});
    }
    /// Combines an array whose elements and padding are all 1.
    std::string combine_ones() {
        Kokkos::deep_copy(m_ones.view(), 1.);
        m_second.combine(m_exec, Sum{}, m_ones);
        const LocalRange rows = m_ones.interior_range(0);
        for (LocalIndex i = rows.begin; i < rows.end; ++i)
            for (std::size_t j = 0; j < m_ones.view().extent(1); ++j)
                // The first and the last row have one copy each.
                if (m_ones.view()(i.value(), j) != (i == rows.begin || i + 1 == rows.end ? 2 : 1))
                    return text("row ", i.value(), ": ", m_ones.view()(i.value(), j));
        return {};
    }
    NumberedArray make(const ArrayLayout& layout) const {
        if (m_way == Way::shared_memory)
            return make_dist_view<double**>(m_exec, "array", m_comm, layout);
        const Extents extents = layout.local_extents(m_comm.rank());
        return wrap_dist_view(m_comm, layout,
                              NumberedArray::view_type("array", extents[0], extents[1]));
    }

    Communicator m_comm;
    Exec m_exec{};
    Way m_way;
    std::optional<TransportSetting> m_transport =
        m_way == Way::messages ? std::optional<TransportSetting>(std::in_place, Transport::message)
                               : std::nullopt;
    ArrayLayout m_layout = ring(m_comm);
    /// Every rank owns elements that belong to other ranks in m_layout.
    ArrayLayout m_other_layout{ProcessGrid{m_comm.size(), 1},
                               {cyclic(m_layout.extent(0)), block(3)}};
    NumberedArray m_a = make(m_layout), m_b = make(m_layout), m_c = make(m_layout),
                  m_d = make(m_layout), m_ones = make(m_layout), m_target = make(m_other_layout);
    std::vector<std::int64_t> m_sizes =
        std::vector<std::int64_t>(static_cast<std::size_t>(m_comm.size()), 8);
    PaddingExchangePlan m_first{m_comm, m_layout};
    PaddingExchangePlan m_second{m_comm, m_layout};
    PaddingExchangePlan m_spare{m_comm, m_layout};
    RedistributionPlan m_move{m_comm, m_layout, m_other_layout};
};

using Clock = std::chrono::steady_clock;

/// The longest time that a call took on this rank until it failed.
Clock::duration longest_failure{};

void print_longest_failure(const Communicator& comm) {
    const std::chrono::duration<double, std::milli> mine = longest_failure;
    const double longest = all_reduce(comm, ReduceOperation::max, mine.count());
    if (comm.rank() == 0) std::printf("longest time until a call failed: %.1f ms\n", longest);
    longest_failure = {};
}

/// Makes a call; returns "" if it succeeded or threw a UsageError, and sets `failed`.
std::string outcome(const Bench::Call& call, bool& failed) {
    const auto begin = Clock::now();
    try {
        const std::string wrong = call.make();
        failed = false;
        return wrong;
    } catch (const UsageError& error) {
        failed = true;
        const Clock::duration waited = Clock::now() - begin;
        longest_failure = std::max(longest_failure, waited);
        // A generous limit, for busy machines: the test only excludes waiting forever.
        return waited > std::chrono::seconds(20) ? text("late: ", error.what()) : "";
    } catch (const std::exception& error) {
        return text("another error: ", error.what());
    }
}

TEST(CallCampaign, NobodyWaitsForEverNorTakesWhatIsNotMeant) {
    const Communicator comm(MPI_COMM_WORLD);
    if (comm.size() == 1) return;
    const int cases = setting("DISTVIEW_CASES", 60);
    std::mt19937 random(static_cast<unsigned>(setting("DISTVIEW_SEED", 17)));
    const auto below = [&](std::size_t count) { return random() % count; };
    int with_errors = 0;
    for (int number_of_case = 0; number_of_case < cases; ++number_of_case) {
        Bench bench(comm, static_cast<Way>(below(3)));
        std::vector<Bench::Call> calls = bench.calls();
        if (!compares_calls_in_memory(comm))
            std::erase_if(calls, [](const auto& call) { return !call.meets; });
        const std::size_t usual = below(calls.size());
        std::size_t other = below(calls.size());
        if (other == usual) other = (other + 1) % calls.size();
        const auto odd = static_cast<int>(below(static_cast<std::size_t>(comm.size())));
        SCOPED_TRACE(text("case ", number_of_case, ": ", calls[usual].name, "; rank ", odd, ": ",
                          calls[other].name));
        // An error that all ranks get and catch leaves them in step.
        for (auto count = below(3); count > 0; --count) {
            EXPECT_THROW(make_dist_view<double***>(Exec(), "two axes", comm, ring(comm)),
                         ShapeError);
            if (below(2) == 0) {
                EXPECT_EQ(bench.spare_is_usable(), "");
            }
        }
        bool failed = false;
        const std::string wrong = outcome(calls[comm.rank() == odd ? other : usual], failed);
        EXPECT_EQ(wrong, "");
        // The communicator is in step again, and other plans are usable.
        const int errors = all_reduce(comm, ReduceOperation::sum, failed ? 1 : 0);
        EXPECT_GE(errors, 1) << "rank " << odd << " makes another call than the others";
        with_errors += errors > 0;
        EXPECT_EQ(bench.spare_is_usable(), "");
    }
    EXPECT_EQ(with_errors, cases);
    print_longest_failure(comm);
}

// Several errors before all ranks meet again; ranks get them in different calls. Only the program knows in which call
// each rank then is. But no rank may wait forever, and all must be in step after they have met.
TEST(CallCampaign, GetsOverSeveralDisagreementsInARow) {
    const Communicator comm(MPI_COMM_WORLD);
    if (comm.size() == 1 || !compares_calls_in_memory(comm)) return;
    const int cases = setting("DISTVIEW_CASES", 60) / 2;
    std::mt19937 random(static_cast<unsigned>(setting("DISTVIEW_SEED", 17)));
    const auto below = [&](std::size_t count) { return random() % count; };
    for (int number_of_case = 0; number_of_case < cases; ++number_of_case) {
        Bench bench(comm, static_cast<Way>(below(2)));
        const std::vector<Bench::Call> calls = bench.calls();
        std::string trace = text("case ", number_of_case);
        for (int time = 0; time < 3; ++time) {
            const std::size_t usual = below(calls.size());
            const std::size_t other = below(calls.size());
            const auto odd = static_cast<int>(below(static_cast<std::size_t>(comm.size())));
            trace += text("; ", calls[usual].name, ", rank ", odd, ": ", calls[other].name);
            bool failed = false;
            const std::string wrong = outcome(calls[comm.rank() == odd ? other : usual], failed);
            EXPECT_EQ(wrong, "") << trace;
            // A call of another plan; it may fail, because a rank that waits elsewhere may not have reached it.
            EXPECT_EQ(outcome(calls.front(), failed), "") << trace;
        }
        // Some ranks are behind and get errors until they have caught up. A success must be a success on all ranks.
        bool failed = true;
        for (int tries = 0; tries < 10 && failed; ++tries)
            EXPECT_EQ(outcome({"meet",
                               [&] {
                                   agree(comm, "meet", nullptr);
                                   return std::string();
                               }},
                              failed),
                      "")
                << trace;
        ASSERT_FALSE(failed) << trace;
        EXPECT_EQ(all_reduce(comm, ReduceOperation::sum, 1), comm.size()) << trace;
    }
    print_longest_failure(comm);
}

// A program that catches each error and makes its next call stays in step: failed calls count like
// others, whichever ranks got the error. So its calls after several errors must succeed at once.
TEST(CallCampaign, StaysInStepThroughSeveralDisagreementsInARow) {
    const Communicator comm(MPI_COMM_WORLD);
    if (comm.size() == 1 || !compares_calls_in_memory(comm)) return;
    const int cases = setting("DISTVIEW_CASES", 60);
    std::mt19937 random(static_cast<unsigned>(setting("DISTVIEW_SEED", 17)));
    const auto below = [&](std::size_t count) { return random() % count; };
    for (int number_of_case = 0; number_of_case < cases; ++number_of_case) {
        Bench bench(comm, static_cast<Way>(below(2)));
        const std::vector<Bench::Call> calls = bench.calls();
        std::string trace = text("case ", number_of_case);
        for (int time = 0; time < 4; ++time) {
            const std::size_t usual = below(calls.size());
            const std::size_t other = below(calls.size());
            const auto odd = static_cast<int>(below(static_cast<std::size_t>(comm.size())));
            trace += text("; ", calls[usual].name, ", rank ", odd, ": ", calls[other].name);
            bool failed = false;
            const std::string wrong = outcome(calls[comm.rank() == odd ? other : usual], failed);
            EXPECT_EQ(wrong, "") << trace;
        }
        try {
            EXPECT_EQ(all_reduce(comm, ReduceOperation::sum, number_of_case),
                      number_of_case * comm.size())
                << trace;
            agree(comm, "meet", nullptr);
        } catch (const std::exception& error) {
            FAIL() << trace << ": " << error.what();
        }
        EXPECT_EQ(bench.spare_is_usable(), "") << trace;
    }
    print_longest_failure(comm);
}

// No false alarm: all ranks make the same calls, and local operations in between.
TEST(CallCampaign, SaysNothingWhereAllAgree) {
    const Communicator comm(MPI_COMM_WORLD);
    const int cases = setting("DISTVIEW_CASES", 60);
    std::mt19937 random(static_cast<unsigned>(setting("DISTVIEW_SEED", 17)));
    std::mt19937 own(static_cast<unsigned>(comm.rank()));
    MPI_Comm half_mpi = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, comm.rank() % 2, 0, &half_mpi);
    Communicator half(half_mpi);
    const OwnedComm reversed = reversed_world();
    const Communicator other(reversed.get());
    Bench shared(comm, Way::shared_memory);
    Bench packed(comm, Way::packed);
    Bench messages(comm, Way::messages);
    Bench reversed_ranks(other, Way::shared_memory);
    const std::array<Bench*, 4> benches{&shared, &packed, &messages, &reversed_ranks};
    for (int number_of_case = 0; number_of_case < cases; ++number_of_case) {
        Bench& bench = *benches[random() % benches.size()];
        const std::vector<Bench::Call> calls = bench.calls();
        const std::size_t which = random() % calls.size();
        SCOPED_TRACE(text("case ", number_of_case, ": ", calls[which].name));
        // Local arrays, slices and copies advance only this rank's counters.
        for (auto count = own() % 3; count > 0; --count) {
            const NumberedArray local = make_array(comm, ring(comm));
            const NumberedArray copy = local;
        }
        const bool halves = random() % 4 == 0;
        if (halves && comm.rank() % 2 == 0) all_gather(half, 1);
        bool failed = false;
        EXPECT_EQ(outcome(calls[which], failed), "");
        ASSERT_FALSE(failed);
    }
    half.close();
    MPI_Comm_free(&half_mpi);
}

} // namespace

} // namespace distview::testing
