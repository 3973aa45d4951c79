// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/array_layout.hpp>

#include <string>

namespace distview {

/// A picture of a layout in text: the owner of each element, and the elements that every process holds.
///
/// The text begins with ArrayLayout::describe(), one line per axis. A small array (one axis of at most 64
/// elements, or two of at most 32 each, boundary padding included) is drawn: a map of the owners and, if
/// it has padding and at most 16 processes, every section. The numbers at the edges are global indices, which are
/// negative in the boundary padding at the low end; the numbers inside are processes. Brackets are used as in print():
/// (3) is communication padding, a copy of an element that process 3 owns; (-) lies beyond the array's end; [3] is
/// boundary padding, which process 3 owns although it is not part of the interior. Other arrays get a table of
/// processes, cut in the middle if there are more than 16. In it, 2+[10, 20)+1 means: the process owns [10, 20) and
/// holds copies of the 2 elements before and of the 1 element after it.
///
///     1-d array over a process grid of 2
///       axis 0: block, 4 elements over 2 processes, padding (1, 1), boundary padding (1, 1)
///
///     who owns what
///       element | -1  0  1  2  3  4
///       process |  0  0  0  1  1  1
///
///     sections: (communication padding), [boundary padding]
///       process 0 at (0), section (4)
///         element | -1   0   1   2
///         process | [0]  0   0  (1)
///       process 1 at (1), section (4)
///         element |  1   2   3   4
///         process | (0)  1   1  [1]
///
/// Equal layouts have equal texts, on any machine.
///
/// Collective: no (local)
/// Cost:       O(processes along each axis) and the length of the text
std::string draw(const ArrayLayout& layout);

} // namespace distview
