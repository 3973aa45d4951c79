// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model.hpp"

#include "steppers.hpp"

#include <distview/comm/make_dist_view.hpp>
#include <distview/core/mirror.hpp>

#include <limits>

namespace shallow_water {

namespace {

using distview::LayoutError;
using distview::ProcessGrid;
using distview::require;
using distview::text;

/// Cells along the border of the largest block, which is what an exchange moves.
std::int64_t border(const Options& options, int rows, int columns) {
    return (rows > 1 ? (options.nx + columns - 1) / columns : 0) +
           (columns > 1 ? (options.ny + rows - 1) / rows : 0);
}

} // namespace

ProcessGrid choose_grid(const Options& options, int rank_count) {
    if (options.grid_rows > 0) {
        const std::int64_t size = std::int64_t{options.grid_rows} * options.grid_columns;
        require<distview::UsageError>(size == rank_count, [&] {
            return text("--grid ", options.grid_rows, 'x', options.grid_columns,
                        ": expected a grid of ", rank_count,
                        rank_count == 1 ? " process" : " processes",
                        ", as many as there are ranks, got ", size);
        });
        require<LayoutError>(
            options.grid_rows <= options.ny && options.grid_columns <= options.nx, [&] {
                return text("--grid ", options.grid_rows, 'x', options.grid_columns,
                            ": expected at least one cell for every process, got ", options.ny,
                            " rows and ", options.nx, " columns of cells");
            });
        return ProcessGrid{options.grid_rows, options.grid_columns};
    }
    int best = 0;
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (int rows = rank_count; rows >= 1; --rows) {
        const int columns = rank_count / rows;
        if (rows * columns != rank_count || rows > options.ny || columns > options.nx) continue;
        if (const std::int64_t cost = border(options, rows, columns); cost < least) {
            least = cost;
            best = rows;
        }
    }
    require<LayoutError>(best > 0, [&] {
        return text("no grid of ", rank_count, " processes gives each of them a cell: there are ",
                    options.ny, " rows and ", options.nx, " columns: use fewer ranks");
    });
    return ProcessGrid{best, rank_count / best};
}

template <class Real>
Model<Real>::Model(const Exec& exec, const distview::Communicator& comm, const Options& options)
    : m_exec(exec), m_comm(comm), m_options(options) {
    const ProcessGrid process_grid = choose_grid(options, comm.size());
    const std::int64_t padding = state_padding(options, process_grid);
    m_layout = distview::ArrayLayout(
        process_grid, {distview::block(options.ny, {.padding = padding}),
                       distview::block(options.nx, {.padding = padding, .periodic = true})});
    for (const char* name : {"h", "u", "v", "dh", "du", "dv"})
        m_arrays.push_back(distview::make_dist_view<Real**, Kokkos::LayoutRight, Kokkos::HostSpace>(
            exec, comm, m_layout, std::string("shallow_water::") + name));

    const Array<Real>& any = m_arrays[0];
    m_section.ny = static_cast<int>(any.interior_range(0).size());
    m_section.nx = static_cast<int>(any.interior_range(1).size());
    m_section.first_row = any.global_index(0, any.interior_range(0).begin) - padding;
    m_section.first_column = any.global_index(1, any.interior_range(1).begin) - padding;
    m_section.south_wall = any.coordinate(0) == 0;
    m_section.north_wall = any.coordinate(0) == process_grid.extent(0) - 1;

    const StepperInput<Real> input{exec,     comm,         m_layout,      m_section,
                                   m_arrays, options.mode, options.poison};
    m_stepper = options.exchanges == Exchanges::literal ? make_literal_stepper(input)
                                                        : make_fused_stepper(input);
}

template <class Real>
void Model<Real>::initialize() {
    for (const Array<Real>& array : m_arrays) Kokkos::deep_copy(m_exec, array.view(), Real(0));
    m_exec.fence("shallow_water::Model::initialize: the host writes what was cleared");

    const InitialState initial(Parameters(), m_options.nx, m_options.ny);
    const Field<Real> h = field(m_arrays[0]);
    const Field<Real> u = field(m_arrays[1]);
    // Rows beyond the walls keep the profile's values, which must only be finite.
    const int south = m_section.south_wall ? -1 : 0;
    const int north = m_section.ny + (m_section.north_wall ? 1 : 0);
    for (int j = south; j < north; ++j)
        for (int i = 0; i < m_section.nx; ++i) {
            const std::int64_t row = m_section.first_row + j;
            h(j, i) = static_cast<Real>(initial.h(row, m_section.first_column + i));
            u(j, i) = static_cast<Real>(initial.u(row));
        }
    m_stepper->initialize(m_exec);
    m_steps_done = 0;
}

template <class Real>
void Model<Real>::step() {
    m_stepper->step(m_exec, m_steps_done == 0);
    ++m_steps_done;
}

template <class Real>
Field<Real> Model<Real>::field(const Array<Real>& array) const {
    return first_cell(array);
}

template <class Real>
typename Model<Real>::Snapshot Model<Real>::save() const {
    Snapshot snapshot;
    for (const Array<Real>& array : m_arrays) {
        snapshot.m_arrays.push_back(distview::create_mirror(array));
        distview::deep_copy(m_exec, snapshot.m_arrays.back(), array);
    }
    m_exec.fence("shallow_water::Model::save: the copies are complete");
    snapshot.m_steps_done = m_steps_done;
    return snapshot;
}

template <class Real>
void Model<Real>::restore(const Snapshot& snapshot) {
    for (std::size_t i = 0; i < m_arrays.size(); ++i)
        distview::deep_copy(m_exec, m_arrays[i], snapshot.m_arrays[i]);
    m_exec.fence("shallow_water::Model::restore: the state is back");
    m_steps_done = snapshot.m_steps_done;
}

template class Model<float>;
template class Model<double>;

} // namespace shallow_water
