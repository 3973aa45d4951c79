// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "physics.hpp"
#include "section.hpp"

#include <Kokkos_Core.hpp>

namespace shallow_water::fused {

/// Mode C's whole step for tiles of cells, each computed by a team in memory shared by the team. This division suits
/// devices: strips are too few to keep all processors busy, and would leave their scratch rows in
/// slow memory.
///
/// The formulas and operands are those of Sweep's wide variant, hence the same bits. But tiles have no order, so
/// they cannot be updated in place: new h, u, v, du, dv are written to separate arrays.
/// A tile reads the state with two cells around it, and computes diagnostics with one cell more than it
/// needs; several tiles compute such cells.
template <class Real, class Space>
class TileSweep {
public:
    using Policy = Kokkos::TeamPolicy<Space>;
    using Member = typename Policy::member_type;

    TileSweep(const Coefficients<Real>& c, const Section& section, const State<Real>& now,
              const State<Real>& next)
        : m_c(c), m_section(section), m_now(now), m_next(next),
          m_first(section.south_wall ? 0 : -1),
          m_last(section.north_wall ? section.ny : section.ny + 1) {}

    /// A team for each tile.
    static Policy policy(const Space& exec, const Section& section) {
        const int tiles = along(section.ny, rows) * along(section.nx, columns);
        return Policy(exec, tiles, is_host<Space> ? 1 : 256)
            .set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(Fields::shmem_size())));
    }

    KOKKOS_FUNCTION void operator()(const Member& team) const {
        const int tiles_in_row = along(m_section.nx, columns);
        const Tile tile{team.league_rank() / tiles_in_row * rows,
                        team.league_rank() % tiles_in_row * columns, Fields(team.team_scratch(0))};
        for_region(team, rows + 4, columns + 4, [&](int a, int b) { load(tile, a, b); });
        for_region(team, rows + 3, columns + 3, [&](int a, int b) { diagnose(tile, a, b); });
        for_region(team, rows + 2, columns + 2, [&](int a, int b) { advance(tile, a + 1, b + 1); });
        for_region(team, rows, columns, [&](int a, int b) { rub(tile, a + 2, b + 2); });
    }

private:
    static constexpr int rows = 64 / static_cast<int>(sizeof(Real));
    static constexpr int columns = 32;

    /// Values that a team keeps for every cell of its tile and two cells around it: the state; volume fluxes; vorticity
    /// fluxes on v and u; kinetic energy.
    enum Field : int { h, u, v, fe, fn, turn_v, turn_u, ke, n_fields };
    static_assert(n_fields * (rows + 4) * (columns + 4) * sizeof(Real) <= 32 * 1024,
                  "What a team keeps must fit into its scratch memory, on hosts as well.");
    using Fields =
        Kokkos::View<Real[n_fields][rows + 4][columns + 4], Kokkos::LayoutRight,
                     typename Space::scratch_memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

    struct Tile {
        int row, column; ///< of its first cell; cell (2, 2) of its fields
        Fields at;
    };

    KOKKOS_FUNCTION static int along(int cells, int of_a_tile) {
        return (cells + of_a_tile - 1) / of_a_tile;
    }

    /// Divides a region among the team, which then waits for all of it.
    template <class Body>
    KOKKOS_FORCEINLINE_FUNCTION static void for_region(const Member& team, int height, int width,
                                                       const Body& body) {
        for (int k = team.team_rank(); k < height * width; k += team.team_size())
            body(k / width, k % width);
        team.team_barrier();
    }

    /// Cells beyond the arrays, which no cell of the section needs, get values of other cells.
    KOKKOS_FUNCTION void load(const Tile& tile, int a, int b) const {
        const int r = Kokkos::min(tile.row + a - 2, m_section.ny + 1);
        const int i = Kokkos::min(tile.column + b - 2, m_section.nx + 1);
        const int row = m_section.inside(r);
        const bool wall =
            (m_section.south_wall && r < 0) || (m_section.north_wall && r >= m_section.ny - 1);
        tile.at(h, a, b) = m_now.h(row, i);
        tile.at(u, a, b) = m_now.u(row, i);
        // With v = 0 on a wall every flux through it is 0, whatever values the other rows have.
        tile.at(v, a, b) = wall ? Real(0) : m_now.v(row, i);
    }

    /// Fluxes of a cell, vorticity fluxes at its north-east corner, energy of the cell beyond that.
    KOKKOS_FUNCTION void diagnose(const Tile& tile, int a, int b) const {
        const Fields& at = tile.at;
        const Real f = m_c.coriolis_of_row(m_section.first_row + tile.row + a - 2);
        const Real h_e = at(h, a, b + 1), h_n = at(h, a + 1, b), h_ne = at(h, a + 1, b + 1);
        const Real u_n = at(u, a + 1, b), v_e = at(v, a, b + 1);
        const Real q = potential_vorticity(m_c, f, at(h, a, b), h_e, h_n, h_ne, at(u, a, b), u_n,
                                           at(v, a, b), v_e);
        const Real flux_e = volume_flux(at(h, a, b), h_e, at(u, a, b));
        const Real flux_n = volume_flux(at(h, a, b), h_n, at(v, a, b));
        at(fe, a, b) = flux_e;
        at(fn, a, b) = flux_n;
        at(turn_v, a, b) = vorticity_flux(q, flux_e, volume_flux(h_n, h_ne, u_n));
        at(turn_u, a, b) = vorticity_flux(q, flux_n, volume_flux(h_e, h_ne, v_e));
        at(ke, a + 1, b + 1) = kinetic_energy(at(u, a + 1, b + 1), u_n, at(v, a + 1, b + 1), v_e);
    }

    /// Computes the tendencies of a cell. Its new h goes to memory; its new u and v replace the old ones,
    /// which only this cell still needs.
    KOKKOS_FUNCTION void advance(const Tile& tile, int a, int b) const {
        const int r = tile.row + a - 2;
        const int i = tile.column + b - 2;
        if (r < m_first || r >= m_last || i > m_section.nx) return;
        const Fields& at = tile.at;
        const Real du = tendency_u(m_c, at(h, a, b), at(h, a, b + 1), at(ke, a, b),
                                   at(ke, a, b + 1), at(turn_u, a, b), at(turn_u, a - 1, b));
        const Real dv = tendency_v(m_c, at(h, a, b), at(h, a + 1, b), at(ke, a, b),
                                   at(ke, a + 1, b), at(turn_v, a, b), at(turn_v, a, b - 1));
        at(u, a, b) = advanced(m_c, at(u, a, b), du, m_now.du(r, i));
        at(v, a, b) = m_section.is_at_north_wall(r)
                          ? Real(0)
                          : advanced(m_c, at(v, a, b), dv, m_now.dv(r, i));
        if (!is_own(tile, r, i)) return;
        m_next.du(r, i) = du;
        m_next.dv(r, i) = dv;
        if (!owns(r, i)) return;
        const Real dh =
            tendency_h(m_c, at(fe, a, b), at(fe, a, b - 1), at(fn, a, b), at(fn, a - 1, b));
        m_next.h(r, i) = advanced(m_c, at(h, a, b), dh, m_now.dh(r, i));
        m_next.dh(r, i) = dh;
    }

    KOKKOS_FUNCTION void rub(const Tile& tile, int a, int b) const {
        const int r = tile.row + a - 2;
        const int i = tile.column + b - 2;
        if (!owns(r, i)) return;
        m_next.u(r, i) = rubbed_at(tile, u, a, b);
        m_next.v(r, i) = m_section.is_at_north_wall(r) ? Real(0) : rubbed_at(tile, v, a, b);
    }

    KOKKOS_FUNCTION Real rubbed_at(const Tile& tile, Field field, int a, int b) const {
        const int r = tile.row + a - 2;
        const int north = a + m_section.inside(r + 1) - r;
        const int south = a + m_section.inside(r - 1) - r;
        return rubbed_five_point(m_c, &tile.at(field, a, 0), &tile.at(field, north, 0),
                                 &tile.at(field, south, 0), b);
    }

    KOKKOS_FUNCTION bool owns(int r, int i) const {
        return r >= 0 && r < m_section.ny && i >= 0 && i < m_section.nx;
    }

    /// Whether this tile writes the tendencies of a cell of the section or of the ring
    /// around it.
    KOKKOS_FUNCTION bool is_own(const Tile& tile, int r, int i) const {
        const bool row = (r >= tile.row || r < 0) && (r < tile.row + rows || r >= m_section.ny);
        const bool column =
            (i >= tile.column || i < 0) && (i < tile.column + columns || i >= m_section.nx);
        return row && column;
    }

    Coefficients<Real> m_c;
    Section m_section;
    State<Real> m_now;
    State<Real> m_next;
    int m_first; ///< first row whose velocity is advanced; beyond the section if it has a neighbour there
    int m_last;
};

} // namespace shallow_water::fused
