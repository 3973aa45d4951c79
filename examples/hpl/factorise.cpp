// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "factorise.hpp"

#include "row_moves.hpp"

#include <distview/comm/collectives.hpp>
#include <distview/comm/make_dist_view.hpp>
#include <distview/comm/redistribution_plan.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <span>
#include <utility>

namespace hpl {

namespace {

using Matrix = Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace>;

/// Adds its lifetime to `seconds`.
class Stopwatch {
public:
    explicit Stopwatch(double& seconds) : m_seconds(seconds) {}
    Stopwatch(const Stopwatch&) = delete;
    Stopwatch& operator=(const Stopwatch&) = delete;
    ~Stopwatch() {
        m_seconds += std::chrono::duration<double>(program::Clock::now() - m_start).count();
    }

private:
    double& m_seconds;
    program::Clock::time_point m_start = program::Clock::now();
};

template <class Values>
void broadcast_values(const distview::Communicator& comm, int root, const Values& values) {
    distview::broadcast(comm, root,
                        std::as_writable_bytes(std::span(values.data(), values.size())));
}

/// A block of columns [begin, end) from row `begin` on, factorised.
struct Panel {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    Matrix elements;
    std::span<std::int64_t> pivots; ///< rows of the whole matrix
};

/// Rows that other processes owned, and the rows of the panel's block, after the swaps.
struct MovedRows {
    RowMoves moves;
    Array rows; ///< of layout_of_moved_rows()
};

class Factorisation {
public:
    Factorisation(const Exec& exec, const distview::Communicator& comm, const Options& options,
                  const Array& ab, Phases& phases)
        : m_exec(exec), m_comm(comm), m_options(options), m_ab(ab), m_phases(phases),
          m_rows(global_indices(ab, 0)), m_columns(global_indices(ab, 1)) {
        m_factors.pivots.resize(static_cast<std::size_t>(options.n));
        m_factors.diagonal = Matrix("hpl::diagonal", static_cast<std::size_t>(options.n),
                                    static_cast<std::size_t>(std::min(options.n, options.nb)));
    }

    Factors run() {
        for (std::int64_t begin = 0; begin < m_options.n; begin += m_options.nb) {
            const Panel panel = panel_on_all_ranks(begin);
            const MovedRows moved = exchange_rows(panel);
            const Stopwatch watch(m_phases.update);
            const Block u = solve_block_row(panel, moved);
            write_back(panel, moved);
            update(panel, u);
        }
        return std::move(m_factors);
    }

private:
    /// The rank with the block's first element gets the block's columns, factorises them, and broadcasts the result.
    /// The other ranks wait; if all ranks did this work, they would share the same cores and finish no earlier.
    Panel panel_on_all_ranks(std::int64_t begin) {
        const Stopwatch watch(m_phases.panel);
        const std::int64_t end = std::min(begin + m_options.nb, m_options.n);
        const auto height = static_cast<std::size_t>(m_options.n - begin);
        const auto width = static_cast<std::size_t>(end - begin);
        Panel panel{begin, end,
                    Matrix(Kokkos::view_alloc(m_exec, Kokkos::WithoutInitializing, "hpl::panel"),
                           height, width),
                    std::span(m_factors.pivots).subspan(static_cast<std::size_t>(begin), width)};
        const std::array first{distview::GlobalIndex(begin), distview::GlobalIndex(begin)};
        const int root = m_ab.layout().owner(first);
        const bool is_root = m_comm.rank() == root;

        const distview::ArrayLayout alone(
            distview::ProcessGrid{1, 1},
            {distview::block(m_options.n - begin), distview::block(end - begin)});
        distview::RedistributionPlan bring(
            m_comm, m_ab.layout(), alone,
            {.from_slice = {{begin, m_options.n - begin}, {begin, end - begin}},
             .to_ranks = {root}});
        Array target;
        if (is_root) target = Array(alone, 0, panel.elements);
        bring.execute(m_exec, m_ab, is_root ? &target : nullptr);
        if (is_root) {
            factorise_panel(m_exec, part_of(panel.elements, {0, height}, {0, width}), panel.pivots);
            for (std::int64_t& pivot : panel.pivots)
                pivot = pivot == no_pivot ? pivot : pivot + begin;
        }
        broadcast_values(m_comm, root, panel.pivots);
        const auto missing = std::find(panel.pivots.begin(), panel.pivots.end(), no_pivot);
        distview::require<distview::Error>(missing == panel.pivots.end(), [&] {
            return distview::text(
                "the matrix cannot be factorised: all candidates for the pivot of column ",
                begin + (missing - panel.pivots.begin()) + 1, " (counted from 1) are 0");
        });
        broadcast_values(m_comm, root, panel.elements);
        return panel;
    }

    /// A layout lists the rows that each process needs; a redistribution brings them, whole rows of sections at once.
    /// On return all ranks have read their rows: elements may be overwritten.
    MovedRows exchange_rows(const Panel& panel) {
        const Stopwatch watch(m_phases.exchange);
        RowMoves moves = row_moves(panel.begin, panel.pivots);
        const distview::ArrayLayout wanted = layout_of_moved_rows(m_ab.layout(), moves);
        const auto rows =
            distview::make_dist_view<double**, Kokkos::LayoutRight, Kokkos::HostSpace>(
                m_exec, "hpl::rows", m_comm, wanted);
        distview::RedistributionPlan(m_comm, m_ab.layout(), wanted).execute(m_exec, m_ab, rows);
        return {std::move(moves), rows};
    }

    /// The block's rows of U to its right, b included, in this process's columns.
    Block solve_block_row(const Panel& panel, const MovedRows& moved) {
        const Range block{0, panel.elements.extent(1)};
        const Block diagonal = part_of(panel.elements, block, block);
        const Block u = part_of(moved.rows.view(), block,
                                {count_below(m_columns, panel.end), m_columns.size()});
        solve_unit_lower(m_exec, diagonal, u);
        for (std::size_t i = 0; i < block.second; ++i)
            std::copy_n(&diagonal(i, 0), block.second,
                        &m_factors.diagonal(static_cast<std::size_t>(panel.begin) + i, 0));
        return u;
    }

    /// Writes the swapped rows of this process, left and right of the block's columns, and the block's columns.
    void write_back(const Panel& panel, const MovedRows& moved) {
        const std::size_t left = count_below(m_columns, panel.begin);
        const std::size_t right = count_below(m_columns, panel.end);
        const auto ab = m_ab.view();
        const auto rows = moved.rows.view();
        const auto write = [&](std::size_t from, std::int64_t to) {
            const std::size_t l = count_below(m_rows, to);
            if (l == m_rows.size() || m_rows[l] != to) return false;
            for (std::size_t j = 0; j < left; ++j) ab(l, j) = rows(from, j);
            for (std::size_t j = right; j < m_columns.size(); ++j) ab(l, j) = rows(from, j);
            return true;
        };
        std::size_t from = 0;
        for (std::int64_t to = panel.begin; to < panel.end; ++to) write(from++, to);
        for (const RowMoves::Move& move : moved.moves.out_of_block)
            if (write(from, move.to)) ++from; // rows that go to other processes are not in `rows`

        for (std::size_t i = count_below(m_rows, panel.begin); i < m_rows.size(); ++i)
            for (std::size_t j = left; j < right; ++j)
                ab(i, j) = panel.elements(static_cast<std::size_t>(m_rows[i] - panel.begin),
                                          static_cast<std::size_t>(m_columns[j] - panel.begin));
    }

    /// The remaining part of this process's section: subtracts the product of the panel's rows and the block row.
    void update(const Panel& panel, const Block& u) {
        const Range below{count_below(m_rows, panel.end), m_rows.size()};
        const Range right{count_below(m_columns, panel.end), m_columns.size()};
        const std::size_t width = panel.elements.extent(1);
        const Matrix l(Kokkos::view_alloc(m_exec, Kokkos::WithoutInitializing, "hpl::l"),
                       below.second - below.first, width);
        for (std::size_t i = 0; i < l.extent(0); ++i)
            std::copy_n(
                &panel.elements(static_cast<std::size_t>(m_rows[below.first + i] - panel.begin), 0),
                width, &l(i, 0));
        const Block c = part_of(m_ab.view(), below, right);
        const Block own_l = part_of(l, {0, l.extent(0)}, {0, width});
        if (m_options.update == Update::blas)
            blas_subtract_product(m_exec, c, own_l, u);
        else
            subtract_product(m_exec, c, own_l, u);
    }

    Exec m_exec;
    const distview::Communicator& m_comm;
    Options m_options;
    Array m_ab;
    Phases& m_phases;
    std::vector<std::int64_t> m_rows;    ///< of this process, global
    std::vector<std::int64_t> m_columns; ///< likewise
    Factors m_factors;
};

} // namespace

Factors factorise(const Exec& exec, const distview::Communicator& comm, const Options& options,
                  const Array& ab, Phases& phases) {
    return Factorisation(exec, comm, options, ab, phases).run();
}

} // namespace hpl
