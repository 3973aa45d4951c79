// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "problem.hpp"

namespace poisson {

bool Shape::is_singular() const {
    for (int d = 0; d < axes; ++d)
        if (sides[d] == Sides::walls) return false;
    return true;
}

double Shape::interface() const {
    std::int64_t odd = n[0];
    while (odd % 2 == 0) odd /= 2;
    if (odd == 1) return 0.5;
    return static_cast<double>(odd / 2) / static_cast<double>(odd);
}

template <int Axes>
Problem<Axes>::Problem(const Shape& shape)
    : m_jumps(shape.coefficient == Coefficient::jumping), m_interface(shape.interface()) {
    for (int d = 0; d < Axes; ++d) {
        m_n[d] = shape.n[d];
        m_sides[d] = shape.sides[d];
    }
}

template class Problem<2>;
template class Problem<3>;

} // namespace poisson
