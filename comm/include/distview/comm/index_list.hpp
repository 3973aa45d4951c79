// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace distview {

/// Indices along one axis: begin, begin + step, ..., all below `end`; with a negative step all above `end`.
struct IndexRange {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    std::int64_t step = 1; ///< not 0
};

/// A list of elements of a distributed array by global indices, in the caller's order; an element may occur several
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
/// Cost:       memory for the indices passed; boxes and products need memory for the indices of their axes only
class IndexList {
public:
    /// Makes an empty list of elements with `rank` indices each.
    ///
    /// Errors: UsageError unless 1 <= rank <= max_rank
    template <std::convertible_to<std::int64_t> Rank> // a template, so that {7} is not a rank
    explicit IndexList(Rank rank) : m_rank(checked_rank(static_cast<std::int64_t>(rank))) {}
    /// Makes a list of elements of an array with one axis.
    IndexList(std::vector<std::int64_t> indices);
    template <std::size_t Count> // without it IndexList({7}) could also be a copy of IndexList(7)
    IndexList(const std::int64_t (&all)[Count]) : IndexList(std::vector(all, all + Count)) {}

    /// Appends an element.
    ///
    /// Errors: UsageError unless `index` has rank() numbers; the same for the functions below
    void add_element(const std::vector<std::int64_t>& index);
    /// Appends elements: rank() numbers for each, element by element.
    void add_elements(std::span<const std::int64_t> indices);
    /// Appends the elements of a box or a strided slice: one range for each axis, the last axis fastest.
    ///
    /// Errors: also UsageError if a step is 0
    void add_box(const std::vector<IndexRange>& ranges);
    /// Appends all combinations of one index of each list: one list for each axis, the last axis fastest.
    void add_product(std::vector<std::vector<std::int64_t>> indices);

    int rank() const noexcept { return m_rank; }
    /// Number of elements.
    std::int64_t size() const noexcept { return m_parts.empty() ? 0 : m_parts.back().end; }

    /// Consecutive elements: the product of one list for each axis, or the tuples of entries of equally long lists.
    struct Part {
        bool is_product = false;
        std::vector<std::vector<std::int64_t>> axes;
        std::int64_t end = 0; ///< number of elements up to the end of this part
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
