// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/algorithms/impl/local_boxes.hpp>

#include <distview/comm/agreement.hpp>
#include <distview/core/error.hpp>
#include <distview/core/hash.hpp>
#include <distview/core/text.hpp>

#include <algorithm>
#include <array>
#include <cstddef>

namespace distview::impl {

namespace {

/// The axes, the fastest first.
std::vector<std::size_t> fastest_first(int rank, MemoryOrder order) {
    std::vector<std::size_t> axes;
    for (std::size_t d = 0; d < static_cast<std::size_t>(rank); ++d) axes.push_back(d);
    if (order == MemoryOrder::row_major) std::reverse(axes.begin(), axes.end());
    return axes;
}

/// The cells along an axis whose indices are in a range.
AxisSlice cells_in(const char* caller, const ArrayLayout& layout, int d, const GlobalRange& range) {
    const AxisLayout& axis = layout.axis(d);
    if (range.empty()) return {0, 0, 1};
    if (axis.type() == DistType::unstructured) {
        const UnstructuredLayout& lists = axis.as_unstructured();
        const std::int64_t* const labels = lists.all_labels();
        const std::int64_t* const end = labels + lists.size();
        const std::int64_t* const first = std::lower_bound(labels, end, range.begin.value());
        const std::int64_t* const last = std::lower_bound(first, end, range.end.value());
        return {first - labels, last - first, 1};
    }
    require<LayoutError>(range.begin >= 0 && range.end <= axis.size(), [&] {
        return text(caller, ": expected a box within the interior, got [", range.begin.value(),
                    ", ", range.end.value(), ") along axis ", d, " of ", axis.size(), " elements");
    });
    return {range.begin.value(), range.size(), 1};
}

void check_labels(const char* caller, const ArrayLayout& layout) {
    for (int d = 0; d < layout.rank(); ++d) {
        const AxisLayout& axis = layout.axis(d);
        if (axis.type() != DistType::unstructured) continue;
        const int known = axis.as_unstructured().known_process();
        require<UsageError>(known < 0, [&] {
            return text(caller, ": expected the labels of all processes along axis ", d,
                        ", got a layout with only process ", known, "'s labels");
        });
    }
}

/// The positions of cells along a structured axis in the section of grid coordinate p, if it has all of them in a row.
std::optional<LocalRange> find_on_axis(const AxisLayout& axis, int p, std::int64_t begin,
                                       std::int64_t count) {
    if (count == 0) return std::nullopt;
    const GlobalIndex first(begin);
    const GlobalIndex last(begin + count - 1);
    if (axis.type() == DistType::unstructured) return std::nullopt;
    if (axis.owner(first) != p || axis.owner(last) != p) return std::nullopt;
    const LocalIndex l = axis.to_local(p, first);
    if (axis.to_local(p, last) - l != count - 1) return std::nullopt;
    return LocalRange{l, l + count};
}

const char* name_of(Intent intent) {
    switch (intent) {
    case Intent::in: return "Intent::in";
    case Intent::out: return "Intent::out";
    case Intent::inout: break;
    }
    return "Intent::inout";
}

const char* name_of(LocalPart part) {
    switch (part) {
    case LocalPart::box: return "a box";
    case LocalPart::whole_on_root: return "the whole array on one rank";
    case LocalPart::whole_everywhere: break;
    }
    return "the whole array on every rank";
}

} // namespace

PlainShape plain_shape(const Extents& extents, int rank, MemoryOrder order) {
    PlainShape shape;
    shape.extents = extents;
    std::int64_t stride = 1;
    const std::vector<std::size_t> axes = fastest_first(rank, order);
    for (const std::size_t d : axes) {
        shape.strides[d] = stride;
        stride *= std::max<std::int64_t>(extents[d], 1);
    }
    if (rank > 0) shape.leading_dimension = std::max<std::int64_t>(extents[axes.front()], 1);
    return shape;
}

std::optional<PlainShape> as_plain(const Extents& extents, const Extents& strides, int rank,
                                   MemoryOrder order, bool with_gaps) {
    PlainShape shape = plain_shape(extents, rank, order);
    const std::vector<std::size_t> axes = fastest_first(rank, order);
    for (const std::size_t d : axes)
        if (extents[d] == 0) return shape;
    // The first slower axis with at least two elements determines the distance between lines.
    const auto apart = std::find_if(axes.begin() + (rank > 0 ? 1 : 0), axes.end(),
                                    [&](std::size_t d) { return extents[d] > 1; });
    if (with_gaps && apart != axes.end() && strides[*apart] > shape.leading_dimension) {
        shape.leading_dimension = strides[*apart];
        std::int64_t stride = shape.leading_dimension;
        for (std::size_t k = 1; k < axes.size(); ++k) {
            shape.strides[axes[k]] = stride;
            stride *= extents[axes[k]];
        }
    }
    for (const std::size_t d : axes)
        if (extents[d] > 1 && strides[d] != shape.strides[d]) return std::nullopt;
    return shape;
}

CellRange whole_array(const char* caller, const ArrayLayout& layout) {
    check_labels(caller, layout);
    CellRange cells;
    for (int d = 0; d < layout.rank(); ++d)
        cells.count[static_cast<std::size_t>(d)] = layout.extent(d);
    return cells;
}

CellRange box_of(const char* caller, const ArrayLayout& layout,
                 std::span<const GlobalRange> ranges) {
    check_labels(caller, layout);
    CellRange cells;
    for (std::size_t d = 0; d < ranges.size(); ++d) {
        const AxisSlice slice = cells_in(caller, layout, static_cast<int>(d), ranges[d]);
        cells.begin[d] = slice.begin;
        cells.count[d] = slice.count;
    }
    return cells;
}

std::int64_t cell_count(const CellRange& cells, int rank) {
    std::int64_t count = 1;
    for (std::size_t d = 0; d < static_cast<std::size_t>(rank); ++d) count *= cells.count[d];
    return count;
}

std::vector<AxisSlice> slices_of(const CellRange& cells, int rank) {
    std::vector<AxisSlice> slices;
    for (std::size_t d = 0; d < static_cast<std::size_t>(rank); ++d)
        slices.push_back({cells.begin[d], cells.count[d], 1});
    return slices;
}

ArrayLayout single_layout(const CellRange& cells, int rank) {
    const std::vector<int> one(static_cast<std::size_t>(rank), 1);
    std::vector<AxisSpec> axes;
    for (std::size_t d = 0; d < one.size(); ++d) axes.push_back(block(cells.count[d]));
    return {ProcessGrid(one), axes};
}

std::optional<LocalBox> find_in_section(const ArrayLayout& layout, int process,
                                        const CellRange& cells) {
    LocalBox box{};
    const GridCoordinates at = layout.coordinates(process);
    for (int d = 0; d < layout.rank(); ++d) {
        const auto i = static_cast<std::size_t>(d);
        const auto range = find_on_axis(layout.axis(d), at[i], cells.begin[i], cells.count[i]);
        if (!range) return std::nullopt;
        box[i] = *range;
    }
    return box;
}

void check_disjoint(const char* caller, std::span<const CellRange> boxes, int rank) {
    const auto share_cells = [rank](const CellRange& a, const CellRange& b) {
        for (std::size_t d = 0; d < static_cast<std::size_t>(rank); ++d)
            if (a.begin[d] + a.count[d] <= b.begin[d] || b.begin[d] + b.count[d] <= a.begin[d])
                return false;
        return cell_count(a, rank) > 0 && cell_count(b, rank) > 0;
    };
    for (std::size_t p = 0; p < boxes.size(); ++p)
        for (std::size_t q = p + 1; q < boxes.size(); ++q)
            require<UsageError>(!share_cells(boxes[p], boxes[q]), [&] {
                return text(caller,
                            ": expected disjoint boxes, since they are written, "
                            "got boxes of ranks ",
                            p, " and ", q, " that share cells");
            });
}

void agree_on_local_copy(const Communicator& comm, const Caller& caller,
                         const std::exception_ptr& failure, const CommonArguments& array,
                         const LocalCopyArguments& arguments) {
    const std::uint64_t digest =
        hash_of(array.digest(), arguments.intent, arguments.order, arguments.part,
                arguments.takes_leading_dimension, arguments.writes_all);
    const auto list = [&] {
        std::vector<Argument> all = array.list();
        all.push_back({"intent", name_of(arguments.intent)});
        all.push_back({"order", arguments.order == MemoryOrder::row_major
                                    ? "MemoryOrder::row_major"
                                    : "MemoryOrder::column_major"});
        all.push_back({"part", name_of(arguments.part)});
        all.push_back({"takes_leading_dimension", text(arguments.takes_leading_dimension)});
        all.push_back({"writes_all", text(arguments.writes_all)});
        return all;
    };
    agree(comm, caller.name, failure, digest, list, array.arrays);
}

} // namespace distview::impl
