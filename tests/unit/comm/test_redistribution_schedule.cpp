// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "redistribution_oracle.hpp"

#include <distview/comm/redistribution_schedule.hpp>
#include <distview/core/text.hpp>
#include <distview_testing/random.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace distview::testing {

namespace {

using Position = std::array<std::int64_t, max_rank>;
using Message = RedistributionSchedule::Message;

/// One element: its source and its target.
struct Move {
    int to_process = 0;
    Position to{}; ///< by axis of the target
    int from_process = 0;
    Position from{};                                            ///< by axis of the source
    friend bool operator==(const Move&, const Move&) = default; // nvcc does not derive it
    friend auto operator<=>(const Move&, const Move&) = default;
};

using Case = RedistributionCase;

Case random_case(Random& random, int rank) {
    const auto processes = [&] { return static_cast<int>(random.integer(1, rank < 4 ? 13 : 7)); };
    const int from = processes();
    return random_redistribution_case(random, rank, from, random.chance(0.3) ? from : processes());
}

/// All moves: the products of the moves of the axes, which are found position by position.
std::vector<Move> expected_moves(const Case& c) {
    std::vector<Move> moves(1);
    const auto rank = static_cast<std::size_t>(c.to.rank());
    GridCoordinates none{};
    std::vector<std::pair<GridCoordinates, GridCoordinates>> at{{none, none}};
    for (std::size_t d = 0; d < rank; ++d) {
        const auto a = static_cast<std::size_t>(c.options.permutation[d]);
        const std::vector<AxisMove> along = testing::expected_moves(
            c.from.axis(static_cast<int>(a)), c.options.from_slice[a],
            c.to.axis(static_cast<int>(d)), c.options.to_slice[d], c.options.fill_padding);
        std::vector<Move> longer;
        std::vector<std::pair<GridCoordinates, GridCoordinates>> longer_at;
        for (std::size_t m = 0; m < moves.size(); ++m)
            for (const AxisMove& step : along) {
                longer.push_back(moves[m]);
                longer.back().to[d] = step.to_local;
                longer.back().from[a] = step.from_local;
                longer_at.push_back(at[m]);
                longer_at.back().first[d] = step.to_process;
                longer_at.back().second[a] = step.from_process;
            }
        moves = std::move(longer);
        at = std::move(longer_at);
    }
    for (std::size_t m = 0; m < moves.size(); ++m) {
        moves[m].to_process = c.to.grid().process(at[m].first);
        moves[m].from_process = c.from.grid().process(at[m].second);
    }
    std::sort(moves.begin(), moves.end());
    return moves;
}

/// Calls visit(Move) for each element of a piece, in the order defined by the schedule.
template <class Visit>
void for_each_move(const RedistributionPiece& piece, const RedistributionSchedule& schedule,
                   Move move, Visit&& visit) {
    const auto rank = static_cast<std::size_t>(schedule.rank());
    for (std::int64_t n = 0; n < piece.elements; ++n) {
        std::int64_t rest = n;
        for (std::size_t d = rank; d-- > 0;) {
            const auto a = static_cast<std::size_t>(schedule.permutation(static_cast<int>(d)));
            const std::int64_t j = rest % piece.length[d];
            const std::int64_t i = rest / piece.length[d] % piece.repeats[d];
            rest /= piece.length[d] * piece.repeats[d];
            move.to[d] = piece.to_begin[d] + j * piece.to_step[d] + i * piece.to_period[d];
            move.from[a] = piece.from_begin[a] + j * piece.from_step[a] + i * piece.from_period[a];
        }
        visit(move);
    }
}

/// Compares the pieces of all pairs of processes with the reference, and the two sides of each pair
/// with each other.
std::string find_flaw_of_pieces(const Case& c, const RedistributionSchedule& schedule,
                                const std::vector<Move>& expected) {
    std::map<std::pair<int, int>, std::int64_t> by_pair; // by target and source
    for (const Move& move : expected) ++by_pair[{move.to_process, move.from_process}];

    std::vector<Move> moves;
    std::vector<RedistributionRuns> senders;
    senders.reserve(static_cast<std::size_t>(c.from.process_count()));
    for (int q = 0; q < c.from.process_count(); ++q) senders.push_back(schedule.runs_from(q));
    for (int p = 0; p < c.to.process_count(); ++p) {
        const RedistributionRuns receiver = schedule.runs_to(p);
        for (int q = 0; q < c.from.process_count(); ++q) {
            std::vector<RedistributionPiece> received;
            std::vector<RedistributionPiece> sent;
            schedule.for_each_piece(receiver, q,
                                    [&](const auto& piece) { received.push_back(piece); });
            schedule.for_each_piece(senders[static_cast<std::size_t>(q)], p,
                                    [&](const auto& piece) { sent.push_back(piece); });
            if (received != sent) return text("process ", p, " and ", q, " list different pieces");
            std::vector<Move> between;
            for (const RedistributionPiece& piece : received)
                for_each_move(piece, schedule, {p, {}, q, {}},
                              [&](const Move& move) { between.push_back(move); });
            const auto found = by_pair.find({p, q});
            const std::int64_t count = found == by_pair.end() ? 0 : found->second;
            if (static_cast<std::int64_t>(between.size()) != count)
                return text(between.size(), " elements move from ", q, " to ", p, ", expected ",
                            count);
            moves.insert(moves.end(), between.begin(), between.end());
        }
    }
    std::sort(moves.begin(), moves.end());
    return moves == expected ? "" : "other moves than the reference";
}

std::string find_flaw_of_numbers(const Case& c, const RedistributionSchedule& schedule,
                                 const std::vector<Move>& moves) {
    std::int64_t elements = 1;
    for (std::size_t d = 0; d < c.options.permutation.size(); ++d) {
        const auto a = static_cast<std::size_t>(c.options.permutation[d]);
        const CellPairs pairs =
            expected_pairs(c.from.axis(c.options.permutation[d]), c.options.from_slice[a],
                           c.to.axis(static_cast<int>(d)), c.options.to_slice[d]);
        elements *= static_cast<std::int64_t>(pairs.pairs.size());
    }
    if (schedule.elements() != elements) return "wrong elements()";
    if (schedule.delivered_elements() != static_cast<std::int64_t>(moves.size()))
        return "wrong delivered_elements()";

    std::vector<std::map<int, std::int64_t>> received(
        static_cast<std::size_t>(c.to.process_count()));
    std::vector<std::map<int, std::int64_t>> sent(static_cast<std::size_t>(c.from.process_count()));
    std::int64_t wire = 0;
    bool in_place = true;
    for (const Move& move : moves) {
        ++received[static_cast<std::size_t>(move.to_process)][move.from_process];
        ++sent[static_cast<std::size_t>(move.from_process)][move.to_process];
        wire += move.to_process != move.from_process;
        in_place = in_place && move.to_process == move.from_process && move.to == move.from;
    }
    if (schedule.wire_elements() != wire) return "wrong wire_elements()";
    if (schedule.is_identity() && !in_place) return "is_identity() of what moves";
    const auto messages = [](const std::map<int, std::int64_t>& counts) {
        std::vector<Message> result;
        result.reserve(counts.size());
        for (const auto& [peer, count] : counts) result.push_back({peer, count});
        return result;
    };
    for (std::size_t p = 0; p < received.size(); ++p)
        if (schedule.receives(static_cast<int>(p)) != messages(received[p]))
            return "wrong receives()";
    for (std::size_t q = 0; q < sent.size(); ++q)
        if (schedule.sends(static_cast<int>(q)) != messages(sent[q])) return "wrong sends()";
    for (std::size_t p = 0; p < std::min(received.size(), sent.size()); ++p)
        if (schedule.local_elements(static_cast<int>(p)) != received[p][static_cast<int>(p)])
            return "wrong local_elements()";
    return {};
}

TEST(RedistributionSchedule, AgreesWithThePositionByPositionReference) {
    std::int64_t moved = 0;
    std::int64_t identities = 0;
    for_each_case(10000, [&](Random& random, std::uint64_t) {
        const Case c = random_case(random, static_cast<int>(random.integer(0, 7)));
        const RedistributionSchedule schedule(c.from, c.to, c.options);
        const std::vector<Move> moves = expected_moves(c);
        std::string flaw = find_flaw_of_pieces(c, schedule, moves);
        if (flaw.empty()) flaw = find_flaw_of_numbers(c, schedule, moves);
        EXPECT_EQ(flaw, "") << c.describe();
        moved += static_cast<std::int64_t>(moves.size());
        identities += schedule.is_identity() && !moves.empty();
    });
    // Many elements must move: the generator must not draw too many empty ranges.
    EXPECT_GT(moved, 200000);
    EXPECT_GT(identities, 100);
}

} // namespace

} // namespace distview::testing
