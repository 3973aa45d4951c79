// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/algorithms/for_each.hpp>
#include <distview/comm/agreement.hpp>
#include <distview/comm/make_dist_view.hpp>
#include <distview/core/error.hpp>
#include <distview/core/text.hpp>
#include <distview/interop/row_numbering.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace distview {

// Programs with a StencilOperator include its header themselves; it takes long to compile.
template <class Functor>
struct StencilOperator;

namespace impl {

/// to(i - shift, ...) = from(i - other shift, ...): copies each cell from one section to the other.
template <ViewLike To, ViewLike From>
struct CopyCell {
    To to;
    From from;
    std::int64_t shift[To::rank() == 0 ? 1 : To::rank()]; ///< of `from` against `to`

    template <class... Indices>
    KOKKOS_FORCEINLINE_FUNCTION void operator()(Indices... at) const {
        copy(std::index_sequence_for<Indices...>(), at...);
    }

private:
    template <std::size_t... Axis, class... Indices>
    KOKKOS_FORCEINLINE_FUNCTION void copy(std::index_sequence<Axis...>, Indices... at) const {
        to(at...) = from((at + static_cast<Indices>(shift[Axis]))...);
    }
};

/// y(i, ...) = functor(u, i + shift, ...), u with padding and y without.
template <ViewLike To, ViewLike From, class Functor>
struct ApplyCell {
    To to;
    From from;
    Functor functor;
    std::int64_t shift[To::rank() == 0 ? 1 : To::rank()];

    template <class... Indices>
    KOKKOS_FORCEINLINE_FUNCTION void operator()(Indices... at) const {
        apply(std::index_sequence_for<Indices...>(), at...);
    }

private:
    template <std::size_t... Axis, class... Indices>
    KOKKOS_FORCEINLINE_FUNCTION void apply(std::index_sequence<Axis...>, Indices... at) const {
        to(at...) = functor(from, (at + static_cast<Indices>(shift[Axis]))...);
    }
};

/// Sets body.shift to the start of the interior of `from` relative to the interior of `to`.
template <class Body, DistViewLike To, DistViewLike From>
void set_shift(Body& body, const To& to, const From& from) {
    for (int d = 0; d < To::rank(); ++d)
        body.shift[d] = from.interior_range(d).begin - LocalIndex(0) -
                        (to.interior_range(d).begin - LocalIndex(0));
}

/// Throws ShapeError unless `array` has the layout and belongs to `process`: kernels index it by another array's
/// extents.
template <DistViewLike View>
void require_unpadded(const char* caller, const ArrayLayout& layout, int process,
                      const View& array) {
    require<ShapeError>(array.layout() == layout && array.process() == process, [&] {
        return text(caller, ": expected an array without padding on process ", process, ", a ",
                    layout.describe(), "\ngot '", array.label(), "' on process ", array.process(),
                    ", a ", array.layout().describe());
    });
}

/// Throws ShapeError unless `DataType` has the layout's axes; UsageError unless a stencil's plan has the numbering's
/// layout.
template <class DataType, class Operator>
void require_operator(const char* caller, const RowNumbering& rows, const Operator& op) {
    constexpr auto rank = static_cast<int>(Kokkos::View<DataType>::rank());
    require<ShapeError>(rank == rows.layout().rank(), [&] {
        return text(caller, ": expected a DataType of ", rows.layout().rank(),
                    " axes (the numbering's layout), got ", rank);
    });
    if constexpr (requires {
                      op.plan;
                      op.functor;
                  })
        require<UsageError>(without_padding(op.plan.schedule().layout()) == rows.layout(), [&] {
            return text(caller, ": expected a stencil whose plan has the numbering's layout\n",
                        rows.layout().describe(), "\ngot a plan for a ",
                        op.plan.schedule().layout().describe());
        });
}

} // namespace impl

/// A stencil as a function of arrays without padding: op(exec, x, y) sets y = A x, which is how ConjugateGradient and
/// the solver stacks call operators.
///
/// Each call copies x into a padded array of the operator and fills its padding; y is written in place.
///
/// Collective: construction and calls, over comm
/// Shapes:     the stencil's plan has one field; x and y have its layout without padding
/// Cost:       one padded array; each call takes two kernels, 16 bytes a cell of copying, and one execution of the plan
/// Errors:     of a call: ShapeError if x or y has another layout (on ranks where it differs), and those of
///             execute()
/// Example:    examples/poisson
template <class DataType, class Functor, ExecutionSpace Exec>
class UnpaddedStencil {
public:
    UnpaddedStencil(const Exec& exec, const Communicator& comm,
                    const StencilOperator<Functor>& stencil)
        : m_stencil(stencil),
          m_padded(make_dist_view<DataType, Kokkos::LayoutRight, typename Exec::memory_space>(
              exec, "distview::UnpaddedStencil::padded", comm, stencil.plan.schedule().layout())),
          m_layout(without_padding(m_padded.layout())) {}

    template <DistViewLike From, DistViewLike To>
    void operator()(const Exec& exec, const From& x, const To& y) const {
        static const std::string copying = "distview::UnpaddedStencil::copy";
        static const std::string applying = "distview::UnpaddedStencil::apply";
        const SingleCall call(m_stencil.plan.communicator(), "UnpaddedStencil");
        impl::require_unpadded("UnpaddedStencil", m_layout, m_padded.process(), x);
        impl::require_unpadded("UnpaddedStencil", m_layout, m_padded.process(), y);
        using Padded = typename decltype(m_padded)::view_type;
        impl::CopyCell<Padded, typename From::view_type> copy{m_padded.view(), x.view(), {}};
        impl::set_shift(copy, m_padded, x);
        for_each(exec, copying, m_padded, copy);
        m_stencil.plan.execute(exec, m_padded);
        impl::ApplyCell<typename To::view_type, Padded, Functor> apply{
            y.view(), m_padded.view(), m_stencil.functor, {}};
        impl::set_shift(apply, y, m_padded);
        for_each(exec, applying, y, apply);
    }

private:
    StencilOperator<Functor> m_stencil;
    DistView<DataType, Kokkos::LayoutRight, typename Exec::memory_space> m_padded;
    ArrayLayout m_layout; ///< of x and y
};

/// Collective: over comm
template <class DataType, ExecutionSpace Exec, class Functor>
auto unpadded_stencil(const Exec& exec, const Communicator& comm,
                      const StencilOperator<Functor>& stencil) {
    return UnpaddedStencil<DataType, Functor, Exec>(exec, comm, stencil);
}

} // namespace distview
