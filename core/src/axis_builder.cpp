// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "axis_builder.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace distview::impl {

namespace {

std::string at_axis(int axis) { return text("ArrayLayout: axis ", axis, ": "); }

void check_widths(int axis, const char* what, Widths widths) {
    require<LayoutError>(widths.low >= 0 && widths.high >= 0, [&] {
        return text(at_axis(axis), "expected ", what, " >= 0, got (", widths.low, ", ", widths.high,
                    ')');
    });
}

/// With this limit, a size and three widths add up without overflow.
void check_magnitude(int axis, std::int64_t length) {
    require<LayoutError>(length < std::int64_t(1) << 61, [&] {
        return text(at_axis(axis), "expected sizes and widths below 2^61, got ", length);
    });
}

void check_magnitude(int axis, Widths widths) {
    check_magnitude(axis, std::max(widths.low, widths.high));
}

void check_bounds(int axis, int grid_size, const std::vector<std::int64_t>& bounds) {
    require<LayoutError>(bounds.size() == static_cast<std::size_t>(grid_size) + 1, [&] {
        return text(at_axis(axis), "expected ", grid_size + 1, " block bounds for ", grid_size,
                    " processes, got ", bounds.size());
    });
    require<LayoutError>(bounds.front() == 0, [&] {
        return text(at_axis(axis), "expected the first block bound to be 0, got ", bounds.front());
    });
    const auto descent = std::adjacent_find(bounds.begin(), bounds.end(), std::greater<>());
    require<LayoutError>(descent == bounds.end(), [&] {
        return text(at_axis(axis), "expected ascending block bounds, got ", *descent, " before ",
                    *(descent + 1));
    });
}

/// Whether a layout in closed form has the same blocks as the bounds.
bool matches(const BlockLayout& closed_form, const std::vector<std::int64_t>& bounds) {
    for (int p = 0; p < closed_form.grid_size(); ++p)
        if (closed_form.interior(p).end != bounds[static_cast<std::size_t>(p) + 1]) return false;
    return true;
}

/// Whether regular blocks equal balanced blocks: all have one size, or at most one is smaller by one
/// element. In balanced blocks, the first r of P blocks have q + 1 elements, and the rest hold (P - r) q elements in
/// total; the next regular block would again have q + 1 elements if the rest has as many.
bool is_balanced(std::int64_t interior_size, int grid_size) {
    const std::int64_t larger = interior_size % grid_size;
    return larger == 0 || larger == grid_size - 1 || interior_size < grid_size;
}

std::vector<std::int64_t> bounds_of(const BlockLayout& layout) {
    std::vector<std::int64_t> bounds{0};
    for (int p = 0; p < layout.grid_size(); ++p) bounds.push_back(layout.interior(p).end.value());
    return bounds;
}

/// Replaces per-process widths by one common width if they are all equal.
void simplify_paddings(int grid_size, BlockSpec& block) {
    if (block.paddings.empty()) return;
    std::vector<Widths>& widths = block.paddings;
    if (grid_size == 1) {
        block.options.padding = widths.front();
        widths.clear();
        return;
    }
    widths.front().low = 0;
    widths.back().high = 0;
    bool uniform = true;
    for (int p = 1; p < grid_size; ++p) {
        const auto i = static_cast<std::size_t>(p);
        uniform = uniform && widths[i].low == widths[1].low && widths[i - 1].high == widths[0].high;
    }
    if (!uniform) return;
    block.options.padding = {widths[1].low, widths[0].high};
    widths.clear();
}

AxisSpec checked(int axis, int grid_size, BlockSpec block) {
    if (block.split == BlockSplit::irregular) check_bounds(axis, grid_size, block.bounds);
    require<LayoutError>(block.interior_size >= 0, [&] {
        return text(at_axis(axis), "expected a size >= 0, got ", block.interior_size);
    });
    check_widths(axis, "padding", block.options.padding);
    if (block.options.boundary == same_as_padding) block.options.boundary = block.options.padding;
    const Widths boundary = block.options.boundary;
    check_widths(axis, "boundary padding", boundary);
    check_magnitude(axis, block.interior_size);
    check_magnitude(axis, block.options.padding);
    check_magnitude(axis, boundary);
    require<LayoutError>(block.paddings.empty() ||
                             block.paddings.size() == static_cast<std::size_t>(grid_size),
                         [&] {
                             return text(at_axis(axis), "expected padding widths for each of the ",
                                         grid_size, " processes, got ", block.paddings.size());
                         });
    for (const Widths widths : block.paddings) {
        check_widths(axis, "padding", widths);
        check_magnitude(axis, widths);
    }

    simplify_paddings(grid_size, block);
    const BlockLayout balanced(block.interior_size, grid_size);
    const BlockLayout regular(block.interior_size, grid_size, BlockSplit::regular);
    if (block.split == BlockSplit::regular && is_balanced(block.interior_size, grid_size))
        block.split = BlockSplit::balanced;
    if (block.split == BlockSplit::irregular)
        block.split = matches(balanced, block.bounds)  ? BlockSplit::balanced
                      : matches(regular, block.bounds) ? BlockSplit::regular
                                                       : BlockSplit::irregular;
    // Layouts read widths by process from tables, and these tables then hold the bounds as well.
    if (!block.paddings.empty() && block.split != BlockSplit::irregular) {
        block.bounds = bounds_of(block.split == BlockSplit::regular ? regular : balanced);
        block.split = BlockSplit::irregular;
    }
    if (block.split != BlockSplit::irregular) block.bounds.clear();
    return {std::move(block)};
}

AxisSpec checked(int axis, int, const CyclicSpec& cyclic) {
    require<LayoutError>(cyclic.size >= 0, [&] {
        return text(at_axis(axis), "expected a size >= 0, got ", cyclic.size);
    });
    require<LayoutError>(cyclic.block_size >= 1, [&] {
        return text(at_axis(axis), "expected a block size >= 1, got ", cyclic.block_size);
    });
    return {cyclic};
}

/// All labels, sorted; throws if a process lists one twice.
std::vector<std::int64_t> sorted_labels(int axis, const UnstructuredSpec& lists) {
    std::vector<std::int64_t> all;
    for (std::size_t p = 0; p < lists.labels.size(); ++p) {
        const auto first = static_cast<std::ptrdiff_t>(all.size());
        all.insert(all.end(), lists.labels[p].begin(), lists.labels[p].end());
        std::sort(all.begin() + first, all.end());
        const auto twice = std::adjacent_find(all.begin() + first, all.end());
        require<LayoutError>(twice == all.end(), [&] {
            return text(at_axis(axis), "index ", *twice, " appears twice in the list of process ",
                        lists.known_process >= 0 ? lists.known_process : static_cast<int>(p));
        });
    }
    std::sort(all.begin(), all.end());
    return all;
}

/// Number of labels in list p that the process owns.
std::size_t owned_count(const UnstructuredSpec& lists, std::size_t p) {
    return lists.labels[p].size() -
           (lists.ghosts.empty() ? 0 : static_cast<std::size_t>(lists.ghosts[p]));
}

void check_ghosts(int axis, const UnstructuredSpec& lists) {
    require<LayoutError>(lists.ghosts.size() == lists.labels.size(), [&] {
        return text(at_axis(axis), "expected one number of ghosts for each of the ",
                    lists.labels.size(), " processes, got ", lists.ghosts.size());
    });
    for (std::size_t p = 0; p < lists.labels.size(); ++p) {
        const auto listed = static_cast<std::int64_t>(lists.labels[p].size());
        require<LayoutError>(lists.ghosts[p] >= 0 && lists.ghosts[p] <= listed, [&] {
            return text(at_axis(axis), "expected a number of ghosts in [0, ", listed, "], got ",
                        lists.ghosts[p]);
        });
    }
    if (lists.known_process >= 0) return;
    std::vector<std::int64_t> owned;
    for (std::size_t p = 0; p < lists.labels.size(); ++p)
        owned.insert(owned.end(), lists.labels[p].begin(),
                     lists.labels[p].begin() + static_cast<std::ptrdiff_t>(owned_count(lists, p)));
    std::sort(owned.begin(), owned.end());
    for (std::size_t p = 0; p < lists.labels.size(); ++p)
        for (std::size_t i = owned_count(lists, p); i < lists.labels[p].size(); ++i) {
            const std::int64_t label = lists.labels[p][i];
            require<LayoutError>(std::binary_search(owned.begin(), owned.end(), label), [&] {
                return text(at_axis(axis), "expected ghosts that some process owns, got index ",
                            label, " on process ", p);
            });
        }
}

AxisSpec checked(int axis, int grid_size, UnstructuredSpec lists) {
    const bool local = lists.known_process >= 0;
    require<LayoutError>(lists.known_process < grid_size, [&] {
        return text(at_axis(axis), "expected a process in [0, ", grid_size, "), got ",
                    lists.known_process);
    });
    const std::size_t expected = local ? 1 : static_cast<std::size_t>(grid_size);
    require<LayoutError>(lists.labels.size() == expected, [&] {
        return text(at_axis(axis), "expected the index lists of ", expected, " processes, got ",
                    lists.labels.size());
    });
    const std::vector<std::int64_t> all = sorted_labels(axis, lists);
    if (!lists.ghosts.empty()) check_ghosts(axis, lists);
    if (std::count(lists.ghosts.begin(), lists.ghosts.end(), 0) == std::ssize(lists.ghosts))
        lists.ghosts.clear();
    require<LayoutError>(!lists.one_to_one || lists.ghosts.empty(), [&] {
        return text(at_axis(axis), "expected no ghosts, since one_to_one is true");
    });
    const auto shared = std::adjacent_find(all.begin(), all.end());
    require<LayoutError>(!lists.one_to_one || shared == all.end(), [&] {
        return text(at_axis(axis), "one_to_one is true, but index ", *shared,
                    " is on more than one process");
    });
    if (local) {
        require<LayoutError>(lists.size >= static_cast<std::int64_t>(all.size()), [&] {
            return text(at_axis(axis), "expected a size of at least the ", all.size(),
                        " listed indices, got ", lists.size);
        });
    } else {
        std::int64_t distinct = 0;
        for (std::size_t i = 0; i < all.size(); ++i) distinct += i == 0 || all[i] != all[i - 1];
        lists.size = distinct;
    }
    return {std::move(lists)};
}

std::vector<std::int64_t> tables(int, const CyclicSpec&) { return {}; }

std::vector<std::int64_t> tables(int, const BlockSpec& block) {
    std::vector<std::int64_t> result = block.bounds;
    for (const Widths widths : block.paddings) {
        result.push_back(widths.low);
        result.push_back(widths.high);
    }
    return result;
}

std::vector<std::int64_t> tables(int grid_size, const UnstructuredSpec& lists) {
    std::vector<std::int64_t> offsets{0}, labels, sorted, positions;
    std::vector<std::pair<std::int64_t, std::int64_t>> directory;
    std::vector<std::int64_t> ghosts(lists.ghosts.empty() ? 0
                                                          : static_cast<std::size_t>(grid_size));
    for (int p = 0; p < grid_size; ++p) {
        if (lists.known_process >= 0 && p != lists.known_process) {
            offsets.push_back(offsets.back());
            continue;
        }
        const std::size_t number = lists.known_process >= 0 ? 0 : static_cast<std::size_t>(p);
        const std::vector<std::int64_t>& list = lists.labels[number];
        std::vector<std::int64_t> order(list.size());
        std::iota(order.begin(), order.end(), 0);
        const auto by_label = [&](std::int64_t a, std::int64_t b) {
            return list[static_cast<std::size_t>(a)] < list[static_cast<std::size_t>(b)];
        };
        const auto owned = static_cast<std::ptrdiff_t>(owned_count(lists, number));
        if (!ghosts.empty()) ghosts[static_cast<std::size_t>(p)] = lists.ghosts[number];
        std::sort(order.begin(), order.begin() + owned, by_label);
        std::sort(order.begin() + owned, order.end(), by_label);
        for (const std::int64_t position : order) {
            const std::int64_t label = list[static_cast<std::size_t>(position)];
            sorted.push_back(label);
            positions.push_back(position);
            if (position < owned) directory.emplace_back(label, p);
        }
        labels.insert(labels.end(), list.begin(), list.end());
        offsets.push_back(static_cast<std::int64_t>(labels.size()));
    }
    std::sort(directory.begin(), directory.end());
    const auto same_label = [](const auto& a, const auto& b) { return a.first == b.first; };
    directory.erase(std::unique(directory.begin(), directory.end(), same_label), directory.end());

    std::vector<std::int64_t> result = std::move(offsets);
    for (const auto* part : {&labels, &sorted, &positions})
        result.insert(result.end(), part->begin(), part->end());
    for (const auto& entry : directory) result.push_back(entry.first);
    for (const auto& entry : directory) result.push_back(entry.second);
    result.insert(result.end(), ghosts.begin(), ghosts.end());
    return result;
}

AxisLayout make(int grid_size, const BlockSpec& block, const std::int64_t* at) {
    const BlockOptions& options = block.options;
    if (block.split != BlockSplit::irregular)
        return BlockLayout(block.interior_size, grid_size, block.split, options.padding,
                           options.boundary, options.periodic);
    const std::int64_t* widths = block.paddings.empty() ? nullptr : at + grid_size + 1;
    return BlockLayout(at, grid_size, widths, options.padding, options.boundary, options.periodic);
}

AxisLayout make(int grid_size, const CyclicSpec& cyclic, const std::int64_t*) {
    return CyclicLayout(cyclic.size, grid_size, cyclic.block_size, cyclic.periodic);
}

AxisLayout make(int grid_size, const UnstructuredSpec& lists, const std::int64_t* at) {
    std::int64_t count = 0;
    std::int64_t owned = 0;
    for (std::size_t p = 0; p < lists.labels.size(); ++p) {
        count += static_cast<std::int64_t>(lists.labels[p].size());
        owned += static_cast<std::int64_t>(owned_count(lists, p));
    }
    UnstructuredLayout::Tables tables;
    tables.offsets = at;
    tables.labels = at + grid_size + 1;
    tables.sorted_labels = tables.labels + count;
    tables.sorted_positions = tables.sorted_labels + count;
    tables.directory_labels = tables.sorted_positions + count;
    // The directory holds each owned label once: with one process's list, all owned labels of the list.
    const bool local = lists.known_process >= 0;
    tables.directory_size = local ? owned : lists.size;
    tables.directory_owners = tables.directory_labels + tables.directory_size;
    if (!lists.ghosts.empty()) tables.ghosts = tables.directory_owners + tables.directory_size;
    return UnstructuredLayout(lists.size, grid_size, lists.one_to_one, tables, lists.known_process,
                              lists.periodic);
}

} // namespace

AxisSpec checked_axis(int axis, int grid_size, const AxisSpec& spec) {
    return std::visit([&](const auto& value) { return checked(axis, grid_size, value); },
                      spec.value);
}

std::vector<std::int64_t> axis_tables(int grid_size, const AxisSpec& checked) {
    return std::visit([&](const auto& value) { return tables(grid_size, value); }, checked.value);
}

AxisLayout make_axis(int grid_size, const AxisSpec& checked, const std::int64_t* tables) {
    return std::visit([&](const auto& value) { return make(grid_size, value, tables); },
                      checked.value);
}

} // namespace distview::impl
