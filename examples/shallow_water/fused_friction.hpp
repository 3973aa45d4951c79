// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "fused_workspace.hpp"
#include "physics.hpp"
#include "section.hpp"

#include <Kokkos_Core.hpp>

/// The second half of a step in the narrow and the published variant, after their sweep and a second exchange, and the
/// kernels of the published variant that prepare its exchanges of diagnostics and friction fluxes.
namespace shallow_water::fused {

/// Friction of u and v, each from its own gradient (mode C), in place.
template <class Real>
class FrictionSweep {
public:
    FrictionSweep(const Coefficients<Real>& c, const Strips<Real>& strips, const State<Real>& state)
        : m_c(c), m_strips(strips), m_state(state) {}

    template <class Member>
    KOKKOS_FUNCTION void operator()(const Member& team) const {
        const int strip = team.league_rank();
        const int begin = m_strips.begin(strip);
        const int end = m_strips.begin(strip + 1);
        for (int r = begin; r < end; ++r) {
            rub(team, m_state.u, Strips<Real>::edge_u, 0, r, r == begin);
            rub(team, m_state.v, Strips<Real>::edge_v, 2, r, r == begin);
            if (m_strips.section.is_at_north_wall(r)) {
                Real* const v = m_state.v.row(r);
                for_columns(team, 0, m_strips.section.nx, [=](int i) { v[i] = Real(0); });
            }
        }
    }

private:
    template <class Member>
    KOKKOS_FUNCTION void rub(const Member& team, const Field<Real>& field,
                             typename Strips<Real>::Edge slot, int scratch, int r,
                             bool is_first) const {
        const Coefficients<Real> c = m_c;
        const Section& section = m_strips.section;
        const int strip = team.league_rank();
        // Copies of the rows before friction: this row and the one south of it are, or will be,
        // overwritten.
        Real* const a = m_strips.scratch_row(strip, scratch + r % 2);
        const Real* a_s = m_strips.scratch_row(strip, scratch + (r + 1) % 2);
        if (section.south_wall && r == 0) {
            a_s = a;
        } else if (is_first) {
            a_s = m_strips.state_row(strip, field, slot, r - 1);
        }
        Real* const to = field.row(r);
        const Real* const a_n =
            section.is_at_north_wall(r) ? a : m_strips.state_row(strip, field, slot, r + 1);
        const Real* const ahead = m_strips.state_row(strip, field, slot, r + 2);
        for_columns(team, -1, section.nx + 1, [=](int i) { a[i] = to[i]; });
        const auto body = [=](int i) { to[i] = rubbed_five_point(c, a, a_n, a_s, i); };
        for_columns(team, 0, section.nx, body, ahead);
    }

    Coefficients<Real> m_c;
    Strips<Real> m_strips;
    State<Real> m_state;
};

/// Friction of u, then of v with fluxes against the new u (mode P), in place.
///
/// Row -1 of flux.fn and column -1 of flux.fe belong to neighbours (BorderFrictionFluxes,
/// exchanged).
template <class Real>
class PublishedFrictionSweep {
public:
    PublishedFrictionSweep(const Coefficients<Real>& c, const Strips<Real>& strips,
                           const State<Real>& state, const Diagnostics<Real>& flux)
        : m_c(c), m_strips(strips), m_state(state), m_flux(flux) {}

    template <class Member>
    KOKKOS_FUNCTION void operator()(const Member& team) const {
        const int strip = team.league_rank();
        const int begin = m_strips.begin(strip);
        const int end = m_strips.begin(strip + 1);
        flux_into_strip(team, begin);
        for (int r = begin; r < end; ++r) {
            rub(team, r, r == begin);
        }
    }

private:
    KOKKOS_FUNCTION Real* scratch(int strip, int k) const { return m_strips.scratch_row(strip, k); }
    KOKKOS_FUNCTION Real* fn_row(int strip, int r) const { return scratch(strip, 2 + (r + 2) % 2); }

    /// The friction flux of v from the row south of the strip.
    template <class Member>
    KOKKOS_FUNCTION void flux_into_strip(const Member& team, int begin) const {
        using S = Strips<Real>;
        const Coefficients<Real> c = m_c;
        const Section& section = m_strips.section;
        const int strip = team.league_rank();
        Real* const fn = fn_row(strip, begin - 1);
        if (begin > 0) {
            const Real* const u = m_strips.state_row(strip, m_state.u, S::edge_u, begin - 1);
            const Real* const u_n = m_state.u.row(begin);
            const Real* const u_s = m_strips.state_row(strip, m_state.u, S::edge_u, begin - 2);
            const Real* const v_n = m_state.v.row(begin);
            for_columns(team, 0, section.nx, [=](int i) {
                fn[i] = friction_flux_north(c, rubbed_five_point(c, u, u_n, u_s, i), v_n[i]);
            });
        } else if (section.south_wall) {
            for_columns(team, 0, section.nx, [=](int i) { fn[i] = Real(0); });
        } else {
            const Real* const from = m_flux.fn.row(-1);
            for_columns(team, 0, section.nx, [=](int i) { fn[i] = from[i]; });
        }
    }

    template <class Member>
    KOKKOS_FUNCTION void rub(const Member& team, int r, bool is_first) const {
        using S = Strips<Real>;
        const Coefficients<Real> c = m_c;
        const Section& section = m_strips.section;
        const int strip = team.league_rank();
        Real* const old_u = scratch(strip, r % 2);
        const Real* old_u_s = scratch(strip, (r + 1) % 2);
        if (section.south_wall && r == 0) {
            old_u_s = old_u;
        } else if (is_first) {
            old_u_s = m_strips.state_row(strip, m_state.u, S::edge_u, r - 1);
        }
        Real* const u = m_state.u.row(r);
        Real* const v = m_state.v.row(r);
        Real* const fe = scratch(strip, 4);
        Real* const fn = fn_row(strip, r);
        const Real* const fn_s = fn_row(strip, r - 1);
        const bool at_wall = section.is_at_north_wall(r);
        const Real* const u_n =
            at_wall ? old_u : m_strips.state_row(strip, m_state.u, S::edge_u, r + 1);
        const Real* const v_n = m_strips.state_row(strip, m_state.v, S::edge_v, r + 1);
        const Real* const u_ahead = m_strips.state_row(strip, m_state.u, S::edge_u, r + 2);
        const Real* const v_ahead = m_strips.state_row(strip, m_state.v, S::edge_v, r + 2);
        const Real* const west = m_flux.fe.row(r);

        for_columns(team, -1, section.nx + 1, [=](int i) { old_u[i] = u[i]; });
        const auto body = [=](int i) {
            const Real new_u = rubbed_five_point(c, old_u, u_n, old_u_s, i);
            u[i] = new_u;
            fe[i] = friction_flux_east(c, new_u, v[i + 1]);
            fn[i] = at_wall ? Real(0) : friction_flux_north(c, new_u, v_n[i]);
        };
        for_columns(team, 0, section.nx, body, u_ahead, v_ahead);
        for_columns(team, -1, 0, [=](int i) { fe[i] = west[i]; });
        for_columns(team, 0, section.nx,
                    [=](int i) { v[i] = rubbed(c, v[i], fe[i], fe[i - 1], fn[i], fn_s[i]); });
    }

    Coefficients<Real> m_c;
    Strips<Real> m_strips;
    State<Real> m_state;
    Diagnostics<Real> m_flux;
};

/// Computes the diagnostics only of those owned cells that a neighbour needs: fe in the
/// first row and last column, fn in the last row and first column, q in the last row and column, ke
/// in the first row and column.
template <class Real>
class BorderDiagnostics {
public:
    BorderDiagnostics(const Coefficients<Real>& c, const Section& section, const State<Real>& state,
                      const Diagnostics<Real>& border)
        : m_c(c), m_section(section), m_state(state), m_border(border) {}

    /// k < nx: the cells of column k; otherwise the cells of row k - nx.
    KOKKOS_FUNCTION void operator()(int k) const {
        const int last_row = m_section.ny - 1;
        const int last_column = m_section.nx - 1;
        if (k < m_section.nx) {
            east_flux(0, k);
            energy(0, k);
            north_flux(last_row, k);
            vorticity(last_row, k);
        } else {
            const int j = k - m_section.nx;
            north_flux(j, 0);
            energy(j, 0);
            east_flux(j, last_column);
            vorticity(j, last_column);
        }
    }

private:
    KOKKOS_FUNCTION void east_flux(int j, int i) const {
        m_border.fe(j, i) = volume_flux(m_state.h(j, i), m_state.h(j, i + 1), m_state.u(j, i));
    }

    KOKKOS_FUNCTION void north_flux(int j, int i) const {
        const Real v = m_section.is_at_north_wall(j) ? Real(0) : m_state.v(j, i);
        const int north = m_section.inside(j + 1);
        m_border.fn(j, i) = volume_flux(m_state.h(j, i), m_state.h(north, i), v);
    }

    KOKKOS_FUNCTION void vorticity(int j, int i) const {
        const Field<Real>& h = m_state.h;
        const Field<Real>& u = m_state.u;
        const Field<Real>& v = m_state.v;
        const int north = m_section.inside(j + 1);
        m_border.q(j, i) = potential_vorticity(m_c, m_c.coriolis_of_row(m_section.first_row + j),
                                               h(j, i), h(j, i + 1), h(north, i), h(north, i + 1),
                                               u(j, i), u(north, i), v(j, i), v(j, i + 1));
    }

    KOKKOS_FUNCTION void energy(int j, int i) const {
        const Field<Real>& u = m_state.u;
        const Field<Real>& v = m_state.v;
        const Real v_s = m_section.south_wall && j == 0 ? Real(0) : v(j - 1, i);
        m_border.ke(j, i) = kinetic_energy(u(j, i), u(j, i - 1), v(j, i), v_s);
    }

    Coefficients<Real> m_c;
    Section m_section;
    State<Real> m_state;
    Diagnostics<Real> m_border;
};

/// Computes v's friction fluxes of the owned cells that a neighbour needs: fe in the last column,
/// fn in the last row.
template <class Real>
class BorderFrictionFluxes {
public:
    BorderFrictionFluxes(const Coefficients<Real>& c, const Section& section,
                         const State<Real>& state, const Diagnostics<Real>& flux)
        : m_c(c), m_section(section), m_state(state), m_flux(flux) {}

    KOKKOS_FUNCTION void operator()(int k) const {
        if (k < m_section.nx) {
            const int j = m_section.ny - 1;
            if (!m_section.north_wall) {
                m_flux.fn(j, k) = friction_flux_north(m_c, new_u(j, k), m_state.v(j + 1, k));
            }
        } else {
            const int j = k - m_section.nx;
            const int i = m_section.nx - 1;
            m_flux.fe(j, i) = friction_flux_east(m_c, new_u(j, i), m_state.v(j, i + 1));
        }
    }

private:
    KOKKOS_FUNCTION Real new_u(int j, int i) const {
        const Real* const u = m_state.u.row(j);
        const Real* const u_n = m_state.u.row(m_section.inside(j + 1));
        const Real* const u_s = m_state.u.row(m_section.inside(j - 1));
        return rubbed_five_point(m_c, u, u_n, u_s, i);
    }

    Coefficients<Real> m_c;
    Section m_section;
    State<Real> m_state;
    Diagnostics<Real> m_flux;
};

} // namespace shallow_water::fused
