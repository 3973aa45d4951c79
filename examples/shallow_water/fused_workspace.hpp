// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "section.hpp"

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <string>

#if defined(__GNUC__)
#define DISTVIEW_EXAMPLE_PREFETCH(address) __builtin_prefetch(address, 0, 2)
#else
#define DISTVIEW_EXAMPLE_PREFETCH(address) static_cast<void>(address)
#endif

#if defined(__CUDACC__) || defined(__HIPCC__)
#define DISTVIEW_EXAMPLE_SIMD
#elif defined(__clang__)
#define DISTVIEW_EXAMPLE_SIMD _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define DISTVIEW_EXAMPLE_SIMD _Pragma("GCC ivdep")
#else
#define DISTVIEW_EXAMPLE_SIMD
#endif

namespace shallow_water::fused {

namespace impl {

template <class Body>
void columns_on_host(int begin, int end, const Body& body) {
    DISTVIEW_EXAMPLE_SIMD
    for (int i = begin; i < end; ++i) {
        body(i);
    }
}

template <class Body, class Real, class... Ahead>
void columns_on_host(int begin, int end, const Body& body, const Real* ahead,
                     const Ahead*... more_ahead) {
    constexpr int line = 64 / static_cast<int>(sizeof(Real));
    int i = begin;
    // Runs up to column 0, where the scratch rows start a cache line.
    for (; i < end && i < 0; ++i) {
        body(i);
    }
    for (; i + line <= end; i += line) {
        DISTVIEW_EXAMPLE_PREFETCH(ahead + i);
        (DISTVIEW_EXAMPLE_PREFETCH(more_ahead + i), ...);
        columns_on_host(i, i + line, body);
    }
    columns_on_host(i, end, body);
}

template <class Member, class Body>
KOKKOS_FORCEINLINE_FUNCTION void columns_by_team(const Member& team, int begin, int end,
                                                 const Body& body) {
    for (int i = begin + team.team_rank(); i < end; i += team.team_size()) {
        body(i);
    }
    team.team_barrier();
}

} // namespace impl

/// Runs the body for independent columns: in the vector loop of a host thread, or in
/// all threads of a team on a device (which then wait for each other).
///
/// `ahead` are rows that the strip will soon read from memory; a host thread prefetches them line by
/// line. The hardware prefetcher stops whenever a sweep computes from cache, which is most of
/// the time: without these requests a step takes a third longer.
template <class Member, class Body, class... Ahead>
KOKKOS_FORCEINLINE_FUNCTION void for_columns(const Member& team, int begin, int end,
                                             const Body& body, const Ahead*... ahead) {
    KOKKOS_IF_ON_HOST((static_cast<void>(team); impl::columns_on_host(begin, end, body, ahead...);))
    KOKKOS_IF_ON_DEVICE(
        ((static_cast<void>(ahead), ...); impl::columns_by_team(team, begin, end, body);))
}

/// The section cut into strips of rows, each with scratch rows and copies of its neighbours' edges.
///
/// A strip is swept in place from south to north. It also reads two rows on either side that
/// another strip may already have overwritten; it reads these from copies made before the sweep
/// ("edges"). Trivially copyable, for capture by kernels.
template <class Real>
struct Strips {
    // Edge rows of the seam below strip k: for u, v, h rows -2..1 relative to the seam, for du,
    // dv rows -1..0. Only one strip reads a copy, and it may therefore also write it.
    enum Edge : int {
        edge_u = 0,
        edge_v = 4,
        edge_h = 8,
        edge_du = 12,
        edge_dv = 14,
        n_edges = 16
    };

    Section section;
    int n_strips = 0;
    Field<Real> scratch;
    Field<Real> edges;
    int n_scratch = 0; ///< scratch rows per strip

    KOKKOS_FUNCTION int begin(int strip) const {
        const auto rows = static_cast<std::ptrdiff_t>(section.ny);
        return static_cast<int>(rows * strip / n_strips);
    }

    KOKKOS_FUNCTION Real* scratch_row(int strip, int k) const {
        return scratch.row(strip * n_scratch + k);
    }

    KOKKOS_FUNCTION Real* edge_row(int strip, int slot) const {
        return edges.row(strip * n_edges + slot);
    }

    /// Row j of a field of the state before the sweep, for any row within two rows of the
    /// strip.
    KOKKOS_FUNCTION Real* state_row(int strip, const Field<Real>& field, Edge slot, int j) const {
        return row_or_copy(strip, field, slot, 2, section.inside(j));
    }

    /// Row j of an old tendency, for any row within one row of the strip.
    KOKKOS_FUNCTION Real* tendency_row(int strip, const Field<Real>& field, Edge slot,
                                       int j) const {
        return row_or_copy(strip, field, slot, 1, j);
    }

private:
    KOKKOS_FUNCTION Real* row_or_copy(int strip, const Field<Real>& field, Edge slot, int depth,
                                      int j) const {
        const int south = begin(strip);
        const int north = begin(strip + 1);
        if (j < south && strip > 0) {
            return edge_row(strip, slot + j - (south - depth));
        }
        if (j >= north && strip + 1 < n_strips) {
            return edge_row(strip + 1, slot + j - (north - depth));
        }
        return field.row(j);
    }
};

/// Owns the scratch memory of the fused kernels of one section; made once, used in every step.
///
/// Space:  allocates in the memory space of Exec; all kernels of one workspace must run in order
/// Cost:   15 rows per strip and 16 per seam, nothing per step
template <class Real, class Exec>
class Workspace {
public:
    static constexpr int n_scratch = 15;

    /// n_strips = 0 chooses the number: one strip per thread on a host, short strips on a device.
    Workspace(const Exec& exec, const Section& section, int n_strips = 0) {
        if (n_strips <= 0) {
            n_strips = is_host<Exec> ? exec.concurrency() : (section.ny + 7) / 8;
        }
        m_strips.section = section;
        m_strips.n_strips = std::clamp(n_strips, 1, std::max(section.ny, 1));
        m_strips.n_scratch = n_scratch;

        // Column 0 starts a cache line. An odd number of lines per row prevents rows that a sweep
        // accesses at the same time from sharing cache sets.
        constexpr int line = 64 / static_cast<int>(sizeof(Real));
        const int stride = line * (((section.nx + 3 * line - 1) / line) | 1);
        // Zero-initialised: one scratch row per strip is never written and serves for walls.
        m_scratch = Rows(Kokkos::view_alloc("shallow_water::Workspace::scratch", exec),
                         static_cast<std::size_t>(m_strips.n_strips) * n_scratch, stride);
        m_edges = Rows(Kokkos::view_alloc("shallow_water::Workspace::edges", exec),
                       static_cast<std::size_t>(m_strips.n_strips) * Strips<Real>::n_edges, stride);
        m_strips.scratch = make_field(m_scratch, 0, line);
        m_strips.edges = make_field(m_edges, 0, line);
    }

    const Strips<Real>& strips() const { return m_strips; }

    /// Runs body(team) with one team per strip.
    template <class Body>
    void for_strips(const Exec& exec, const std::string& label, const Body& body) const {
        Kokkos::parallel_for(label, policy(exec, m_strips.n_strips), body);
    }

    /// Copies the rows around all seams that the following sweep will overwrite, edges [0, n_edges).
    void save_edges(const Exec& exec, const State<Real>& state, int n_edges, int overlap) const {
        if (m_strips.n_strips < 2) {
            return;
        }
        const Strips<Real> strips = m_strips;
        const int columns = strips.section.nx + overlap + 1;
        Kokkos::parallel_for(
            m_save_label, policy(exec, (strips.n_strips - 1) * n_edges),
            KOKKOS_LAMBDA(const Member& team) {
                const int strip = team.league_rank() / n_edges + 1;
                const int slot = team.league_rank() % n_edges;
                const int seam = strips.begin(strip);
                const Real* from = nullptr;
                if (slot < Strips<Real>::edge_du) {
                    const int row = strips.section.inside(seam - 2 + slot % 4);
                    from = slot < Strips<Real>::edge_v   ? state.u.row(row)
                           : slot < Strips<Real>::edge_h ? state.v.row(row)
                                                         : state.h.row(row);
                } else {
                    const int row = seam - 1 + slot % 2;
                    from = slot < Strips<Real>::edge_dv ? state.du.row(row) : state.dv.row(row);
                }
                Real* const to = strips.edge_row(strip, slot);
                for_columns(team, -1 - overlap, columns, [=](int i) { to[i] = from[i]; });
            });
    }

private:
    using Rows = Kokkos::View<Real**, Kokkos::LayoutRight, typename Exec::memory_space>;
    using Policy = Kokkos::TeamPolicy<Exec>;
    using Member = typename Policy::member_type;

    static Policy policy(const Exec& exec, int n_teams) {
        return Policy(exec, n_teams, is_host<Exec> ? 1 : 128);
    }

    Strips<Real> m_strips;
    Rows m_scratch;
    Rows m_edges;
    // A std::string, because a long literal would allocate at every launch.
    std::string m_save_label = "shallow_water::Workspace::save_edges";
};

} // namespace shallow_water::fused
