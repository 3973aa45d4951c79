// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/core/memory_overlap.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <numeric>

namespace distview {

namespace {

/// Whether there are integers x and t with
///
///     sum of stride[k] * x[k] + t = target,  0 <= x[k] <= steps[k],  0 <= t <= slack
///
/// where the steps of the first section count from its lowest address up, the steps of the second section from its
/// highest address down, and t combines the positions of bytes within their elements. The search begins with the
/// longest strides: in slices of one array, the sum that the shorter strides reach then leaves one or two values of x.
class Search {
public:
    Search(const ElementPlaces& a, const ElementPlaces& b)
        : m_slack(a.element_bytes + b.element_bytes - 2) {
        const Bytes of_a = add(a);
        const Bytes of_b = add(b);
        m_target = of_b.highest - of_a.lowest + b.element_bytes - 1;
        std::sort(m_terms.begin(), m_terms.begin() + m_count,
                  [](const Term& x, const Term& y) { return x.stride > y.stride; });
        m_reach[static_cast<std::size_t>(m_count)] = m_slack;
        for (auto k = static_cast<std::size_t>(m_count); k-- > 0;) {
            m_reach[k] = m_reach[k + 1] + m_terms[k].stride * m_terms[k].steps;
            m_divisor[k] = std::gcd(m_divisor[k + 1], m_terms[k].stride);
        }
    }

    bool finds_byte() { return is_possible(0, m_target); }

private:
    struct Term {
        std::int64_t stride = 0;
        std::int64_t steps = 0;
    };
    /// Addresses of the lowest and the highest element.
    struct Bytes {
        std::int64_t lowest = 0;
        std::int64_t highest = 0;
    };

    Bytes add(const ElementPlaces& places) {
        const std::int64_t first = reinterpret_cast<std::intptr_t>(places.data);
        Bytes bytes{first, first};
        for (std::size_t d = 0; d < places.extents.size(); ++d) {
            const std::int64_t steps = places.extents[d] - 1;
            const std::int64_t length = places.strides[d] * steps;
            if (length == 0) continue;
            (length < 0 ? bytes.lowest : bytes.highest) += length;
            add(Term{std::abs(places.strides[d]), steps});
        }
        return bytes;
    }

    /// Merges terms of the same stride.
    void add(const Term& term) {
        const auto end = m_terms.begin() + m_count;
        const auto same = std::find_if(
            m_terms.begin(), end, [&](const Term& other) { return other.stride == term.stride; });
        if (same == end)
            m_terms[static_cast<std::size_t>(m_count++)] = term;
        else
            same->steps += term.steps;
    }

    /// Whether the terms from k on, and t, add up to `rest`; also true if the search took too many steps.
    bool is_possible(std::size_t k, std::int64_t rest) {
        if (rest < 0 || rest > m_reach[k]) return false;
        if (k == static_cast<std::size_t>(m_count)) return true;
        if (rest % m_divisor[k] > m_slack) return false;
        const Term& term = m_terms[k];
        const std::int64_t least = std::max<std::int64_t>(rest - m_reach[k + 1], 0);
        const std::int64_t most = std::min(rest / term.stride, term.steps);
        for (std::int64_t x = most; x * term.stride >= least && x >= 0; --x) {
            if (++m_trials > most_trials) return true;
            if (is_possible(k + 1, rest - x * term.stride)) return true;
        }
        return false;
    }

    static constexpr int most_trials = 10'000;
    static constexpr std::size_t most_terms = 2 * static_cast<std::size_t>(max_rank);
    std::array<Term, most_terms> m_terms{};
    std::ptrdiff_t m_count = 0;
    std::array<std::int64_t, most_terms + 1> m_reach{};   ///< greatest sum of t and terms from k on
    std::array<std::int64_t, most_terms + 1> m_divisor{}; ///< gcd of the strides of terms from k on
    std::int64_t m_slack;
    std::int64_t m_target = 0;
    int m_trials = 0;
};

bool is_empty(const ElementPlaces& places) {
    return !places.data || places.element_bytes < 1 ||
           std::find(places.extents.begin(), places.extents.end(), 0) != places.extents.end();
}

} // namespace

bool memory_overlaps(const ElementPlaces& a, const ElementPlaces& b) noexcept {
    return !is_empty(a) && !is_empty(b) && Search(a, b).finds_byte();
}

bool memory_overlaps(const AnySection& a, const AnySection& b) noexcept {
    return memory_overlaps(ElementPlaces{a.data, a.element.bytes, a.extents, a.strides},
                           ElementPlaces{b.data, b.element.bytes, b.extents, b.strides});
}

} // namespace distview
