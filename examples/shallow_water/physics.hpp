// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "parameters.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>

/// Every formula of the model, in one place.
///
/// The literal and the fused kernels call these functions on the same operands and therefore
/// produce the same bits, if the compiler neither contracts a * b + c nor re-associates:
/// compile with -ffp-contract=off and without -ffast-math.
///
/// Staggering (Arakawa C): h and ke at a cell's centre, u and fe on its east face, v and fn on its
/// north face, q at its north-east corner. Suffixes of arguments name the neighbour: _e, _w, _n,
/// _s.
namespace shallow_water {

/// Constants of one time step in the type of the model.
template <class Real>
struct Coefficients {
    Real gravity;
    Real inverse_dx;
    Real inverse_dy;
    Real friction_dx; ///< viscosity / dx
    Real friction_dy;
    Real dt;
    Real new_weight; ///< of this step's tendency
    Real old_weight; ///< of the previous step's tendency, subtracted
    double coriolis;
    double beta_dy;

    /// Constants of the forward Euler step (the first one) or of the Adams-Bashforth steps. Euler
    /// is Adams-Bashforth with an old weight of 0 and old tendencies that are 0.
    static Coefficients make(const Parameters& parameters, bool euler) {
        const double dt = parameters.time_step();
        const double nu = parameters.viscosity();
        return {static_cast<Real>(parameters.gravity),
                static_cast<Real>(1 / parameters.dx),
                static_cast<Real>(1 / parameters.dy),
                static_cast<Real>(nu / parameters.dx),
                static_cast<Real>(nu / parameters.dy),
                static_cast<Real>(dt),
                static_cast<Real>(euler ? dt : 1.6 * dt),
                static_cast<Real>(euler ? 0.0 : 0.6 * dt),
                parameters.coriolis,
                parameters.beta * parameters.dy};
    }

    /// The Coriolis parameter of a global row, computed in double and equal on every grid.
    KOKKOS_FUNCTION Real coriolis_of_row(std::int64_t row) const {
        return static_cast<Real>(coriolis + beta_dy * static_cast<double>(row));
    }
};

/// Volume flux through a face: fe from (h, h_e, u), fn from (h, h_n, v).
template <class Real>
KOKKOS_FORCEINLINE_FUNCTION Real volume_flux(Real h, Real h_next, Real velocity) {
    return Real(0.5) * (h + h_next) * velocity;
}

/// q: absolute vorticity over the thickness of the four cells around the corner.
template <class Real>
KOKKOS_FORCEINLINE_FUNCTION Real potential_vorticity(const Coefficients<Real>& c, Real f, Real h,
                                                     Real h_e, Real h_n, Real h_ne, Real u,
                                                     Real u_n, Real v, Real v_e) {
    const Real vorticity = f + ((v_e - v) * c.inverse_dx - (u_n - u) * c.inverse_dy);
    return vorticity / (Real(0.25) * ((h + h_e) + (h_n + h_ne)));
}

/// ke: kinetic energy per mass at the centre.
template <class Real>
KOKKOS_FORCEINLINE_FUNCTION Real kinetic_energy(Real u, Real u_w, Real v, Real v_s) {
    return Real(0.25) * ((u * u + u_w * u_w) + (v * v + v_s * v_s));
}

/// Flux of vorticity: q times the mean of two volume fluxes across the velocity it turns.
template <class Real>
KOKKOS_FORCEINLINE_FUNCTION Real vorticity_flux(Real q, Real flux, Real flux_next) {
    return q * (Real(0.5) * (flux + flux_next));
}

/// dh'.
template <class Real>
KOKKOS_FORCEINLINE_FUNCTION Real tendency_h(const Coefficients<Real>& c, Real fe, Real fe_w,
                                            Real fn, Real fn_s) {
    return (fe_w - fe) * c.inverse_dx + (fn_s - fn) * c.inverse_dy;
}

/// du', with the vorticity fluxes at the north and south end of the east face.
template <class Real>
KOKKOS_FORCEINLINE_FUNCTION Real tendency_u(const Coefficients<Real>& c, Real h, Real h_e, Real ke,
                                            Real ke_e, Real turn, Real turn_s) {
    return (c.gravity * (h - h_e) + (ke - ke_e)) * c.inverse_dx + Real(0.5) * (turn + turn_s);
}

/// dv', with the vorticity fluxes at the east and west end of the north face.
template <class Real>
KOKKOS_FORCEINLINE_FUNCTION Real tendency_v(const Coefficients<Real>& c, Real h, Real h_n, Real ke,
                                            Real ke_n, Real turn, Real turn_w) {
    return (c.gravity * (h - h_n) + (ke - ke_n)) * c.inverse_dy - Real(0.5) * (turn + turn_w);
}

/// A state variable after the step, from this step's and the previous step's tendency.
template <class Real>
KOKKOS_FORCEINLINE_FUNCTION Real advanced(const Coefficients<Real>& c, Real value, Real tendency,
                                          Real old_tendency) {
    return value + (c.new_weight * tendency - c.old_weight * old_tendency);
}

template <class Real>
KOKKOS_FORCEINLINE_FUNCTION Real friction_flux_east(const Coefficients<Real>& c, Real w, Real a_e) {
    return c.friction_dx * (a_e - w);
}

template <class Real>
KOKKOS_FORCEINLINE_FUNCTION Real friction_flux_north(const Coefficients<Real>& c, Real w,
                                                     Real a_n) {
    return c.friction_dy * (a_n - w);
}

/// A velocity after friction, from the four friction fluxes through the sides of its cell.
template <class Real>
KOKKOS_FORCEINLINE_FUNCTION Real rubbed(const Coefficients<Real>& c, Real value, Real fe, Real fe_w,
                                        Real fn, Real fn_s) {
    return value + c.dt * ((fe - fe_w) * c.inverse_dx + (fn - fn_s) * c.inverse_dy);
}

/// A velocity after friction from its own gradient, computed from three of its rows before friction.
template <class Real>
KOKKOS_FORCEINLINE_FUNCTION Real rubbed_five_point(const Coefficients<Real>& c, const Real* a,
                                                   const Real* a_n, const Real* a_s, int i) {
    return rubbed(c, a[i], friction_flux_east(c, a[i], a[i + 1]),
                  friction_flux_east(c, a[i - 1], a[i]), friction_flux_north(c, a[i], a_n[i]),
                  friction_flux_north(c, a_s[i], a[i]));
}

} // namespace shallow_water
