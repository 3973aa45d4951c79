// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/interop/row_numbering.hpp>

#include <distview/comm/agreement.hpp>
#include <distview/comm/collectives.hpp>
#include <distview/comm/ghost_exchange_plan.hpp>
#include <distview/comm/make_dist_view.hpp>
#include <distview/core/hash.hpp>
#include <distview/core/text.hpp>

#include <algorithm>
#include <cstddef>
#include <variant>

namespace distview {

namespace {

using Sizes = std::array<std::int64_t, max_rank>;

/// Whether this process does not know the labels of other processes along an axis.
bool is_known_in_part(const AxisLayout& axis) {
    return axis.type() == DistType::unstructured && axis.as_unstructured().known_process() >= 0;
}

} // namespace

ArrayLayout without_padding(const ArrayLayout& layout) {
    std::vector<AxisSpec> axes;
    for (int d = 0; d < layout.rank(); ++d) {
        AxisSpec spec = axis_spec(layout.axis(d));
        if (auto* block = std::get_if<BlockSpec>(&spec.value)) {
            block->options.padding = {};
            block->options.boundary = {};
            block->paddings.clear();
        } else if (auto* labels = std::get_if<UnstructuredSpec>(&spec.value)) {
            for (std::size_t p = 0; p < labels->ghosts.size() && p < labels->labels.size(); ++p)
                labels->labels[p].resize(labels->labels[p].size() -
                                         static_cast<std::size_t>(labels->ghosts[p]));
            labels->ghosts.clear();
        }
        axes.push_back(std::move(spec));
    }
    return {layout.grid(), axes};
}

struct RowNumbering::State {
    State(const Communicator& over, const ArrayLayout& layout, const RowNumberingOptions& options)
        : comm(over), given(layout), order(options.order), unknowns(options.unknowns_per_cell),
          process(over.rank()) {}

    const AxisLayout& axis(int d) const { return given.axis(d); }
    std::int64_t before(int d, int coordinate) const {
        return starts[static_cast<std::size_t>(d)][static_cast<std::size_t>(coordinate)];
    }
    std::int64_t size(int d, int coordinate) const {
        return before(d, coordinate + 1) - before(d, coordinate);
    }
    /// The number of rows on the processes that precede one in C order.
    std::int64_t first(const GridCoordinates& at) const {
        std::int64_t sum = 0;
        for (int d = 0; d < given.rank(); ++d) {
            std::int64_t part = before(d, at[static_cast<std::size_t>(d)]);
            for (int e = 0; e < given.rank(); ++e)
                if (e != d)
                    part *= e < d ? size(e, at[static_cast<std::size_t>(e)]) : given.extent(e);
            sum += part;
        }
        return sum;
    }
    std::int64_t count(const GridCoordinates& at) const {
        std::int64_t product = 1;
        for (int d = 0; d < given.rank(); ++d) product *= size(d, at[static_cast<std::size_t>(d)]);
        return product;
    }
    /// The cell at given positions in the interior of a process.
    std::array<GlobalIndex, max_rank> cell(const GridCoordinates& at,
                                           const Sizes& positions) const {
        std::array<GlobalIndex, max_rank> index{};
        for (std::size_t d = 0; d < static_cast<std::size_t>(given.rank()); ++d) {
            const AxisLayout& layout = given.axis(static_cast<int>(d));
            index[d] = layout.to_global(at[d], layout.interior_local(at[d]).begin + positions[d]);
        }
        return index;
    }
    Sizes positions(const GridCoordinates& at, std::int64_t number) const {
        Sizes result{};
        for (int d = given.rank() - 1; d >= 0; --d) {
            const std::int64_t n = size(d, at[static_cast<std::size_t>(d)]);
            result[static_cast<std::size_t>(d)] = number % n;
            number /= n;
        }
        return result;
    }
    /// The process of a row in RowOrder::by_rank; `row` becomes the number of the cell on that process.
    GridCoordinates find(std::int64_t& row) const {
        GridCoordinates at{};
        std::int64_t behind = given.size(); // rows that share the coordinates so far
        for (int d = 0; d < given.rank(); ++d) {
            behind /= given.extent(d);
            const auto& along = starts[static_cast<std::size_t>(d)];
            const auto next = std::upper_bound(along.begin(), along.end(), row / behind);
            const auto c = static_cast<int>(next - along.begin()) - 1;
            at[static_cast<std::size_t>(d)] = c;
            row -= before(d, c) * behind;
            behind *= size(d, c);
        }
        return at;
    }

    Communicator comm;
    ArrayLayout given; ///< with padding and ghosts: it knows the labels of ghosts
    RowOrder order;
    int unknowns;
    int process;
    GridCoordinates coordinates{};
    ArrayLayout unpadded{};
    std::array<std::vector<std::int64_t>, max_rank>
        starts{}; ///< interior cells before a coordinate
    std::int64_t local_rows = 0;
    std::int64_t first_row = 0;
    bool is_contiguous = true;
    std::vector<std::int64_t> ghost_rows{}; ///< rows of the ghosts, if labels are known in part
};

namespace {

/// Interior cells along each axis of one process.
Sizes interior_sizes(const ArrayLayout& layout, int process) {
    Sizes sizes{};
    for (int d = 0; d < layout.rank(); ++d)
        sizes[static_cast<std::size_t>(d)] =
            layout.axis(d)
                .interior_local(layout.coordinates(process)[static_cast<std::size_t>(d)])
                .size();
    return sizes;
}

void require_grid(const Communicator& comm, const ArrayLayout& layout) {
    require<UsageError>(layout.process_count() == comm.size(), [&] {
        return text("RowNumbering: expected a layout over ", comm.size(),
                    " processes, got one over ", layout.process_count());
    });
}

/// Requires a last axis of unknowns on one process, so that the rows of a cell follow each other.
void require_unknowns(const ArrayLayout& layout, int unknowns) {
    const int last = layout.rank() - 1;
    require<UsageError>(unknowns >= 1, [&] {
        return text("RowNumbering: expected at least 1 unknown per cell, got ", unknowns);
    });
    if (unknowns == 1) return;
    require<UsageError>(
        last >= 0 && layout.extent(last) == unknowns && layout.grid().extent(last) == 1, [&] {
            return text("RowNumbering: expected a last axis of ", unknowns,
                        " indices on one process (unknowns_per_cell), got a ", layout.describe());
        });
}

/// Requires that each cell is a row of one process. `elements` are those of all processes.
void require_rows(const ArrayLayout& layout, int axis, std::int64_t elements) {
    require<LayoutError>(elements == layout.extent(axis), [&] {
        return text("RowNumbering: expected each label of axis ", axis, " on one process, got ",
                    layout.extent(axis), " different labels for ", elements, " elements");
    });
}

/// Requires labels that are indices from 0, because the global order counts indices.
void require_indices(const AxisLayout& axis, int number, int coordinate) {
    if (axis.type() != DistType::unstructured) return;
    const LocalRange mine = axis.owned_local(coordinate);
    for (LocalIndex l = mine.begin; l < mine.end; ++l) {
        const GlobalIndex label = axis.to_global(coordinate, l);
        require<LayoutError>(label >= 0 && label < axis.size(), [&] {
            return text("RowNumbering: expected labels from 0 to ", axis.size() - 1, " along axis ",
                        number, " with RowOrder::global, got ", label.value());
        });
    }
}

/// The ghost plan of an axis. It finds labels that several processes own, even without ghosts.
GhostExchangePlan make_ghost_plan(const Communicator& comm, const ArrayLayout& layout, int axis) {
    const int at = layout.coordinates(comm.rank())[static_cast<std::size_t>(axis)];
    const std::int64_t owned = layout.axis(axis).owned_local(at).size();
    return {comm, {layout, axis, owned, layout.axis(axis).local_extent(at) - owned, {}}};
}

/// The rows of ghosts, received from their owners.
std::vector<std::int64_t> rows_of_ghosts(const Communicator& comm, const ArrayLayout& layout,
                                         const std::vector<std::int64_t>& own_rows) {
    const Kokkos::DefaultHostExecutionSpace exec;
    const LocalRange owned = layout.axis(0).owned_local(comm.rank());
    const std::int64_t held = layout.axis(0).local_extent(comm.rank());
    GhostExchangePlan plan = make_ghost_plan(comm, layout, 0);
    const auto numbers = make_dist_view<std::int64_t*, Kokkos::HostSpace>(
        exec, "distview::RowNumbering::rows", comm, layout);
    for (std::size_t i = 0; i < own_rows.size(); ++i) numbers.view()(i) = own_rows[i];
    plan.execute(exec, numbers);
    std::vector<std::int64_t> rows;
    for (std::int64_t l = owned.size(); l < held; ++l)
        rows.push_back(numbers.view()(static_cast<std::size_t>(l)));
    return rows;
}

} // namespace

RowNumbering::RowNumbering(const Communicator& comm, const ArrayLayout& layout,
                           const RowNumberingOptions& options) {
    const RowOrder order = options.order;
    const CollectiveCall call(comm, "RowNumbering");
    const auto state = std::make_shared<State>(comm, layout, options);
    bool in_part = false, ghosts_in_part = false;
    agree(comm, "RowNumbering", nullptr,
          hash_of(layout.fingerprint(), order, options.unknowns_per_cell), [&] {
              return std::vector<Argument>{
                  {"layout", layout.describe()},
                  {"order", order == RowOrder::global ? "global" : "by_rank"},
                  {"unknowns_per_cell", text(options.unknowns_per_cell)}};
          });
    agree_on(comm, "RowNumbering", [&] {
        require_grid(comm, layout);
        require_unknowns(layout, options.unknowns_per_cell);
    });
    for (int d = 0; d < layout.rank(); ++d) {
        if (!is_known_in_part(layout.axis(d))) continue;
        in_part = true;
        ghosts_in_part = ghosts_in_part || layout.axis(d).as_unstructured().has_ghosts();
    }

    std::vector<Sizes> all;
    if (in_part) {
        all = all_gather(comm, interior_sizes(layout, comm.rank()));
        // Some ranks may have ghosts while others have none.
        const int any = all_reduce(comm, ReduceOperation::max, ghosts_in_part ? 1 : 0);
        ghosts_in_part = any != 0;
    }
    agree_on(comm, "RowNumbering", [&] {
        require<LayoutError>(!ghosts_in_part || layout.rank() == 1, [&] {
            return text(
                "RowNumbering: expected a layout of one axis, because an axis with labels known in "
                "part has ghosts, got ",
                layout.rank(), " axes");
        });
        state->coordinates = layout.coordinates(comm.rank());
        for (int d = 0; d < layout.rank(); ++d) {
            const auto at = static_cast<std::size_t>(d);
            std::vector<std::int64_t>& along = state->starts[at];
            along.assign(static_cast<std::size_t>(layout.grid().extent(d)) + 1, 0);
            if (in_part) {
                for (int p = 0; p < comm.size(); ++p)
                    along[static_cast<std::size_t>(layout.coordinates(p)[at]) + 1] =
                        all[static_cast<std::size_t>(p)][at];
            } else {
                for (int c = 0; c < layout.grid().extent(d); ++c)
                    along[static_cast<std::size_t>(c) + 1] =
                        layout.axis(d).interior_local(c).size();
            }
            for (std::size_t c = 1; c < along.size(); ++c) along[c] += along[c - 1];
            require_rows(layout, d, along.back());
            if (order == RowOrder::global)
                require_indices(layout.axis(d), d, state->coordinates[at]);
        }
        state->unpadded = without_padding(layout);
    });
    if (!ghosts_in_part)
        for (int d = 0; d < layout.rank(); ++d)
            if (is_known_in_part(layout.axis(d))) make_ghost_plan(comm, layout, d);

    state->local_rows = state->count(state->coordinates);
    state->first_row = state->first(state->coordinates);
    if (order == RowOrder::global) {
        bool leading = true; // all axes so far have one index
        for (int d = 0; d < layout.rank(); ++d) {
            const bool split = layout.grid().extent(d) > 1;
            if ((split && !leading) || layout.axis(d).type() == DistType::unstructured ||
                (split && !layout.axis(d).is_block()))
                state->is_contiguous = false;
            if (layout.extent(d) > 1) leading = false;
        }
    }
    m_state = state;
    if (ghosts_in_part) state->ghost_rows = rows_of_ghosts(comm, layout, local_row_numbers());
}

const Communicator& RowNumbering::communicator() const noexcept { return m_state->comm; }
const ArrayLayout& RowNumbering::layout() const noexcept { return m_state->unpadded; }
RowOrder RowNumbering::order() const noexcept { return m_state->order; }
int RowNumbering::unknowns_per_cell() const noexcept { return m_state->unknowns; }
std::int64_t RowNumbering::rows() const noexcept { return m_state->given.size(); }
std::int64_t RowNumbering::local_rows() const noexcept { return m_state->local_rows; }
std::int64_t RowNumbering::local_rows(int process) const noexcept {
    return m_state->count(m_state->given.coordinates(process));
}
bool RowNumbering::is_contiguous() const noexcept { return m_state->is_contiguous; }

std::int64_t RowNumbering::first_row() const { return first_row(m_state->process); }
std::int64_t RowNumbering::first_row(int process) const {
    require<UsageError>(is_contiguous(),
                        "RowNumbering::first_row: expected contiguous rows on each process "
                        "(RowOrder::by_rank), got RowOrder::global");
    return m_state->first(m_state->given.coordinates(process));
}

std::int64_t RowNumbering::row_of_cell(std::int64_t cell) const noexcept {
    const State& state = *m_state;
    if (state.is_contiguous) return state.first_row + cell;
    const auto index = state.cell(state.coordinates, state.positions(state.coordinates, cell));
    std::int64_t row = 0;
    for (int d = 0; d < state.given.rank(); ++d)
        row = row * state.given.extent(d) + index[static_cast<std::size_t>(d)].value();
    return row;
}

std::vector<std::int64_t> RowNumbering::local_row_numbers() const {
    std::vector<std::int64_t> rows(static_cast<std::size_t>(local_rows()));
    for (std::size_t cell = 0; cell < rows.size(); ++cell)
        rows[cell] = row_of_cell(static_cast<std::int64_t>(cell));
    return rows;
}

std::int64_t RowNumbering::row(std::span<const GlobalIndex> index) const noexcept {
    const State& state = *m_state;
    GridCoordinates at{};
    Sizes positions{};
    std::int64_t global = 0;
    if (static_cast<int>(index.size()) != state.given.rank()) return -1;
    for (std::size_t d = 0; d < index.size(); ++d) {
        const AxisLayout& axis = state.axis(static_cast<int>(d));
        const bool labels = axis.type() == DistType::unstructured;
        if (!labels && (index[d] < 0 || index[d] >= axis.size())) return -1;
        global = global * axis.size() + index[d].value();
        if (is_known_in_part(axis)) {
            at[d] = state.coordinates[d];
            const std::int64_t held = axis.to_local(at[d], index[d]).value();
            if (held < 0) return -1;
            const std::int64_t owned = axis.owned_local(at[d]).size();
            if (held >= owned) return state.ghost_rows[static_cast<std::size_t>(held - owned)];
            positions[d] = held;
            continue;
        }
        at[d] = axis.owner(index[d]);
        if (at[d] < 0) return -1;
        positions[d] = axis.to_local(at[d], index[d]) - axis.interior_local(at[d]).begin;
    }
    if (state.order == RowOrder::global) return global;
    std::int64_t number = 0;
    for (std::size_t d = 0; d < index.size(); ++d)
        number = number * state.size(static_cast<int>(d), at[d]) + positions[d];
    return state.first(at) + number;
}

std::array<GlobalIndex, max_rank> RowNumbering::index(std::int64_t row) const {
    const State& state = *m_state;
    require<UsageError>(row >= 0 && row < rows(), [&] {
        return text("RowNumbering::index: expected a row in [0, ", rows(), "), got ", row);
    });
    if (state.order == RowOrder::global) {
        std::array<GlobalIndex, max_rank> index{};
        for (int d = state.given.rank() - 1; d >= 0; --d) {
            index[static_cast<std::size_t>(d)] = GlobalIndex(row % state.given.extent(d));
            row /= state.given.extent(d);
        }
        return index;
    }
    const std::int64_t asked = row;
    const GridCoordinates at = state.find(row);
    for (int d = 0; d < state.given.rank(); ++d)
        require<UsageError>(!is_known_in_part(state.axis(d)) ||
                                at[static_cast<std::size_t>(d)] ==
                                    state.coordinates[static_cast<std::size_t>(d)],
                            [&] {
                                return text("RowNumbering::index: expected a row of this process, "
                                            "which does not know other labels, got row ",
                                            asked);
                            });
    return state.cell(at, state.positions(at, row));
}

int RowNumbering::owner(std::int64_t row) const {
    const State& state = *m_state;
    require<UsageError>(row >= 0 && row < rows(), [&] {
        return text("RowNumbering::owner: expected a row in [0, ", rows(), "), got ", row);
    });
    if (state.order == RowOrder::by_rank) return state.given.grid().process(state.find(row));
    const auto index = this->index(row);
    return state.given.owner(std::span(index).first(static_cast<std::size_t>(state.given.rank())));
}

std::string impl::describe(const RowNumbering& rows) {
    return text(rows.order() == RowOrder::global ? "RowOrder::global" : "RowOrder::by_rank",
                " in a ", rows.layout().describe());
}

} // namespace distview
