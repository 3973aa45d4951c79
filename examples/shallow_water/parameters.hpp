// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace shallow_water {

/// The two variants of the benchmark that the model computes.
enum class Mode {
    corrected, ///< "C": bitwise independent of the process grid
    published, ///< "P": as published; padding of u and v is stale after friction
};

/// Physical constants of the benchmark, in SI units.
struct Parameters {
    double gravity = 9.81;
    double depth = 100;
    double coriolis = 2e-4;
    double beta = 2e-11;
    double dx = 5000;
    double dy = 5000;

    double time_step() const { return 0.125 * std::min(dx, dy) / std::sqrt(gravity * depth); }
    double viscosity() const { return 1e-3 * coriolis * dx * dx; }
};

/// The initial state: a jet along x in geostrophic balance, and a wave on the surface.
///
/// Height and speed are sums and products of functions of one coordinate, computed here serially
/// for the whole domain, so that they do not depend on the process grid.
/// Indices: global, 0-based, without padding; rows -1..ny and columns -1..nx are allowed.
class InitialState {
public:
    InitialState(const Parameters& parameters, std::int64_t nx, std::int64_t ny) {
        const double pi = std::acos(-1.0);
        // One row or column alone has no length; one cell instead keeps the following quotients finite.
        const double length_x =
            static_cast<double>(std::max<std::int64_t>(nx - 1, 1)) * parameters.dx;
        const double length_y =
            static_cast<double>(std::max<std::int64_t>(ny - 1, 1)) * parameters.dy;

        double height = 0;
        double mean = 0;
        for (std::int64_t row = -1; row <= ny; ++row) {
            const double y = static_cast<double>(row) * parameters.dy;
            const double offset = (y - length_y / 2) / (0.02 * length_x);
            const double speed = 10 * std::exp(-offset * offset);
            const double f = parameters.coriolis + parameters.beta * y;
            height += -parameters.dy * speed * f / parameters.gravity;
            mean += height;
            m_speed.push_back(speed);
            m_height.push_back(height);
            m_wave_y.push_back(std::cos(8 * pi * y / length_y));
        }
        mean /= static_cast<double>(ny + 2);
        for (double& value : m_height) {
            value += parameters.depth - mean;
        }
        for (std::int64_t column = -1; column <= nx; ++column) {
            const double x = static_cast<double>(column) * parameters.dx;
            m_wave_x.push_back(0.2 * std::sin(10 * pi * x / length_x));
        }
    }

    double h(std::int64_t row, std::int64_t column) const {
        return m_height[at(row)] + m_wave_x[at(column)] * m_wave_y[at(row)];
    }
    double u(std::int64_t row) const { return m_speed[at(row)]; }

private:
    static std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index + 1); }

    std::vector<double> m_speed;
    std::vector<double> m_height;
    std::vector<double> m_wave_x;
    std::vector<double> m_wave_y;
};

} // namespace shallow_water
