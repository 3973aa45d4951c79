// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "fused_workspace.hpp"
#include "physics.hpp"
#include "section.hpp"

#include <Kokkos_Core.hpp>

namespace shallow_water::fused {

/// The part of a step that one sweep does, see kernels_fused.hpp.
enum class Variant {
    wide,      ///< mode C, the whole step, from padding of width 2
    narrow,    ///< mode C without friction, from padding of width 1
    published, ///< mode P without friction, with the diagnostics' padding from their owners
};

/// Sweeps a strip from south to north: diagnostics between rows r and r + 1, then tendencies and
/// new h (and u, v) of row r, then in the wide variant friction of row r - 1, all in place.
///
/// Results stay in scratch rows, in cache, until the next rows have used them. No sweep reads an
/// overwritten value: once row r is advanced, only rows r + 1 and r + 2 of the old state are needed.
template <class Real, Variant variant>
class Sweep {
public:
    Sweep(const Coefficients<Real>& c, const Strips<Real>& strips, const State<Real>& state,
          const Diagnostics<Real>& border)
        : m_c(c), m_strips(strips), m_state(state), m_border(border) {}

    template <class Member>
    KOKKOS_FUNCTION void operator()(const Member& team) const {
        const Section& section = m_strips.section;
        const int strip = team.league_rank();
        const int begin = m_strips.begin(strip);
        const int end = m_strips.begin(strip + 1);
        const int first = section.south_wall && begin == 0 ? 0 : begin - overlap;
        const int last = section.north_wall && end == section.ny ? end : end + overlap;

        for (int r = first - 1; r < last; ++r) {
            const Rows row = rows_at(strip, r);
            diagnose(team, row, r);
            if constexpr (variant == Variant::published) {
                take_padding(team, row, r);
            }
            if (r >= first) {
                advance_velocity(team, row, r);
            }
            if (r >= begin && r < end) {
                advance_height(team, row, r);
            }
            if (variant == Variant::wide && r > begin) {
                rub(team, strip, r - 1);
            }
        }
        if (variant == Variant::wide && last == end) {
            rub(team, strip, end - 1);
        }
    }

private:
    // The wide variant repeats its neighbours' work on one row and column around the strip, because
    // friction needs u and v advanced there.
    static constexpr int overlap = variant == Variant::wide ? 1 : 0;

    struct Rows {
        const Real *h, *h_n, *h_ahead, *u, *u_n, *u_ahead, *v, *v_n, *v_ahead; ///< old state
        Real *dh, *du, *dv;
        const Real *dh_ahead, *du_ahead, *dv_ahead;
        Real *fe, *fn, *fn_s;             ///< volume fluxes of rows r, r, r - 1
        Real *turn_v, *turn_u, *turn_u_s; ///< vorticity fluxes on v and u of row r, on u of r - 1
        Real *ke, *ke_n;                  ///< kinetic energy of rows r and r + 1
        Real *new_u, *new_v;
    };

    KOKKOS_FUNCTION Real* scratch(int strip, int k) const { return m_strips.scratch_row(strip, k); }
    KOKKOS_FUNCTION Real* u_row(int strip, int r) const { return scratch(strip, 8 + (r + 3) % 3); }
    KOKKOS_FUNCTION Real* v_row(int strip, int r) const { return scratch(strip, 11 + (r + 3) % 3); }
    KOKKOS_FUNCTION Real* zeros(int strip) const { return scratch(strip, 14); }

    KOKKOS_FUNCTION Rows rows_at(int strip, int r) const {
        using S = Strips<Real>;
        const Section& section = m_strips.section;
        // With v = 0 on a wall every flux through it is 0, whatever values the other rows have.
        const bool wall = section.is_at_north_wall(r) || (section.south_wall && r == -1);
        const int now = (r + 2) % 2;
        const int other = 1 - now;
        // Rows "ahead" are prefetched but not read; they may lie beyond the arrays.
        Rows row;
        row.h = m_strips.state_row(strip, m_state.h, S::edge_h, r);
        row.h_n = m_strips.state_row(strip, m_state.h, S::edge_h, r + 1);
        row.h_ahead = m_strips.state_row(strip, m_state.h, S::edge_h, r + 2);
        row.u = m_strips.state_row(strip, m_state.u, S::edge_u, r);
        row.u_n = m_strips.state_row(strip, m_state.u, S::edge_u, r + 1);
        row.u_ahead = m_strips.state_row(strip, m_state.u, S::edge_u, r + 2);
        row.v = wall ? zeros(strip) : m_strips.state_row(strip, m_state.v, S::edge_v, r);
        row.v_n = m_strips.state_row(strip, m_state.v, S::edge_v, r + 1);
        row.v_ahead = m_strips.state_row(strip, m_state.v, S::edge_v, r + 2);
        row.dh = m_state.dh.row(r);
        row.du = m_strips.tendency_row(strip, m_state.du, S::edge_du, r);
        row.dv = m_strips.tendency_row(strip, m_state.dv, S::edge_dv, r);
        const int ahead = Kokkos::min(r + 1, section.ny - 1);
        row.dh_ahead = m_state.dh.row(ahead);
        row.du_ahead = m_state.du.row(ahead);
        row.dv_ahead = m_state.dv.row(ahead);
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
    KOKKOS_FUNCTION void diagnose(const Member& team, const Rows& row, int r) const {
        const Coefficients<Real> c = m_c;
        const Real f = c.coriolis_of_row(m_strips.section.first_row + r);
        const auto body = [=](int i) {
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
        };
        for_columns(team, -1 - overlap, m_strips.section.nx + overlap, body, row.h_ahead,
                    row.u_ahead, row.v_ahead);
    }

    /// Replaces values that depend on diagnostics of another section, which has computed them from its
    /// own, different padding of u and v.
    template <class Member>
    KOKKOS_FUNCTION void take_padding(const Member& team, const Rows& row, int r) const {
        const Section& section = m_strips.section;
        const Diagnostics<Real> border = m_border;
        const int nx = section.nx;
        const int next = section.inside(r + 1);
        if (r == -1 && !section.south_wall) {
            for_columns(team, 0, nx, [=](int i) {
                row.fn[i] = border.fn(r, i);
                row.turn_u[i] =
                    vorticity_flux(border.q(r, i), border.fn(r, i), border.fn(r, i + 1));
            });
        }
        if (r == section.ny - 1 && !section.north_wall) {
            for_columns(team, 0, nx, [=](int i) {
                row.turn_v[i] = vorticity_flux(border.q(r, i), row.fe[i], border.fe(next, i));
                row.ke_n[i] = border.ke(next, i);
            });
        }
        for_columns(team, nx - 1, nx, [=](int i) {
            if (r >= 0) {
                row.turn_u[i] = vorticity_flux(border.q(r, i), row.fn[i], border.fn(r, i + 1));
                row.fe[-1] = border.fe(r, -1);
                row.turn_v[-1] =
                    vorticity_flux(border.q(r, -1), border.fe(r, -1), border.fe(next, -1));
            }
            if (r < section.ny - 1) {
                row.ke_n[i + 1] = border.ke(r + 1, i + 1);
            }
        });
    }

    template <class Member>
    KOKKOS_FUNCTION void advance_velocity(const Member& team, const Rows& row, int r) const {
        const Coefficients<Real> c = m_c;
        const int end = m_strips.section.nx + overlap;
        const auto body = [=](int i) {
            const Real h = row.h[i];
            const Real ke = row.ke[i];
            const Real du =
                tendency_u(c, h, row.h[i + 1], ke, row.ke[i + 1], row.turn_u[i], row.turn_u_s[i]);
            const Real dv =
                tendency_v(c, h, row.h_n[i], ke, row.ke_n[i], row.turn_v[i], row.turn_v[i - 1]);
            row.new_u[i] = advanced(c, row.u[i], du, row.du[i]);
            row.new_v[i] = advanced(c, row.v[i], dv, row.dv[i]);
            row.du[i] = du;
            row.dv[i] = dv;
        };
        for_columns(team, -overlap, end, body, row.du_ahead, row.dv_ahead);
        if (m_strips.section.is_at_north_wall(r)) {
            for_columns(team, -overlap, end, [=](int i) { row.new_v[i] = Real(0); });
        }
    }

    template <class Member>
    KOKKOS_FUNCTION void advance_height(const Member& team, const Rows& row, int r) const {
        const Coefficients<Real> c = m_c;
        Real* const h = m_state.h.row(r);
        const auto body = [=](int i) {
            const Real dh = tendency_h(c, row.fe[i], row.fe[i - 1], row.fn[i], row.fn_s[i]);
            h[i] = advanced(c, h[i], dh, row.dh[i]);
            row.dh[i] = dh;
        };
        for_columns(team, 0, m_strips.section.nx, body, row.dh_ahead);
    }

    template <class Member>
    KOKKOS_FUNCTION void rub(const Member& team, int strip, int r) const {
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
        for_columns(team, 0, section.nx, [=](int i) {
            new_u[i] = rubbed_five_point(c, u, u_n, u_s, i);
            new_v[i] = rubbed_five_point(c, v, v_n, v_s, i);
        });
        if (section.is_at_north_wall(r)) {
            for_columns(team, 0, section.nx, [=](int i) { new_v[i] = Real(0); });
        }
    }

    Coefficients<Real> m_c;
    Strips<Real> m_strips;
    State<Real> m_state;
    Diagnostics<Real> m_border;
};

} // namespace shallow_water::fused
