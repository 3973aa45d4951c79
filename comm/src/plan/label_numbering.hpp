// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/communicator.hpp>
#include <distview/core/unstructured_layout.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace distview::impl {

/// An axis whose labels each process knows its own of.
struct PartlyKnownAxis {
    const UnstructuredLayout& lists;
    int coordinate = 0;  ///< of this process, whose labels are known; -1 if it is outside the grid
    int copies = 1;      ///< processes of each coordinate, all with the same labels
    std::string where{}; ///< begins the text of errors
    bool wants_cells = true;
};

/// The cell, by position in its list, of each label that this process owns: how many different labels of all
/// processes are smaller. None if no cells are wanted: labels are checked only.
///
/// Each rank looks after a range of labels: those who hold some tell it, it sorts them, finds what is wrong
/// with them, and tells how many there are to the ranks after it.
///
/// Collective: over comm
/// Cost:       memory: O(own labels + labels that are looked after), which are at most four times a fair
///             share where labels are at most four times as far apart as there are; else a fair share,
///             but 24 bytes a rank while ranges are made. Time: sorting these, and messages to those who
///             look after own labels; up to 64 reductions where ranges must be made
/// Errors:     LayoutError unless there are as many different labels as the axis' size, each on one
///             coordinate if that is claimed, and the same for all processes of a coordinate (on all
///             ranks)
std::vector<std::int64_t> cells_of_labels(const Communicator& comm, const PartlyKnownAxis& axis);

} // namespace distview::impl
