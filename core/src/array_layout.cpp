// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/core/array_layout.hpp>

#include "axis_builder.hpp"

#include <distview/core/hash.hpp>

#include <algorithm>
#include <limits>
#include <sstream>
#include <utility>

namespace distview {

namespace {

void check_element_count(const ProcessGrid& grid, const std::array<AxisLayout, max_rank>& axes) {
    // One empty axis makes the array empty, however large the other axes are.
    for (int d = 0; d < grid.rank(); ++d)
        if (axes[static_cast<std::size_t>(d)].protocol_size() == 0) return;
    std::int64_t count = 1;
    for (int d = 0; d < grid.rank(); ++d) {
        const std::int64_t size = axes[static_cast<std::size_t>(d)].protocol_size();
        require<LayoutError>(count <= std::numeric_limits<std::int64_t>::max() / size, [&] {
            return text("ArrayLayout: the product of the axes' sizes exceeds 2^63-1 at axis ", d);
        });
        count *= size;
    }
}

std::uint64_t hash_axis(const AxisLayout& axis) {
    Hash hash;
    hash.add(static_cast<std::int64_t>(axis.type())).add(axis.size()).add(axis.grid_size());
    switch (axis.type()) {
    case DistType::block: {
        const BlockLayout& block = axis.as_block();
        hash.add(block.periodic()).add(block.boundary().low).add(block.boundary().high);
        hash.add(static_cast<std::int64_t>(block.split()));
        // The numbers above and the widths of the first seam determine a layout in closed form.
        const int distinct =
            block.has_tables() ? block.grid_size() : std::min(block.grid_size(), 2);
        for (int p = 0; p < distinct; ++p) {
            hash.add(block.interior(p).end.value());
            hash.add(block.communication_padding(p).low).add(block.communication_padding(p).high);
        }
        break;
    }
    case DistType::cyclic: hash.add(axis.as_cyclic().block_size()).add(axis.periodic()); break;
    case DistType::unstructured: {
        const UnstructuredLayout& lists = axis.as_unstructured();
        hash.add(lists.one_to_one()).add(lists.periodic());
        // Labels that only one process knows must not make equal arrays look different.
        if (lists.known_process() >= 0) break;
        for (int p = 0; p < lists.grid_size(); ++p) {
            hash.add(lists.local_extent(p)).add(lists.ghosts(p));
            for (std::int64_t i = 0; i < lists.local_extent(p); ++i) hash.add(lists.labels(p)[i]);
        }
        break;
    }
    }
    return hash.value();
}

std::string widths_text(Widths widths) { return text('(', widths.low, ", ", widths.high, ')'); }

std::string describe_axis(const AxisLayout& axis) {
    const std::string processes =
        text(axis.grid_size(), axis.grid_size() == 1 ? " process" : " processes");
    const char* periodic = axis.periodic() ? ", periodic" : "";
    switch (axis.type()) {
    case DistType::cyclic: {
        const std::int64_t block_size = axis.as_cyclic().block_size();
        const std::string blocks = block_size == 1 ? "" : text(" in blocks of ", block_size);
        return text(block_size == 1 ? "cyclic, " : "block-cyclic, ", axis.size(), " elements",
                    blocks, " over ", processes, periodic);
    }
    case DistType::unstructured: {
        const UnstructuredLayout& lists = axis.as_unstructured();
        std::int64_t ghosts = 0;
        // Equal arrays have equal texts, whichever process knows its labels: ghosts known in part are not counted.
        for (int p = 0; lists.known_process() < 0 && p < lists.grid_size(); ++p)
            ghosts += lists.ghosts(p);
        return text("unstructured, ", axis.size(), " elements over ", processes,
                    lists.one_to_one() ? ", one to one" : "",
                    ghosts > 0 ? text(", ", ghosts, ghosts == 1 ? " ghost" : " ghosts") : "",
                    periodic);
    }
    case DistType::block: break;
    }
    const BlockLayout& block = axis.as_block();
    const char* split = block.split() == BlockSplit::regular     ? "regular block"
                        : block.split() == BlockSplit::irregular ? "irregular block"
                                                                 : "block";
    std::string result = text(split, ", ", axis.size(), " elements over ", processes);
    bool varies = false;
    const Widths padding = block.widest_padding();
    for (int p = 0; block.has_tables() && p < block.grid_size(); ++p) {
        const Widths widths = block.communication_padding(p);
        varies = varies || (p > 0 && widths.low != padding.low) ||
                 (p + 1 < block.grid_size() && widths.high != padding.high);
    }
    if (varies)
        result += ", padding by process";
    else if (!(padding == Widths()))
        result += ", padding " + widths_text(padding);
    if (!(block.boundary() == Widths()))
        result += ", boundary padding " + widths_text(block.boundary());
    return result + periodic;
}

} // namespace

ArrayLayout::ArrayLayout() {
    // All default layouts share this one, which is never freed: arrays without a layout are made, and dropped, even
    // when memory is exhausted.
    static const auto* const shared =
        new std::shared_ptr<const State>(ArrayLayout(ProcessGrid(), {}).m_state);
    m_state = *shared;
}

namespace {
[[maybe_unused]] const ArrayLayout made_before_main;
} // namespace

ArrayLayout::ArrayLayout(const ProcessGrid& grid, const std::vector<AxisSpec>& axes) {
    require<LayoutError>(static_cast<int>(axes.size()) == grid.rank(), [&] {
        return text("ArrayLayout: expected one axis for each of the ", grid.rank(),
                    " axes of the process grid, got ", axes.size());
    });
    auto state = std::make_shared<State>();
    state->grid = grid;
    std::vector<AxisSpec> checked;
    std::vector<std::size_t> offsets;
    for (int d = 0; d < grid.rank(); ++d) {
        checked.push_back(impl::checked_axis(d, grid.extent(d), axes[static_cast<std::size_t>(d)]));
        const std::vector<std::int64_t> tables = impl::axis_tables(grid.extent(d), checked.back());
        offsets.push_back(state->tables.size());
        state->tables.insert(state->tables.end(), tables.begin(), tables.end());
    }
    // From here on the tables keep their address.
    for (std::size_t d = 0; d < checked.size(); ++d)
        state->axes[d] = impl::make_axis(grid.extent(static_cast<int>(d)), checked[d],
                                         state->tables.data() + offsets[d]);
    check_element_count(grid, state->axes);

    Hash hash;
    hash.add(grid.rank());
    for (int d = 0; d < grid.rank(); ++d)
        hash.add(static_cast<std::int64_t>(hash_axis(state->axes[static_cast<std::size_t>(d)])));
    state->fingerprint = hash.value();
    m_state = std::move(state);
}

std::int64_t ArrayLayout::size() const noexcept {
    // If one extent is 0, the product of the others may not fit.
    for (int d = 0; d < rank(); ++d)
        if (extent(d) == 0) return 0;
    std::int64_t count = 1;
    for (int d = 0; d < rank(); ++d) count *= extent(d);
    return count;
}

Extents ArrayLayout::local_extents(int process) const noexcept {
    const GridCoordinates at = coordinates(process);
    Extents extents;
    extents.fill(1);
    for (std::size_t d = 0; d < static_cast<std::size_t>(rank()); ++d)
        extents[d] = m_state->axes[d].local_extent(at[d]);
    return extents;
}

int ArrayLayout::owner(std::span<const GlobalIndex> index) const {
    require<ShapeError>(static_cast<int>(index.size()) == rank(), [&] {
        return text("ArrayLayout::owner: expected ", rank(), " indices, got ", index.size());
    });
    GridCoordinates at{};
    for (std::size_t d = 0; d < index.size(); ++d) {
        const AxisLayout& layout = m_state->axes[d];
        if (layout.type() != DistType::unstructured)
            require<ShapeError>(layout.global_range().contains(index[d]), [&] {
                const GlobalRange all = layout.global_range();
                return text("ArrayLayout::owner: index ", index[d].value(), " of axis ", d,
                            " is not in [", all.begin.value(), ", ", all.end.value(), ")");
            });
        at[d] = layout.owner(index[d]);
        if (at[d] < 0) return -1;
    }
    return grid().process(at);
}

std::string ArrayLayout::describe() const {
    std::ostringstream out;
    out << rank() << "-d array over a process grid of " << grid().describe();
    for (int d = 0; d < rank(); ++d) out << "\n  axis " << d << ": " << describe_axis(axis(d));
    return out.str();
}

bool operator==(const ArrayLayout& a, const ArrayLayout& b) noexcept {
    if (a.m_state == b.m_state) return true;
    if (a.m_state->fingerprint != b.m_state->fingerprint || a.grid() != b.grid()) return false;
    // The fingerprint does not include tables of one process's labels.
    return std::equal(a.m_state->tables.begin(), a.m_state->tables.end(), b.m_state->tables.begin(),
                      b.m_state->tables.end());
}

namespace impl {

namespace {

/// One line for each block, or each label; `all` also for labels that only one process knows.
void append_details(std::string& lines, int d, const AxisLayout& axis, bool all) {
    constexpr std::int64_t most_lines = 65536;
    std::int64_t left = most_lines;
    const auto add = [&](const auto&... words) {
        if (left-- > 0) lines += text("\naxis ", d, ": ", words...);
    };
    if (axis.is_block() && axis.as_block().has_tables()) {
        const BlockLayout& block = axis.as_block();
        for (int p = 0; p < block.grid_size() && left > 0; ++p)
            add("process ", p, " has [", block.interior(p).begin.value(), ", ",
                block.interior(p).end.value(), "), padding ",
                widths_text(block.communication_padding(p)));
    }
    if (axis.type() != DistType::unstructured) return;
    const UnstructuredLayout& lists = axis.as_unstructured();
    const int known = lists.known_process();
    if (known >= 0 && !all) return;
    for (int p = 0; p < lists.grid_size() && left > 0; ++p) {
        if (known >= 0 && p != known) continue;
        add("process ", p, " has ", lists.local_extent(p), " labels, ", lists.ghosts(p),
            " of them ghosts");
        for (std::int64_t i = 0; i < lists.local_extent(p) && left > 0; ++i)
            add("label ", i, " of process ", p, " is ", lists.labels(p)[i]);
    }
}

} // namespace

std::string describe_fully(const ArrayLayout& layout) {
    std::string result = layout.describe();
    for (int d = 0; d < layout.rank(); ++d) append_details(result, d, layout.axis(d), false);
    return result;
}

std::string difference_of(const ArrayLayout& layout, const ArrayLayout& expected) {
    if (layout.describe() != expected.describe()) return {};
    for (int d = 0; d < layout.rank(); ++d) {
        std::string ours, theirs;
        append_details(ours, d, layout.axis(d), true);
        append_details(theirs, d, expected.axis(d), true);
        const auto [line, expected_line] = first_difference(ours, theirs);
        if (line != expected_line)
            return text("\nthe first difference: ", line, "; expected ", expected_line);
    }
    return {};
}

std::size_t section_bytes(const Extents& extents, int rank, std::size_t element_bytes) {
    auto bytes = static_cast<std::ptrdiff_t>(element_bytes);
    bool fits = true;
    for (int d = 0; d < rank; ++d) {
        const std::int64_t extent = extents[static_cast<std::size_t>(d)];
        if (extent == 0) return 0;
        fits = fits && !__builtin_mul_overflow(bytes, extent, &bytes);
    }
    require<Error>(fits, [&] {
        std::string sizes;
        for (int d = 0; d < rank; ++d)
            sizes += text(d > 0 ? " x " : "", extents[static_cast<std::size_t>(d)]);
        return text("expected a section that fits in memory, got one of ", sizes, " elements of ",
                    element_bytes, " bytes");
    });
    return static_cast<std::size_t>(bytes);
}

void check_process(const ArrayLayout& layout, int process, const char* caller) {
    require<UsageError>(process >= 0 && process < layout.process_count(), [&] {
        return text(caller, ": expected a process in [0, ", layout.process_count(), "), got ",
                    process);
    });
}

void check_known(const ArrayLayout& layout, int process, const char* caller) {
    const GridCoordinates at = layout.coordinates(process);
    for (int d = 0; d < layout.rank(); ++d) {
        if (layout.axis(d).type() != DistType::unstructured) continue;
        const int known = layout.axis(d).as_unstructured().known_process();
        require<UsageError>(known < 0 || known == at[static_cast<std::size_t>(d)], [&] {
            return text(caller, ": the layout knows the indices of axis ", d,
                        " only for grid coordinate ", known, ", got process ", process, " at ",
                        at[static_cast<std::size_t>(d)]);
        });
    }
}

void check_valid_padding(const ArrayLayout& layout, const ValidPadding& valid) {
    for (int d = 0; d < layout.rank(); ++d) {
        const AxisLayout& axis = layout.axis(d);
        if (axis.grid_size() == 1 && !axis.periodic()) continue;
        Widths most;
        if (axis.is_block()) most = axis.as_block().widest_padding();
        if (axis.is_block() && axis.periodic()) {
            const Widths edge = axis.as_block().boundary();
            most = {std::max(most.low, edge.low), std::max(most.high, edge.high)};
        }
        const Widths depth = valid.depth(d);
        require<UsageError>(depth.low <= most.low && depth.high <= most.high, [&] {
            return text("mark_padding_valid: expected depths of at most ", widths_text(most),
                        " along axis ", d, ", which has no deeper padding, got ",
                        widths_text(depth));
        });
    }
}

} // namespace impl

} // namespace distview
