// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/process_grid.hpp>

#include <mpi.h>

#include <array>
#include <cstdint>
#include <memory>
#include <span>

namespace distview::impl {

/// Elements of an array, one at least, in C order of the box that they make: the last axis is fastest,
/// whatever the strides.
struct ArrayBox {
    char* first = nullptr;
    std::int64_t element_size = 0; ///< bytes
    int rank = 0;
    std::array<std::int64_t, max_rank> extents{};
    std::array<std::int64_t, max_rank> strides{}; ///< bytes, not negative

    /// Bytes of the runs that the box consists of: a run is as many of its elements as follow each other in
    /// memory without a gap. MPI copies a run at once: long ones well, many short ones badly.
    std::int64_t run_bytes() const;
    /// Whether all elements are a single run, which needs no datatype.
    bool is_one_run() const;
    /// Bytes from the first element to the end of the last one in memory.
    std::int64_t span() const noexcept;
};

/// A datatype of the words (of so many bytes: see word_type()) of boxes, one box after the other, at their
/// addresses: for one element of it at MPI_BOTTOM. Null if there are more boxes, bytes in a run, or runs along
/// an axis, than MPI counts; axes that are one for MPI count as one.
///
/// It is freed with the last of those who share it, unless MPI has ended. Throws Error if boxes do not consist
/// of such words.
std::shared_ptr<const MPI_Datatype> array_datatype(std::span<const ArrayBox> boxes,
                                                   std::int64_t word);

} // namespace distview::impl
