// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace distview {

/// Indices along one axis: begin, begin + step, ..., all below `end`; with a negative step all above it.
struct IndexRange {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    std::int64_t step = 1; ///< not 0
};

/// Elements of a distributed array by their global indices, in an order of the caller's; elements may occur several
/// times.
///
///     IndexList wanted({7, 3, 3, 100});               // of an array with one axis
///     IndexList cells(2);
///     cells.add_element({4, 5});                      // number 0
///     cells.add_box({{0, 2}, {10, 16, 2}});           // numbers 1 to 6: (0, 10), (0, 12), ..., (1, 14)
///     cells.add_product({{3, 1}, {0, 8}});            // numbers 7 to 10: (3, 0), (3, 8), (1, 0), (1, 8)
///
/// Collective: no (local); ranks may have different lists
/// Indices:    global: the interior's from 0, negative or extent(d) and above in boundary padding; labels of unstructured
///             axes
/// Cost:       memory of the numbers given; boxes and products that of their axes
class IndexList {
public:
    /// An empty list of elements with so many indices each.
    ///
    /// Errors: UsageError unless 1 <= rank <= max_rank
    template <std::convertible_to<std::int64_t> Rank> // a template, as which {7} is no rank
    explicit IndexList(Rank rank) : m_rank(checked_rank(static_cast<std::int64_t>(rank))) {}
    /// Elements of an array with one axis.
    IndexList(std::vector<std::int64_t> indices);
    template <std::size_t Count> // without it IndexList({7}) could also be a copy of IndexList(7)
    IndexList(const std::int64_t (&all)[Count]) : IndexList(std::vector(all, all + Count)) {}

    /// Appends an element.
    ///
    /// Errors: UsageError unless there are rank() numbers; so for all that follow
    void add_element(const std::vector<std::int64_t>& index);
    /// Appends elements; rank() numbers for each, one element after the other.
    void add_elements(std::span<const std::int64_t> indices);
    /// Appends the elements of a box or a strided slice: one range for each axis, the last axis fastest.
    ///
    /// Errors: also UsageError if a step is 0
    void add_box(const std::vector<IndexRange>& ranges);
    /// Appends all combinations of one index of each list: one list for each axis, the last one fastest.
    void add_product(std::vector<std::vector<std::int64_t>> indices);

    int rank() const noexcept { return m_rank; }
    /// Number of elements.
    std::int64_t size() const noexcept { return m_parts.empty() ? 0 : m_parts.back().end; }

    /// Some elements that follow each other: a product of lists, one for each axis, or as many entries of all lists.
    struct Part {
        bool is_product = false;
        std::vector<std::vector<std::int64_t>> axes;
        std::int64_t end = 0; ///< elements of the list up to its last one
        std::int64_t size() const noexcept;
    };
    const std::vector<Part>& parts() const noexcept { return m_parts; }

private:
    static int checked_rank(std::int64_t rank);
    void add_part(Part part);
    Part& listed();

    int m_rank;
    std::vector<Part> m_parts;
};

} // namespace distview
