// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/index_list.hpp>

#include <distview/core/error.hpp>
#include <distview/core/process_grid.hpp>
#include <distview/core/text.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <utility>

namespace distview {

namespace {

void require_numbers(std::size_t got, int rank, const char* what) {
    require<UsageError>(got == static_cast<std::size_t>(rank), [&] {
        return text("IndexList::", what, ": expected entries for ", rank, " axes, got ", got);
    });
}

std::vector<std::int64_t> indices_of(const IndexRange& range) {
    require<UsageError>(range.step != 0, "IndexList::add_box: expected a step that is not 0");
    // Unsigned arithmetic, in which distances fit and steps may pass the end.
    const auto begin = static_cast<std::uint64_t>(range.begin);
    const auto step = static_cast<std::uint64_t>(range.step);
    const bool ascends = range.step > 0;
    const bool is_empty = ascends ? range.begin >= range.end : range.begin <= range.end;
    const std::uint64_t distance = static_cast<std::uint64_t>(range.end) - begin;
    const std::uint64_t count = is_empty  ? 0
                                : ascends ? (distance - 1) / step + 1
                                          : (0 - distance - 1) / (0 - step) + 1;
    std::vector<std::int64_t> result;
    require<UsageError>(count <= result.max_size(), [&] {
        return text("IndexList::add_box: expected indices that fit in memory, got ", count);
    });
    result.reserve(static_cast<std::size_t>(count));
    for (std::uint64_t i = 0; i < count; ++i)
        result.push_back(static_cast<std::int64_t>(begin + i * step));
    return result;
}

} // namespace

std::int64_t IndexList::Part::size() const noexcept {
    if (!is_product) return static_cast<std::int64_t>(axes.front().size());
    std::int64_t result = 1;
    for (const auto& axis : axes) result *= static_cast<std::int64_t>(axis.size());
    return result;
}

int IndexList::checked_rank(std::int64_t rank) {
    require<UsageError>(1 <= rank && rank <= max_rank, [&] {
        return text("IndexList: expected 1 to ", max_rank, " axes, got ", rank);
    });
    return static_cast<int>(rank);
}

IndexList::IndexList(std::vector<std::int64_t> indices) : m_rank(1) {
    Part part;
    part.axes.push_back(std::move(indices));
    add_part(std::move(part));
}

void IndexList::add_part(Part part) {
    for (const auto& axis : part.axes)
        if (axis.empty()) return;
    const bool fits =
        !part.is_product ||
        std::all_of(part.axes.begin(), part.axes.end(),
                    [product = std::int64_t{1}](const auto& axis) mutable {
                        return !__builtin_mul_overflow(product, axis.size(), &product);
                    });
    require<UsageError>(fits && !__builtin_add_overflow(size(), part.size(), &part.end),
                        "IndexList: expected fewer than 2^63 elements");
    m_parts.push_back(std::move(part));
}

/// The last part, if elements can be appended to it one by one; else a new one.
IndexList::Part& IndexList::listed() {
    if (m_parts.empty() || m_parts.back().is_product) {
        m_parts.push_back({false, {}, size()});
        m_parts.back().axes.resize(static_cast<std::size_t>(m_rank));
    }
    return m_parts.back();
}

void IndexList::add_element(const std::vector<std::int64_t>& index) {
    require_numbers(index.size(), m_rank, "add_element");
    add_elements(index);
}

void IndexList::add_elements(std::span<const std::int64_t> indices) {
    const auto axes = static_cast<std::size_t>(m_rank);
    require<UsageError>(indices.size() % axes == 0, [&] {
        return text("IndexList::add_elements: expected a multiple of ", axes, " numbers, got ",
                    indices.size());
    });
    if (indices.empty()) return;
    Part& part = listed();
    for (std::vector<std::int64_t>& axis : part.axes) {
        const std::less<> before;
        // Copies numbers of the list itself, which move when it grows.
        if (!before(indices.data(), axis.data()) &&
            before(indices.data(), axis.data() + axis.size()))
            return add_elements(std::vector(indices.begin(), indices.end()));
    }
    for (std::vector<std::int64_t>& axis : part.axes) {
        const std::size_t size = axis.size() + indices.size() / axes;
        if (size > axis.capacity()) axis.reserve(std::max(size, 2 * axis.capacity()));
    }
    for (std::size_t i = 0; i < indices.size(); ++i) part.axes[i % axes].push_back(indices[i]);
    part.end += static_cast<std::int64_t>(indices.size() / axes);
}

void IndexList::add_box(const std::vector<IndexRange>& ranges) {
    require_numbers(ranges.size(), m_rank, "add_box");
    Part part{true, {}};
    for (const IndexRange& range : ranges) part.axes.push_back(indices_of(range));
    add_part(std::move(part));
}

void IndexList::add_product(std::vector<std::vector<std::int64_t>> indices) {
    require_numbers(indices.size(), m_rank, "add_product");
    add_part({true, std::move(indices)});
}

} // namespace distview
