// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/communicator.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace distview::impl {

/// Where an index of an axis is: the grid coordinate that owns it, -1 if none does, its position there, and how many
/// positions there are.
struct IndexPlace {
    int coordinate = -1;
    std::int64_t local = 0;
    std::int64_t extent = 0;
};

/// Labels that this process owns: label i is at position i of a section of `extent` positions.
struct OwnedLabels {
    int coordinate = 0;
    std::int64_t extent = 0;
    std::span<const std::int64_t> labels{};
    bool is_unique =
        false; ///< whether a label with several owners is an error; the same on all ranks
};

/// The places of the labels `wanted`, in their order; of several owners the one of the lowest coordinate.
///
/// Each rank looks after some of all labels: owners tell it theirs, and it answers those that want them.
///
/// Collective: over comm
/// Cost:       memory and time as own labels, labels wanted and a fair share of both of all ranks; messages to those who
///             look after them
/// Errors:     UsageError if a label has several owners that must have one (on all ranks); its text begins with `caller`
std::vector<IndexPlace> look_up_labels(const Communicator& comm, const char* caller,
                                       const OwnedLabels& owned,
                                       std::span<const std::int64_t> wanted);

} // namespace distview::impl
