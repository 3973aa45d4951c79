// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <vector>

namespace distview::testing {

/// Which of the two variants of the shallow-water benchmark is emulated.
enum class ShallowWaterMode {
    corrected, ///< "C": independent of the process grid
    published, ///< "P": as published, the result depends on the process grid
};

/// Statistics of one global field, accumulated in float64.
struct ShallowWaterStatistics {
    double sum = 0;
    double min = 0;
    double max = 0;
    double l2 = 0;
    double wsum = 0; ///< weights (cell number) % 1009 + 1
};

/// Steps the shallow-water benchmark on a process grid of py x px tiles, serially in this process.
///
/// The reference for the distributed program, with which it shares no code: formulas, their order
/// and the four phases of the padding operator B are the published ones. The published text leaves
/// two cases undefined: a single row at the north wall (see exchange()), and the length of a domain
/// of one row or column (see initialise()).
///
/// Shapes:   every tile is stored with one cell of padding on each side, row-major, x fastest
/// Indices:  in a tile 0 is the padding, 1..n the owned cells, n + 1 the padding (as in the paper);
///           field() is the global interior without padding, cell (j, i) at [j * nx + i]
/// Errors:   std::invalid_argument if a tile would own no cell
template <class Real>
class ShallowWaterEmulator {
public:
    ShallowWaterEmulator(int nx, int ny, int py, int px, ShallowWaterMode mode)
        : m_nx(nx), m_ny(ny), m_py(py), m_px(px), m_mode(mode) {
        if (py < 1 || px < 1 || nx < px || ny < py) {
            throw std::invalid_argument("ShallowWaterEmulator: every tile must own a cell");
        }
        for (int cy = 0; cy < py; ++cy) {
            for (int cx = 0; cx < px; ++cx) {
                m_tiles.emplace_back(begin_of(ny, py, cy), begin_of(ny, py, cy + 1),
                                     begin_of(nx, px, cx), begin_of(nx, px, cx + 1));
            }
        }
        initialise();
    }

    /// Advances by one step: forward Euler for the first step, Adams-Bashforth for later steps.
    void step() {
        tendencies();
        advance();
        exchange(&Tile::h, Kind::h);
        exchange(&Tile::u, Kind::u);
        exchange(&Tile::v, Kind::v);
        friction(&Tile::u, &Tile::u);
        friction(&Tile::v, m_mode == ShallowWaterMode::published ? &Tile::u : &Tile::v);
        if (m_mode == ShallowWaterMode::corrected) {
            exchange(&Tile::u, Kind::u);
            exchange(&Tile::v, Kind::v);
        }
        m_first = false;
    }

    /// The interior of 'h', 'u' or 'v', gathered from all tiles.
    std::vector<Real> field(char name) const {
        std::vector<Real> result(cells(m_ny, m_nx));
        for (const Tile& t : m_tiles) {
            const Array& a = name == 'h' ? t.h : name == 'u' ? t.u : t.v;
            for (int j = 1; j <= t.ny; ++j) {
                for (int i = 1; i <= t.nx; ++i) {
                    result[cells(t.row + j - 1, m_nx) +
                           static_cast<std::size_t>(t.column + i - 1)] = a(j, i);
                }
            }
        }
        return result;
    }

    ShallowWaterStatistics statistics(char name) const { return statistics_of(field(name)); }

    static ShallowWaterStatistics statistics_of(const std::vector<Real>& values) {
        ShallowWaterStatistics s;
        s.min = std::numeric_limits<double>::infinity();
        s.max = -s.min;
        for (std::size_t k = 0; k < values.size(); ++k) {
            const double value = static_cast<double>(values[k]);
            s.sum += value;
            s.min = std::min(s.min, value);
            s.max = std::max(s.max, value);
            s.l2 += value * value;
            s.wsum += static_cast<double>(k % 1009 + 1) * value;
        }
        s.l2 = std::sqrt(s.l2);
        return s;
    }

private:
    enum class Kind { h, u, v };

    struct Array {
        Array(int ny, int nx) : width(nx + 2), values(cells(ny + 2, nx + 2), Real(0)) {}
        Real& operator()(int j, int i) {
            return values[cells(j, width) + static_cast<std::size_t>(i)];
        }
        Real operator()(int j, int i) const {
            return values[cells(j, width) + static_cast<std::size_t>(i)];
        }
        int width;
        std::vector<Real> values;
    };

    struct Tile {
        Tile(int row_begin, int row_end, int column_begin, int column_end)
            : ny(row_end - row_begin), nx(column_end - column_begin), row(row_begin),
              column(column_begin), h(ny, nx), u(ny, nx), v(ny, nx), dh(ny, nx), du(ny, nx),
              dv(ny, nx), dh_new(ny, nx), du_new(ny, nx), dv_new(ny, nx), hc(ny, nx), fe(ny, nx),
              fn(ny, nx), q(ny, nx), ke(ny, nx) {}
        int ny, nx;
        int row, column; // global number, from 0, of the first owned cell
        Array h, u, v, dh, du, dv, dh_new, du_new, dv_new, hc, fe, fn, q, ke;
    };

    using Member = Array Tile::*;

    static std::size_t cells(int rows, int columns) {
        return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
    }

    static int begin_of(int n, int parts, int part) {
        return part * (n / parts) + std::min(part, n % parts);
    }

    Tile& tile(int cy, int cx) {
        return m_tiles[static_cast<std::size_t>(cy * m_px + (cx + m_px) % m_px)];
    }

    template <class Function>
    void for_each_cell(const Function& function) {
        for (Tile& t : m_tiles) {
            for (int j = 1; j <= t.ny; ++j) {
                for (int i = 1; i <= t.nx; ++i) {
                    function(t, j, i);
                }
            }
        }
    }

    template <class Function>
    void for_each_tile(const Function& function) {
        for (int cy = 0; cy < m_py; ++cy) {
            for (int cx = 0; cx < m_px; ++cx) {
                function(cy, cx);
            }
        }
    }

    // A phase reads only what it does not write (owned cells of one tile, padding of another), so
    // the order of tiles inside a phase does not matter, as with sends and receives.
    //
    // Rule 5 (v is 0 on the north wall) is applied before phase 1 as well as after phase 4; the
    // published program applies it only at the end. The results differ if a northern-most tile has
    // a single row: phase 4 would send that row south before it is cleared, and it holds values
    // from beyond the wall.
    void exchange(Member a, Kind kind) {
        close_north_wall(a, kind);
        for_each_tile([&](int cy, int cx) {
            Tile& to = tile(cy, cx);
            const Tile& from = tile(cy, cx + 1);
            copy_column(from.*a, 1, to.*a, to.nx + 1, to.ny);
        });
        for_each_tile([&](int cy, int cx) {
            if (cy > 0) {
                const Tile& from = tile(cy - 1, cx);
                copy_row(from.*a, from.ny, tile(cy, cx).*a, 0, from.nx);
            }
        });
        for_each_tile([&](int cy, int cx) {
            Tile& to = tile(cy, cx);
            const Tile& from = tile(cy, cx - 1);
            copy_column(from.*a, from.nx, to.*a, 0, to.ny);
        });
        for_each_tile([&](int cy, int cx) {
            if (cy + 1 < m_py) {
                Tile& to = tile(cy, cx);
                copy_row(tile(cy + 1, cx).*a, 1, to.*a, to.ny + 1, to.nx);
            }
        });
        close_north_wall(a, kind);
    }

    void close_north_wall(Member a, Kind kind) {
        for (int cx = 0; kind == Kind::v && cx < m_px; ++cx) {
            Tile& north = tile(m_py - 1, cx);
            for (int i = 0; i <= north.nx + 1; ++i) {
                (north.*a)(north.ny, i) = Real(0);
            }
        }
    }

    static void copy_column(const Array& from, int from_column, Array& to, int to_column, int ny) {
        for (int j = 0; j <= ny + 1; ++j) {
            to(j, to_column) = from(j, from_column);
        }
    }

    static void copy_row(const Array& from, int from_row, Array& to, int to_row, int nx) {
        for (int i = 0; i <= nx + 1; ++i) {
            to(to_row, i) = from(from_row, i);
        }
    }

    void initialise() {
        const double pi = std::acos(-1.0);
        // A single row or column has no length; one cell keeps the quotients below finite.
        const double lx = std::max(m_nx - 1, 1) * dx;
        const double ly = std::max(m_ny - 1, 1) * dy;
        std::vector<double> jet;
        std::vector<double> height;
        double running = 0;
        double mean = 0;
        for (int j = 0; j <= m_ny + 1; ++j) {
            const double y = (j - 1) * dy;
            const double speed = 10 * std::exp(-std::pow(y - ly / 2, 2) / std::pow(0.02 * lx, 2));
            running += -dy * speed * (coriolis + beta * y) / g;
            jet.push_back(speed);
            height.push_back(running);
            mean += running;
        }
        mean /= m_ny + 2;
        for (Tile& t : m_tiles) {
            for (int j = 0; j <= t.ny + 1; ++j) {
                const double y = (t.row + j - 1) * dy;
                const auto row = static_cast<std::size_t>(t.row + j);
                for (int i = 0; i <= t.nx + 1; ++i) {
                    const double x = (t.column + i - 1) * dx;
                    t.h(j, i) = static_cast<Real>(depth + height[row] - mean +
                                                  0.2 * std::sin(10 * pi * x / lx) *
                                                      std::cos(8 * pi * y / ly));
                    t.u(j, i) = static_cast<Real>(jet[row]);
                }
            }
        }
        exchange(&Tile::h, Kind::h);
        exchange(&Tile::u, Kind::u);
        exchange(&Tile::v, Kind::v);
    }

    void tendencies() {
        for (Tile& t : m_tiles) {
            for (int j = 0; j <= t.ny + 1; ++j) {
                for (int i = 0; i <= t.nx + 1; ++i) {
                    t.hc(j, i) = t.h(std::clamp(j, 1, t.ny), std::clamp(i, 1, t.nx));
                }
            }
        }
        exchange(&Tile::hc, Kind::h);
        for_each_cell([](Tile& t, int j, int i) {
            t.fe(j, i) = half * (t.hc(j, i) + t.hc(j, i + 1)) * t.u(j, i);
        });
        exchange(&Tile::fe, Kind::u);
        for_each_cell([](Tile& t, int j, int i) {
            t.fn(j, i) = half * (t.hc(j, i) + t.hc(j + 1, i)) * t.v(j, i);
        });
        exchange(&Tile::fn, Kind::v);
        for_each_cell([](Tile& t, int j, int i) {
            t.dh_new(j, i) = -(t.fe(j, i) - t.fe(j, i - 1)) / real(dx) -
                             (t.fn(j, i) - t.fn(j - 1, i)) / real(dy);
        });
        for_each_cell([](Tile& t, int j, int i) {
            const Real f = real(coriolis + beta * ((t.row + j - 1) * dy));
            const Real thickness =
                real(0.25) * (t.hc(j, i) + t.hc(j, i + 1) + t.hc(j + 1, i) + t.hc(j + 1, i + 1));
            t.q(j, i) = (f + (t.v(j, i + 1) - t.v(j, i)) / real(dx) -
                         (t.u(j + 1, i) - t.u(j, i)) / real(dy)) *
                        (real(1) / thickness);
        });
        exchange(&Tile::q, Kind::h);
        for_each_cell([](Tile& t, int j, int i) {
            const Real east_west = half * (square(t.u(j, i)) + square(t.u(j, i - 1)));
            const Real north_south = half * (square(t.v(j, i)) + square(t.v(j - 1, i)));
            t.ke(j, i) = half * (east_west + north_south);
        });
        exchange(&Tile::ke, Kind::h);
        for_each_cell([](Tile& t, int j, int i) {
            t.du_new(j, i) = -real(g) * (t.h(j, i + 1) - t.h(j, i)) / real(dx) +
                             half * (t.q(j, i) * half * (t.fn(j, i) + t.fn(j, i + 1)) +
                                     t.q(j - 1, i) * half * (t.fn(j - 1, i) + t.fn(j - 1, i + 1))) -
                             (t.ke(j, i + 1) - t.ke(j, i)) / real(dx);
            t.dv_new(j, i) = -real(g) * (t.h(j + 1, i) - t.h(j, i)) / real(dy) -
                             half * (t.q(j, i) * half * (t.fe(j, i) + t.fe(j + 1, i)) +
                                     t.q(j, i - 1) * half * (t.fe(j, i - 1) + t.fe(j + 1, i - 1))) -
                             (t.ke(j + 1, i) - t.ke(j, i)) / real(dy);
        });
    }

    void advance() {
        const std::array<Member, 3> state = {&Tile::u, &Tile::v, &Tile::h};
        const std::array<Member, 3> fresh = {&Tile::du_new, &Tile::dv_new, &Tile::dh_new};
        const std::array<Member, 3> old = {&Tile::du, &Tile::dv, &Tile::dh};
        const Real dt = real(time_step());
        for (std::size_t k = 0; k < state.size(); ++k) {
            for_each_cell([&](Tile& t, int j, int i) {
                const Real a = (t.*fresh[k])(j, i);
                (t.*state[k])(j, i) +=
                    m_first ? dt * a : dt * (real(1.6) * a - real(0.6) * (t.*old[k])(j, i));
                (t.*old[k])(j, i) = a;
            });
        }
    }

    void friction(Member a, Member west_south) {
        const Real nu = real(1e-3 * coriolis * dx * dx);
        const Real dt = real(time_step());
        for_each_cell([&](Tile& t, int j, int i) {
            t.fe(j, i) = nu * ((t.*a)(j, i + 1) - (t.*west_south)(j, i)) / real(dx);
        });
        exchange(&Tile::fe, Kind::u);
        for_each_cell([&](Tile& t, int j, int i) {
            t.fn(j, i) = nu * ((t.*a)(j + 1, i) - (t.*west_south)(j, i)) / real(dy);
        });
        exchange(&Tile::fn, Kind::v);
        for_each_cell([&](Tile& t, int j, int i) {
            (t.*a)(j, i) += dt * ((t.fe(j, i) - t.fe(j, i - 1)) / real(dx) +
                                  (t.fn(j, i) - t.fn(j - 1, i)) / real(dy));
        });
    }

    static constexpr Real real(double x) { return static_cast<Real>(x); }
    static constexpr Real square(Real x) { return x * x; }
    static double time_step() { return 0.125 * std::min(dx, dy) / std::sqrt(g * depth); }

    static constexpr Real half = Real(0.5);
    static constexpr double g = 9.81;
    static constexpr double depth = 100;
    static constexpr double coriolis = 2e-4;
    static constexpr double beta = 2e-11;
    static constexpr double dx = 5000;
    static constexpr double dy = 5000;

    int m_nx, m_ny, m_py, m_px;
    ShallowWaterMode m_mode;
    bool m_first = true;
    std::vector<Tile> m_tiles;
};

} // namespace distview::testing
