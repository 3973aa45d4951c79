// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace poisson {

/// The condition on the two sides of an axis.
enum class Sides {
    walls,    ///< u = 0
    periodic, ///< equal on both sides
    neumann,  ///< no flux: k du/dn = 0
};

enum class Coefficient {
    smooth,  ///< 2 plus a product of cosines: between 1 and 3
    jumping, ///< 1, and 100 from an interface across x on
};

/// The unit square or cube in equal cells.
struct Shape {
    int axes = 3;
    std::int64_t n[3] = {64, 64, 64};
    Sides sides[3] = {Sides::walls, Sides::walls, Sides::walls};
    Coefficient coefficient = Coefficient::smooth;

    std::int64_t cells() const { return n[0] * n[1] * (axes == 3 ? n[2] : 1); }
    /// Whether u is determined only up to a constant.
    bool is_singular() const;
    /// Where k jumps: a face between cells near the middle of the x axis, the same for nx and 2 nx.
    double interface() const;
};

/// A value and its first two derivatives.
struct Derivatives {
    double value;
    double first;
    double second;
};

/// -div(k grad u) = f with a known u: a product of one function per coordinate that satisfies the sides' conditions.
///
/// If k jumps, so does du/dx, but not k du/dx: the factor of x is a function with zeros where k jumps,
/// divided by k. Only KOKKOS_FUNCTIONs evaluate it.
template <int Axes>
class Problem {
public:
    explicit Problem(const Shape& shape);

    struct Point {
        double at[Axes];
    };
    KOKKOS_FUNCTION Point center(const std::int64_t (&cell)[Axes]) const {
        Point point;
        for (int d = 0; d < Axes; ++d)
            point.at[d] = (static_cast<double>(cell[d]) + 0.5) / static_cast<double>(m_n[d]);
        return point;
    }

    KOKKOS_FUNCTION double coefficient(const Point& point) const {
        if (m_jumps) return point.at[0] < m_interface ? 1 : jump;
        return 2 + product_of_cosines(point, -1);
    }
    KOKKOS_FUNCTION double solution(const Point& point) const {
        double product = 1;
        for (int d = 0; d < Axes; ++d) product *= factor(d, point).value;
        return product;
    }
    /// f = -(k laplace u + grad k * grad u)
    KOKKOS_FUNCTION double right_side(const Point& point) const {
        Derivatives factors[Axes];
        for (int d = 0; d < Axes; ++d) factors[d] = factor(d, point);
        const double k = coefficient(point);
        double sum = 0;
        for (int d = 0; d < Axes; ++d) {
            double others = 1;
            for (int e = 0; e < Axes; ++e)
                if (e != d) others *= factors[e].value;
            sum += k * factors[d].second * others;
            if (!m_jumps) sum += slope(d, point) * factors[d].first * others;
        }
        return -sum;
    }

    /// The flux through the lower face of a cell along an axis, per difference between the two cells and per
    /// cell: the harmonic mean of k over h^2. At a wall, half a cell away from u = 0; without flux, 0. Cells along
    /// the axis count from 0 to n; n gives the upper face of the last cell.
    KOKKOS_FUNCTION double face(int axis, const std::int64_t (&cell)[Axes]) const {
        const auto n = m_n[axis];
        const auto per_cell = static_cast<double>(n) * static_cast<double>(n);
        const bool outer = cell[axis] <= 0 || cell[axis] >= n;
        Point upper = center(cell);
        Point lower = upper;
        lower.at[axis] -= 1 / static_cast<double>(n);
        if (outer && m_sides[axis] == Sides::neumann) return 0;
        if (outer && m_sides[axis] == Sides::walls) {
            upper.at[axis] = cell[axis] <= 0 ? 0 : 1;
            return 2 * coefficient(upper) * per_cell;
        }
        if (outer) { // periodic
            upper.at[axis] = 0.5 / static_cast<double>(n);
            lower.at[axis] = 1 - 0.5 / static_cast<double>(n);
        }
        const double a = coefficient(lower);
        const double b = coefficient(upper);
        return 2 * a * b / (a + b) * per_cell;
    }

private:
    static constexpr double pi = 3.14159265358979323846;
    static constexpr double jump = 100;

    KOKKOS_FUNCTION static double product_of_cosines(const Point& point, int without) {
        double product = 1;
        for (int d = 0; d < Axes; ++d)
            if (d != without) product *= Kokkos::cos(2 * pi * point.at[d]);
        return product;
    }
    /// dk/dx of a smooth k.
    KOKKOS_FUNCTION double slope(int axis, const Point& point) const {
        return -2 * pi * Kokkos::sin(2 * pi * point.at[axis]) * product_of_cosines(point, axis);
    }

    KOKKOS_FUNCTION Derivatives factor(int axis, const Point& point) const {
        const double x = point.at[axis];
        if (m_jumps && axis == 0) return jumping_factor(x);
        const double sine = Kokkos::sin(pi * x);
        const double cosine = Kokkos::cos(pi * x);
        switch (m_sides[axis]) {
        case Sides::walls: // sin(pi x) (1 + x/2)
            return {sine * (1 + x / 2), pi * cosine * (1 + x / 2) + sine / 2,
                    -pi * pi * sine * (1 + x / 2) + pi * cosine};
        case Sides::neumann: // 1 + cos(pi x) / 2
            return {1 + cosine / 2, -pi / 2 * sine, -pi * pi / 2 * cosine};
        case Sides::periodic: break;
        }
        const double wave = Kokkos::sin(2 * pi * x); // 1 + sin(2 pi x) / 2
        return {1 + wave / 2, pi * Kokkos::cos(2 * pi * x), -2 * pi * pi * wave};
    }
    KOKKOS_FUNCTION Derivatives jumping_factor(double x) const {
        const double s = m_interface;
        const double k = x < s ? 1 : jump;
        if (m_sides[0] == Sides::neumann) // cos(pi x) - cos(pi s)
            return {(Kokkos::cos(pi * x) - Kokkos::cos(pi * s)) / k, -pi * Kokkos::sin(pi * x) / k,
                    -pi * pi * Kokkos::cos(pi * x) / k};
        // sin(pi x) sin(pi (x - s)), zero at both sides as well
        const double phase = 2 * pi * x - pi * s;
        return {(Kokkos::cos(pi * s) - Kokkos::cos(phase)) / 2 / k, pi * Kokkos::sin(phase) / k,
                2 * pi * pi * Kokkos::cos(phase) / k};
    }

    std::int64_t m_n[Axes];
    Sides m_sides[Axes];
    bool m_jumps;
    double m_interface;
};

} // namespace poisson
