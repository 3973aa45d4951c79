// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "problem.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace daxpy {

/// Contiguous elements of a section: a borrowed one-dimensional array.
using Fragment = Kokkos::View<double*, Kokkos::LayoutRight, Kokkos::HostSpace,
                              Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

/// Whether the cells of a section are contiguous as a whole.
inline bool is_contiguous(const Array& array) {
    const auto rows = array.owned_range(0);
    return rows.size() <= 1 ||
           array.view().stride(0) == static_cast<std::size_t>(array.owned_range(1).size());
}

/// Calls use(x, y) for the same part of two sections at a time, wrapped in place: the whole sections if
/// both are contiguous, otherwise row by row.
///
/// Shapes: x and y own the same elements; their padding may differ
/// Cost:   no copy, no allocation
template <class Use>
void for_each_fragment(const Array& x, const Array& y, Use&& use) {
    const auto rows = y.owned_range(0);
    const auto columns = y.owned_range(1);
    if (rows.empty() || columns.empty()) return;
    const bool whole = is_contiguous(x) && is_contiguous(y);
    const std::int64_t pieces = whole ? 1 : rows.size();
    const auto length =
        static_cast<std::size_t>(whole ? rows.size() * columns.size() : columns.size());
    const auto piece = [&](const Array& array, std::int64_t row) {
        const std::int64_t first_row = array.owned_range(0).begin;
        const std::int64_t first = array.owned_range(1).begin;
        return Fragment(&array.view()(first_row + row, first), length);
    };
    for (std::int64_t row = 0; row < pieces; ++row) use(piece(x, row), piece(y, row));
}

/// The same for every block of every row, as in a program that works on blocks only.
///
/// Shapes: x and y have equal layouts, block-cyclic along the columns
template <class Use>
void for_each_block(const Array& x, const Array& y, Use&& use) {
    const auto rows = y.owned_range(0);
    const auto columns = y.owned_range(1);
    const std::int64_t block = y.layout().axis(1).as_cyclic().block_size();
    for (std::int64_t row = rows.begin; row < rows.end; ++row)
        for (std::int64_t column = columns.begin; column < columns.end; column += block) {
            const auto length =
                static_cast<std::size_t>(std::min<std::int64_t>(block, columns.end - column));
            use(Fragment(&x.view()(row, column), length), Fragment(&y.view()(row, column), length));
        }
}

} // namespace daxpy
