// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model.hpp"

#include "exchange.hpp"
#include "grid_option.hpp"
#include "steppers.hpp"

#include <distview/core/any_dist_view.hpp>
#include <distview/core/mirror.hpp>

#include <array>
#include <optional>
#include <utility>

namespace shallow_water {

namespace {

constexpr std::array<const char*, 6> state_names{"h", "u", "v", "dh", "du", "dv"};

using distview::LayoutError;
using distview::ProcessGrid;
using distview::require;
using distview::text;

/// Number of cells along the border of the largest block, which an exchange moves.
std::int64_t border(const Options& options, int rows, int columns) {
    return (rows > 1 ? (options.nx + columns - 1) / columns : 0) +
           (columns > 1 ? (options.ny + rows - 1) / rows : 0);
}

/// The sections of an array, padding included, as the blocks of an array without padding.
template <class AnyArray>
distview::AnyDistView whole_sections(const AnyArray& array) {
    const distview::ArrayLayout& layout = array.layout();
    std::vector<distview::AxisSpec> axes;
    for (int d = 0; d < layout.rank(); ++d) {
        std::vector<std::int64_t> bounds{0};
        for (int p = 0; p < layout.grid().extent(d); ++p)
            bounds.push_back(bounds.back() + layout.axis(d).local_extent(p));
        axes.push_back(distview::block_bounds(bounds));
    }
    return {distview::AnyDistView(array).section(), {layout.grid(), axes}, array.process()};
}

} // namespace

ProcessGrid choose_grid(const Options& options, int rank_count) {
    if (options.grid_rows > 0) {
        const std::int64_t size = std::int64_t{options.grid_rows} * options.grid_columns;
        require<distview::UsageError>(size == rank_count, [&] {
            return text("--grid ", options.grid_rows, 'x', options.grid_columns,
                        ": expected a grid of ", rank_count,
                        rank_count == 1 ? " process" : " processes", ", one for each rank, got ",
                        size);
        });
        require<LayoutError>(
            options.grid_rows <= options.ny && options.grid_columns <= options.nx, [&] {
                return text("--grid ", options.grid_rows, 'x', options.grid_columns,
                            ": expected at least one cell for every process, got ", options.ny,
                            " rows and ", options.nx, " columns of cells");
            });
        return ProcessGrid{options.grid_rows, options.grid_columns};
    }
    // Tiles and deep padding need these cells, see Model's constructor.
    const std::int64_t cells =
        options.cut == Cut::tiles || options.deep > 1 ? 2 * std::int64_t{options.deep} : 1;
    // Among grids of equal cost, the one with most rows.
    const auto cost = [&](const ProcessGrid& grid) {
        return std::pair(border(options, grid.extent(0), grid.extent(1)), -grid.extent(0));
    };
    std::optional<ProcessGrid> best;
    for (const ProcessGrid& grid : program::grids_of(rank_count, 2)) {
        const bool fits =
            options.ny / grid.extent(0) >= cells && options.nx / grid.extent(1) >= cells;
        if (fits && (!best || cost(grid) < cost(*best))) best = grid;
    }
    require<LayoutError>(best.has_value(), [&] {
        return text(options.deep > 1 ? text("--deep ", options.deep, ": ") : "",
                    options.cut == Cut::tiles ? "--cut tiles: " : "", "no grid of ", rank_count,
                    " processes gives each process ",
                    cells == 1 ? "a cell" : text("at least ", cells, " rows and columns of cells"),
                    ": there are ", options.ny, " rows and ", options.nx,
                    " columns: use fewer ranks");
    });
    return *best;
}

template <class Real, class Space>
Model<Real, Space>::Model(const Space& exec, const distview::Communicator& comm,
                          const Options& options)
    : m_exec(exec), m_comm(comm), m_options(options) {
    const ProcessGrid process_grid = choose_grid(options, comm.size());
    const std::int64_t padding = state_padding(options, process_grid);
    require<distview::UsageError>(options.cut != Cut::tiles || padding >= 2, [&] {
        return text(
            "--cut tiles: expected mode C, fused exchanges and at least two rows and columns of "
            "cells for every process, got mode ",
            options.mode == Mode::corrected ? 'C' : 'P', ", ",
            options.exchanges == Exchanges::fused ? "fused" : "literal", " exchanges and ",
            options.ny, " rows and ", options.nx, " columns on a ", process_grid.extent(0), 'x',
            process_grid.extent(1), " grid");
    });
    require<distview::UsageError>(options.deep == 1 || padding == 2 * options.deep, [&] {
        return text("--deep ", options.deep, ": expected at least ", 2 * options.deep,
                    " rows and columns of cells for every process, got ", options.ny, " rows and ",
                    options.nx, " columns on a ", process_grid.extent(0), 'x',
                    process_grid.extent(1), " grid");
    });
    m_layout = distview::ArrayLayout(
        process_grid, {distview::block(options.ny, {.padding = padding}),
                       distview::block(options.nx, {.padding = padding, .periodic = true})});
    StepperInput<Real, Space> input{exec, comm,         m_layout,       {},
                                    {},   options.mode, options.poison, options.deep};
    for (const char* name : state_names) input.arrays.push_back(make_array<Real>(input, name));

    const Array<Real, Space>& any = input.arrays[0];
    m_section.ny = static_cast<int>(any.interior_range(0).size());
    m_section.nx = static_cast<int>(any.interior_range(1).size());
    m_section.first_row = any.global_index(0, any.interior_range(0).begin);
    m_section.first_column = any.global_index(1, any.interior_range(1).begin);
    m_section.south_wall = any.coordinate(0) == 0;
    m_section.north_wall = any.coordinate(0) == process_grid.extent(0) - 1;

    input.section = m_section;
    const bool tiled = options.cut == Cut::automatic ? !is_host<Space> : options.cut == Cut::tiles;
    m_stepper = options.exchanges == Exchanges::literal ? make_literal_stepper(input)
                                                        : make_fused_stepper(input, tiled);
}

template <class Real, class Space>
void Model<Real, Space>::initialize() {
    for (const auto& array : m_stepper->arrays()) Kokkos::deep_copy(m_exec, array.view(), Real(0));

    const InitialState initial(Parameters(), m_options.nx, m_options.ny);
    const Array<Real> h_host = on_host(this->h());
    const Array<Real> u_host = on_host(this->u());
    const Field<Real> h = field(h_host);
    const Field<Real> u = field(u_host);
    // Rows beyond the walls keep the profile's values, which need only be finite.
    const int south = m_section.south_wall ? -1 : 0;
    const int north = m_section.ny + (m_section.north_wall ? 1 : 0);
    for (int j = south; j < north; ++j)
        for (int i = 0; i < m_section.nx; ++i) {
            const std::int64_t row = m_section.first_row + j;
            h(j, i) = static_cast<Real>(initial.h(row, m_section.first_column + i));
            u(j, i) = static_cast<Real>(initial.u(row));
        }
    distview::deep_copy(m_exec, this->h(), h_host);
    distview::deep_copy(m_exec, this->u(), u_host);
    // This must precede the stepper's initialize(), which fills padding and makes it valid.
    for (const auto& array : m_stepper->arrays()) array.mark_written();
    m_stepper->initialize(m_exec);
    m_exec.fence("shallow_water::Model::initialize: what the host has written was copied");
    m_steps_done = 0;
}

template <class Real, class Space>
void Model<Real, Space>::step() {
    m_stepper->step(m_exec, m_steps_done == 0);
    ++m_steps_done;
}

template <class Real, class Space>
Array<Real> Model<Real, Space>::on_host(const Array<Real, Space>& array) const {
    const Array<Real> host = distview::create_mirror_view(array);
    distview::deep_copy(m_exec, host, array);
    m_exec.fence("shallow_water::Model::on_host: the host reads an array");
    return host;
}

template <class Real, class Space>
Field<Real> Model<Real, Space>::field(const Array<Real>& array) const {
    return first_cell<Real>(array);
}

template <class Real, class Space>
typename Model<Real, Space>::Snapshot Model<Real, Space>::save() const {
    Snapshot snapshot;
    for (const auto& array : m_stepper->arrays()) {
        snapshot.m_arrays.emplace_back(m_exec, "shallow_water::Snapshot", array.layout(),
                                       array.process());
        distview::deep_copy(m_exec, snapshot.m_arrays.back(), array);
    }
    m_exec.fence("shallow_water::Model::save: the copies are complete");
    snapshot.m_steps_done = m_steps_done;
    return snapshot;
}

template <class Real, class Space>
void Model<Real, Space>::restore(const Snapshot& snapshot) {
    for (std::size_t i = 0; i < snapshot.m_arrays.size(); ++i)
        distview::deep_copy(m_exec, m_stepper->arrays()[i], snapshot.m_arrays[i]);
    m_exec.fence("shallow_water::Model::restore: the state is back");
    m_steps_done = snapshot.m_steps_done;
}

template <class Real, class Space>
std::vector<distview::NamedArray> Model<Real, Space>::state() const {
    std::vector<distview::NamedArray> all;
    const std::vector<Array<Real, Space>>& arrays = m_stepper->arrays();
    for (std::size_t i = 0; i < arrays.size(); ++i) all.push_back({state_names[i], arrays[i]});
    if (m_options.mode == Mode::published)
        for (std::size_t i = 0; i < arrays.size(); ++i)
            all.push_back({text("sections/", state_names[i]), whole_sections(arrays[i])});
    return all;
}

template <class Real, class Space>
void Model<Real, Space>::resume(std::int64_t steps_done) {
    // Mode P keeps padding from before its last friction; an exchange would overwrite it.
    if (m_options.mode == Mode::corrected) {
        // Tendencies too, because sweeps over deep padding advance them there.
        const auto& a = m_stepper->arrays();
        make_exchange<Real, Space>(m_comm, m_layout, {}, false, a[0], a[1], a[2], a[3], a[4],
                                   a[5])(m_exec);
    }
    m_exec.fence("shallow_water::Model::resume: padding is filled");
    m_steps_done = steps_done;
}

template class Model<float>;
template class Model<double>;
#ifdef KOKKOS_ENABLE_CUDA
template class Model<float, Kokkos::Cuda>;
template class Model<double, Kokkos::Cuda>;
#endif

} // namespace shallow_water
