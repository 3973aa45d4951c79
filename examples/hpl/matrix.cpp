// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "matrix.hpp"

#include <algorithm>

namespace hpl {

distview::ArrayLayout make_layout(const Options& options, const distview::ProcessGrid& grid) {
    return distview::ArrayLayout(grid, {distview::block_cyclic(options.n, options.nb),
                                        distview::block_cyclic(options.n + 1, options.nb)});
}

Elements::Elements(const Options& options, std::span<const std::int64_t> rows,
                   std::span<const std::int64_t> columns) {
    for (const std::int64_t i : rows) m_jumps.emplace_back(static_cast<std::uint64_t>(i));
    for (const std::int64_t j : columns)
        m_states.push_back(Jump(static_cast<std::uint64_t>(1 + j * options.n))(options.seed));
}

std::vector<std::int64_t> global_indices(const Array& array, int axis) {
    std::vector<std::int64_t> indices(array.view().extent(static_cast<std::size_t>(axis)));
    for (std::size_t l = 0; l < indices.size(); ++l)
        indices[l] = array.global_index(axis, distview::LocalIndex(l));
    return indices;
}

std::size_t count_below(const std::vector<std::int64_t>& indices, std::int64_t bound) {
    return static_cast<std::size_t>(std::lower_bound(indices.begin(), indices.end(), bound) -
                                    indices.begin());
}

void set(const Exec& exec, const Options& options, const Array& ab) {
    const auto rows = global_indices(ab, 0);
    const auto columns = global_indices(ab, 1);
    const Elements elements(options, rows, columns);
    const auto view = ab.view();
    Kokkos::parallel_for("hpl::set", Kokkos::RangePolicy<Exec>(exec, 0, rows.size()),
                         [&](std::size_t i) {
                             for (std::size_t j = 0; j < columns.size(); ++j)
                                 view(i, j) = elements(i, j);
                         });
    exec.fence("hpl::set: the elements are written");
}

} // namespace hpl
