// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "linear_system.hpp"

#include <concepts>
#include <string>

namespace poisson {

namespace {

// Functors on global indices, and functors on local indices.

template <int Axes>
struct FaceOf {
    Problem<Axes> problem;
    int axis;
    template <class... Indices>
    KOKKOS_FUNCTION double operator()(Indices... global) const {
        const std::int64_t cell[Axes] = {global.value()...};
        return problem.face(axis, cell);
    }
};
template <int Axes>
struct RightSideOf {
    Problem<Axes> problem;
    template <class... Indices>
    KOKKOS_FUNCTION double operator()(Indices... global) const {
        const std::int64_t cell[Axes] = {global.value()...};
        return problem.right_side(problem.center(cell));
    }
};
/// The sum of the coefficients of a cell's faces.
template <int Axes>
struct DiagonalOf {
    Problem<Axes> problem;
    template <class... Indices>
    KOKKOS_FUNCTION double operator()(Indices... global) const {
        const std::int64_t cell[Axes] = {global.value()...};
        double sum = 0;
        for (int d = 0; d < Axes; ++d) {
            std::int64_t upper[Axes] = {global.value()...};
            ++upper[d];
            sum += problem.face(d, cell) + problem.face(d, upper);
        }
        return sum;
    }
};
/// The equation of a cell: the flux out through each face.
template <int Axes>
struct RowOf {
    Problem<Axes> problem;
    template <std::same_as<distview::GlobalIndex>... Indices>
        requires(sizeof...(Indices) == Axes)
    void operator()(distview::MatrixRow& row, Indices... global) const {
        const std::int64_t cell[Axes] = {global.value()...};
        for (int d = 0; d < Axes; ++d) {
            std::int64_t upper[Axes] = {global.value()...};
            ++upper[d];
            add(row, d, -1, problem.face(d, cell));
            add(row, d, 1, problem.face(d, upper));
        }
    }

private:
    static void add(distview::MatrixRow& row, int axis, std::int64_t step, double face) {
        const auto along = [&](int d) { return d == axis ? step : 0; };
        if constexpr (Axes == 2) {
            row.add(face, {0, 0});
            row.add(-face, {along(0), along(1)});
        } else {
            row.add(face, {0, 0, 0});
            row.add(-face, {along(0), along(1), along(2)});
        }
    }
};
template <int Axes>
struct SolutionOf {
    Problem<Axes> problem;
    template <class... Indices>
    KOKKOS_FUNCTION double operator()(Indices... global) const {
        const std::int64_t cell[Axes] = {global.value()...};
        return problem.solution(problem.center(cell));
    }
};

/// One over the sum of the coefficients of a cell's faces.
template <class View, int Axes>
struct InverseOf {
    View inverse;
    View faces[Axes];
    template <class... Indices>
    KOKKOS_FUNCTION void operator()(Indices... at) const {
        double sum = faces[0](at...) + beside<0>(faces[0], 1, at...);
        sum += faces[1](at...) + beside<1>(faces[1], 1, at...);
        if constexpr (Axes == 3) sum += faces[2](at...) + beside<2>(faces[2], 1, at...);
        inverse(at...) = 1 / sum;
    }
};

template <class View>
struct TakeOff {
    View u;
    double mean;
    template <class... Indices>
    KOKKOS_FUNCTION void operator()(Indices... at) const {
        u(at...) -= mean;
    }
};

} // namespace

template <int Axes, class Space>
LinearSystem<Axes, Space>::LinearSystem(const Space& exec, const distview::Communicator& comm,
                                        const Shape& shape, const distview::ProcessGrid& grid)
    : m_exec(exec), m_comm(comm), m_shape(shape), m_layout(layout_of<Axes>(shape, grid)),
      m_plan(comm, m_layout, {.stencil = distview::Stencil::faces}), m_inverse(make("inverse")),
      m_right_side(make("right side")) {
    const Problem<Axes> problem(shape);
    InverseOf<View, Axes> inverse{m_inverse.view(), {}};
    for (int d = 0; d < Axes; ++d) {
        Vector& faces = m_faces[static_cast<std::size_t>(d)];
        faces = make("faces");
        // Upper faces of the last cells are in boundary padding; faces that other processes own arrive from there.
        distview::fill_with(m_exec, faces, FaceOf<Axes>{problem, d}, distview::Cells::owned);
        m_plan.execute(m_exec, faces);
        inverse.faces[d] = faces.view();
    }
    distview::for_each(m_exec, m_inverse, inverse);
    fill_right_side(m_right_side);
    m_exec.fence("poisson: the equations are set up");
}

template <int Axes, class Space>
distview::StencilOperator<typename LinearSystem<Axes, Space>::Operator>
LinearSystem<Axes, Space>::stencil() {
    Operator all;
    for (int d = 0; d < Axes; ++d) all.faces[d] = m_faces[static_cast<std::size_t>(d)].view();
    return {m_plan, all};
}

template <int Axes, class Space>
auto LinearSystem<Axes, Space>::make(const char* label, const distview::ArrayLayout& layout) const
    -> Vector {
    return distview::make_dist_view<typename DataOf<Axes>::type, Kokkos::LayoutRight,
                                    typename Space::memory_space>(
        m_exec, std::string("poisson::") + label, m_comm, layout);
}

template <int Axes, class Space>
void LinearSystem<Axes, Space>::fill_right_side(const Vector& right_side) const {
    distview::fill_with(m_exec, right_side, RightSideOf<Axes>{Problem<Axes>(m_shape)});
    // Without walls, only a right side that sums up to zero has a solution.
    if (m_shape.is_singular()) center(right_side);
}

template <int Axes, class Space>
auto LinearSystem<Axes, Space>::make_right_side(const distview::ArrayLayout& layout) const
    -> Vector {
    const Vector right_side = make("right side", layout);
    fill_right_side(right_side);
    m_exec.fence("poisson: the right side is set up");
    return right_side;
}

template <int Axes, class Space>
auto LinearSystem<Axes, Space>::make_diagonal(const distview::ArrayLayout& layout) const -> Vector {
    const Vector diagonal = make("diagonal", layout);
    distview::fill_with(m_exec, diagonal, DiagonalOf<Axes>{Problem<Axes>(m_shape)});
    m_exec.fence("poisson: the diagonal is set up");
    return diagonal;
}

template <int Axes, class Space>
distview::MatrixRows LinearSystem<Axes, Space>::assemble(const distview::RowNumbering& rows) const {
    return distview::assemble(rows, RowOf<Axes>{Problem<Axes>(m_shape)});
}

template <int Axes, class Space>
void LinearSystem<Axes, Space>::center(const Vector& u) const {
    // A reproducible sum, so that the equations do not depend on the ranks.
    const double mean = distview::sum(m_exec, m_comm, u, {.reproducible = true}) /
                        static_cast<double>(m_shape.cells());
    distview::for_each(m_exec, u, TakeOff<View>{u.view(), mean});
}

template <int Axes, class Space>
double LinearSystem<Axes, Space>::error(const Vector& u) const {
    const Vector difference = make("difference", u.layout());
    distview::fill_with(m_exec, difference, SolutionOf<Axes>{Problem<Axes>(m_shape)});
    distview::axpby(m_exec, 1, u, -1, difference);
    if (m_shape.is_singular()) center(difference);
    return distview::norm_inf(m_exec, m_comm, difference);
}

template class LinearSystem<2, Kokkos::DefaultHostExecutionSpace>;
template class LinearSystem<3, Kokkos::DefaultHostExecutionSpace>;
#ifdef KOKKOS_ENABLE_CUDA
template class LinearSystem<2, Kokkos::Cuda>;
template class LinearSystem<3, Kokkos::Cuda>;
#endif

} // namespace poisson
