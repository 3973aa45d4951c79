// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace distview::impl {

/// Values of one rank for elements of this process. The values for an element are combined in the order of their ranks,
/// and values of one rank in the order of its list: the same bits with any number of threads and with every transport.
struct Contribution {
    int rank = 0;
    const std::vector<std::int64_t>* positions =
        nullptr;                ///< of the elements, in this process's section
    const char* data = nullptr; ///< null: the list that the execution passes
    const std::vector<std::int64_t>* places = nullptr; ///< in `data`; null: contiguous

    /// Offset of value i from `data`, in bytes.
    std::int64_t offset(std::size_t i, std::int64_t element_size) const {
        return (places ? (*places)[i] : static_cast<std::int64_t>(i)) * element_size;
    }
};

/// Ends of shares of elements, ascending, such that threads combine about equal numbers of values. The last end is
/// behind all positions.
std::vector<std::int64_t> share_ends(const std::vector<Contribution>& contributions, int threads);

/// The tables of PointSums (see point_moves.hpp): positions that have values, ascending, and the values of each.
struct DeviceSums {
    std::vector<std::int64_t> positions;
    std::vector<std::int64_t> first;
    std::vector<std::int64_t> values; ///< places
};
/// Makes the tables; `contributions` are ordered by rank.
DeviceSums device_sums(const std::vector<Contribution>& contributions, std::int64_t element_size);

} // namespace distview::impl
