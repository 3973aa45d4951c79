// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/algorithms/impl/inspected_elements.hpp>

#include <distview/core/error.hpp>
#include <distview/core/text.hpp>

#include <algorithm>
#include <numeric>
#include <utility>

namespace distview::impl {

Inspector::Inspector(const ArrayLayout& from, const ArrayLayout& to, int process,
                     const Extents& from_strides, const Extents& to_strides,
                     std::vector<IndexRange> cells)
    : m_from(from), m_to(to), m_from_at(from.coordinates(process)),
      m_to_at(to.coordinates(process)), m_from_strides(from_strides), m_to_strides(to_strides),
      m_cells(std::move(cells)) {
    require<UsageError>(
        m_cells.empty() || m_cells.size() == static_cast<std::size_t>(to.rank()), [&] {
            return text("InspectedLoop: expected ", to.rank(),
                        " ranges of cells, one for each axis, got ", m_cells.size());
        });
    for (const IndexRange& range : m_cells)
        require<UsageError>(range.step == 1, [&] {
            return text("InspectedLoop: expected ranges of cells with a step of 1, got ",
                        range.step);
        });
    for (int d = 0; d < to.rank(); ++d) {
        const auto i = static_cast<std::size_t>(d);
        m_ranges[i] = to.axis(d).interior_local(m_to_at[i]);
        m_has_blocks = m_has_blocks && to.axis(d).is_block();
    }
    for (int d = 0; d < from.rank(); ++d) {
        const auto i = static_cast<std::size_t>(d);
        const AxisLayout& axis = from.axis(d);
        const LocalRange owned = axis.owned_local(m_from_at[i]);
        m_has_blocks = m_has_blocks && axis.is_block();
        if (axis.is_block() && !owned.empty())
            m_shift[i] = owned.begin.value() - axis.to_global(m_from_at[i], owned.begin).value();
    }
    m_result.first.push_back(0);
}

std::int64_t Inspector::own_place(const std::int64_t* index) const {
    std::int64_t place = 0;
    for (int d = 0; d < m_from.rank(); ++d) {
        const auto i = static_cast<std::size_t>(d);
        const AxisLayout& axis = m_from.axis(d);
        const GlobalIndex global(index[d]);
        if (axis.type() != DistType::unstructured) {
            const GlobalRange range = axis.global_range();
            if (global < range.begin || global >= range.end) return -1;
        }
        if (axis.owner(global) != m_from_at[i]) return -1;
        place += axis.to_local(m_from_at[i], global).value() * m_from_strides[i];
    }
    return place;
}

bool Inspector::is_wanted(const Index& cell) const {
    for (std::size_t d = 0; d < m_cells.size(); ++d)
        if (cell[d] < m_cells[d].begin || cell[d] >= m_cells[d].end) return false;
    return true;
}

bool Inspector::is_own(const Index& indices) const {
    const auto axes = static_cast<std::size_t>(m_from.rank());
    for (std::size_t k = 0; k < indices.size(); k += axes)
        if (own_place(&indices[k]) < 0) return false;
    return true;
}

/// The smallest box of all cells that request only own elements, provided that it contains no other cells.
void Inspector::choose_inner() {
    const auto axes = static_cast<std::size_t>(m_to.rank());
    LocalBox box{};
    std::int64_t count = 0;
    std::size_t number = 0;
    for_each_cell([&](const Index&, const Position& position) {
        if (m_own[number++] == 0) return;
        for (std::size_t d = 0; d < axes; ++d) {
            const LocalIndex next = position[d] + 1;
            box[d].begin = count == 0 ? position[d] : std::min(box[d].begin, position[d]);
            box[d].end = count == 0 ? next : std::max(box[d].end, next);
        }
        ++count;
    });
    std::int64_t volume = 1;
    for (std::size_t d = 0; d < axes; ++d) volume *= box[d].size();
    if (m_has_blocks && volume == count) m_result.inner = box;
}

bool Inspector::is_inner(const Position& position) const {
    for (std::size_t d = 0; d < static_cast<std::size_t>(m_to.rank()); ++d)
        if (position[d] < m_result.inner[d].begin || position[d] >= m_result.inner[d].end)
            return false;
    return true;
}

void Inspector::add_cell(const Index& cell, const Position& position, const Index& indices) {
    const auto axes = static_cast<std::size_t>(m_from.rank());
    std::int64_t at = 0;
    for (std::size_t d = 0; d < cell.size(); ++d) at += position[d].value() * m_to_strides[d];
    m_result.cells.insert(m_result.cells.end(), cell.begin(), cell.end());
    m_result.cell_at.push_back(at);
    for (std::size_t k = 0; k < indices.size(); k += axes) {
        const std::int64_t place = own_place(&indices[k]);
        m_result.places.push_back(place);
        if (place < 0) m_foreign.insert(m_foreign.end(), &indices[k], &indices[k] + axes);
    }
    m_result.first.push_back(static_cast<std::int64_t>(m_result.places.size()));
}

/// Each element of another process is brought once, however often the functor requests it.
Inspection Inspector::finish() {
    const auto axes = static_cast<std::size_t>(m_from.rank());
    const auto element = [&](std::int64_t k) {
        return m_foreign.begin() + k * static_cast<std::int64_t>(axes);
    };
    const auto count = static_cast<std::int64_t>(m_foreign.size() / axes);
    const auto length = static_cast<std::int64_t>(axes);
    const auto is_less = [&](std::int64_t a, std::int64_t b) {
        return std::lexicographical_compare(element(a), element(a) + length, element(b),
                                            element(b) + length);
    };
    std::vector<std::int64_t> order(static_cast<std::size_t>(count));
    std::iota(order.begin(), order.end(), std::int64_t{0});
    std::sort(order.begin(), order.end(), is_less);
    std::vector<std::int64_t> slot(order.size());
    std::int64_t slots = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
        if (i == 0 || is_less(order[i - 1], order[i])) {
            m_result.brought.insert(m_result.brought.end(), element(order[i]),
                                    element(order[i]) + length);
            ++slots;
        }
        slot[static_cast<std::size_t>(order[i])] = slots - 1;
    }
    std::size_t next = 0;
    for (std::int64_t& place : m_result.places)
        if (place < 0) place = ~slot[next++];
    return std::move(m_result);
}

} // namespace distview::impl
