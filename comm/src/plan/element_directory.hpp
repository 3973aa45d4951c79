// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/communicator.hpp>
#include <distview/comm/impl/schedule/axis_run.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace distview::impl {

/// Where one process has an element of a slice of an axis, or of a whole one.
struct ElementPlace {
    std::int64_t element = 0; ///< number in the slice, or index
    std::int64_t local = 0;
    std::int64_t mirror = 0;
};

/// Elements that one process has of one side of an axis.
struct OwnPlaces {
    int coordinate = -1; ///< -1: it is outside the grid, and has nothing
    std::vector<ElementPlace> places{};
};

struct MatchedElements {
    std::shared_ptr<const FoundAxis> axis;
    /// Elements of the target that the source does not have.
    std::int64_t missing = 0;
    std::int64_t lowest_missing = 0; ///< if there are any
};

/// Finds out which elements move between this process and others, where nobody knows what the others have.
///
/// Each rank looks after a range of elements: those who have some tell it, and are told
/// who has the same on the other side. Of several processes that have an element to read the one of
/// the lowest coordinate is read, and by combine() the others after it; all that have it to write are
/// written.
///
/// `from` and `to` are called once each, and may throw; `count`: different elements of both sides, at most.
///
/// Collective: over comm
/// Cost:       memory and time as own places, places looked after (a fair share, and all that have a label
///             that many have), and own partners' places; messages to those who look after own elements
MatchedElements match_elements(const Communicator& comm, const std::function<OwnPlaces()>& from,
                               const std::function<OwnPlaces()>& to, std::int64_t count);

} // namespace distview::impl
