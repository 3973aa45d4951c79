// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/communicator.hpp>
#include <distview/core/unstructured_layout.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace distview::impl {

/// An axis of which each process knows its own labels only.
struct PartlyKnownAxis {
    const UnstructuredLayout& lists;
    int coordinate = 0;  ///< of this process, whose labels are known; -1 if it is outside the grid
    int copies = 1;      ///< processes of each coordinate, all with the same labels
    std::string where{}; ///< begins the text of errors
    bool wants_cells = true;
};

/// The cell of each label that this process owns, by position in its list: the number of smaller labels among the
/// different labels of all processes. Empty if no cells are wanted: then labels are only checked.
///
/// Each rank is the directory of a range of labels: holders register their labels with it. It sorts them, checks
/// them, and sends their number to the ranks after it.
///
/// Collective: over comm
/// Cost:       memory: O(own labels + labels of the own range). If the span of labels is at most four times
///             their number, a range has at most four times a fair share, else a fair share, and 24 bytes per
///             rank while ranges are made. Time: sorting these labels, and messages to the directories of own
///             labels; up to 64 reductions if ranges must be made
/// Errors:     LayoutError unless the number of different labels is the axis' size, each label is on one
///             coordinate if the axis is one_to_one(), and processes with the same coordinate have the same
///             labels (on all ranks)
std::vector<std::int64_t> cells_of_labels(const Communicator& comm, const PartlyKnownAxis& axis);

} // namespace distview::impl
