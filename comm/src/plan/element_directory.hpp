// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/communicator.hpp>
#include <distview/comm/impl/schedule/axis_run.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace distview::impl {

/// Place of one element of an axis, or of a slice of it, on one process.
struct ElementPlace {
    std::int64_t element = 0; ///< number in the slice, or index
    std::int64_t local = 0;
    std::int64_t mirror = 0;
};

/// Elements of one side of an axis that one process has.
struct OwnPlaces {
    int coordinate = -1; ///< -1: outside the grid, without elements
    std::vector<ElementPlace> places{};
};

struct MatchedElements {
    std::shared_ptr<const FoundAxis> axis;
    /// Number of elements of the target that the source does not have.
    std::int64_t missing = 0;
    std::int64_t lowest_missing = 0; ///< valid if missing > 0
};

/// Finds the elements that move between this process and others if no process knows which elements the others have.
///
/// Each rank is the directory of a range of elements: holders of these elements register with it, and it
/// answers with the holders on the other side. If several processes of the source hold an element, the process
/// with the lowest coordinate is read, and by combine() then the others; all holders of the target are
/// written.
///
/// `from` and `to` are called once each, and may throw; `count`: different elements of both sides, at most.
///
/// Collective: over comm
/// Cost:       memory and time in proportion to own places, registered places (a fair share, and all holders of a
///             label with many holders), and own partners' places; messages to the directories of own elements
MatchedElements match_elements(const Communicator& comm, const std::function<OwnPlaces()>& from,
                               const std::function<OwnPlaces()>& to, std::int64_t count);

} // namespace distview::impl
