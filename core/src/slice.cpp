// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/core/slice.hpp>

#include <distview/core/text.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace distview {

namespace {

constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t positive) noexcept {
    return a / positive + (a % positive > 0 ? 1 : 0);
}

constexpr const char* advice = "; use from_slice or to_slice of a RedistributionPlan";

/// One process's part of a slice along one axis.
struct SlicedAxis {
    AxisSpec spec;
    std::int64_t begin = 0;
    std::int64_t step = 1;
};

/// The slice along an axis on which process p holds the cells below cell_end(p), in ascending order.
/// local_of_cell() gives the position of a cell in the section of `process`.
template <class CellEnd, class LocalOfCell>
SlicedAxis irregular_blocks(int grid_size, const AxisSlice& slice, int process, CellEnd&& cell_end,
                            LocalOfCell&& local_of_cell) {
    std::vector<std::int64_t> bounds{0};
    for (int p = 0; p < grid_size; ++p)
        bounds.push_back(std::clamp<std::int64_t>(ceil_div(cell_end(p) - slice.begin, slice.step),
                                                  0, slice.count));
    const std::int64_t first = bounds[static_cast<std::size_t>(process)];
    const bool has_some = bounds[static_cast<std::size_t>(process) + 1] > first;
    SlicedAxis result{block_bounds(std::move(bounds))};
    if (has_some) {
        result.begin = local_of_cell(slice.begin + first * slice.step);
        result.step = slice.step;
    }
    return result;
}

SlicedAxis sliced(const BlockLayout& layout, const AxisSlice& slice, int process) {
    return irregular_blocks(
        layout.grid_size(), slice, process, [&](int p) { return layout.interior(p).end.value(); },
        [&](std::int64_t cell) { return layout.to_local(process, GlobalIndex(cell)).value(); });
}

/// Number of cells until process 0 gets a block again, or of all cells if it gets only one block.
std::int64_t round_of(const CyclicLayout& layout) {
    const bool is_one_round = layout.block_size() >= ceil_div(layout.size(), layout.grid_size());
    return is_one_round ? std::max<std::int64_t>(layout.size(), 1)
                        : layout.block_size() * layout.grid_size();
}

/// The block size of a slice that is itself cyclic from process 0 on, with elements `step` apart on each process; empty
/// for other slices.
std::optional<std::int64_t> dealt_block_size(const CyclicLayout& layout, const AxisSlice& slice) {
    const std::int64_t block = layout.block_size();
    if (layout.grid_size() == 1 || slice.count == 0) return block;
    const std::int64_t first = slice.begin % round_of(layout);
    if (block % slice.step == 0 && first < slice.step) return block / slice.step;
    const bool steps_to_next_process =
        slice.step % block == 0 && slice.step / block % layout.grid_size() == 1;
    if (steps_to_next_process && first < block) return 1;
    return std::nullopt;
}

SlicedAxis sliced(const CyclicLayout& layout, const AxisSlice& slice, int process,
                  const std::string& where) {
    const std::int64_t block = layout.block_size();
    const auto local_of_cell = [&](std::int64_t cell) {
        return layout.to_local(process, GlobalIndex(cell)).value();
    };
    if (const auto dealt = dealt_block_size(layout, slice)) {
        SlicedAxis result{block_cyclic(slice.count, *dealt)};
        if (process < ceil_div(slice.count, *dealt)) {
            result.begin = local_of_cell(slice.begin + process * *dealt * slice.step);
            result.step = slice.step;
        }
        return result;
    }
    const std::int64_t round = round_of(layout);
    const std::int64_t last = slice.begin + (slice.count - 1) * slice.step;
    require<LayoutError>(slice.begin / round == last / round, [&] {
        return text(where,
                    "expected cells that form a cyclic axis or lie in one round of blocks, got ",
                    slice.begin, " to ", last, " in steps of ", slice.step, " of blocks of ", block,
                    " on ", layout.grid_size(), " processes", advice);
    });
    const std::int64_t base = slice.begin / round * round;
    const auto cell_end = [&](int p) {
        return base + (block > round / (p + 1) ? round : (p + 1) * block);
    };
    return irregular_blocks(layout.grid_size(), slice, process, cell_end, local_of_cell);
}

SlicedAxis sliced(const UnstructuredLayout& layout, const AxisSlice& slice,
                  const std::string& where) {
    const std::int64_t size = layout.size();
    require<LayoutError>(slice == complete_slice({}, size, where), [&] {
        return text(where, "expected all ", size,
                    " cells of an unstructured axis in steps of 1, got ", slice.count, " from ",
                    slice.begin, " in steps of ", slice.step, advice);
    });
    AxisSpec spec = axis_spec(layout);
    auto& lists = std::get<UnstructuredSpec>(spec.value);
    for (std::size_t i = 0; i < lists.ghosts.size(); ++i)
        lists.labels[i].resize(lists.labels[i].size() - static_cast<std::size_t>(lists.ghosts[i]));
    lists.ghosts.clear();
    return {std::move(spec)};
}

SlicedAxis sliced(const AxisLayout& layout, const AxisSlice& slice, int process,
                  const std::string& where) {
    require<LayoutError>(slice.step > 0, [&] {
        return text(where, "expected a step > 0, got ", slice.step,
                    ": processes would hold the elements in descending order", advice);
    });
    switch (layout.type()) {
    case DistType::cyclic: return sliced(layout.as_cyclic(), slice, process, where);
    case DistType::unstructured: return sliced(layout.as_unstructured(), slice, where);
    case DistType::block: break;
    }
    return sliced(layout.as_block(), slice, process);
}

} // namespace

SectionSlice slice_section(const ArrayLayout& layout, int process,
                           const std::vector<AxisSlice>& slices) {
    const auto rank = static_cast<std::size_t>(layout.rank());
    impl::check_process(layout, process, "slice");
    impl::check_known(layout, process, "slice");
    require<LayoutError>(slices.empty() || slices.size() == rank, [&] {
        return text("slice: expected slices of ", rank, " axes, got ", slices.size());
    });
    const GridCoordinates at = layout.coordinates(process);
    SectionSlice result;
    std::vector<AxisSpec> axes;
    for (std::size_t d = 0; d < rank; ++d) {
        const AxisLayout& axis = layout.axis(static_cast<int>(d));
        const std::string where = text("slice: axis ", d, ": ");
        const AxisSlice cells =
            complete_slice(slices.empty() ? AxisSlice{} : slices[d], axis.size(), where);
        SlicedAxis part = sliced(axis, cells, at[d], where);
        axes.push_back(std::move(part.spec));
        result.begin[d] = part.begin;
        result.step[d] = part.step;
    }
    result.layout = ArrayLayout(layout.grid(), axes);
    return result;
}

AnyDistView slice(const AnyDistView& view, const std::vector<AxisSlice>& slices) {
    SectionSlice part = slice_section(view.layout(), view.process(), slices);
    const Extents extents = part.layout.local_extents(view.process());
    AnySection section = view.section();
    std::int64_t offset = 0;
    const bool is_empty = section.count() == 0;
    for (std::size_t d = 0; d < section.extents.size(); ++d) {
        const bool moves = section.extents[d] > 1; // otherwise the stride may be any number
        section.extents[d] = extents[d];
        if (!moves || is_empty) continue;
        offset += section.strides[d] * part.begin[d];
        section.strides[d] *= part.step[d];
    }
    // A section without elements may have no memory to point into.
    if (section.count() > 0) section.data = static_cast<char*>(section.data) + offset;
    AnyDistView result(std::move(section), std::move(part.layout), view.process());
    note_slice(result, view);
    return result;
}

} // namespace distview
