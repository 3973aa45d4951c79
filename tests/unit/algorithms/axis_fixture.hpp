// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "sections.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

namespace distview::testing {

/// Small numbers that depend on the global indices alone.
template <std::size_t Rank>
std::int64_t small_value(const std::array<std::int64_t, Rank>& g) {
    std::int64_t value = 11;
    for (const std::int64_t i : g) value = (value * 37 + i + 60) % 1013;
    return value - 500;
}

/// The interior indices of each process along an axis.
inline std::vector<std::vector<std::int64_t>> indices_of(const AxisLayout& axis) {
    std::vector<std::vector<std::int64_t>> lists;
    for (int p = 0; p < axis.grid_size(); ++p) {
        lists.emplace_back();
        const LocalRange cells = axis.interior_local(p);
        for (LocalIndex l = cells.begin; l < cells.end; ++l)
            lists.back().push_back(axis.to_global(p, l).value());
    }
    return lists;
}

/// Expects `other` in all elements that are not interior cells, and calls check(value, global) for interior cells.
template <DistViewLike View, class Check>
void check_cells(const Exec& exec, const View& view, typename View::value_type other,
                 Check&& check) {
    constexpr int rank = View::rank();
    auto host = to_host(exec, view);
    for_each_cell<rank>(view.layout(), view.process(), Cells::interior,
                        [&](const auto& local, const auto& global) {
                            check(element(host.view(), local), global);
                            element(host.view(), local) = other;
                        });
    Position<rank> end{};
    for (std::size_t d = 0; d < end.size(); ++d)
        end[d] = view.layout().local_extents(view.process())[d];
    for_each_position(Position<rank>{}, end, [&](const Position<rank>& at) {
        EXPECT_EQ(element(host.view(), at), other) << "written outside of the interior";
    });
}

/// Kokkos' complex numbers for tests.
using Complex = Kokkos::complex<double>;

template <class T>
T as_element(std::int64_t value) {
    if constexpr (requires(T z) { z.real(); })
        return T(static_cast<typename T::value_type>(value),
                 static_cast<typename T::value_type>(2 * value + 1));
    else if constexpr (std::is_same_v<T, bool>)
        return value % 2 != 0;
    else
        return static_cast<T>(value);
}

} // namespace distview::testing
