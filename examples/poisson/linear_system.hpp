// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "problem.hpp"

#include <distview/algorithms.hpp>
#include <distview/comm.hpp>
#include <distview/interop.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace poisson {

template <int Axes>
struct DataOf {
    using type = double***;
};
template <>
struct DataOf<2> {
    using type = double**;
};

/// The element of a view `by` cells further along an axis.
template <int Along, class View, int... Axis, class... Indices>
KOKKOS_FORCEINLINE_FUNCTION double beside(std::integer_sequence<int, Axis...>, const View& view,
                                          int by, Indices... at) {
    return view((Axis == Along ? at + by : at)...);
}
template <int Along, class View, class... Indices>
KOKKOS_FORCEINLINE_FUNCTION double beside(const View& view, int by, Indices... at) {
    return beside<Along>(std::make_integer_sequence<int, static_cast<int>(sizeof...(Indices))>(),
                         view, by, at...);
}

/// Blocks with one cell of padding on every side. Boundary padding is zero, or mirrors the other end.
template <int Axes>
distview::ArrayLayout layout_of(const Shape& shape, const distview::ProcessGrid& grid) {
    std::vector<distview::AxisSpec> axes;
    for (int d = 0; d < Axes; ++d)
        axes.push_back(distview::block(
            shape.n[d],
            {.padding = 1, .boundary = 1, .periodic = shape.sides[d] == Sides::periodic}));
    return {grid, axes};
}

/// The equations of one problem, without a matrix: coefficients of the faces, and the inverse of the diagonal.
template <int Axes, class Space>
class LinearSystem {
public:
    using Vector = distview::DistView<typename DataOf<Axes>::type, Kokkos::LayoutRight,
                                      typename Space::memory_space>;
    using View = typename Vector::view_type;
    using Index = std::int64_t;

    /// Element (i, j, ...) of A u: the fluxes out of a cell.
    struct Operator {
        View faces[Axes];

        template <class... Indices>
        KOKKOS_FORCEINLINE_FUNCTION double operator()(const View& u, Indices... at) const {
            const double fluxes = flux<0>(u, at...) + flux<1>(u, at...);
            if constexpr (Axes == 3)
                return fluxes + flux<2>(u, at...);
            else
                return fluxes;
        }

    private:
        template <int Axis, class... Indices>
        KOKKOS_FORCEINLINE_FUNCTION double flux(const View& u, Indices... at) const {
            const double here = u(at...);
            return faces[Axis](at...) * (here - beside<Axis>(u, -1, at...)) -
                   beside<Axis>(faces[Axis], 1, at...) * (beside<Axis>(u, 1, at...) - here);
        }
    };
    /// Jacobi's preconditioner.
    struct Inverse {
        View inverse;

        template <class... Indices>
        KOKKOS_FORCEINLINE_FUNCTION double operator()(double r, Indices... at) const {
            return r * inverse(at...);
        }
    };

    /// Collective: over comm
    LinearSystem(const Space& exec, const distview::Communicator& comm, const Shape& shape,
                 const distview::ProcessGrid& grid);

    const distview::ArrayLayout& layout() const { return m_layout; }
    distview::StencilOperator<Operator> stencil();
    distview::PointPreconditioner<Inverse> jacobi() const { return {Inverse{m_inverse.view()}}; }
    const Vector& right_side() const { return m_right_side; }
    /// An array of zeros, in the layout of the equations or in one without padding. Collective.
    Vector make(const char* label) const { return make(label, m_layout); }
    Vector make(const char* label, const distview::ArrayLayout& layout) const;
    /// The right side in a layout without padding, as solver libraries need it. Collective.
    Vector make_right_side(const distview::ArrayLayout& layout) const;
    /// The diagonal of the matrix in such a layout. Collective.
    Vector make_diagonal(const distview::ArrayLayout& layout) const;
    /// The matrix. Collective.
    distview::MatrixRows assemble(const distview::RowNumbering& rows) const;
    /// The greatest difference between u and the solution at the centres of cells. If u is determined only up to a
    /// constant: between u and the solution, each without its mean. Collective.
    double error(const Vector& u) const;

private:
    /// Subtracts the mean. Collective.
    void center(const Vector& u) const;
    void fill_right_side(const Vector& right_side) const;

    Space m_exec;
    distview::Communicator m_comm;
    Shape m_shape;
    distview::ArrayLayout m_layout;
    distview::PaddingExchangePlan m_plan;
    std::array<Vector, static_cast<std::size_t>(Axes)> m_faces;
    Vector m_inverse;
    Vector m_right_side;
};

} // namespace poisson
