// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/communicator.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace distview::impl {

/// Place of an index of an axis: the grid coordinate that owns it (-1: no owner), its position there, and the number of
/// positions there.
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

/// Finds the places of the labels `wanted`, in their order; if a label has several owners, the lowest coordinate's.
///
/// Each rank is the directory of some labels: owners register their labels with it, and it answers ranks that ask.
///
/// Collective: over comm
/// Cost:       memory and time in proportion to own labels, wanted labels, and a fair share of both over all ranks;
///             messages to the directories
/// Errors:     UsageError, beginning with `caller`, if a label that must be unique has several owners (on all ranks)
std::vector<IndexPlace> look_up_labels(const Communicator& comm, const char* caller,
                                       const OwnedLabels& owned,
                                       std::span<const std::int64_t> wanted);

} // namespace distview::impl
