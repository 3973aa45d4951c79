// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <type_traits>

namespace shallow_water {

/// Whether kernels of a space run in the host's memory.
template <class Space>
inline constexpr bool is_host =
    Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename Space::memory_space>::accessible;

/// The cells that one process owns, and whether the walls of the channel bound them.
struct Section {
    int ny = 0;
    int nx = 0;
    std::int64_t first_row = 0;    ///< global number of row 0
    std::int64_t first_column = 0; ///< global number of column 0
    bool south_wall = true;
    bool north_wall = true;

    /// The nearest row that is not beyond a wall. This replicates h across walls and makes every
    /// difference across a wall vanish, so that no kernel here depends on values beyond a wall.
    KOKKOS_FUNCTION int inside(int row) const {
        if (south_wall && row < 0) {
            return 0;
        }
        return north_wall && row >= ny ? ny - 1 : row;
    }

    KOKKOS_FUNCTION bool is_at_north_wall(int row) const { return north_wall && row == ny - 1; }
};

/// A two-dimensional array seen from its first owned cell; the padding has negative indices.
///
/// Does not own memory: valid as long as the View that it was made from.
template <class Real>
struct Field {
    Real* origin = nullptr; ///< cell (0, 0)
    std::ptrdiff_t stride = 0;

    KOKKOS_FUNCTION Real* row(int j) const { return origin + j * stride; }
    KOKKOS_FUNCTION Real& operator()(int j, int i) const { return origin[j * stride + i]; }
};

/// The field whose cell (0, 0) is view(first_row, first_column).
///
/// Shapes:  the last index of the View must be the contiguous one
/// Errors:  std::invalid_argument if it is not
template <class View>
auto make_field(const View& view, std::int64_t first_row, std::int64_t first_column) {
    static_assert(View::rank() == 2,
                  "shallow_water::make_field: the View must have two dimensions.");
    if (view.extent(1) > 1 && view.stride(1) != 1) {
        throw std::invalid_argument("shallow_water::make_field: rows must be contiguous");
    }
    using Real = typename View::value_type;
    const auto stride = static_cast<std::ptrdiff_t>(view.stride(0));
    return Field<Real>{view.data() + first_row * stride + first_column, stride};
}

/// State and previous tendencies of one section; the tendencies must be 0 before the first step.
template <class Real>
struct State {
    Field<Real> h, u, v;
    Field<Real> dh, du, dv;
};

/// Work arrays of the diagnostics: volume fluxes, potential vorticity, kinetic energy.
template <class Real>
struct Diagnostics {
    Field<Real> fe, fn, q, ke;
};

} // namespace shallow_water
