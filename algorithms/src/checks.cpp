// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/algorithms/impl/checks.hpp>
#include <distview/algorithms/min_max.hpp>

#include <distview/core/hash.hpp>
#include <distview/core/memory_overlap.hpp>
#include <distview/core/text.hpp>

#include <algorithm>

namespace distview::impl {

namespace {

/// Whether process p has the same cells along two axes, at any positions in its sections.
bool same_cells(const AxisLayout& a, const AxisLayout& b, int p, Cells cells) {
    if (a.type() != b.type() || a.size() != b.size()) return false;
    switch (a.type()) {
    case DistType::cyclic: return a.as_cyclic().block_size() == b.as_cyclic().block_size();
    case DistType::unstructured: {
        const UnstructuredLayout& x = a.as_unstructured();
        const UnstructuredLayout& y = b.as_unstructured();
        const std::int64_t owned = x.owned_local(p).size();
        return owned == y.owned_local(p).size() &&
               std::equal(x.labels(p), x.labels(p) + owned, y.labels(p));
    }
    case DistType::block: break;
    }
    const BlockLayout& x = a.as_block();
    const BlockLayout& y = b.as_block();
    return x.interior(p) == y.interior(p) &&
           (cells == Cells::interior || x.boundary_padding(p) == y.boundary_padding(p));
}

} // namespace

void require_apart(const char* caller, const VisitedCells& to, const VisitedCells& from) {
    bool are_same = to.first == from.first && to.element_bytes == from.element_bytes;
    for (std::size_t d = 0; d < to.rank; ++d)
        are_same = are_same && to.extents[d] == from.extents[d] &&
                   (to.extents[d] <= 1 || to.strides[d] == from.strides[d]);
    if (are_same) return;
    const auto places = [](const VisitedCells& cells) {
        return ElementPlaces{cells.first,
                             cells.element_bytes,
                             {cells.extents.data(), cells.rank},
                             {cells.strides.data(), cells.rank}};
    };
    require<UsageError>(!memory_overlaps(places(to), places(from)), [&] {
        return text(caller,
                    ": expected written cells that do not overlap other cells that are read, got "
                    "overlapping slices of one array");
    });
}

void check_array(const char* caller, const Communicator& comm, const ArrayLayout& layout,
                 int process) {
    require<UsageError>(layout.process_count() == comm.size() && process == comm.rank(), [&] {
        return text(caller, ": expected the section of process ", comm.rank(), " of ", comm.size(),
                    ", got the section of process ", process, " of ", layout.process_count());
    });
}

Extents shift_between(const char* caller, const ArrayLayout& from, int from_process,
                      const ArrayLayout& to, int to_process, Cells cells, std::uint32_t skipped) {
    bool same = from.grid() == to.grid() && from_process == to_process;
    const GridCoordinates at = from.coordinates(from_process);
    Extents shift{};
    for (int d = 0; same && d < from.rank(); ++d) {
        const auto i = static_cast<std::size_t>(d);
        const AxisLayout& a = from.axis(d);
        const AxisLayout& b = to.axis(d);
        if ((skipped >> d & 1U) != 0) continue;
        same = same_cells(a, b, at[i], cells);
        shift[i] = b.interior_local(at[i]).begin - a.interior_local(at[i]).begin;
    }
    require<ShapeError>(same, [&] {
        return text(caller, ": expected arrays with the same ",
                    cells == Cells::interior ? "interior" : "owned", " cells, got process ",
                    from_process, " of a ", from.describe(), "\nand process ", to_process, " of a ",
                    to.describe());
    });
    return shift;
}

std::string advice(const SectionPlace& to, const SectionPlace& from,
                   const std::function<bool(int)>& may_differ) {
    bool same_extents = to.layout.rank() == from.layout.rank();
    for (int d = 0; same_extents && d < to.layout.rank(); ++d)
        same_extents =
            to.layout.extent(d) == from.layout.extent(d) || (may_differ && may_differ(d));
    if (!same_extents) return "\nno redistribution aligns them: their extents differ";
    return text("\nto align them: RedistributionPlan(comm, layout of '", from.label(),
                "', layout of '", to.label(), "').execute(exec, '", from.label(),
                "', an array of the second layout)");
}

void throw_no_cells(const char* caller, const ArrayLayout& layout) {
    throw UsageError(
        text(caller, ": expected an array with at least one cell, got a ", layout.describe()));
}

std::uint64_t CommonArguments::digest() const {
    return hash_of(layout->fingerprint(), cells, element.bytes, element.kind, root, result_bytes,
                   order);
}

std::vector<Argument> CommonArguments::list() const {
    return {{"element type", describe(element)},
            {"layout", describe_fully(*layout)},
            {"cells", cells == Cells::interior ? "Cells::interior" : "Cells::owned"},
            {"root", text(root)},
            {"size of the results", text(result_bytes, " bytes")},
            {"order", order}};
}

void agree_on_arguments(const Communicator& comm, const Caller& caller,
                        const std::exception_ptr& failure, const CommonArguments& arguments) {
    agree(
        comm, caller.name, failure, arguments.digest(), [&] { return arguments.list(); },
        arguments.arrays);
}

} // namespace distview::impl
