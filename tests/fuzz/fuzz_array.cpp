// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz_array.hpp"

#include <distview/core/array_layout.hpp>
#include <distview/core/error.hpp>
#include <distview/core/protocol/canonical.hpp>
#include <distview/core/protocol/convert.hpp>
#include <distview/core/protocol/dap.hpp>
#include <distview/core/protocol/validate.hpp>
#include <distview/core/text.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace distview::fuzz {

namespace {

using namespace protocol;

Widths read_widths(Input& input, int count) {
    const int both = input.byte();
    return {both % count, both / 16 % count};
}

AxisSpec read_block(Input& input, int grid_size) {
    BlockOptions options;
    options.boundary = read_widths(input, 3);
    options.periodic = input.below(3) == 0;
    const int kind = input.below(4);
    if (kind < 2) {
        options.padding = Widths(input.below(3));
        const std::int64_t n = input.below(40);
        return kind == 0 ? block(n, options) : regular_block(n, options);
    }
    std::vector<std::int64_t> bounds{0};
    std::vector<Widths> paddings(static_cast<std::size_t>(grid_size));
    for (std::size_t p = 0; p < paddings.size(); ++p) {
        bounds.push_back(bounds.back() + input.below(9));
        if (p == 0) continue;
        const Widths seam = read_widths(input, 4);
        paddings[p - 1].high = seam.high;
        paddings[p].low = kind == 2 ? seam.high : seam.low;
    }
    return block_bounds(std::move(bounds), options, std::move(paddings));
}

AxisSpec read_unstructured(Input& input, int grid_size) {
    const bool one_to_one = input.below(2) == 0;
    std::vector<std::vector<std::int64_t>> labels(static_cast<std::size_t>(grid_size));
    std::int64_t label = 0;
    for (auto& list : labels)
        for (int i = input.below(6); i > 0; --i) list.push_back(label += 1 + input.below(5));
    if (!one_to_one && grid_size > 1) labels[1] = labels[0];
    for (auto& list : labels) std::reverse(list.begin(), list.end());
    return unstructured(std::move(labels), one_to_one);
}

AxisSpec read_axis(Input& input, int grid_size) {
    switch (input.below(6)) {
    case 0: return cyclic(input.below(30));
    case 1: return block_cyclic(input.below(40), 1 + input.below(8));
    case 2: return read_unstructured(input, grid_size);
    default: return read_block(input, grid_size);
    }
}

/// Builds a layout of up to 4 axes and 8 processes from any bytes.
ArrayLayout read_layout(Input& input) {
    const int rank = input.below(5);
    std::vector<int> grid;
    std::vector<AxisSpec> axes;
    int room = 8;
    for (int d = 0; d < rank; ++d) {
        grid.push_back(1 + input.below(std::min(room, 4)));
        room /= grid.back();
        axes.push_back(read_axis(input, grid.back()));
    }
    if (rank == 0) return {};
    return {ProcessGrid{std::span<const int>(grid)}, axes};
}

/// Changes one number, or leaves out a key, of one dictionary.
void change_dim(Input& input, DimData& dim) {
    std::optional<std::int64_t>* const numbers[] = {&dim.size,  &dim.proc_grid_size,
                                                    &dim.start, &dim.proc_grid_rank,
                                                    &dim.stop,  &dim.block_size};
    const int which = input.below(12);
    switch (which) {
    case 6:
        dim.padding.emplace();
        dim.padding->low = input.integer();
        dim.padding->high = input.integer();
        return;
    case 7: dim.padding.reset(); return;
    case 8: dim.periodic = !dim.periodic.value_or(false); return;
    case 9: dim.one_to_one = !dim.one_to_one.value_or(false); return;
    case 10:
        if (dim.indices && !dim.indices->empty())
            (*dim.indices)[input.byte() % dim.indices->size()] = input.integer();
        return;
    case 11: dim.dist_type = std::string(1, "bcun"[input.below(4)]); return;
    default: break;
    }
    std::optional<std::int64_t>& number = *numbers[which];
    switch (input.below(4)) {
    case 0: number.reset(); return;
    case 1: number = input.integer(); return;
    case 2:
        if (number && *number < 1000) ++*number;
        return;
    default:
        if (number && *number > -1000) --*number;
        return;
    }
}

/// Makes the same change on one process or on all of them: only a change on all can be legal.
void change(Input& input, std::vector<SectionDescription>& array) {
    if (array.front().dim_data.empty()) return;
    const std::size_t first = input.byte() % array.size();
    const std::size_t axis = input.byte() % array.front().dim_data.size();
    const bool everywhere = input.below(3) != 0;
    const bool extent = input.below(4) == 0;
    const std::int64_t steps = input.integer();
    const Input same = input;
    for (std::size_t p = 0; p < array.size(); ++p) {
        if (!everywhere && p != first) continue;
        input = same;
        std::int64_t& length = array[p].extents[axis];
        change_dim(input, array[p].dim_data[axis]);
        if (extent)
            length =
                std::clamp<std::int64_t>(length + std::clamp<std::int64_t>(steps, -3, 3), 0, 99);
    }
}

/// Process p's section as a C struct; its data pointer is never dereferenced.
distview_dap_section in_c(const Version& version, const std::vector<SectionDescription>& array,
                          std::size_t p) {
    static double element = 0;
    ExportedSection exported;
    exported.version = version;
    exported.dim_data = array[p].dim_data;
    exported.section.extents = array[p].extents;
    exported.section.strides = AnySection::contiguous_strides(array[p].extents, 8);
    exported.section.element = element_type<double>();
    exported.section.data = &element;
    exported.process = static_cast<int>(p);
    exported.process_count = static_cast<int>(array.size());
    distview_dap_section section{};
    to_dap(exported, &section);
    return section;
}

/// Exports each section to C and imports it, as every process would; empty if a section is rejected.
std::optional<std::vector<SectionDescription>>
through_c(const Version& version, const std::vector<SectionDescription>& array) {
    std::vector<SectionDescription> result;
    for (std::size_t p = 0; p < array.size(); ++p) {
        distview_dap_section section = in_c(version, array, p);
        try {
            result.push_back(from_dap(&section).description());
        } catch (const ProtocolError&) {
            section.release(&section);
            expect(check_local(version, array[p], static_cast<int>(p)).has_value(),
                   "from_dap refused what check_local accepts");
            return {};
        }
    }
    return result;
}

/// Replaces the properties that a layout cannot store (layout_from_dim_data) by those that the layout has.
CanonicalAxis as_layouts_say(CanonicalAxis given, const CanonicalAxis& back) {
    given.axis_padding = back.axis_padding;
    if (given.kind == DistType::unstructured && given.size >= back.size) given.size = back.size;
    return given;
}

void check_layout(const Version& version, const std::vector<SectionDescription>& array,
                  const ArrayLayout& layout) {
    expect(layout.process_count() == static_cast<int>(array.size()), "the number of processes");
    std::vector<SectionDescription> exported;
    exported.reserve(array.size());
    for (int p = 0; p < layout.process_count(); ++p)
        exported.push_back(export_section(layout, p, version));
    const Verdict verdict = check_all(version, exported);
    if (verdict) fail("a layout's export: " + verdict->message);
    expect(layout_from_dim_data(version, exported) == layout,
           "export and import make another layout");

    for (std::size_t p = 0; p < array.size(); ++p) { // each process imports its own section
        distview_dap_section section = in_c(version, array, p);
        const AnyDistView view = dist_view_from_dap(&section, layout, static_cast<int>(p));
        expect(view.section().extents == array[p].extents, "another section than was given");
    }

    const auto given = canonical_form(version, array);
    const auto back = canonical_form(version, exported);
    for (std::size_t p = 0; p < given.size(); ++p)
        for (std::size_t d = 0; d < given[p].size(); ++d)
            if (as_layouts_say(given[p][d], back[p][d]) != back[p][d])
                fail(text("process ", p, " axis ", d, " came back as ",
                          describe(exported[p].dim_data[d]), ", was ",
                          describe(array[p].dim_data[d])));
}

} // namespace

void fuzz_array(Input& input) {
    const Version version = input.below(2) == 0 ? v0_10_0 : v0_9_0;
    std::optional<ArrayLayout> original;
    std::vector<SectionDescription> array;
    try {
        original = read_layout(input);
        for (int p = 0; p < original->process_count(); ++p)
            array.push_back(export_section(*original, p, version));
    } catch (const Error&) { // padding that 0.10 cannot express
        return;
    }
    const std::vector<SectionDescription> unchanged = array;
    for (int changes = input.below(4); changes > 0; --changes) change(input, array);
    const bool is_changed = array != unchanged;

    ++reached().arrays;
    const auto received = through_c(version, array);
    const Verdict verdict = check_all(version, array);
    if (!received) {
        expect(verdict.has_value(), "a section is refused, all together are not");
        return;
    }
    expect(check_all(version, *received) == verdict, "the verdict changed on the way through C");
    if (verdict) {
        if (!is_changed) fail("unchanged: " + verdict->message);
        expect(verdict->process >= 0 && verdict->process < static_cast<int>(array.size()) &&
                   std::find(reason::all.begin(), reason::all.end(), verdict->code) !=
                       reason::all.end(),
               "a verdict that names no process or an unknown code");
        return;
    }
    ++reached().arrays_conform;
    reached().arrays_changed += is_changed;
    std::optional<ArrayLayout> layout;
    try {
        layout = layout_from_dim_data(version, *received);
    } catch (const LayoutError&) { // blocks of more than 2^61 elements
        expect(is_changed, "a layout's own data are no layout");
        return;
    } catch (const ProtocolError& error) { // boundary padding differs within a grid rank
        expect(is_changed && error.code() == reason::axis_inconsistent && error.key() == "padding",
               "data that conform are no layout");
        return;
    }
    expect(is_changed || *layout == *original, "another layout than the one exported");
    check_layout(version, *received, *layout);
}

} // namespace distview::fuzz
