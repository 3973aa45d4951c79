// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/concepts.hpp>
#include <distview/core/error.hpp>
#include <distview/core/text.hpp>
#include <distview/interop/row_numbering.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace distview {

/// Memory of this process's cells for a vector of a solver stack: element n belongs to row_of_cell(n).
template <class Value>
struct SolverMemory {
    Value* data = nullptr;
    std::int64_t cells = 0;
};

/// The memory of an array as a vector, without a copy.
///
/// Collective: no (local)
/// Shapes:     the numbering's layout without padding, in C order without gaps
/// Errors:     ShapeError if the array has another layout (padding, say), or its cells are not contiguous
template <DistViewLike View>
SolverMemory<typename View::value_type> solver_memory(const char* caller, const RowNumbering& rows,
                                                      const View& array) {
    require<ShapeError>(
        array.layout() == rows.layout() && array.process() == rows.communicator().rank(), [&] {
            return text(caller, ": expected an array without padding of process ",
                        rows.communicator().rank(), " in a ", rows.layout().describe(),
                        " (make_solver_arrays() makes one beside a padded one)\ngot '",
                        array.label(), "' of process ", array.process(), " in a ",
                        array.layout().describe());
        });
    std::int64_t stride = 1;
    for (int d = View::rank() - 1; d >= 0; --d) {
        const auto extent = static_cast<std::int64_t>(array.view().extent(d));
        const auto found = static_cast<std::int64_t>(array.view().stride(d));
        require<ShapeError>(extent <= 1 || found == stride || rows.local_rows() == 0, [&] {
            return text(caller,
                        ": expected cells in C order without gaps (LayoutRight), got a stride "
                        "of ",
                        found, " along axis ", d, " of '", array.label(), "' instead of ", stride);
        });
        stride *= extent;
    }
    return {array.view().data(), rows.local_rows()};
}

/// Bytes of vectors that the components of solver stacks copied on this rank since the program began; stacks that use
/// the array's memory add none. Matrices are not counted, because every stack makes its own.
///
/// Collective: no (local)
std::int64_t bytes_copied_at_the_door() noexcept;

namespace impl {
/// Called by components that have to copy.
void count_door_copy(std::int64_t bytes) noexcept;
} // namespace impl

} // namespace distview
