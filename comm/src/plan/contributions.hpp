// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace distview::impl {

/// Values of one rank for elements of this process. Values of an element are combined with it in the order of their
/// ranks, and of one rank in that of its list: the same bits with any number of threads and over any transport.
struct Contribution {
    int rank = 0;
    const std::vector<std::int64_t>* positions =
        nullptr;                ///< of the elements, in this process's section
    const char* data = nullptr; ///< null: the list that the execution is given
    const std::vector<std::int64_t>* places = nullptr; ///< in `data`; null: one after the other

    /// Bytes of value i beyond `data`.
    std::int64_t offset(std::size_t i, std::int64_t element_size) const {
        return (places ? (*places)[i] : static_cast<std::int64_t>(i)) * element_size;
    }
};

/// Where shares of elements end, ascending, so that several threads combine about as many values each; the last one is
/// behind all positions.
std::vector<std::int64_t> share_ends(const std::vector<Contribution>& contributions, int threads);

/// The tables of PointSums (see point_moves.hpp): positions that have values, ascending, and the values of each.
struct DeviceSums {
    std::vector<std::int64_t> positions;
    std::vector<std::int64_t> first;
    std::vector<std::int64_t> values; ///< places
};
/// `contributions` are ordered by rank.
DeviceSums device_sums(const std::vector<Contribution>& contributions, std::int64_t element_size);

} // namespace distview::impl
