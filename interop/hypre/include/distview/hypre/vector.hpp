// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/agreement.hpp>
#include <distview/core/concepts.hpp>
#include <distview/hypre/handle.hpp>
#include <distview/interop/row_numbering.hpp>
#include <distview/interop/solver_memory.hpp>

#include <HYPRE_parcsr_mv.h>

#include <memory>
#include <type_traits>

namespace distview::hypre {

namespace impl {

/// An array's cells on this process, kept as long as an object of hypre needs them.
struct Cells {
    std::shared_ptr<const void> owner{};
    const double* read = nullptr;
    double* write = nullptr; ///< null if elements are const
};

template <DistViewLike View>
Cells cells_of(const char* caller, const RowNumbering& rows, const View& array) {
    static_assert(std::is_same_v<typename View::non_const_value_type, HYPRE_Complex>,
                  "hypre: the elements of the array must be hypre's scalars (double)");
    static_assert(
        Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename View::memory_space>::accessible,
        "hypre: the array must be in memory of the host");
    return agree_on(rows.communicator(), caller, [&] {
        const auto memory = solver_memory(caller, rows, array);
        Cells cells{std::make_shared<View>(array), memory.data, nullptr};
        if constexpr (!std::is_const_v<typename View::value_type>) cells.write = memory.data;
        return cells;
    });
}

} // namespace impl

class Vector;
namespace impl {
Vector make_vector(const RowNumbering& rows, Cells cells);
}

/// An array, and a vector of hypre beside it. Made by vector().
///
/// Collective: over the numbering's communicator; accessors are local
class Vector {
public:
    /// Passes the array's values to hypre's vector.
    ///
    /// Cost:   nothing if takes_memory(); otherwise one counted copy, 8 bytes a cell
    /// Errors: UsageError if this was moved from, unless takes_memory(); SolverError of hypre (thrown on all ranks)
    void put() const;
    /// Passes hypre's values to the array.
    ///
    /// Cost:   as that of put()
    /// Errors: UsageError if this was moved from, or the array's elements are const; SolverError of hypre (thrown on all
    ///         ranks)
    void fetch() const;

    const RowNumbering& rows() const noexcept { return m_rows; }
    bool is_writable() const noexcept {
        return m_cells.write != nullptr || m_rows.local_rows() == 0;
    }
    /// The array's memory, not hypre's values, which are a copy unless takes_memory(). Without cells it may be null.
    const double* data() const noexcept { return m_cells.read; }
    HYPRE_IJVector get() const noexcept { return m_vector; }
    operator HYPRE_IJVector() const noexcept { return m_vector; }
    operator HYPRE_ParVector() const noexcept { return m_vector ? m_object : nullptr; }

private:
    friend Vector impl::make_vector(const RowNumbering& rows, impl::Cells cells);
    Vector(const RowNumbering& rows, impl::Cells cells) : m_rows(rows), m_cells(std::move(cells)) {}

    RowNumbering m_rows;
    impl::Cells m_cells;
    Handle<HYPRE_IJVector> m_vector;
    HYPRE_ParVector m_object = nullptr;
};

/// The cells of an array as a vector of hypre's IJ interface.
///
///     auto u = make_dist_view<double***, Kokkos::LayoutRight>(exec, "u", comm, rows.layout());
///     const hypre::Vector x = hypre::vector(rows, u);
///     x.put();                                      // solve() does both
///     HYPRE_ParCSRMatrixMatvec(1, a, x, 0, y);
///     y.fetch();
///
/// If takes_memory(), hypre works on the array itself. An older hypre works on a copy, and put() and fetch() move
/// values: a program that calls them works with both. The memory lives as long as the Vector or the last copy of the
/// array. An array of const elements cannot be fetched.
///
/// Collective: over the numbering's communicator
/// Shapes:     rows.layout(): no padding; C order (LayoutRight) without gaps
/// Space:      memory of the host; kernels that write the array have to be fenced before hypre reads it
/// Cost:       three agreements; a vector of hypre's own unless takes_memory(); no element is copied
/// Errors:     UsageError if hypre is not running, rows are not contiguous, a HYPRE_BigInt does not count the rows, or
///             a HYPRE_Int those of a rank; ShapeError if the array has padding, another layout or gaps; SolverError of
///             hypre (thrown on all ranks)
template <DistViewLike View>
Vector vector(const RowNumbering& rows, const View& array) {
    return impl::make_vector(rows, impl::cells_of("hypre::vector", rows, array));
}

} // namespace distview::hypre
