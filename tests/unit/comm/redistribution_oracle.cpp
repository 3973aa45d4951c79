// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "redistribution_oracle.hpp"

#include <distview/core/text.hpp>
#include <distview_testing/random.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <numeric>
#include <set>

namespace distview::testing {

namespace {

struct Place {
    int process;
    std::int64_t local;
};

/// The places of each interior cell, the lowest process first, and the padding cells that mirror it.
struct Cells {
    std::vector<std::int64_t> indices; ///< global indices
    std::vector<std::vector<Place>> holders;
    std::vector<std::vector<Place>> mirrors;
};

Cells cells_of(const AxisLayout& axis) {
    const std::int64_t size = axis.size();
    const bool is_listed = axis.type() == DistType::unstructured;
    std::map<std::int64_t, std::size_t> numbers; // of cells, by index
    if (is_listed) {
        for (int p = 0; p < axis.grid_size(); ++p)
            for (std::int64_t l = 0; l < axis.local_extent(p); ++l)
                numbers[axis.to_global(p, LocalIndex(l)).value()] = 0;
    } else {
        for (std::int64_t i = 0; i < size; ++i) numbers[i] = 0;
    }
    Cells cells;
    for (auto& [index, number] : numbers) {
        number = cells.indices.size();
        cells.indices.push_back(index);
    }
    cells.holders.resize(numbers.size());
    cells.mirrors.resize(numbers.size());
    for (int p = 0; p < axis.grid_size(); ++p)
        for (std::int64_t l = 0; l < axis.local_extent(p); ++l) {
            std::int64_t index = axis.to_global(p, LocalIndex(l)).value();
            const bool is_own = axis.interior_local(p).contains(LocalIndex(l));
            while (axis.periodic() && size > 0 && index < 0) index += size;
            while (axis.periodic() && size > 0 && index >= size) index -= size;
            const auto found = numbers.find(index);
            if (found == numbers.end()) continue;
            if (is_listed && !is_own) continue; // a ghost
            auto& places = is_own ? cells.holders : cells.mirrors;
            places[found->second].push_back({p, l});
        }
    return cells;
}

bool is_by_index(const AxisLayout& from, const AxisSlice& from_slice, const AxisLayout& to,
                 const AxisSlice& to_slice) {
    const bool has_list =
        from.type() == DistType::unstructured || to.type() == DistType::unstructured;
    return has_list && from_slice == AxisSlice() && to_slice == AxisSlice();
}

std::string slice_text(const AxisSlice& slice) {
    return text('[', slice.begin, ", ", slice.count, ", ", slice.step, ']');
}

std::string axis_text(const AxisLayout& axis) {
    std::string result = text(static_cast<char>(axis.type()), axis.size(), " over ",
                              axis.grid_size(), axis.periodic() ? " periodic:" : ":");
    for (int p = 0; p < axis.grid_size(); ++p) {
        result += " |";
        for (std::int64_t l = 0; l < axis.local_extent(p) && l < 30; ++l)
            result += text(' ', axis.to_global(p, LocalIndex(l)).value());
    }
    return result;
}

/// Distinct integers in ascending order: 0 to n - 1, close together, or as far apart as hash values.
std::vector<std::int64_t> random_labels(Random& random, std::int64_t n) {
    std::vector<std::int64_t> labels;
    std::int64_t label = random.integer(-20, 20);
    labels.reserve(static_cast<std::size_t>(n));
    const std::int64_t widest = std::array<std::int64_t, 3>{1, 2, std::int64_t{1} << 40}.at(
        static_cast<std::size_t>(random.integer(0, 3)));
    if (widest == 1) label = -1;
    for (std::int64_t i = 0; i < n; ++i) labels.push_back(label += random.integer(1, widest + 1));
    return labels;
}

AxisSpec dealt_out(Random& random, std::vector<std::int64_t> labels, int process_count) {
    const bool is_shared = random.chance(0.5);
    // Ordered, as after a partitioning of a numbered mesh, or shuffled.
    const bool is_shuffled = random.chance(0.5);
    if (is_shuffled) random.shuffle(labels);
    std::vector<std::vector<std::int64_t>> lists(static_cast<std::size_t>(process_count));
    auto owner = static_cast<std::size_t>(random.integer(0, process_count));
    for (const std::int64_t value : labels) {
        if (is_shuffled || random.chance(0.3))
            owner = static_cast<std::size_t>(random.integer(0, process_count));
        for (std::size_t p = 0; p < lists.size(); ++p)
            if (p == owner || (is_shared && random.chance(0.3))) lists[p].push_back(value);
    }
    if (random.chance(0.6)) return unstructured(lists, !is_shared);
    const std::vector<std::int64_t> ghosts = append_random_ghosts(random, lists);
    return unstructured(std::move(lists), {.ghosts = ghosts});
}

AxisSpec random_lists(Random& random, std::int64_t n, int process_count) {
    return dealt_out(random, random_labels(random, n), process_count);
}

std::vector<std::int64_t> random_part(Random& random, const std::vector<std::int64_t>& labels,
                                      double chance) {
    std::vector<std::int64_t> part;
    for (const std::int64_t label : labels)
        if (random.chance(chance)) part.push_back(label);
    return part;
}

/// Two axes without slices, one of them unstructured.
AxisPair random_index_pair(Random& random, int from_grid, int to_grid, std::int64_t limit,
                           bool may_miss) {
    AxisPair pair{{}, {}, {}, {}, from_grid, to_grid};
    const std::int64_t n = random.integer(0, limit + 1);
    const double kept = random.chance(0.5) ? 1 : 0.7;
    const auto kind = random.integer(0, 3);
    std::vector<std::int64_t> labels = random_labels(random, n);
    if (kind == 0) {
        const std::vector<std::int64_t> part = random_part(random, labels, kept);
        if (may_miss) labels = random_part(random, labels, 0.8);
        pair.from = dealt_out(random, labels, from_grid);
        pair.to = dealt_out(random, part, to_grid);
        return pair;
    }
    // The structured axis needs the indices 0 to n - 1.
    labels.resize(static_cast<std::size_t>(n));
    std::iota(labels.begin(), labels.end(), 0);
    AxisSpec structured;
    const int processes = kind == 1 ? from_grid : to_grid;
    for (bool is_list = true; is_list;) {
        structured = random_axis_spec(random, processes, n);
        is_list = ArrayLayout(ProcessGrid{processes}, {structured}).axis(0).type() ==
                  DistType::unstructured;
    }
    if (kind == 1 || may_miss) labels = random_part(random, labels, kept);
    if (kind == 2 || may_miss)
        for (const std::int64_t label : random_labels(random, random.integer(0, 6)))
            if (label < 0 || label >= n) labels.push_back(label);
    pair.from = kind == 1 ? structured : dealt_out(random, labels, from_grid);
    pair.to = kind == 1 ? dealt_out(random, labels, to_grid) : structured;
    return pair;
}

AxisSlice random_slice(Random& random, std::int64_t size, std::int64_t most_step) {
    AxisSlice slice;
    slice.step = random.chance(0.4) ? 1 : random.integer(1, most_step + 1);
    if (random.chance(0.4)) slice.step = -slice.step;
    slice.begin = size == 0 ? 0 : random.integer(0, size);
    if (random.chance(0.5)) slice.begin = slice.step > 0 ? 0 : std::max<std::int64_t>(size - 1, 0);
    slice.count = 0;
    for (std::int64_t i = slice.begin; i >= 0 && i < size; i += slice.step) ++slice.count;
    return slice;
}

} // namespace

CellPairs expected_pairs(const AxisLayout& from, const AxisSlice& from_slice, const AxisLayout& to,
                         const AxisSlice& to_slice) {
    CellPairs result;
    if (!is_by_index(from, from_slice, to, to_slice)) {
        const AxisSlice source = complete_slice(from_slice, from.size(), "");
        const AxisSlice target = complete_slice(to_slice, to.size(), "");
        for (std::int64_t t = 0; t < target.count; ++t)
            result.pairs.emplace_back(source.begin + t * source.step,
                                      target.begin + t * target.step);
        return result;
    }
    const std::vector<std::int64_t> sources = cells_of(from).indices;
    const std::vector<std::int64_t> targets = cells_of(to).indices;
    for (std::size_t t = 0; t < targets.size(); ++t) {
        const auto found = std::find(sources.begin(), sources.end(), targets[t]);
        if (found == sources.end())
            result.missing.push_back(targets[t]);
        else
            result.pairs.emplace_back(found - sources.begin(), t);
    }
    return result;
}

std::vector<AxisMove> expected_moves(const AxisLayout& from, const AxisSlice& from_slice,
                                     const AxisLayout& to, const AxisSlice& to_slice,
                                     bool fill_padding, bool all_copies) {
    const Cells sources = cells_of(from);
    const Cells targets = cells_of(to);
    std::vector<AxisMove> moves;
    for (const auto& [from_cell, to_cell] : expected_pairs(from, from_slice, to, to_slice).pairs) {
        std::vector<Place> holders = sources.holders.at(static_cast<std::size_t>(from_cell));
        if (!all_copies) holders.resize(1);
        std::vector<Place> places = targets.holders.at(static_cast<std::size_t>(to_cell));
        if (fill_padding)
            for (const Place& mirror : targets.mirrors.at(static_cast<std::size_t>(to_cell)))
                places.push_back(mirror);
        for (const Place& source : holders)
            for (const Place& target : places)
                moves.push_back({target.process, target.local, source.process, source.local});
    }
    std::sort(moves.begin(), moves.end());
    return moves;
}

std::vector<AxisMove> moves_of(const std::vector<AxisRun>& runs, bool receives, int coordinate) {
    std::vector<AxisMove> moves;
    for (const AxisRun& run : runs)
        for (std::int64_t i = 0; i < run.repeats; ++i)
            for (std::int64_t j = 0; j < run.length; ++j) {
                const std::int64_t mine = run.mine + j * run.my_step + i * run.my_period;
                const std::int64_t theirs = run.theirs + j * run.their_step + i * run.their_period;
                if (receives)
                    moves.push_back({coordinate, mine, run.peer, theirs});
                else
                    moves.push_back({run.peer, theirs, coordinate, mine});
            }
    return moves;
}

AxisSpec random_axis_spec(Random& random, int process_count, std::int64_t n) {
    BlockOptions options;
    const std::int64_t widest = random.chance(0.1) ? 9 : 3;
    options.padding = {random.integer(0, widest), random.integer(0, widest)};
    options.boundary = Widths{random.integer(0, widest), random.integer(0, widest)};
    options.periodic = random.chance(0.4);
    switch (random.integer(0, 9)) {
    case 0: return block(n, options);
    case 1: return regular_block(n, options);
    case 2: return block_bounds(random_bounds(random, n, process_count), options);
    case 3: {
        std::vector<Widths> paddings;
        paddings.reserve(static_cast<std::size_t>(process_count));
        for (int p = 0; p < process_count; ++p) {
            const Widths widths{random.integer(0, widest), random.integer(0, widest)};
            paddings.push_back(widths);
        }
        return block_bounds(random_bounds(random, n, process_count), options, paddings);
    }
    case 4: return cyclic(n);
    case 5:
    case 6: return block_cyclic(n, random.integer(1, random.chance(0.2) ? n + 5 : 8));
    default: return random_lists(random, n, process_count);
    }
}

AxisPair random_axis_pair(Random& random, int from_grid, int to_grid, std::int64_t limit,
                          bool may_miss) {
    if (random.chance(0.35)) return random_index_pair(random, from_grid, to_grid, limit, may_miss);
    const auto random_size = [&](int process_count) {
        return random.chance(0.3) ? random_extent(random, limit, process_count)
                                  : random.integer(0, limit + 1);
    };
    AxisPair pair;
    pair.from_grid = from_grid;
    pair.to_grid = to_grid;
    const std::int64_t from_size = random_size(from_grid);
    const bool is_whole = random.chance(0.4);
    const std::int64_t to_size = is_whole || random.chance(0.5) ? from_size : random_size(to_grid);
    pair.from = random_axis_spec(random, from_grid, from_size);
    pair.to = from_grid == to_grid && from_size == to_size && random.chance(0.3)
                  ? pair.from
                  : random_axis_spec(random, to_grid, to_size);
    pair.from_slice = {0, from_size, 1};
    pair.to_slice = {0, to_size, 1};
    if (is_whole) return pair;
    const std::int64_t most_step = random.chance(0.2) ? 40 : 5;
    pair.from_slice = random_slice(random, from_size, most_step);
    pair.to_slice = random_slice(random, to_size, most_step);
    const std::int64_t count = std::min(pair.from_slice.count, pair.to_slice.count);
    pair.from_slice.count = pair.to_slice.count = random.chance(0.9) ? count : count / 2;
    return pair;
}

ArrayLayout known_part(const ArrayLayout& layout, int process, std::uint64_t axes) {
    std::vector<AxisSpec> specs;
    for (int d = 0; d < layout.rank(); ++d) {
        specs.push_back(axis_spec(layout.axis(d)));
        if (layout.axis(d).type() != DistType::unstructured || (axes >> d) % 2 == 0) continue;
        const UnstructuredLayout& lists = layout.axis(d).as_unstructured();
        const int p = process < 0 ? 0 : layout.coordinates(process)[static_cast<std::size_t>(d)];
        const std::int64_t count = process < 0 ? 0 : lists.local_extent(p);
        specs.back() = unstructured_local(
            lists.size(), p, {lists.labels(p), lists.labels(p) + count}, lists.one_to_one());
        if (process >= 0) std::get<UnstructuredSpec>(specs.back().value).ghosts = {lists.ghosts(p)};
    }
    return {layout.grid(), specs};
}

std::string RedistributionCase::describe() const {
    std::string result =
        from.describe() + "\n" + to.describe() + "\npermutation " + tuple_text(options.permutation);
    for (std::size_t d = 0; d < options.from_slice.size(); ++d)
        result += text("\nslices ", slice_text(options.from_slice[d]), " and ",
                       slice_text(options.to_slice[d]));
    for (int d = 0; d < to.rank(); ++d)
        result += text("\naxis ", d, ": ",
                       axis_text(from.axis(options.permutation[static_cast<std::size_t>(d)])),
                       "\nto ", axis_text(to.axis(d)));
    if (options.allow_missing_indices) result += "\nindices may be missing";
    return result + (options.fill_padding ? "\nwith padding" : "");
}

RedistributionCase random_redistribution_case(Random& random, int rank, int from_processes,
                                              int to_processes) {
    constexpr std::array<std::int64_t, 7> limits{0, 60, 30, 16, 10, 7, 6};
    const auto random_grid = [&](int processes) {
        return ProcessGrid(rank == 0 ? std::vector<int>()
                                     : random_process_grid(random, processes, rank));
    };
    const ProcessGrid from_grid = random_grid(from_processes);
    std::vector<int> permutation(static_cast<std::size_t>(rank));
    std::iota(permutation.begin(), permutation.end(), 0);
    if (random.chance(0.6)) random.shuffle(permutation);
    ProcessGrid to_grid = random_grid(to_processes);
    if (from_processes == to_processes && random.chance(0.5)) {
        // As many processes along each axis as along its source axis, or the same grid as the
        // source.
        const bool is_permuted = random.chance(0.7);
        std::vector<int> extents;
        for (int d = 0; d < rank; ++d)
            extents.push_back(
                from_grid.extent(is_permuted ? permutation[static_cast<std::size_t>(d)] : d));
        to_grid = ProcessGrid(extents);
    }

    RedistributionCase result;
    std::vector<AxisSpec> from_axes(permutation.size());
    std::vector<AxisSpec> to_axes(permutation.size());
    result.options.from_slice.resize(permutation.size());
    result.options.to_slice.resize(permutation.size());
    result.options.allow_missing_indices = random.chance(0.3);
    for (std::size_t d = 0; d < permutation.size(); ++d) {
        const auto a = static_cast<std::size_t>(permutation[d]);
        const AxisPair pair = random_axis_pair(
            random, from_grid.extent(permutation[d]), to_grid.extent(static_cast<int>(d)),
            limits.at(static_cast<std::size_t>(rank)), result.options.allow_missing_indices);
        from_axes[a] = pair.from;
        to_axes[d] = pair.to;
        result.options.from_slice[a] = pair.from_slice;
        result.options.to_slice[d] = pair.to_slice;
    }
    result.options.permutation = permutation;
    result.options.fill_padding = random.chance(0.5);
    result.from = ArrayLayout(from_grid, from_axes);
    result.to = ArrayLayout(to_grid, to_axes);
    return result;
}

RedistributionCase random_involution_case(Random& random, int rank, int processes) {
    constexpr std::array<std::int64_t, 5> limits{0, 60, 30, 16, 10};
    const auto axes = static_cast<std::size_t>(rank);
    const ProcessGrid grid(rank == 0 ? std::vector<int>()
                                     : random_process_grid(random, processes, rank));
    std::vector<int> permutation(axes);
    std::iota(permutation.begin(), permutation.end(), 0);
    std::vector<int> order = permutation;
    random.shuffle(order);
    for (std::size_t i = 0; i + 1 < axes; i += 2)
        if (random.chance(0.7))
            std::swap(permutation[static_cast<std::size_t>(order[i])],
                      permutation[static_cast<std::size_t>(order[i + 1])]);

    RedistributionCase result;
    std::vector<AxisSpec> specs(axes);
    std::vector<std::int64_t> sizes(axes);
    const std::int64_t limit = limits.at(axes);
    for (std::size_t d = 0; d < axes; ++d) {
        const auto a = static_cast<std::size_t>(permutation[d]);
        sizes[d] = a < d && random.chance(0.7) ? sizes[a] : random.integer(1, limit + 1);
        specs[d] = random_axis_spec(random, grid.extent(static_cast<int>(d)), sizes[d]);
    }
    std::vector<bool> by_index(axes);
    for (std::size_t d = 0; d < axes; ++d) {
        const auto a = static_cast<std::size_t>(permutation[d]);
        if (a > d || !random.chance(0.3)) continue;
        by_index[d] = by_index[a] = true;
        sizes[a] = sizes[d];
        const std::vector<std::int64_t> labels = random_labels(random, sizes[d]);
        for (const std::size_t axis : {a, d})
            specs[axis] = dealt_out(random, labels, grid.extent(static_cast<int>(axis)));
    }
    result.options.from_slice.resize(axes);
    result.options.to_slice.resize(axes);
    for (std::size_t d = 0; d < axes; ++d) {
        const auto a = static_cast<std::size_t>(permutation[d]);
        if (a < d || by_index[d]) continue;
        AxisSlice here = random_slice(random, sizes[d], 3);
        AxisSlice there = random_slice(random, sizes[a], 3);
        if (random.chance(0.5)) here = {0, sizes[d], 1};
        if (random.chance(0.5)) there = {0, sizes[a], 1};
        if (a == d) { // the axis maps to itself, forwards or backwards
            there = here;
            if (random.chance(0.6) && here.count > 0)
                there = {here.begin + (here.count - 1) * here.step, here.count, -here.step};
        }
        here.count = there.count = std::min(here.count, there.count);
        result.options.from_slice[a] = there;
        result.options.to_slice[d] = here;
        result.options.from_slice[d] = a == d ? there : here;
        result.options.to_slice[a] = a == d ? here : there;
    }
    result.options.permutation = permutation;
    result.from = ArrayLayout(grid, specs);
    result.to = result.from;
    return result;
}

std::string describe(const AxisLayout& from, const AxisSlice& from_slice, const AxisLayout& to,
                     const AxisSlice& to_slice) {
    return text("from ", slice_text(from_slice), " of ", axis_text(from), "\nto ",
                slice_text(to_slice), " of ", axis_text(to));
}

} // namespace distview::testing
