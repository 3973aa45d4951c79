// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview_testing/random.hpp>

#include <distview_testing/ranks.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <string>

namespace distview::testing {

namespace {

constexpr std::uint64_t golden_gamma = 0x9e3779b97f4a7c15U;
constexpr std::uint64_t default_seed = 20240229;

std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
}

bool number_from_environment(const char* name, std::uint64_t& number) {
    const char* text = std::getenv(name);
    if (text == nullptr || *text == '\0') {
        return false;
    }
    char* end = nullptr;
    number = std::strtoull(text, &end, 0);
    if (*end != '\0') {
        throw std::invalid_argument(std::string(name) + " is no number: " + text);
    }
    return true;
}

std::vector<int> divisors(int n) {
    std::vector<int> found;
    for (int d = 1; d <= n; ++d) {
        if (n % d == 0) {
            found.push_back(d);
        }
    }
    return found;
}

void add_process_grids(int rank_count, int n_dims, std::vector<int>& prefix,
                       std::vector<std::vector<int>>& grids) {
    if (n_dims == 0) {
        if (rank_count == 1) {
            grids.push_back(prefix);
        }
        return;
    }
    for (const int extent : divisors(rank_count)) {
        prefix.push_back(extent);
        add_process_grids(rank_count / extent, n_dims - 1, prefix, grids);
        prefix.pop_back();
    }
}

} // namespace

Random::Random(std::uint64_t seed, std::uint64_t case_index)
    : m_state(mix(seed) + mix(case_index * golden_gamma + 1)) {}

std::uint64_t Random::bits() {
    m_state += golden_gamma;
    return mix(m_state);
}

std::int64_t Random::integer(std::int64_t begin, std::int64_t end) {
    if (begin >= end) {
        throw std::invalid_argument("Random::integer: empty range");
    }
    const std::uint64_t n = static_cast<std::uint64_t>(end) - static_cast<std::uint64_t>(begin);
    // The bias, at most n / 2^64, does not matter to tests.
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(begin) + bits() % n);
}

double Random::unit() { return static_cast<double>(bits() >> 11) * 0x1p-53; }

std::uint64_t campaign_seed() {
    std::uint64_t seed = default_seed;
    number_from_environment("DISTVIEW_SEED", seed);
    return seed;
}

std::uint64_t campaign_cases(std::uint64_t usual) {
    std::uint64_t cases = usual;
    number_from_environment("DISTVIEW_CASES", cases);
    return cases;
}

void for_each_case(std::uint64_t n_cases,
                   const std::function<void(Random&, std::uint64_t)>& check) {
    const std::uint64_t seed = campaign_seed();
    std::uint64_t first = 0;
    const bool only_one = number_from_environment("DISTVIEW_CASE", first);
    const std::uint64_t end = only_one ? first + 1 : n_cases;
    for (std::uint64_t i = first; i < end; ++i) {
        const std::string place = "DISTVIEW_SEED=" + std::to_string(seed) +
                                  " DISTVIEW_CASE=" + std::to_string(i) + " repeats this case";
        SCOPED_TRACE(place);
        Random random(seed, i);
        // An exception would leave the trace before GoogleTest sees it, and would leave the other ranks waiting.
        try {
            check(random, i);
        } catch (const std::exception& exception) {
            ADD_FAILURE() << "exception: " << exception.what();
        } catch (...) {
            ADD_FAILURE() << "exception that is no std::exception";
        }
        const bool failed_here = ::testing::Test::HasFailure();
        const bool go_on = rank_count() == 1 ? !failed_here : all_ranks(!failed_here);
        if (!go_on) {
            return;
        }
    }
}

std::vector<int> random_process_grid(Random& random, int rank_count, int n_dims) {
    std::vector<int> extents;
    for (int d = 0; d + 1 < n_dims; ++d) {
        extents.push_back(random.pick(divisors(rank_count)));
        rank_count /= extents.back();
    }
    extents.push_back(rank_count);
    random.shuffle(extents);
    return extents;
}

std::vector<std::vector<int>> all_process_grids(int rank_count, int n_dims) {
    std::vector<std::vector<int>> grids;
    std::vector<int> prefix;
    add_process_grids(rank_count, n_dims, prefix, grids);
    return grids;
}

std::int64_t random_extent(Random& random, std::int64_t limit, int n_parts) {
    std::int64_t extent = 0;
    switch (random.integer(0, 4)) {
    case 0: extent = random.integer(0, 5); break;
    case 1: extent = random.integer(0, 4) * n_parts + random.integer(-1, 2); break;
    default: extent = random.integer(0, limit + 1); break;
    }
    return std::clamp<std::int64_t>(extent, 0, limit);
}

std::vector<std::int64_t> random_bounds(Random& random, std::int64_t n, int n_parts) {
    std::vector<std::int64_t> bounds{0};
    for (int part = 1; part < n_parts; ++part) {
        const bool repeat = bounds.size() > 1 && random.chance(0.25);
        bounds.push_back(repeat ? bounds.back() : random.integer(0, n + 1));
    }
    std::sort(bounds.begin(), bounds.end());
    bounds.push_back(n);
    return bounds;
}

std::vector<std::int64_t> append_random_ghosts(Random& random,
                                               std::vector<std::vector<std::int64_t>>& lists) {
    const std::vector<std::vector<std::int64_t>> owned = lists;
    std::vector<std::int64_t> counts(lists.size(), 0);
    for (std::size_t p = 0; p < lists.size(); ++p)
        for (const std::vector<std::int64_t>& others : owned)
            for (const std::int64_t label : others) {
                const bool is_new =
                    std::find(lists[p].begin(), lists[p].end(), label) == lists[p].end();
                if (!is_new || !random.chance(0.3)) continue;
                lists[p].push_back(label);
                ++counts[p];
            }
    return counts;
}

} // namespace distview::testing
