// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/communicator.hpp>
#include <distview/comm/impl/found_runs.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace distview::impl {

/// Where one process has an element of a slice of an axis.
struct ElementPlace {
    std::int64_t element = 0;
    std::int64_t local = 0;
    std::int64_t mirror = 0;
};

/// What one process has of one side of an axis.
struct OwnPlaces {
    int coordinate = -1; ///< -1: it is outside the grid, and has nothing
    std::vector<ElementPlace> places{};
};

/// Finds out which elements move between this process and others, where nobody knows what the others have.
///
/// Each rank looks after as many elements, one after the other: those who have some tell it, and are told
/// who has the same on the other side. Of several processes that have an element to read the one of
/// the lowest coordinate is read; all that have it to write are written.
///
/// Collective: over comm; from() and to() are called once, and may throw
/// Cost:       memory and time as own places, places looked after (a fair share, and all that have a label
///             that many have), and own partners' places; messages to those who look after own elements
std::shared_ptr<const FoundAxis> match_elements(const Communicator& comm, std::int64_t count,
                                                const std::function<OwnPlaces()>& from,
                                                const std::function<OwnPlaces()>& to);

} // namespace distview::impl
