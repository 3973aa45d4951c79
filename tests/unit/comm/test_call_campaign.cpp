// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One rank makes another call than the others, or passes other arguments, at random: nobody waits for ever,
// nobody gets a wrong value, and the communicator and other plans stay usable. DISTVIEW_CASES, DISTVIEW_SEED.
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

/// Where the elements of a case lie, and how they travel.
enum class Way { shared_memory, packed, messages };

/// Arrays and plans of one case, and the calls that can be made with them.
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
        std::function<void()> make;
        std::function<std::string()> wrong = [] { return std::string(); }; ///< what is, if it ended
        bool meets = true; ///< all ranks meet in it: it is no execution of bound arrays
    };

    std::vector<Call> calls() {
        const auto fill = [&](std::string name, PaddingExchangePlan& plan, NumberedArray& array) {
            return Call{std::move(name),
                        [&] {
                            number(array, 7);
                            plan.execute(m_exec, array);
                        },
                        [&] { return find_wrong_number(array, 7); }, &array == &m_d};
        };
        const auto reduce = [&](std::string name, ReduceOperation operation) {
            return Call{std::move(name), [&, operation] { all_reduce(m_comm, operation, 1.0); }};
        };
        const auto send = [&](std::string name, int root, std::size_t bytes) {
            return Call{std::move(name), [&, root, bytes] {
                            std::vector<std::byte> data(bytes);
                            broadcast(m_comm, root, std::span(data));
                        }};
        };
        return {
            fill("first plan, a", m_first, m_a),
            fill("first plan, b", m_first, m_b),
            fill("second plan, a", m_second, m_a),
            fill("first plan, new array", m_first, m_d),
            {"two arrays", [&] { m_first.execute(m_exec, m_a, m_b); }},
            {"two arrays in another order", [&] { m_first.execute(m_exec, m_b, m_a); }},
            {"combine", [&] { m_second.combine(m_exec, Sum{}, m_a); }},
            {"redistribution", [&] { m_move.execute(m_exec, m_a, m_target); },
             [] { return std::string(); }, false},
            {"redistribution of a new array", [&] { m_move.execute(m_exec, m_b, m_target); }},
            {"bind", [&] { m_second.bind(Exec(), m_d); }},
            reduce("sum", ReduceOperation::sum),
            reduce("min", ReduceOperation::min),
            reduce("max", ReduceOperation::max),
            send("broadcast", 0, 100),
            send("broadcast of another root", 1, 100),
            send("broadcast of more", 0, 101),
            {"gather_bytes",
             [&] {
                 const auto ranks = static_cast<std::size_t>(m_comm.size());
                 const std::vector<std::byte> mine(8);
                 std::vector<std::byte> all(8 * ranks);
                 gather_bytes(m_comm, 0, mine, std::vector<std::int64_t>(ranks, 8), all);
             }},
            {"gather_pieces",
             [&] {
                 const std::vector<std::byte> mine(8);
                 const std::vector<std::int64_t> sizes(static_cast<std::size_t>(m_comm.size()), 8);
                 gather_pieces(m_comm, 0, mine, sizes, {}, [](int, std::int64_t, const auto&) {});
             }},
            {"scatter_pieces",
             [&] {
                 std::vector<std::byte> mine(8);
                 const std::vector<std::int64_t> sizes(static_cast<std::size_t>(m_comm.size()), 8);
                 scatter_pieces(m_comm, 0, sizes, {}, [](int, std::int64_t, const auto&) {}, mine);
             }},
            {"start, another call, finish",
             [&] {
                 number(m_a, 7);
                 const CollectiveCall whole(m_comm, "start and finish");
                 auto handle = m_second.start(m_exec, m_a);
                 all_reduce(m_comm, ReduceOperation::sum, 1);
                 handle.finish();
             },
             [&] { return find_wrong_number(m_a, 7); }, false},
            {"two in flight",
             [&] {
                 number(m_a, 7);
                 number(m_b, 7);
                 const CollectiveCall whole(m_comm, "two in flight");
                 auto first = m_first.start(m_exec, m_b);
                 auto second = m_second.start(m_exec, m_a);
                 first.finish();
                 second.finish();
             },
             [&] { return find_wrong_number(m_a, 7) + find_wrong_number(m_b, 7); }, false},
            {"wrap_dist_view", [&] { wrap_dist_view(m_comm, m_layout, m_d.view(), "again"); }},
            {"all_gather", [&] { all_gather(m_comm, 1); }},
            {"all_gather of more", [&] { all_gather(m_comm, 1.0); }},
            {"agree", [&] { agree(m_comm, "agree", nullptr, 5); }},
            {"agree on something else", [&] { agree(m_comm, "agree", nullptr, 6); }},
            {"make_dist_view", [&] { make_dist_view<double**>(m_exec, "e", m_comm, m_layout); }},
            {"make_dist_view<float>",
             [&] { make_dist_view<float**>(m_exec, "e", m_comm, m_layout); }},
            {"plan", [&] { const PaddingExchangePlan plan(m_comm, m_layout); }},
            {"plan of another layout",
             [&] { const PaddingExchangePlan plan(m_comm, ring(m_comm, 6)); }},
            {"redistribution plan",
             [&] { const RedistributionPlan plan(m_comm, m_layout, m_layout); }},
        };
    }

    /// Throws nothing and says what is wrong with a plan that nobody has used yet.
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
    /// Every rank gets elements of others.
    ArrayLayout m_other_layout{ProcessGrid{m_comm.size(), 1},
                               {cyclic(m_layout.extent(0)), block(3)}};
    NumberedArray m_a = make(m_layout), m_b = make(m_layout), m_c = make(m_layout),
                  m_d = make(m_layout), m_target = make(m_other_layout);
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

/// Makes a call; "" if it ended well or by a UsageError, which `failed` tells.
std::string outcome(const Bench::Call& call, bool& failed) {
    const auto begin = Clock::now();
    try {
        call.make();
        failed = false;
        return call.wrong();
    } catch (const UsageError& error) {
        failed = true;
        const Clock::duration waited = Clock::now() - begin;
        longest_failure = std::max(longest_failure, waited);
        // Generous: that nobody waits for ever is what matters, on a busy machine too.
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
        // An error of all ranks, caught, does not put them out of step.
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

// Several errors, which other ranks get in other calls, before all meet again. In which call a rank is then, only the
// program knows; but nobody waits for ever, and after they have met all are in step.
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
            // Another plan; who is not in it yet waits for others elsewhere, so that it may fail.
            EXPECT_EQ(outcome(calls.front(), failed), "") << trace;
        }
        // Some are behind others: they get errors until they have caught up. When it succeeds, it does on all.
        bool failed = true;
        for (int tries = 0; tries < 10 && failed; ++tries)
            EXPECT_EQ(outcome({"meet", [&] { agree(comm, "meet", nullptr); }}, failed), "")
                << trace;
        ASSERT_FALSE(failed) << trace;
        EXPECT_EQ(all_reduce(comm, ReduceOperation::sum, 1), comm.size()) << trace;
    }
    print_longest_failure(comm);
}

// A program that looks at each error and makes its next call stays in step: calls that end by errors count like others,
// whichever ranks got them. So what it does after several is right at once.
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

// No false alarm: the same calls everywhere, and between them what each rank does for itself.
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
        // Local arrays, slices and copies: they shift this rank's own numbers.
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
