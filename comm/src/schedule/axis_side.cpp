// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schedule/axis_side.hpp"

#include <numeric>

namespace distview::impl {

namespace {

constexpr std::int64_t floor_div(std::int64_t a, std::int64_t positive) noexcept {
    return a / positive - (a % positive < 0 ? 1 : 0);
}
constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t positive) noexcept {
    return a / positive + (a % positive > 0 ? 1 : 0);
}

} // namespace

bool has_shared_indices(const AxisLayout& axis) {
    if (axis.type() != DistType::unstructured) return false;
    std::int64_t listed = 0;
    for (int p = 0; p < axis.grid_size(); ++p) listed += axis.owned_local(p).size();
    return listed != axis.size();
}

Widths widest_copies(const BlockLayout& axis) {
    const Widths copies = axis.widest_padding();
    const Widths edge = axis.periodic() ? axis.boundary() : Widths();
    return {std::max(copies.low, edge.low), std::max(copies.high, edge.high)};
}

AxisSide::AxisSide(const AxisLayout& layout, const AxisSlice& slice, Role role, bool fill_padding,
                   const AxisNumbering& numbering)
    : m_layout(layout), m_slice(slice), m_role(role), m_size(layout.size()),
      m_grid_size(layout.grid_size()), m_numbering(numbering) {
    switch (layout.type()) {
    case DistType::block:
        if (role == Role::target && fill_padding && m_size > 0)
            m_widest = widest_copies(layout.as_block());
        m_fill_padding = !(m_widest == Widths());
        break;
    case DistType::cyclic:
        m_block_size =
            m_grid_size == 1 ? m_size : std::min(layout.as_cyclic().block_size(), m_size);
        // A single round counts as intervals, so that the products below cannot overflow.
        if (m_size == 0 || m_block_size >= ceil_div(m_size, m_grid_size)) break;
        m_form = Form::cyclic;
        m_period = m_block_size * m_grid_size /
                   std::gcd(m_block_size * m_grid_size, std::abs(m_slice.step));
        break;
    case DistType::unstructured:
        m_form = Form::lists;
        if (role == Role::target) list_holders();
        break;
    }
}

void AxisSide::list_holders() {
    if (!has_shared_indices(m_layout)) return;
    const UnstructuredLayout& lists = m_layout.as_unstructured();
    const std::int64_t* all = lists.all_labels();
    const auto for_each_listed = [&](auto&& visit) {
        for (int p = 0; p < m_grid_size; ++p) {
            std::int64_t cell = 0;
            for (std::int64_t i = 0; i < lists.owned_local(p).size(); ++i) {
                cell = find_near(all, m_size, cell, lists.sorted_labels(p)[i]);
                visit(static_cast<std::size_t>(cell), p, lists.sorted_positions(p)[i]);
            }
        }
    };
    const auto holders = std::make_shared<Holders>();
    std::vector<std::int64_t>& offsets = holders->offsets;
    offsets.assign(static_cast<std::size_t>(m_size) + 1, 0);
    for_each_listed([&](std::size_t cell, int, std::int64_t) { ++offsets[cell + 1]; });
    std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
    holders->places.resize(static_cast<std::size_t>(offsets.back()));
    std::vector<std::int64_t> next(offsets.begin(), offsets.end() - 1);
    for_each_listed([&](std::size_t cell, int p, std::int64_t local) {
        holders->places[static_cast<std::size_t>(next[cell]++)] = {p, 0, local};
    });
    m_holders = holders;
}

AxisSide AxisSide::of_copy(int number) const {
    AxisSide side = *this;
    side.m_copy = number;
    if (m_form == Form::lists && !m_holders) side.list_holders();
    return side;
}

int AxisSide::most_copies() const {
    if (m_form != Form::lists || m_layout.as_unstructured().one_to_one()) return 1;
    const AxisSide listed = of_copy(0);
    if (!listed.m_holders) return 1;
    const std::vector<std::int64_t>& offsets = listed.m_holders->offsets;
    std::int64_t most = 1;
    for (std::size_t i = 0; i + 1 < offsets.size(); ++i)
        most = std::max(most, offsets[i + 1] - offsets[i]);
    return static_cast<int>(most);
}

bool AxisSide::takes_part(int p, std::int64_t cell) const noexcept {
    if (m_role == Role::target) return true;
    if (m_copy == 0) return m_layout.as_unstructured().all_owners()[cell] == p;
    if (!m_holders) return false;
    const auto i = static_cast<std::size_t>(cell);
    const std::int64_t holder = m_holders->offsets[i] + m_copy;
    return holder < m_holders->offsets[i + 1] &&
           m_holders->places[static_cast<std::size_t>(holder)].process == p;
}

std::int64_t AxisSide::element_of(std::int64_t cell, std::int64_t label,
                                  std::int64_t& cursor) const noexcept {
    if (m_numbering.by_index) {
        if (m_numbering.indices)
            return find_at(m_numbering.indices, m_numbering.count, cursor, label);
        return label >= 0 && label < m_numbering.count ? label : -1;
    }
    const std::int64_t ahead = cell - m_slice.begin;
    const std::int64_t t = ahead / m_slice.step;
    return t >= 0 && t < count() && t * m_slice.step == ahead ? t : -1;
}

std::int64_t AxisSide::cell_of(std::int64_t t, std::int64_t& cursor) const noexcept {
    if (!m_numbering.by_index) return cell(t);
    const std::int64_t* const all = m_layout.as_unstructured().all_labels();
    if (m_numbering.indices == all) return t;
    return find_at(all, m_size, cursor, m_numbering.indices ? m_numbering.indices[t] : t);
}

std::int64_t AxisSide::find_near(const std::int64_t* sorted, std::int64_t count, std::int64_t hint,
                                 std::int64_t label) noexcept {
    std::int64_t first = hint;
    std::int64_t last = hint + 1;
    for (std::int64_t step = 1; last < count && sorted[last - 1] < label; step *= 2) {
        first = last;
        last = std::min(last + step, count);
    }
    for (std::int64_t step = 1; first > 0 && sorted[first] > label; step *= 2) {
        last = first;
        first = std::max<std::int64_t>(first - step, 0);
    }
    return std::lower_bound(sorted + first, sorted + last, label) - sorted;
}

std::int64_t AxisSide::find_at(const std::int64_t* sorted, std::int64_t count, std::int64_t& cursor,
                               std::int64_t label) noexcept {
    if (count == 0) return -1;
    const std::int64_t found = find_near(sorted, count, cursor, label);
    cursor = std::min(found, count - 1);
    return sorted[cursor] == label ? cursor : -1;
}

std::int64_t AxisSide::bound(int p) const noexcept {
    if (m_layout.is_block()) {
        const BlockLayout& block = m_layout.as_block();
        // The bound after the last process is the size.
        return p == m_grid_size ? m_size : block.interior(p).begin.value();
    }
    return p > 0 && m_block_size > m_size / p ? m_size : std::min(p * m_block_size, m_size);
}

std::int64_t AxisSide::held_begin(int p) const noexcept {
    if (!m_layout.is_block()) return bound(p);
    return m_layout.as_block().held(p).begin.value();
}

std::int64_t AxisSide::held_end(int p) const noexcept {
    return held_begin(p) + m_layout.local_extent(p);
}

bool AxisSide::find_window(int p, std::int64_t mirror, AxisWindow& window) const noexcept {
    // Cells of this process without wrapping; a mirror has m_size of them, from m_size * mirror on.
    const std::int64_t shift = mirror * m_size;
    const std::int64_t first = (m_fill_padding ? held_begin(p) : bound(p)) - shift;
    const std::int64_t last = (m_fill_padding ? held_end(p) : bound(p + 1)) - shift;
    const std::int64_t begin = std::max<std::int64_t>(first, 0);
    const std::int64_t end = std::min(last, m_size);
    if (begin >= end) return false;
    window = {p, mirror, 0, 0, m_slice.begin + shift - held_begin(p), m_slice.step};
    if (m_slice.step > 0) {
        window.begin = ceil_div(begin - m_slice.begin, m_slice.step);
        window.end = ceil_div(end - m_slice.begin, m_slice.step);
    } else {
        window.begin = floor_div(m_slice.begin - end, -m_slice.step) + 1;
        window.end = floor_div(m_slice.begin - begin, -m_slice.step) + 1;
    }
    window.begin = std::max<std::int64_t>(window.begin, 0);
    window.end = std::min(window.end, count());
    return window.begin < window.end;
}

void AxisSide::append_windows(int p, std::vector<AxisWindow>& windows) const {
    std::int64_t first = 0;
    std::int64_t last = 0;
    if (m_fill_padding && m_layout.is_block() && m_layout.periodic()) {
        first = floor_div(held_begin(p), m_size);
        last = floor_div(held_end(p) - 1, m_size);
    }
    AxisWindow window;
    for (std::int64_t mirror = first; mirror <= last; ++mirror)
        if (find_window(p, mirror, window)) windows.push_back(window);
}

AxisWindow AxisSide::owner_window(std::int64_t t) const noexcept {
    const int p = m_layout.is_block() ? m_layout.owner(GlobalIndex(cell(t)))
                                      : static_cast<int>(cell(t) / m_block_size);
    AxisWindow window;
    find_window(p, 0, window);
    return window;
}

void AxisSide::append_windows_meeting(std::int64_t begin, std::int64_t end,
                                      std::vector<AxisWindow>& windows) const {
    if (!m_fill_padding) {
        for (std::int64_t t = begin; t < end; t = windows.back().end)
            windows.push_back(owner_window(t));
        return;
    }
    std::int64_t first = 0;
    std::int64_t last = 0;
    if (m_layout.is_block() && m_layout.periodic()) {
        first = floor_div(-m_widest.low, m_size);
        last = floor_div(m_size + m_widest.high - 1, m_size);
    }
    for (std::int64_t mirror = first; mirror <= last; ++mirror)
        append_mirror_meeting(mirror, begin, end, windows);
}

void AxisSide::append_mirror_meeting(std::int64_t mirror, std::int64_t begin, std::int64_t end,
                                     std::vector<AxisWindow>& windows) const {
    const std::int64_t shift = mirror * m_size;
    const std::int64_t lowest = std::min(cell(begin), cell(end - 1)) + shift;
    const std::int64_t highest = std::max(cell(begin), cell(end - 1)) + shift;
    // Blocks ascend, but sections need not: bisects with the widest reach, then checks each.
    int p = 0;
    for (int after = m_grid_size; p < after;) {
        const int middle = p + (after - p) / 2;
        if (bound(middle + 1) + m_widest.high > lowest)
            after = middle;
        else
            p = middle + 1;
    }
    AxisWindow window;
    for (; p < m_grid_size && bound(p) - m_widest.low <= highest; ++p)
        if (find_window(p, mirror, window) && window.begin < end && window.end > begin)
            windows.push_back(window);
}

std::int64_t AxisSide::chunk_end(std::int64_t t) const noexcept {
    const std::int64_t in_block = cell(t) % m_block_size;
    const std::int64_t room = m_slice.step > 0 ? m_block_size - 1 - in_block : in_block;
    return std::min(t + room / std::abs(m_slice.step) + 1, count());
}

bool AxisSide::starts_chunk(std::int64_t t) const noexcept {
    const std::int64_t in_block = cell(t) % m_block_size;
    return (m_slice.step > 0 ? in_block : m_block_size - 1 - in_block) < std::abs(m_slice.step);
}

std::int64_t AxisSide::next_owned(int p, std::int64_t t) const noexcept {
    const std::int64_t last = t < count() - m_period ? t + m_period : count();
    while (t < last) {
        const std::int64_t i = cell(t);
        const std::int64_t block = i / m_block_size;
        const std::int64_t ahead =
            m_slice.step > 0 ? p - block % m_grid_size : block % m_grid_size - p;
        if (ahead == 0) return t;
        const std::int64_t blocks = ahead < 0 ? ahead + m_grid_size : ahead;
        // Moves to the next block of p; a step longer than a block may skip it.
        if (m_slice.step > 0) {
            if (blocks > (m_size - 1) / m_block_size - block) return count();
            t += ceil_div((block + blocks) * m_block_size - i, m_slice.step);
        } else {
            t += ceil_div(i - ((block - blocks) * m_block_size + m_block_size - 1), -m_slice.step);
        }
    }
    return count();
}

std::int64_t AxisSide::local_period(std::int64_t elements) const noexcept {
    const std::int64_t round = m_block_size * m_grid_size;
    // A period covers a whole number of rounds; each round adds a block to every section.
    const std::int64_t rounds = m_slice.step / std::gcd(round, std::abs(m_slice.step));
    return elements / m_period * rounds * m_block_size;
}

std::vector<AxisSide::Listed> AxisSide::listed(int p) const {
    const UnstructuredLayout& lists = m_layout.as_unstructured();
    std::vector<Listed> result;
    const std::int64_t owned = lists.owned_local(p).size();
    result.reserve(static_cast<std::size_t>(owned));
    std::int64_t cell = 0;
    std::int64_t cursor = 0;
    for (std::int64_t i = 0; i < owned; ++i) {
        const std::int64_t label = lists.sorted_labels(p)[i];
        cell = find_near(lists.all_labels(), m_size, cell, label);
        if (!takes_part(p, cell)) continue;
        const std::int64_t t = element_of(cell, label, cursor);
        if (t >= 0) result.push_back({t, lists.sorted_positions(p)[i]});
    }
    if (m_slice.step < 0) std::reverse(result.begin(), result.end());
    return result;
}

} // namespace distview::impl
