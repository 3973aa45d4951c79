// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "physics.hpp"
#include "section.hpp"

#include <Kokkos_Core.hpp>

#include <string>

/// One kernel per line of the published model, on full padded arrays: simple, slow, the baseline.
///
/// All arrays have padding of at least 1 on every side, walls included, zero-initialised (beyond a
/// wall fn, q and v must stay 0; other values there need only be finite). In the following step, "B(a)" is
/// the exchange of a's padding (width 1, with corners) and "B0(a)" is close_north_wall(a), then
/// B(a):
///
///     replicate_edges(h, hc)   B(hc)     flux_east   B(fe)    flux_north   B0(fn)
///     vorticity                B(q)      energy      B(ke)    tendencies
///     advance                  B(h) B(u) B0(v)
///     friction_fluxes_east(u, u)         B(fe)       friction_fluxes_north(u, u)   B0(fn)
///     apply_friction(u)
///     friction_fluxes_east(v, w)         B(fe)       friction_fluxes_north(v, w)   B0(fn)
///     apply_friction(v)
///     mode C only: B(u) B0(v)
///
/// with w = v in mode C and w = u in mode P. After initialisation: B(h) B(u) B0(v).
///
/// Space:    kernels on `exec`; work may still run on return
/// Touches:  owned cells; replicate_edges and close_north_wall also padding
namespace shallow_water::literal {

namespace impl {

template <class Exec, class Body>
void for_cells(const Exec& exec, const std::string& label, int row_begin, int row_end,
               int column_begin, int column_end, const Body& body) {
    using Policy = Kokkos::MDRangePolicy<Exec, Kokkos::Rank<2>, Kokkos::IndexType<int>>;
    Kokkos::parallel_for(label, Policy(exec, {row_begin, column_begin}, {row_end, column_end}),
                         body);
}

template <class Exec, class Body>
void for_owned(const Exec& exec, const std::string& label, const Section& section,
               const Body& body) {
    for_cells(exec, label, 0, section.ny, 0, section.nx, body);
}

} // namespace impl

/// Copies the owned cells of h, and fills the padding with the nearest owned cell.
template <class Real, class Exec>
void replicate_edges(const Exec& exec, const Section& section, Field<Real> h, Field<Real> hc) {
    const int ny = section.ny;
    const int nx = section.nx;
    impl::for_cells(
        exec, "shallow_water::literal::replicate_edges", -1, ny + 1, -1, nx + 1,
        KOKKOS_LAMBDA(int j, int i) {
            const int row = j < 0 ? 0 : (j < ny ? j : ny - 1);
            const int column = i < 0 ? 0 : (i < nx ? i : nx - 1);
            hc(j, i) = h(row, column);
        });
}

/// Sets the last owned row of the northernmost sections to 0, padding columns included.
///
/// The published program does this after the exchange. The result is the same unless a northernmost section has only
/// one row: then the exchange would carry values from beyond the wall to the south.
template <class Real, class Exec>
void close_north_wall(const Exec& exec, const Section& section, Field<Real> a) {
    if (!section.north_wall) {
        return;
    }
    const int row = section.ny - 1;
    Kokkos::parallel_for(
        "shallow_water::literal::close_north_wall",
        Kokkos::RangePolicy<Exec, Kokkos::IndexType<int>>(exec, -1, section.nx + 1),
        KOKKOS_LAMBDA(int i) { a(row, i) = Real(0); });
}

template <class Real, class Exec>
void flux_east(const Exec& exec, const Section& section, Field<Real> hc, Field<Real> u,
               Field<Real> fe) {
    impl::for_owned(
        exec, "shallow_water::literal::flux_east", section,
        KOKKOS_LAMBDA(int j, int i) { fe(j, i) = volume_flux(hc(j, i), hc(j, i + 1), u(j, i)); });
}

template <class Real, class Exec>
void flux_north(const Exec& exec, const Section& section, Field<Real> hc, Field<Real> v,
                Field<Real> fn) {
    impl::for_owned(
        exec, "shallow_water::literal::flux_north", section,
        KOKKOS_LAMBDA(int j, int i) { fn(j, i) = volume_flux(hc(j, i), hc(j + 1, i), v(j, i)); });
}

template <class Real, class Exec>
void vorticity(const Exec& exec, const Section& section, const Coefficients<Real>& c,
               Field<Real> hc, Field<Real> u, Field<Real> v, Field<Real> q) {
    const auto first_row = section.first_row;
    impl::for_owned(
        exec, "shallow_water::literal::vorticity", section, KOKKOS_LAMBDA(int j, int i) {
            q(j, i) = potential_vorticity(c, c.coriolis_of_row(first_row + j), hc(j, i),
                                          hc(j, i + 1), hc(j + 1, i), hc(j + 1, i + 1), u(j, i),
                                          u(j + 1, i), v(j, i), v(j, i + 1));
        });
}

template <class Real, class Exec>
void energy(const Exec& exec, const Section& section, Field<Real> u, Field<Real> v,
            Field<Real> ke) {
    impl::for_owned(
        exec, "shallow_water::literal::energy", section, KOKKOS_LAMBDA(int j, int i) {
            ke(j, i) = kinetic_energy(u(j, i), u(j, i - 1), v(j, i), v(j - 1, i));
        });
}

/// The tendencies of this step, one kernel per variable.
template <class Real, class Exec>
void tendencies(const Exec& exec, const Section& section, const Coefficients<Real>& c,
                Field<Real> h, const Diagnostics<Real>& d, Field<Real> dh, Field<Real> du,
                Field<Real> dv) {
    const Field<Real> fe = d.fe;
    const Field<Real> fn = d.fn;
    const Field<Real> q = d.q;
    const Field<Real> ke = d.ke;
    impl::for_owned(
        exec, "shallow_water::literal::tendency_h", section, KOKKOS_LAMBDA(int j, int i) {
            dh(j, i) = tendency_h(c, fe(j, i), fe(j, i - 1), fn(j, i), fn(j - 1, i));
        });
    impl::for_owned(
        exec, "shallow_water::literal::tendency_u", section, KOKKOS_LAMBDA(int j, int i) {
            du(j, i) = tendency_u(c, h(j, i), h(j, i + 1), ke(j, i), ke(j, i + 1),
                                  vorticity_flux(q(j, i), fn(j, i), fn(j, i + 1)),
                                  vorticity_flux(q(j - 1, i), fn(j - 1, i), fn(j - 1, i + 1)));
        });
    impl::for_owned(
        exec, "shallow_water::literal::tendency_v", section, KOKKOS_LAMBDA(int j, int i) {
            dv(j, i) = tendency_v(c, h(j, i), h(j + 1, i), ke(j, i), ke(j + 1, i),
                                  vorticity_flux(q(j, i), fe(j, i), fe(j + 1, i)),
                                  vorticity_flux(q(j, i - 1), fe(j, i - 1), fe(j + 1, i - 1)));
        });
}

/// Advances one variable and keeps its tendency as the old one.
template <class Real, class Exec>
void advance(const Exec& exec, const Section& section, const Coefficients<Real>& c, Field<Real> a,
             Field<Real> tendency, Field<Real> old_tendency) {
    impl::for_owned(
        exec, "shallow_water::literal::advance", section, KOKKOS_LAMBDA(int j, int i) {
            a(j, i) = advanced(c, a(j, i), tendency(j, i), old_tendency(j, i));
            old_tendency(j, i) = tendency(j, i);
        });
}

template <class Real, class Exec>
void friction_fluxes_east(const Exec& exec, const Section& section, const Coefficients<Real>& c,
                          Field<Real> a, Field<Real> w, Field<Real> fe) {
    impl::for_owned(
        exec, "shallow_water::literal::friction_fluxes_east", section,
        KOKKOS_LAMBDA(int j, int i) { fe(j, i) = friction_flux_east(c, w(j, i), a(j, i + 1)); });
}

template <class Real, class Exec>
void friction_fluxes_north(const Exec& exec, const Section& section, const Coefficients<Real>& c,
                           Field<Real> a, Field<Real> w, Field<Real> fn) {
    impl::for_owned(
        exec, "shallow_water::literal::friction_fluxes_north", section,
        KOKKOS_LAMBDA(int j, int i) { fn(j, i) = friction_flux_north(c, w(j, i), a(j + 1, i)); });
}

template <class Real, class Exec>
void apply_friction(const Exec& exec, const Section& section, const Coefficients<Real>& c,
                    Field<Real> fe, Field<Real> fn, Field<Real> a) {
    impl::for_owned(
        exec, "shallow_water::literal::apply_friction", section, KOKKOS_LAMBDA(int j, int i) {
            a(j, i) = rubbed(c, a(j, i), fe(j, i), fe(j, i - 1), fn(j, i), fn(j - 1, i));
        });
}

} // namespace shallow_water::literal
