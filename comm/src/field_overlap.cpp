// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/field_overlap.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace distview::impl {

namespace {

/// From the first byte of a section to the last, whatever the signs of its strides; equal if it has
/// no element.
std::pair<const char*, const char*> bytes_of(const Field& field) {
    const char* begin = field.data;
    const char* end = field.data + field.element_size;
    const Extents extents = field.layout->local_extents(field.process);
    for (int d = 0; d < field.layout->rank(); ++d) {
        const auto i = static_cast<std::size_t>(d);
        if (extents[i] == 0) return {field.data, field.data};
        const std::int64_t last = (extents[i] - 1) * field.strides[i];
        (last < 0 ? begin : end) += last;
    }
    return {begin, end};
}

/// Whether two sections whose bytes lie between each other's, as slices of one array do, have no byte in
/// common. For equal, positive strides; else it is not known, and false.
bool interleave(const Field& a, const Field& b) {
    if (b.data < a.data) return interleave(b, a);
    const int rank = a.layout->rank();
    if (b.layout->rank() != rank || b.element_size != a.element_size) return false;
    const Extents a_extents = a.layout->local_extents(a.process);
    const Extents b_extents = b.layout->local_extents(b.process);
    std::vector<std::size_t> axes; // by descending strides
    for (std::size_t d = 0; d < static_cast<std::size_t>(rank); ++d) {
        if (a_extents[d] == 1 && b_extents[d] == 1) continue;
        if (a.strides[d] != b.strides[d] || a.strides[d] <= 0) return false;
        axes.push_back(d);
    }
    std::sort(axes.begin(), axes.end(),
              [&](std::size_t i, std::size_t j) { return a.strides[i] > a.strides[j]; });
    // How far b begins behind a, in elements along each axis.
    std::array<std::int64_t, max_rank> shifts{};
    std::int64_t rest = b.data - a.data;
    for (const std::size_t d : axes) {
        shifts[d] = rest / a.strides[d];
        rest %= a.strides[d];
    }
    if (rest != 0) return false;
    // Along each axis both stay within a step of the next longer stride: then elements that are one are so
    // along every axis.
    std::int64_t reach = a.element_size;
    bool apart = false;
    for (std::size_t i = axes.size(); i-- > 0;) {
        const std::size_t d = axes[i];
        if (a.strides[d] < reach) return false;
        reach += (std::max(a_extents[d], shifts[d] + b_extents[d]) - 1) * a.strides[d];
        apart = apart || shifts[d] >= a_extents[d];
    }
    return apart;
}

} // namespace

bool overlap(const Field& a, const Field& b) {
    if (!a.layout || !b.layout || !a.data || !b.data) return false;
    const auto [a_begin, a_end] = bytes_of(a);
    const auto [b_begin, b_end] = bytes_of(b);
    if (a_begin == a_end || b_begin == b_end) return false;
    const std::less<> before;
    return before(a_begin, b_end) && before(b_begin, a_end) && !interleave(a, b);
}

} // namespace distview::impl
