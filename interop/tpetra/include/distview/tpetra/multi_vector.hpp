// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/dist_view.hpp>
#include <distview/tpetra/map.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>

namespace distview::tpetra {

/// Selection of the elements of a section that are rows of a vector.
enum class Rows {
    interior,    ///< elements that the process computes: no padding, no ghosts
    with_ghosts, ///< the interior, and the ghosts of an unstructured axis
};

namespace impl {

struct VectorState;

/// A section without template parameters, for the compiled sources.
struct Section {
    double* data = nullptr;
    ArrayLayout layout{};
    int process = 0;
    std::array<std::int64_t, max_rank> strides{};
    bool is_first_slowest = true;   ///< in memory; if false, the last axis is
    const char* space = "";         ///< Kokkos' name of the memory space
    bool is_host_accessible = true; ///< by code on the host
    std::shared_ptr<const distview::impl::SharedState> array{};
    std::string label{};
};

template <DistViewLike Array>
Section section_of(const Array& array) {
    static_assert(std::is_same_v<typename Array::value_type, double>,
                  "tpetra::MultiVector: elements must be double, for which distview::tpetra "
                  "is compiled");
    Section section;
    section.data = array.view().data();
    section.layout = array.layout();
    section.process = array.process();
    for (int d = 0; d < Array::rank(); ++d)
        section.strides[static_cast<std::size_t>(d)] =
            static_cast<std::int64_t>(array.view().stride(static_cast<std::size_t>(d)));
    // If an axis has at most one element, strides do not show the order of the axes.
    section.is_first_slowest =
        std::is_same_v<typename Array::array_layout, Kokkos::LayoutRight> ||
        (!std::is_same_v<typename Array::array_layout, Kokkos::LayoutLeft> &&
         section.strides[0] >= section.strides[std::size_t(std::max(Array::rank(), 1) - 1)]);
    section.space = Array::memory_space::name();
    section.is_host_accessible =
        Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename Array::memory_space>::accessible;
    section.array = std::make_shared<const Array>(array);
    section.label = array.label();
    return section;
}

} // namespace impl

/// A DistView's elements as a Tpetra::MultiVector, in the DistView's own memory: nothing is copied, and a solver writes
/// directly to the array.
///
///     auto u = make_dist_view<double**>(exec, "u", comm, layout);    // no padding
///     const tpetra::Map map(comm, 12);                               // as many rows as the section has elements
///     const tpetra::MultiVector x(map, u);
///
/// Rows are elements in memory order. An array with one element for each row of the map is one column. An array with k
/// elements for each row has k columns, its fields. The axis that varies slowest in memory (the first of LayoutRight,
/// the last of LayoutLeft) counts the fields; it must lie on one process.
///
/// Copies are shallow and keep the array's memory. solve() and execute() mark the array as written
/// (DistView::valid_padding()); after Tpetra's own calls write it, call mark_written().
///
/// Collective: construction, over the map's communicator
/// Shapes:     a column is contiguous in memory: only its slowest axis may have padding
/// Space:      memory that Tpetra's execution space reaches; kernels that use it must finish before Tpetra reads it
/// Cost:       independent of the array's size; if Tpetra works on a device, a buffer of that size on the host
/// Errors:     ShapeError if a column is not contiguous, its size is not the map's number of rows on this rank, or the
///             map's RowNumbering has another layout or order; UsageError if Tpetra cannot reach the memory, or the
///             section is another process's (thrown on all ranks)
class MultiVector {
public:
    template <DistViewLike Array>
    MultiVector(const Map& map, const Array& array, Rows rows = Rows::interior)
        : MultiVector(map, impl::section_of(array), rows) {}

    const Map& map() const;
    int columns() const;
    /// The first element of a column, in the DistView's memory.
    double* data(int column = 0) const;

    const std::shared_ptr<const impl::VectorState>& state() const noexcept { return m_state; }

private:
    MultiVector(const Map& map, const impl::Section& section, Rows rows);

    std::shared_ptr<const impl::VectorState> m_state;
};

} // namespace distview::tpetra
