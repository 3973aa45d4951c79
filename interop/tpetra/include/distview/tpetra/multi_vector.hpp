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

/// Which elements of a section are the rows of a vector.
enum class Rows {
    interior,    ///< what the process computes: no padding, no ghosts
    with_ghosts, ///< on an unstructured axis the ghosts behind those as well
};

namespace impl {

struct VectorState;

/// A section in the form that sources without templates accept.
struct Section {
    double* data = nullptr;
    ArrayLayout layout{};
    int process = 0;
    std::array<std::int64_t, max_rank> strides{};
    bool is_first_slowest = true;   ///< or else the last axis, in memory
    const char* space = "";         ///< Kokkos' name of the memory
    bool is_host_accessible = true; ///< to the host's processor
    std::shared_ptr<const distview::impl::SharedState> array{};
    std::string label{};
};

template <DistViewLike Array>
Section section_of(const Array& array) {
    static_assert(std::is_same_v<typename Array::value_type, double>,
                  "tpetra::MultiVector: elements must be double, the scalar that the component is "
                  "compiled for");
    Section section;
    section.data = array.view().data();
    section.layout = array.layout();
    section.process = array.process();
    for (int d = 0; d < Array::rank(); ++d)
        section.strides[static_cast<std::size_t>(d)] =
            static_cast<std::int64_t>(array.view().stride(static_cast<std::size_t>(d)));
    // Strides do not show the order of sections with at most one element along an axis.
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
/// Rows are elements in memory order. An array of as many elements as the map has rows is one column; an array of k
/// times as many has k columns, its fields: the axis that varies slowest in memory (the last of LayoutLeft, the first
/// of LayoutRight), on one process, counts them.
///
/// Copies are shallow and keep the array's memory. solve() and execute() mark the array as written
/// (DistView::valid_padding()); after Tpetra's own calls write it, call mark_written().
///
/// Collective: construction, over the map's communicator
/// Shapes:     a column is one run of memory: padding is possible on the slowest axis only
/// Space:      memory that Tpetra's execution space reaches; work on it must have finished before Tpetra reads it
/// Cost:       none in the size of the array; on a device, a buffer of its size on the host
/// Errors:     ShapeError if a column is no run, or has not as many elements as the map has rows; UsageError if Tpetra
///             cannot reach the memory, or the array is another process's (thrown on all ranks)
class MultiVector {
public:
    template <DistViewLike Array>
    MultiVector(const Map& map, const Array& array, Rows rows = Rows::interior)
        : MultiVector(map, impl::section_of(array), rows) {}

    const Map& map() const;
    int columns() const;
    /// The first element of a column: the DistView's own.
    double* data(int column = 0) const;

    const std::shared_ptr<const impl::VectorState>& state() const noexcept { return m_state; }

private:
    MultiVector(const Map& map, const impl::Section& section, Rows rows);

    std::shared_ptr<const impl::VectorState> m_state;
};

} // namespace distview::tpetra
