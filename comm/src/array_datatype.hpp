// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/process_grid.hpp>

#include <mpi.h>

#include <array>
#include <cstdint>
#include <memory>
#include <span>

namespace distview::impl {

/// Elements of an array, in C order of the box that they make: the last axis is fastest, whatever the
/// strides.
struct ArrayBox {
    char* first = nullptr;
    std::int64_t element_size = 0; ///< bytes
    int rank = 0;
    std::array<std::int64_t, max_rank> extents{};
    std::array<std::int64_t, max_rank> strides{}; ///< bytes, not negative

    /// Of as many as follow each other without gaps.
    std::int64_t run_bytes() const;
    /// Whether all of them do.
    bool is_one_run() const;
    /// From the first element to the end of the last one.
    std::int64_t span() const noexcept;
};

/// A datatype of the words (of so many bytes: see word_type()) of boxes, one box after the other, at their
/// addresses: for one element of it at MPI_BOTTOM. Null if a count is larger than MPI takes.
///
/// It is freed with the last of those who share it, unless MPI has ended.
std::shared_ptr<const MPI_Datatype> array_datatype(std::span<const ArrayBox> boxes,
                                                   std::int64_t word);

} // namespace distview::impl
