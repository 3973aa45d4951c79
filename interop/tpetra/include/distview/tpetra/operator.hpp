// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/agreement.hpp>
#include <distview/interop/unpadded_stencil.hpp>
#include <distview/tpetra/map.hpp>
#include <distview/tpetra/multi_vector.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <type_traits>

namespace distview::tpetra {

namespace impl {

struct OperatorState;

/// Computes y = A x for a rank's rows, which are contiguous in memory.
using Apply = std::function<void(const double* x, double* y)>;

/// Calls op(exec, x, y) with arrays over the memory of Tpetra's vectors.
template <class DataType, class Exec, class Op>
class ApplyToArrays {
public:
    ApplyToArrays(const Exec& exec, const ArrayLayout& layout, int process, const Op& op)
        : m_exec(exec), m_op(op), m_layout(layout), m_process(process) {
        const Extents extents = layout.local_extents(process);
        for (std::size_t d = 0; d < Array::view_type::rank(); ++d)
            m_shape.dimension[d] = static_cast<std::size_t>(extents[d]);
    }

    void operator()(const double* x, double* y) const {
        // Operators need x and y of one type, and do not write to x.
        m_op(m_exec, array(const_cast<double*>(x)), array(y));
        m_exec.fence("distview::tpetra::Operator: Tpetra reads the rows");
    }

private:
    using Array = DistView<DataType, Kokkos::LayoutRight, typename Exec::memory_space,
                           Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

    Array array(double* data) const {
        return Array(m_layout, m_process, typename Array::view_type(data, m_shape));
    }

    Exec m_exec;
    Op m_op;
    ArrayLayout m_layout;
    int m_process;
    Kokkos::LayoutRight m_shape{};
};

} // namespace impl

/// A matrix-free operator as a Tpetra::Operator, for Belos; make_operator() makes it. Copies are shallow.
///
/// Collective: construction, over the map's communicator
/// Errors:     UsageError if Tpetra works in another memory than `apply` (thrown on all ranks)
class Operator {
public:
    /// `space` is Kokkos' name of the memory space in which `apply` works.
    Operator(const Map& map, impl::Apply apply, const char* space);

    /// The same operator with the diagonal of its matrix, for Preconditioner::jacobi. The function solve() and the
    /// constructor of Solver read the vector's memory; Solver::solve() does not.
    ///
    /// Collective: over the map's communicator
    /// Errors:     UsageError unless `diagonal` has one column and the operator's map (thrown on all ranks)
    Operator with_diagonal(const MultiVector& diagonal) const;

    const Map& map() const;
    const std::shared_ptr<const impl::OperatorState>& state() const noexcept { return m_state; }

private:
    std::shared_ptr<const impl::OperatorState> m_state;
};

/// Makes an operator from a function: op(exec, x, y) writes y = A x, with arrays without padding.
///
///     const tpetra::Map map(RowNumbering(comm, layout));
///     auto a = tpetra::make_operator<double**>(exec, map, op);
///     auto l = tpetra::make_operator<double**>(exec, map, StencilOperator{plan, laplace});
///
/// x and y are DistViews over memory of Tpetra's vectors, with the numbering's layout, in C order. A StencilOperator
/// reads padding, so unpadded_stencil() wraps it and keeps a padded copy of x. The operator refers to the stencil's
/// plan and does not keep it: the plan must stay at its address, and not be in use, until the last application of the
/// operator and of Trilinos objects that contain it.
///
/// Collective: over the map's communicator
/// Space:      kernels of the operator run on `exec`; an application returns after they have finished
/// Cost:       a StencilOperator needs one padded array, and copies x to it in every application
/// Errors:     UsageError if the map was made without a RowNumbering, a stencil's plan has another layout, or Tpetra
///             works in another memory than `exec`; ShapeError if `DataType` has other axes than the layout; those of
///             make_dist_view() (thrown on all ranks)
template <class DataType, ExecutionSpace Exec, class Op>
Operator make_operator(const Exec& exec, const Map& map, const Op& op) {
    using Array = DistView<DataType, Kokkos::LayoutRight, typename Exec::memory_space>;
    static_assert(std::is_same_v<typename Array::value_type, double>,
                  "tpetra::make_operator: elements must be double, for which distview::tpetra "
                  "is compiled");
    const char* const name = "tpetra::make_operator";
    const CollectiveCall call(map.communicator(), name);
    agree_on(map.communicator(), name,
             [&] { distview::impl::require_operator<DataType>(name, map.numbering(), op); });
    const RowNumbering& rows = map.numbering();
    const int process = rows.communicator().rank();
    if constexpr (requires {
                      op.plan;
                      op.functor;
                  }) {
        const auto unpadded = unpadded_stencil<DataType>(exec, rows.communicator(), op);
        return Operator(
            map,
            impl::ApplyToArrays<DataType, Exec, std::remove_const_t<decltype(unpadded)>>(
                exec, rows.layout(), process, unpadded),
            Exec::memory_space::name());
    } else {
        return Operator(map,
                        impl::ApplyToArrays<DataType, Exec, Op>(exec, rows.layout(), process, op),
                        Exec::memory_space::name());
    }
}

} // namespace distview::tpetra
