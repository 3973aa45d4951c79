// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace distview::testing {

/// Random numbers that depend only on a seed and the number of a case. They are the same on every
/// rank, machine and compiler, so any case can be repeated alone. The generator is splitmix64.
class Random {
public:
    Random(std::uint64_t seed, std::uint64_t case_index);

    /// 64 random bits.
    std::uint64_t bits();

    /// An integer of [begin, end), which must not be empty.
    std::int64_t integer(std::int64_t begin, std::int64_t end);

    /// A number of [0, 1), a multiple of 2^-53.
    double unit();

    bool chance(double probability) { return unit() < probability; }

    template <class T>
    const T& pick(const std::vector<T>& choices) {
        return choices[static_cast<std::size_t>(
            integer(0, static_cast<std::int64_t>(choices.size())))];
    }

    template <class T>
    void shuffle(std::vector<T>& values) {
        for (std::size_t n = values.size(); n > 1; --n) {
            std::swap(values[n - 1],
                      values[static_cast<std::size_t>(integer(0, static_cast<std::int64_t>(n)))]);
        }
    }

private:
    std::uint64_t m_state;
};

/// DISTVIEW_SEED if set, else a fixed number.
std::uint64_t campaign_seed();

/// DISTVIEW_CASES if set (campaigns with the label `full` set it), else `usual`.
std::uint64_t campaign_cases(std::uint64_t usual);

/// Calls `check(random, case_index)` for the cases 0 to n_cases - 1 of the campaign, or only for
/// case DISTVIEW_CASE if set. Stops at the first case that fails on any rank.
///
/// Failures and exceptions carry the seed and the number of the case. Collective if the program has
/// several ranks: they agree after every case, so all stop at the same case.
void for_each_case(std::uint64_t n_cases, const std::function<void(Random&, std::uint64_t)>& check);

/// Extents of a process grid with this many ranks in all; every such grid can be drawn.
std::vector<int> random_process_grid(Random& random, int rank_count, int n_dims);

/// Every process grid with this many ranks, in lexicographic order.
std::vector<std::vector<int>> all_process_grids(int rank_count, int n_dims);

/// An extent of [0, limit]; small extents and extents near `n_parts` are drawn more often.
std::int64_t random_extent(Random& random, std::int64_t limit, int n_parts);

/// n_parts + 1 ascending bounds from 0 to n, as for irregular blocks; some parts are empty.
std::vector<std::int64_t> random_bounds(Random& random, std::int64_t n, int n_parts);

/// Appends labels of other lists to some lists of an unstructured axis, as ghosts; returns the number of ghosts per
/// list.
std::vector<std::int64_t> append_random_ghosts(Random& random,
                                               std::vector<std::vector<std::int64_t>>& lists);

} // namespace distview::testing
