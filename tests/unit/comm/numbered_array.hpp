// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/communicator.hpp>
#include <distview/core/dist_view.hpp>
#include <distview/core/text.hpp>

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace distview::testing {

/// A ring of processes with `rows_each` rows and `width` rows of padding on both sides for each:
/// every rank has a neighbour on each side, itself if it is the only rank.
inline ArrayLayout ring(const Communicator& comm, std::int64_t rows_each = 4,
                        std::int64_t columns = 3, std::int64_t width = 1) {
    return {ProcessGrid{comm.size(), 1},
            {block(rows_each * comm.size(), {.padding = width, .periodic = true}), block(columns)}};
}

using NumberedArray = DistView<double**>;
/// The same array with contiguous columns.
using NumberedArrayLeft = DistView<double**, Kokkos::LayoutLeft, Kokkos::HostSpace>;

inline NumberedArray make_array(const Communicator& comm, const ArrayLayout& layout) {
    return {Kokkos::DefaultHostExecutionSpace(), "array", layout, comm.rank()};
}

inline double number_of(std::int64_t row, std::int64_t column, int round) {
    return static_cast<double>(round * 1000000 + row * 1000 + column % 1000);
}

/// Sets interior elements to numbers that encode row, column and round; sets padding to NaN.
template <class Array>
void number(const Array& array, int round) {
    const LocalRange rows = array.interior_range(0);
    for (LocalIndex i(0); i < static_cast<std::int64_t>(array.view().extent(0)); ++i)
        for (LocalIndex j(0); j < static_cast<std::int64_t>(array.view().extent(1)); ++j)
            array.view()(i.value(), j.value()) = rows.contains(i)
                                                     ? number_of(array.global_index(0, i), j, round)
                                                     : std::numeric_limits<double>::quiet_NaN();
}

/// The first element that differs from the result of an exchange after number(array, round); "" if all are right.
template <class Array>
std::string find_wrong_number(const Array& array, int round) {
    const std::int64_t rows = array.extent(0);
    for (LocalIndex i(0); i < static_cast<std::int64_t>(array.view().extent(0)); ++i)
        for (LocalIndex j(0); j < static_cast<std::int64_t>(array.view().extent(1)); ++j) {
            const std::int64_t row = array.global_index(0, i) + rows;
            const double expected = number_of(row % rows, j, round);
            const double found = array.view()(i.value(), j.value());
            if (!(found == expected))
                return text("process ", array.process(), ", position (", i.value(), ", ", j.value(),
                            "): ", found, ", expected ", expected);
        }
    return {};
}

/// True if padding still has the values set by number().
inline bool padding_is_unfilled(const NumberedArray& array) {
    const LocalRange rows = array.interior_range(0);
    for (LocalIndex i(0); i < static_cast<std::int64_t>(array.view().extent(0)); ++i)
        if (!rows.contains(i) && array.view()(i.value(), 0) == array.view()(i.value(), 0))
            return false;
    return true;
}

} // namespace distview::testing
