// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/array_layout.hpp>
#include <distview/core/process_grid.hpp>
#include <distview/core/shared_state.hpp>

#include <array>
#include <cstdint>
#include <memory>

namespace distview {
class Communicator;
struct ElementPlaces;
} // namespace distview

namespace distview::impl {

/// A DistView without its types: what is needed to move its elements.
struct Field {
    char* data = nullptr;
    std::int64_t element_size = 0; ///< bytes
    std::uint64_t element_code = 0;
    std::array<std::int64_t, max_rank> strides{}; ///< bytes
    int process = 0;
    std::uint64_t identity = 0;
    const ArrayLayout* layout = nullptr;                ///< of the DistView, which outlives this
    const std::shared_ptr<ArrayState>* state = nullptr; ///< likewise
    bool read_only = false;                             ///< known at compile time for a DistView
    bool host_accessible = true;                        ///< likewise
    /// Alignment, in bytes, with which devices load elements whose type is known at run time only.
    std::int64_t alignment = 1;
};

/// Throws UsageError unless the layout has as many processes as the communicator.
void check_grid(const char* caller, const Communicator& comm, const ArrayLayout& layout);

/// Whether the section of a process has no element.
bool is_empty_section(const ArrayLayout& layout, int process);

/// Whether two sections, or a section and other memory, have bytes in common; see memory_overlaps().
bool overlap(const Field& a, const Field& b);
bool overlaps(const Field& a, const ElementPlaces& b);

} // namespace distview::impl
