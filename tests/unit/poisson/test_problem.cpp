// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "problem.hpp"

#include <distview_testing/random.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

namespace distview::testing {

namespace {

using poisson::Coefficient;
using poisson::Shape;
using poisson::Sides;

Shape random_shape(Random& random, int axes) {
    Shape shape;
    shape.axes = axes;
    for (int d = 0; d < 3; ++d) {
        shape.n[d] = random.integer(1, 40);
        shape.sides[d] = random.pick(std::vector{Sides::walls, Sides::periodic, Sides::neumann});
    }
    shape.coefficient = random.chance(0.5) ? Coefficient::smooth : Coefficient::jumping;
    return shape;
}

/// -div(k grad u) by central differences, away from the interface.
template <int Axes>
double right_side_by_differences(const poisson::Problem<Axes>& problem,
                                 const typename poisson::Problem<Axes>::Point& point) {
    constexpr double h = 1e-4;
    double sum = 0;
    for (int d = 0; d < Axes; ++d) {
        const auto moved = [&](double by) {
            auto result = point;
            result.at[d] += by * h;
            return result;
        };
        const auto flux = [&](double by) {
            return problem.coefficient(moved(by)) *
                   (problem.solution(moved(by + 0.5)) - problem.solution(moved(by - 0.5))) / h;
        };
        sum += (flux(0.5) - flux(-0.5)) / h;
    }
    return -sum;
}

template <int Axes>
void check_right_side(Random& random) {
    const Shape shape = random_shape(random, Axes);
    const poisson::Problem<Axes> problem(shape);
    typename poisson::Problem<Axes>::Point point;
    for (double& x : point.at) x = 0.01 + 0.98 * random.unit();
    if (std::abs(point.at[0] - shape.interface()) < 1e-3) return;
    const double f = problem.right_side(point);
    EXPECT_NEAR(f, right_side_by_differences<Axes>(problem, point), 1e-4 * (1 + std::abs(f)));
}

/// u or its flux at a side, differenced towards the inside: `sign` is 1 for lower and -1 for upper sides.
double slope(const poisson::Problem<2>& problem, double x, double sign) {
    constexpr double h = 1e-6;
    const double y = 0.3;
    return (problem.solution({{x + sign * h, y}}) - problem.solution({{x, y}})) / h * sign *
           problem.coefficient({{x + sign * h, y}});
}

} // namespace

TEST(PoissonProblem, right_side_is_that_of_the_solution) {
    for_each_case(300, [](Random& random, std::uint64_t) {
        check_right_side<2>(random);
        check_right_side<3>(random);
    });
}

TEST(PoissonProblem, solution_keeps_to_its_sides) {
    for_each_case(100, [](Random& random, std::uint64_t) {
        const Shape shape = random_shape(random, 2);
        const poisson::Problem<2> problem(shape);
        const double low = problem.solution({{0, 0.3}});
        const double high = problem.solution({{1, 0.3}});
        const double low_flux = slope(problem, 0, 1);
        const double high_flux = slope(problem, 1, -1);
        constexpr double tolerance = 1e-4; // error of one-sided differences
        switch (shape.sides[0]) {
        case Sides::walls:
            EXPECT_NEAR(low, 0, 1e-14);
            EXPECT_NEAR(high, 0, 1e-14);
            break;
        case Sides::neumann:
            EXPECT_NEAR(low_flux, 0, tolerance);
            EXPECT_NEAR(high_flux, 0, tolerance);
            break;
        case Sides::periodic:
            EXPECT_NEAR(low, high, 1e-14);
            EXPECT_NEAR(low_flux, high_flux, tolerance);
        }
    });
}

TEST(PoissonProblem, interface_is_a_face_of_all_grids_of_a_sequence) {
    for (const std::int64_t odd : {1, 3, 5, 15, 31})
        for (std::int64_t n = odd == 1 ? 2 : odd; n < 500; n *= 2) {
            Shape shape;
            shape.n[0] = n;
            shape.coefficient = Coefficient::jumping;
            const double face = shape.interface() * static_cast<double>(n);
            EXPECT_NEAR(face, std::round(face), 1e-12);
            Shape finer = shape;
            finer.n[0] = 2 * n;
            EXPECT_EQ(shape.interface(), finer.interface());
            // Value and flux must be equal on both sides of the interface.
            const poisson::Problem<2> problem(shape);
            const double s = shape.interface();
            EXPECT_NEAR(problem.solution({{s - 1e-9, 0.3}}), problem.solution({{s + 1e-9, 0.3}}),
                        1e-7);
            EXPECT_NEAR(slope(problem, s, 1), slope(problem, s, -1), 1e-4);
        }
}

TEST(PoissonProblem, faces_are_those_of_both_cells) {
    for_each_case(100, [](Random& random, std::uint64_t) {
        const Shape shape = random_shape(random, 3);
        const poisson::Problem<3> problem(shape);
        const int axis = static_cast<int>(random.integer(0, 3));
        std::int64_t cell[3];
        for (int d = 0; d < 3; ++d) cell[d] = random.integer(0, shape.n[d]);
        std::int64_t first[3] = {cell[0], cell[1], cell[2]};
        std::int64_t behind[3] = {cell[0], cell[1], cell[2]};
        first[axis] = 0;
        behind[axis] = shape.n[axis];
        const double low = problem.face(axis, first);
        const double high = problem.face(axis, behind);
        switch (shape.sides[axis]) {
        case Sides::walls: EXPECT_GT(low, 0); break;
        case Sides::periodic: EXPECT_EQ(low, high); break;
        case Sides::neumann: EXPECT_EQ(low + high, 0);
        }
        if (cell[axis] == 0) return;
        std::int64_t below[3] = {cell[0], cell[1], cell[2]};
        below[axis] -= 1;
        const double a = problem.coefficient(problem.center(below));
        const double b = problem.coefficient(problem.center(cell));
        const auto n = static_cast<double>(shape.n[axis]);
        EXPECT_NEAR(problem.face(axis, cell), n * n * 2 / (1 / a + 1 / b), 1e-9 * n * n);
    });
}

} // namespace distview::testing
