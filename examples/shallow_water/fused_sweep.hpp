// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "fused_workspace.hpp"
#include "physics.hpp"
#include "section.hpp"

#include <Kokkos_Core.hpp>

namespace shallow_water::fused {

/// How much of a step one sweep does, see kernels_fused.hpp.
enum class Variant {
    wide,      ///< mode C, everything, from padding of width 2
    narrow,    ///< mode C without friction, from padding of width 1
    published, ///< mode P without friction, with the diagnostics' padding from their owners
};

/// Sweeps a strip from south to north: diagnostics between rows r and r + 1, then tendencies and
/// new h (and u, v) of row r, and in the wide variant friction of row r - 1, all in place.
///
/// A row's results stay in scratch rows (second-level cache) until the next rows have used them, and
/// each row is walked through in chunks (first-level cache) that all stages pass through together.
/// No stage of a chunk reads what a later stage of an earlier chunk has overwritten: overwritten
/// are h, u, v of rows r and south of it, west of the chunk; read are those of rows r and r + 1
/// from the chunk's first column on, and u of row r + 1, which is still untouched.
template <class Real, Variant variant>
class Sweep {
public:
    Sweep(
        const Coefficients<Real>& c, const Strips<Real>& strips, const State<Real>& state,
        const Diagnostics<Real>& ring)
        : m_c(c), m_strips(strips), m_state(state), m_ring(ring)
    {
    }

    template <class Member>
    KOKKOS_FUNCTION void operator()(const Member& team) const
    {
        const Section& section = m_strips.section;
        const int strip = team.league_rank();
        const int begin = m_strips.begin(strip);
        const int end = m_strips.begin(strip + 1);
        const int first = section.south_wall && begin == 0 ? 0 : begin - overlap;
        const int last = section.north_wall && end == section.ny ? end : end + overlap;

        for (int r = first - 1; r < last; ++r) {
            const Rows row = rows_at(strip, r);
            // The first chunk ends at column 0, where scratch rows start a cache line.
            for (int from = -1 - overlap, to = 0; from < section.nx + overlap;
                 from = to, to = Kokkos::min(from + m_strips.chunk, section.nx + overlap)) {
                KOKKOS_IF_ON_HOST((prefetch(strip, r, from, to);))
                diagnose(team, row, r, from, to);
                if constexpr (variant == Variant::published) {
                    take_padding(team, row, r, from, to);
                }
                if (r >= first) {
                    advance(team, row, r, Kokkos::max(from, -overlap), to);
                }
                if (r >= begin && r < end) {
                    advance_h(team, row, r, Kokkos::max(from, 0), Kokkos::min(to, section.nx));
                }
                if (variant == Variant::wide && r > begin) {
                    rub(team, strip, r - 1, Kokkos::max(from, 0), Kokkos::min(to, section.nx));
                }
            }
        }
        if (variant == Variant::wide && last == end) {
            rub(team, strip, end - 1, 0, section.nx);
        }
    }

private:
    void prefetch(int strip, int r, int from, int to) const
    {
        using S = Strips<Real>;
#ifndef PF
#define PF 1
#endif
        const Real* const rows[] = {
            m_strips.state_row(strip, m_state.h, S::edge_h, r + 1+PF), m_strips.state_row(strip, m_state.u, S::edge_u, r + 1+PF),
            m_strips.state_row(strip, m_state.v, S::edge_v, r + 1+PF), m_state.dh.row(Kokkos::min(r + PF, m_strips.section.ny-1)),
            m_strips.tendency_row(strip, m_state.du, S::edge_du, r + PF),
            m_strips.tendency_row(strip, m_state.dv, S::edge_dv, r + PF)};
        constexpr int line = 64 / static_cast<int>(sizeof(Real));
        for (int i = from; i < to; i += line) {
            for (const Real* row : rows) {
                __builtin_prefetch(row + i, PFW, PFL);
            }
        }
    }

    static constexpr int overlap = variant == Variant::wide ? 1 : 0;

    struct Rows {
        const Real *h, *h_n, *u, *u_n, *v, *v_n; ///< state of rows r and r + 1 before the step
        Real *fe, *fn, *fn_s;                    ///< volume fluxes of rows r, r, r - 1
        Real *turn_v, *turn_u, *turn_u_s;        ///< vorticity fluxes, on v and on u
        Real *ke, *ke_n;                         ///< kinetic energy of rows r and r + 1
        Real *new_u, *new_v;
    };

    KOKKOS_FUNCTION Real* scratch(int strip, int k) const { return m_strips.scratch_row(strip, k); }
    KOKKOS_FUNCTION Real* u_row(int strip, int r) const { return scratch(strip, 8 + (r + 3) % 3); }
    KOKKOS_FUNCTION Real* v_row(int strip, int r) const { return scratch(strip, 11 + (r + 3) % 3); }
    KOKKOS_FUNCTION Real* zeros(int strip) const { return scratch(strip, 14); }

    KOKKOS_FUNCTION Rows rows_at(int strip, int r) const
    {
        using S = Strips<Real>;
        const Section& section = m_strips.section;
        // With v = 0 on a wall every flux through it is 0, whatever the other rows hold.
        const bool wall = section.is_at_north_wall(r) || (section.south_wall && r == -1);
        const int now = (r + 2) % 2;
        const int other = 1 - now;
        Rows row;
        row.h = m_strips.state_row(strip, m_state.h, S::edge_h, r);
        row.h_n = m_strips.state_row(strip, m_state.h, S::edge_h, r + 1);
        row.u = m_strips.state_row(strip, m_state.u, S::edge_u, r);
        row.u_n = m_strips.state_row(strip, m_state.u, S::edge_u, r + 1);
        row.v = wall ? zeros(strip) : m_strips.state_row(strip, m_state.v, S::edge_v, r);
        row.v_n = m_strips.state_row(strip, m_state.v, S::edge_v, r + 1);
        row.fe = scratch(strip, 0);
        row.turn_v = scratch(strip, 1);
        row.fn = scratch(strip, 2 + now);
        row.fn_s = scratch(strip, 2 + other);
        row.turn_u = scratch(strip, 4 + now);
        row.turn_u_s = scratch(strip, 4 + other);
        row.ke = scratch(strip, 6 + now);
        row.ke_n = scratch(strip, 6 + other);
        row.new_u = variant == Variant::wide ? u_row(strip, r) : m_state.u.row(r);
        row.new_v = variant == Variant::wide ? v_row(strip, r) : m_state.v.row(r);
        return row;
    }

    /// Fluxes of row r, vorticity fluxes at corners (r, i), energy of row r + 1 one column further.
    template <class Member>
    KOKKOS_FUNCTION void
    diagnose(const Member& team, const Rows& row, int r, int from, int to) const
    {
        const Coefficients<Real> c = m_c;
        const Real f = c.coriolis_of_row(m_strips.section.first_row + r);
        for_columns(team, from, to, [=](int i) {
            const Real h = row.h[i], h_e = row.h[i + 1], h_n = row.h_n[i], h_ne = row.h_n[i + 1];
            const Real u = row.u[i], u_n = row.u_n[i], v = row.v[i], v_e = row.v[i + 1];
            const Real q = potential_vorticity(c, f, h, h_e, h_n, h_ne, u, u_n, v, v_e);
            const Real fe = volume_flux(h, h_e, u);
            const Real fn = volume_flux(h, h_n, v);
            row.fe[i] = fe;
            row.fn[i] = fn;
            row.turn_v[i] = vorticity_flux(q, fe, volume_flux(h_n, h_ne, u_n));
            row.turn_u[i] = vorticity_flux(q, fn, volume_flux(h_e, h_ne, v_e));
            row.ke_n[i + 1] = kinetic_energy(row.u_n[i + 1], u_n, row.v_n[i + 1], v_e);
        });
    }

    /// Replaces what depends on diagnostics that another section owns and computed from its own,
    /// different padding of u and v.
    template <class Member>
    KOKKOS_FUNCTION void
    take_padding(const Member& team, const Rows& row, int r, int from, int to) const
    {
        const Section& section = m_strips.section;
        const Diagnostics<Real> ring = m_ring;
        const int west = Kokkos::max(from, 0);
        const int nx = section.nx;
        const int next = section.inside(r + 1);
        if (r == -1 && !section.south_wall) {
            for_columns(team, west, to, [=](int i) {
                row.fn[i] = ring.fn(-1, i);
                row.turn_u[i] = vorticity_flux(ring.q(-1, i), ring.fn(-1, i), ring.fn(-1, i + 1));
            });
        }
        if (r == section.ny - 1 && !section.north_wall) {
            for_columns(team, west, to, [=](int i) {
                row.turn_v[i] = vorticity_flux(ring.q(r, i), row.fe[i], ring.fe(next, i));
                row.ke_n[i] = ring.ke(next, i);
            });
        }
        if (r >= 0 && from == -1) {
            for_columns(team, -1, 0, [=](int i) {
                row.fe[i] = ring.fe(r, i);
                row.turn_v[i] = vorticity_flux(ring.q(r, i), ring.fe(r, i), ring.fe(next, i));
            });
        }
        if (to == nx) {
            for_columns(team, nx - 1, nx, [=](int i) {
                if (r >= 0) {
                    row.turn_u[i] = vorticity_flux(ring.q(r, i), row.fn[i], ring.fn(r, i + 1));
                }
                if (r < section.ny - 1) {
                    row.ke_n[i + 1] = ring.ke(r + 1, i + 1);
                }
            });
        }
    }

    template <class Member>
    KOKKOS_FUNCTION void advance(const Member& team, const Rows& row, int r, int from, int to) const
    {
        using S = Strips<Real>;
        const Coefficients<Real> c = m_c;
        const int strip = team.league_rank();
        Real* const du = m_strips.tendency_row(strip, m_state.du, S::edge_du, r);
        Real* const dv = m_strips.tendency_row(strip, m_state.dv, S::edge_dv, r);
        for_columns(team, from, to, [=](int i) {
            const Real h = row.h[i];
            const Real ke = row.ke[i];
            const Real du_new = tendency_u(
                c, h, row.h[i + 1], ke, row.ke[i + 1], row.turn_u[i], row.turn_u_s[i]);
            const Real dv_new =
                tendency_v(c, h, row.h_n[i], ke, row.ke_n[i], row.turn_v[i], row.turn_v[i - 1]);
            row.new_u[i] = advanced(c, row.u[i], du_new, du[i]);
            row.new_v[i] = advanced(c, row.v[i], dv_new, dv[i]);
            du[i] = du_new;
            dv[i] = dv_new;
        });
        if (m_strips.section.is_at_north_wall(r)) {
            for_columns(team, from, to, [=](int i) { row.new_v[i] = Real(0); });
        }
    }

    template <class Member>
    KOKKOS_FUNCTION void
    advance_h(const Member& team, const Rows& row, int r, int from, int to) const
    {
        const Coefficients<Real> c = m_c;
        Real* const h = m_state.h.row(r);
        Real* const dh = m_state.dh.row(r);
        for_columns(team, from, to, [=](int i) {
            const Real dh_new = tendency_h(c, row.fe[i], row.fe[i - 1], row.fn[i], row.fn_s[i]);
            h[i] = advanced(c, h[i], dh_new, dh[i]);
            dh[i] = dh_new;
        });
    }

    template <class Member>
    KOKKOS_FUNCTION void rub(const Member& team, int strip, int r, int from, int to) const
    {
        const Section& section = m_strips.section;
        const Coefficients<Real> c = m_c;
        const int north = section.inside(r + 1);
        const int south = section.inside(r - 1);
        const Real* const u = u_row(strip, r);
        const Real* const u_n = u_row(strip, north);
        const Real* const u_s = u_row(strip, south);
        const Real* const v = v_row(strip, r);
        const Real* const v_n = v_row(strip, north);
        const Real* const v_s = v_row(strip, south);
        Real* const new_u = m_state.u.row(r);
        Real* const new_v = m_state.v.row(r);
        for_columns(team, from, to, [=](int i) {
            new_u[i] = rubbed(
                c, u[i], friction_flux_east(c, u[i], u[i + 1]),
                friction_flux_east(c, u[i - 1], u[i]), friction_flux_north(c, u[i], u_n[i]),
                friction_flux_north(c, u_s[i], u[i]));
            new_v[i] = rubbed(
                c, v[i], friction_flux_east(c, v[i], v[i + 1]),
                friction_flux_east(c, v[i - 1], v[i]), friction_flux_north(c, v[i], v_n[i]),
                friction_flux_north(c, v_s[i], v[i]));
        });
        if (section.is_at_north_wall(r)) {
            for_columns(team, from, to, [=](int i) { new_v[i] = Real(0); });
        }
    }

    Coefficients<Real> m_c;
    Strips<Real> m_strips;
    State<Real> m_state;
    Diagnostics<Real> m_ring;
};

} // namespace shallow_water::fused
