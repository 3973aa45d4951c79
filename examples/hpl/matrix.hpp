// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "generator.hpp"
#include "options.hpp"

#include "timing.hpp"

#include <distview/core/dist_view.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace hpl {

using program::Exec;
/// [A | b], n x (n + 1): b is column n.
using Array = distview::DistView<double**, Kokkos::LayoutRight, Kokkos::HostSpace>;

/// Blocks of nb x nb, dealt out over the grid along both axes.
distview::ArrayLayout make_layout(const Options& options, const distview::ProcessGrid& grid);

/// Elements of [A | b] at some rows and columns: element (i, j) has the state X_(1 + i + j * n), X_0 = seed.
///
/// Indices: global, from 0 on
/// Cost:    O(rows + columns) to make; one multiplication and addition per element
class Elements {
public:
    Elements(const Options& options, std::span<const std::int64_t> rows,
             std::span<const std::int64_t> columns);

    /// Element in the row and the column at these places in the lists.
    double operator()(std::size_t row, std::size_t column) const noexcept {
        return value_of(m_jumps[row](m_states[column]));
    }

private:
    std::vector<Jump> m_jumps;           ///< along a column, by row
    std::vector<std::uint64_t> m_states; ///< of row 0, by column
};

/// Global indices of the rows (axis 0) or columns (axis 1) of this process's section, ascending.
std::vector<std::int64_t> global_indices(const Array& array, int axis);
/// Number of indices below `bound`: the position in the section where indices from `bound` on begin.
std::size_t count_below(const std::vector<std::int64_t>& indices, std::int64_t bound);

/// Writes the section of [A | b].
void set(const Exec& exec, const Options& options, const Array& ab);

} // namespace hpl
