// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/algorithms/impl/packed_cells.hpp>
#include <distview/core/concepts.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace distview {

/// How a function uses the elements of the array passed to it.
enum class Intent {
    in,   ///< reads them; must not write any
    out,  ///< writes all or some of them; must not read an element before it has written it
    inout ///< reads and writes them
};

/// The order in which the elements of an array follow each other in memory.
enum class MemoryOrder {
    row_major,   ///< as in C: the last axis fastest
    column_major ///< as in Fortran: the first axis fastest
};

/// Bytes that with_local_copy() has copied on this rank.
struct LocalCopyBytes {
    std::int64_t bytes_copied_in = 0;  ///< from the distributed array, before the call
    std::int64_t bytes_copied_out = 0; ///< back to it, after the call

    friend bool operator==(const LocalCopyBytes&, const LocalCopyBytes&) = default;
};

/// A plain array as C, Fortran and LAPACK expect it: an address, extents and a leading dimension.
///
/// Created by with_local_copy() for the function that it calls, and valid until that function returns.
///
///     dgetrf_(&m, &n, a.data(), &lda, ...)    // int m = a.extent(0), n = a.extent(1),
///                                             // lda = a.leading_dimension()
///
/// Collective: no (local)
/// Shapes:     element (i, j, k) is at data()[i + leading_dimension() * (j + extent(1) * k)] in column-major
///             order, at data()[(i * extent(1) + j) * leading_dimension() + k] in row-major order
/// Indices:    from 0 along every axis
template <class T, int Rank, class MemorySpace>
class PlainArray {
public:
    using value_type = T;
    using memory_space = MemorySpace;
    using view_type = Kokkos::View<typename impl::AsDynamic<T, Rank>::type, Kokkos::LayoutStride,
                                   MemorySpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

    PlainArray(const view_type& view, MemoryOrder order, std::int64_t leading_dimension,
               bool is_copy)
        : m_view(view), m_order(order), m_leading_dimension(leading_dimension), m_is_copy(is_copy) {
    }

    static constexpr int rank() noexcept { return Rank; }
    T* data() const noexcept { return m_view.data(); }
    std::int64_t extent(int axis) const noexcept {
        return static_cast<std::int64_t>(m_view.extent(static_cast<std::size_t>(axis)));
    }
    /// Number of elements, 1 without axes.
    std::int64_t size() const noexcept { return static_cast<std::int64_t>(m_view.size()); }
    MemoryOrder order() const noexcept { return m_order; }
    /// Distance in elements between neighbours along the second fastest axis; at least 1. Equals the extent of the
    /// fastest axis, unless LocalCopyOptions::takes_leading_dimension permits a larger distance.
    std::int64_t leading_dimension() const noexcept { return m_leading_dimension; }
    /// Whether the elements are a copy, and not the distributed array's own memory.
    bool is_copy() const noexcept { return m_is_copy; }
    /// The same elements as a Kokkos::View.
    const view_type& view() const noexcept { return m_view; }

private:
    view_type m_view;
    MemoryOrder m_order;
    std::int64_t m_leading_dimension;
    bool m_is_copy;
};

} // namespace distview
