// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "redistribution_oracle.hpp"

#include <distview/comm/impl/schedule/axis_intersection.hpp>
#include <distview/core/error.hpp>
#include <distview/core/text.hpp>
#include <distview_testing/random.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace distview::testing {

namespace {

using Runs = std::vector<AxisRun>;

/// Checks the form of a list: sorted by peer, and no two runs that could be one.
std::string find_flaw_of_form(const Runs& runs, int peer_count) {
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const AxisRun& run = runs[i];
        if (run.peer < 0 || run.peer >= peer_count) return "a peer outside its grid";
        if (i > 0 && run.peer < runs[i - 1].peer) return "runs are not by peer";
        if (run.length < 1 || run.repeats < 1) return "an empty run";
        if (run.repeats == 1 && (run.my_period != 0 || run.their_period != 0))
            return "a period without repeats";
        if (run.repeats > 1 && run.length == 1) return "repeats of one element";
        if (run.length == 1 && (run.my_step != 1 || run.their_step != 1))
            return "a step of one element";
    }
    return {};
}

Runs seen_from_the_other_side(const Runs& runs, int coordinate) {
    Runs result;
    for (AxisRun run : runs) {
        run.peer = coordinate;
        std::swap(run.mine, run.theirs);
        std::swap(run.my_step, run.their_step);
        std::swap(run.my_period, run.their_period);
        result.push_back(run);
    }
    return result;
}

/// Appends the elements that every coordinate receives, and compares them with those that the others send.
std::string find_flaw_of_runs(const AxisIntersection& intersection, const AxisLayout& from,
                              const AxisLayout& to, std::vector<AxisMove>& moves) {
    std::map<std::pair<int, int>, Runs> received; // by target and source
    std::map<std::pair<int, int>, Runs> sent;
    for (int p = 0; p < to.grid_size(); ++p) {
        const Runs runs = intersection.runs_to(p);
        const std::string flaw = find_flaw_of_form(runs, from.grid_size());
        if (!flaw.empty()) return text("runs_to(", p, "): ", flaw);
        const std::vector<AxisMove> more = moves_of(runs, true, p);
        moves.insert(moves.end(), more.begin(), more.end());
        for (const AxisRun& run : runs) received[{p, run.peer}].push_back(run);
    }
    for (int q = 0; q < from.grid_size(); ++q) {
        const Runs runs = intersection.runs_from(q);
        const std::string flaw = find_flaw_of_form(runs, to.grid_size());
        if (!flaw.empty()) return text("runs_from(", q, "): ", flaw);
        for (const AxisRun& run : runs) sent[{run.peer, q}].push_back(run);
    }
    if (received.size() != sent.size()) return "runs_from() name other pairs than runs_to()";
    for (const auto& [pair, runs] : received)
        if (sent[pair] != seen_from_the_other_side(runs, pair.first))
            return text("target ", pair.first, " and source ", pair.second, " list different runs");
    return {};
}

/// Indices that the source lacks must be refused, with their number and the lowest index.
std::string find_flaw_of_refusal(const AxisIntersection::Side& from,
                                 const AxisIntersection::Side& to, const CellPairs& pairs) {
    const std::string expected = text(
        "RedistributionSchedule: axis 0 of the target: expected only indices of axis 0 of the "
        "source, got ",
        pairs.missing.size(), pairs.missing.size() == 1 ? " other: " : " others, the lowest is ",
        pairs.missing.front(), "; set allow_missing_indices to leave these elements unchanged");
    try {
        AxisIntersection(from, to);
    } catch (const LayoutError& error) {
        return error.what() == expected ? "" : text("got '", error.what(), "'");
    }
    return "missing indices are not refused";
}

/// Compares the runs of every coordinate on both sides with the position-by-position reference, and
/// the two sides with each other.
std::string find_flaw(const AxisLayout& from, const AxisSlice& from_slice, const AxisLayout& to,
                      const AxisSlice& to_slice, bool fill_padding) {
    const CellPairs pairs = expected_pairs(from, from_slice, to, to_slice);
    if (!pairs.missing.empty()) {
        const std::string flaw = find_flaw_of_refusal({from, from_slice}, {to, to_slice}, pairs);
        if (!flaw.empty()) return flaw;
    }
    const AxisIntersection intersection({from, from_slice}, {to, to_slice}, fill_padding,
                                        !pairs.missing.empty());
    if (intersection.count() != static_cast<std::int64_t>(pairs.pairs.size()))
        return "wrong count()";
    std::vector<AxisMove> copies;
    for (int number = 0; number < intersection.most_copies(); ++number) {
        const AxisIntersection of_copy = intersection.of_copy(number);
        const std::string flaw = find_flaw_of_runs(of_copy, from, to, copies);
        if (!flaw.empty()) return text("copy ", number, ": ", flaw);
    }
    std::sort(copies.begin(), copies.end());
    if (copies != expected_moves(from, from_slice, to, to_slice, fill_padding, true))
        return "of_copy() gives other moves than the reference";
    std::vector<AxisMove> moves;
    const std::string flaw = find_flaw_of_runs(intersection, from, to, moves);
    if (!flaw.empty()) return flaw;
    std::sort(moves.begin(), moves.end());
    const bool are_expected = moves == expected_moves(from, from_slice, to, to_slice, fill_padding);
    return are_expected ? "" : "runs_to() give other moves than the reference";
}

void check_random_pairs(std::uint64_t n_cases, int most_processes, std::int64_t limit) {
    std::int64_t moved = 0;
    for_each_case(n_cases, [&](Random& random, std::uint64_t) {
        const auto from_grid = static_cast<int>(random.integer(1, most_processes + 1));
        const auto to_grid = static_cast<int>(random.integer(1, most_processes + 1));
        const AxisPair pair =
            random_axis_pair(random, from_grid, to_grid, limit, random.chance(0.3));
        const ArrayLayout from(ProcessGrid{pair.from_grid}, {pair.from});
        const ArrayLayout to(ProcessGrid{pair.to_grid}, {pair.to});
        const bool fill_padding = random.chance(0.5);
        EXPECT_EQ(find_flaw(from.axis(0), pair.from_slice, to.axis(0), pair.to_slice, fill_padding),
                  "")
            << describe(from.axis(0), pair.from_slice, to.axis(0), pair.to_slice)
            << (fill_padding ? "\nwith padding" : "");
        moved += static_cast<std::int64_t>(
            expected_pairs(from.axis(0), pair.from_slice, to.axis(0), pair.to_slice).pairs.size());
    });
    // Most cases must move elements: the generator must not draw too many short slices.
    EXPECT_GT(moved, static_cast<std::int64_t>(n_cases) * limit / 8);
}

TEST(AxisIntersection, AgreesWithThePositionByPositionReference) {
    check_random_pairs(30000, 7, 40);
}

// Periods fit several times into these axes.
TEST(AxisIntersection, AgreesWithTheReferenceOnLongAxes) { check_random_pairs(4000, 4, 400); }

TEST(AxisIntersection, AgreesWithTheReferenceOnManyProcesses) { check_random_pairs(2000, 40, 120); }

} // namespace

} // namespace distview::testing
