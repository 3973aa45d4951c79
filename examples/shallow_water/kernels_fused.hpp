// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "fused_friction.hpp"
#include "fused_sweep.hpp"
#include "fused_workspace.hpp"
#include "physics.hpp"
#include "section.hpp"

#include <Kokkos_Core.hpp>

#include <string>

namespace shallow_water::fused {

/// The step in as few sweeps over memory, and with as few exchanges, as the model allows.
///
/// The bits are those of the literal kernels. h, u, v and the old tendencies are updated in place, so a
/// float32 step needs to move only 48 bytes per cell (mode C) or 64 (mode P); these are counted, not measured.
/// One step of each variant:
///
///   mode C, wide: every block of cells has at least 2 rows and 2 columns
///       exchange {h, u, v}: width 2, all sides, corners
///       step()
///
///   mode C, narrow: any block sizes
///       exchange {h, u, v}: width 1, all sides, corners
///       narrow_tendencies()
///       exchange {u, v}: width 1, all sides, no corners
///       narrow_friction()
///
///   mode P, any block sizes; width 1 throughout
///       published_diagnostics()
///       exchange {fe: west, north and their corner; fn: east, south and their corner;
///                 q: west, south; ke: east, north}
///       published_tendencies()
///       exchange {h: east, north and their corner; u: all sides; v: east, north, south}
///       published_friction_fluxes()
///       exchange {fe: west; fn: south}
///       published_friction()
///
/// A side is that of the receiver: "fe: west" fills column -1 of fe. Exchanging more sides or
/// corners than named does no harm. In mode P the initial h, u, v need the second exchange once
/// before the first step, and the program must not change their padding between steps: the model reads
/// the neighbours' u and v from before friction. In mode C the initial state needs no exchange.
///
/// Shapes:   arrays of the state need padding of the named width: h, u, v on all four sides with
///           a neighbour (or a periodic edge); du, dv in the wide variant width 1
///           likewise; dh never. fe, fn, q, ke exist in mode P only and need the named sides.
///           Kernels neither read nor write beyond a wall, so no array needs boundary padding
///           there, but columns -1..nx (wide: -2..nx + 1) of every row must exist.
/// Indices:  Field (0, 0) is the first owned cell
/// Space:    kernels on `exec`; work may still run on return
/// Touches:  owned cells of the state; wide: also the first ring of padding of du and dv, which
///           no other code may write between steps; of fe, fn, q, ke only owned cells on the border
/// Cost:     no allocation and no fence after construction
template <class Real, class Exec>
class FusedKernels {
public:
    /// n_strips = 0 chooses a fast number; results do not depend on it.
    FusedKernels(const Exec& exec, const Section& section, const Parameters& parameters,
                 int n_strips = 0)
        : m_workspace(exec, section, n_strips), m_euler(Coefficients<Real>::make(parameters, true)),
          m_adams_bashforth(Coefficients<Real>::make(parameters, false)) {}

    /// Mode C, wide: the whole step. `euler` is for the first step of a run, here and below.
    void step(const Exec& exec, const State<Real>& state, bool euler) const {
        sweep<Variant::wide>(exec, m_step, state, {}, euler);
    }

    /// Mode C, narrow: the step without friction.
    void narrow_tendencies(const Exec& exec, const State<Real>& state, bool euler) const {
        sweep<Variant::narrow>(exec, m_narrow_tendencies, state, {}, euler);
    }

    void narrow_friction(const Exec& exec, const State<Real>& state) const {
        m_workspace.save_edges(exec, state, Strips<Real>::edge_h, 0);
        m_workspace.for_strips(exec, m_narrow_friction,
                               FrictionSweep<Real>(m_adams_bashforth, m_workspace.strips(), state));
    }

    /// Mode P: the diagnostics that neighbours need, on the border of the section.
    void published_diagnostics(const Exec& exec, const State<Real>& state,
                               const Diagnostics<Real>& border) const {
        along_border(exec, m_published_diagnostics,
                     BorderDiagnostics<Real>(m_adams_bashforth, section(), state, border));
    }

    /// Mode P: the step without friction.
    void published_tendencies(const Exec& exec, const State<Real>& state,
                              const Diagnostics<Real>& border, bool euler) const {
        sweep<Variant::published>(exec, m_published_tendencies, state, border, euler);
    }

    /// Mode P: the fluxes of v's friction that neighbours need, into border.fe and border.fn.
    void published_friction_fluxes(const Exec& exec, const State<Real>& state,
                                   const Diagnostics<Real>& border) const {
        along_border(exec, m_published_friction_fluxes,
                     BorderFrictionFluxes<Real>(m_adams_bashforth, section(), state, border));
    }

    void published_friction(const Exec& exec, const State<Real>& state,
                            const Diagnostics<Real>& border) const {
        m_workspace.save_edges(exec, state, Strips<Real>::edge_h, 0);
        m_workspace.for_strips(
            exec, m_published_friction,
            PublishedFrictionSweep<Real>(m_adams_bashforth, m_workspace.strips(), state, border));
    }

    const Section& section() const { return m_workspace.strips().section; }

private:
    template <Variant variant>
    void sweep(const Exec& exec, const std::string& label, const State<Real>& state,
               const Diagnostics<Real>& border, bool euler) const {
        constexpr bool wide = variant == Variant::wide;
        m_workspace.save_edges(exec, state, wide ? Strips<Real>::n_edges : Strips<Real>::edge_du,
                               wide ? 1 : 0);
        m_workspace.for_strips(exec, label,
                               Sweep<Real, variant>(euler ? m_euler : m_adams_bashforth,
                                                    m_workspace.strips(), state, border));
    }

    template <class Body>
    void along_border(const Exec& exec, const std::string& label, const Body& body) const {
        using Policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<int>>;
        Kokkos::parallel_for(label, Policy(exec, 0, section().nx + section().ny), body);
    }

    Workspace<Real, Exec> m_workspace;
    Coefficients<Real> m_euler;
    Coefficients<Real> m_adams_bashforth;
    std::string m_step = "shallow_water::FusedKernels::step";
    std::string m_narrow_tendencies = "shallow_water::FusedKernels::narrow_tendencies";
    std::string m_narrow_friction = "shallow_water::FusedKernels::narrow_friction";
    std::string m_published_diagnostics = "shallow_water::FusedKernels::published_diagnostics";
    std::string m_published_tendencies = "shallow_water::FusedKernels::published_tendencies";
    std::string m_published_friction_fluxes =
        "shallow_water::FusedKernels::published_friction_fluxes";
    std::string m_published_friction = "shallow_water::FusedKernels::published_friction";
};

} // namespace shallow_water::fused
