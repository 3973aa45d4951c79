// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/core/protocol/rules.hpp>

#include "protocol_arithmetic.hpp"
#include "protocol_message.hpp"

#include <algorithm>
#include <vector>

namespace distview::protocol::rules {

using impl::entry;
using impl::violation;

Verdict version_is_three_numbers(std::string_view text, int process) {
    if (Version::parse(text)) return {};
    return violation(reason::version_format, process, -1, "__version__", "'__version__' is ",
                     impl::quoted(text), ", expected three dotted numbers");
}

Verdict version_is_supported(const Version& version, int process) {
    if (version.is_supported()) return {};
    return violation(reason::version_unsupported, process, -1, "__version__", "DAP version ",
                     to_string(version), " is not supported; this importer reads 0.9.z and 0.10.z");
}

Verdict one_dictionary_per_axis(const SectionDescription& section, int process) {
    const std::size_t count = section.dim_data.size();
    if (count == section.extents.size()) return {};
    return violation(reason::ndim_mismatch, process, -1, "dim_data", count,
                     count == 1 ? " dimension dictionary" : " dimension dictionaries", " for a ",
                     section.extents.size(), "-dimensional buffer");
}

Verdict element_count_fits(std::span<const Dimension> axes) {
    const auto is_empty = [](const Dimension& dim) { return dim.size == 0; };
    if (std::any_of(axes.begin(), axes.end(), is_empty)) return {};
    std::int64_t count = 1;
    for (const Dimension& dim : axes) {
        const auto product = impl::checked_product(count, dim.size);
        if (!product)
            return violation(reason::overflow, dim, "size",
                             "the product of the sizes of axes 0 to ", dim.axis, " exceeds 2^63-1");
        count = *product;
    }
    return {};
}

Verdict dist_type_is_known(const Version& version, const DimData& dim, int axis, int process) {
    if (version.is_0_10() && dim.empty()) return {};
    if (!dim.dist_type)
        return violation(reason::missing_key, process, axis, "dist_type", "dim_data[", axis,
                         "] lacks 'dist_type'");
    const std::string& type = *dim.dist_type;
    if (type == "b" || type == "c" || type == "u" || (version.is_0_9() && type == "n")) return {};
    return violation(reason::bad_dist_type, process, axis, "dist_type", entry(axis, "dist_type"),
                     " is ", impl::quoted(type), "; version ", version.major, '.', version.minor,
                     " knows ", version.is_0_9() ? "'n', " : "", "'b', 'c', 'u'");
}

Verdict required_keys_are_present(const Version& version, const DimData& dim, int axis,
                                  int process) {
    if (version.is_0_10() && dim.empty()) return {};
    const std::string& type = *dim.dist_type;
    const bool distributed = type != "n";
    const char* missing = !dim.size                                    ? "size"
                          : distributed && !dim.proc_grid_size         ? "proc_grid_size"
                          : distributed && !dim.proc_grid_rank         ? "proc_grid_rank"
                          : (type == "b" || type == "c") && !dim.start ? "start"
                          : type == "b" && !dim.stop                   ? "stop"
                          : type == "u" && !dim.indices                ? "indices"
                                                                       : nullptr;
    if (!missing) return {};
    return violation(reason::missing_key, process, axis, missing, "dim_data[", axis,
                     "] (dist_type '", type, "') lacks '", missing, '\'');
}

namespace {

std::string padding_text(const PaddingValue& padding) {
    if (padding.length == 2) return text('(', padding.low, ", ", padding.high, ')');
    return text("of ", padding.length, padding.length == 1 ? " width" : " widths");
}

/// Checks a key that an undistributed axis may have only with the value that 'n' implies.
Verdict says_undistributed(const std::optional<std::int64_t>& value, std::int64_t expected,
                           const char* key, int axis, int process) {
    if (!value || *value == expected) return {};
    return violation(reason::key_not_applicable, process, axis, key, '\'', key, "' ", *value,
                     " on the undistributed dim_data[", axis, "], expected ", expected,
                     " or no such key");
}

} // namespace

Verdict no_key_of_another_type(const Version& version, const DimData& dim, int axis, int process) {
    const std::string_view type = dim.dist_type ? std::string_view(*dim.dist_type) : "b";
    if (type == "b") return {};
    if (type == "n") {
        if (dim.proc_grid_size.value_or(1) > 1)
            return violation(reason::grid_product, process, axis, "proc_grid_size",
                             entry(axis, "proc_grid_size"), " is ", *dim.proc_grid_size,
                             ", expected 1: the axis is not distributed (dist_type 'n')");
        if (auto found = says_undistributed(dim.start, 0, "start", axis, process)) return found;
        return says_undistributed(dim.stop, *dim.size, "stop", axis, process);
    }
    const char* kind = type == "c" ? "a cyclic" : "an unstructured";
    if (dim.padding && *dim.padding != PaddingValue{})
        return violation(reason::key_not_applicable, process, axis, "padding", "'padding' ",
                         padding_text(*dim.padding), " on ", kind, " dimension, dim_data[", axis,
                         ']');
    if (version.is_0_10() && dim.periodic.value_or(false))
        return violation(reason::key_not_applicable, process, axis, "periodic",
                         "'periodic' True on ", kind, " dimension, dim_data[", axis, ']');
    return {};
}

Verdict padding_is_a_pair(const DimData& dim, int axis, int process) {
    if (!dim.padding) return {};
    const PaddingValue& padding = *dim.padding;
    if (padding.length == 2 && padding.low >= 0 && padding.high >= 0) return {};
    return violation(reason::padding_form, process, axis, "padding", entry(axis, "padding"), " is ",
                     padding_text(padding), ", expected a pair of widths >= 0");
}

Verdict size_is_not_negative(const Dimension& dim) {
    if (dim.size >= 0) return {};
    return violation(reason::size_negative, dim, "size", entry(dim.axis, "size"), " is ", dim.size,
                     ", expected >= 0");
}

Verdict grid_size_is_positive(const Dimension& dim) {
    if (dim.grid_size >= 1) return {};
    return violation(reason::grid_size_lt1, dim, "proc_grid_size",
                     entry(dim.axis, "proc_grid_size"), " is ", dim.grid_size, ", expected >= 1");
}

Verdict grid_rank_is_in_grid(const Dimension& dim) {
    if (dim.grid_rank >= 0 && dim.grid_rank < dim.grid_size) return {};
    return violation(reason::grid_rank_range, dim, "proc_grid_rank",
                     entry(dim.axis, "proc_grid_rank"), " is ", dim.grid_rank, ", expected 0 to ",
                     dim.grid_size - 1);
}

Verdict start_is_not_negative(const Dimension& dim) {
    if (dim.start >= 0) return {};
    return violation(reason::start_negative, dim, "start", entry(dim.axis, "start"), " is ",
                     dim.start, ", expected >= 0");
}

Verdict stop_is_not_below_start(const Dimension& dim) {
    if (dim.type != DistType::block || dim.stop >= dim.start) return {};
    return violation(reason::stop_lt_start, dim, "stop", entry(dim.axis, "stop"), " is ", dim.stop,
                     ", expected at least the start ", dim.start);
}

Verdict stop_is_within_size(const Dimension& dim) {
    if (dim.type != DistType::block || dim.stop <= dim.size) return {};
    return violation(reason::stop_gt_size, dim, "stop", entry(dim.axis, "stop"), " is ", dim.stop,
                     ", expected at most the size ", dim.size);
}

Verdict first_block_starts_at_zero(const Dimension& dim) {
    if (dim.type != DistType::block || dim.grid_rank != 0 || dim.start == 0) return {};
    return violation(reason::edge_start, dim, "start", entry(dim.axis, "start"), " is ", dim.start,
                     ", expected 0 on grid rank 0");
}

Verdict last_block_stops_at_size(const Dimension& dim) {
    if (dim.type != DistType::block || dim.grid_rank != dim.grid_size - 1 || dim.stop == dim.size)
        return {};
    return violation(reason::edge_stop, dim, "stop", entry(dim.axis, "stop"), " is ", dim.stop,
                     ", expected the size ", dim.size, " on the last grid rank ", dim.grid_rank);
}

Verdict padding_fits_in_section(const Dimension& dim) {
    if (dim.type != DistType::block) return {};
    const Widths enclosed = dim.version.is_0_10() ? dim.padding
                            : dim.edges_counted() ? dim.edges()
                                                  : Widths();
    const std::int64_t between = dim.stop - dim.start;
    if (enclosed.low <= between && enclosed.high <= between - enclosed.low) return {};
    return violation(reason::padding_too_wide, dim, "padding", entry(dim.axis, "padding"), " (",
                     dim.padding.low, ", ", dim.padding.high, ") does not fit into the ", between,
                     " elements from start ", dim.start, " to stop ", dim.stop);
}

Verdict block_size_is_positive(const Dimension& dim) {
    if (dim.block_size >= 1) return {};
    return violation(reason::block_size_lt1, dim, "block_size", entry(dim.axis, "block_size"),
                     " is ", dim.block_size, ", expected >= 1");
}

Verdict cyclic_start_follows_from_grid_rank(const Dimension& dim) {
    if (dim.type != DistType::cyclic) return {};
    const auto expected = impl::checked_product(dim.grid_rank, dim.block_size);
    if (expected && dim.start == *expected) return {};
    const bool owns_nothing = !expected || *expected >= dim.size;
    if (owns_nothing && dim.start == dim.size) return {};
    const std::string number = expected ? text(*expected) : text(dim.size);
    return violation(reason::cyclic_start, dim, "start", "dim_data[", dim.axis, "]: start ",
                     dim.start, ", expected ",
                     expected ? "proc_grid_rank * block_size = " : "the size ", number);
}

Verdict indices_are_unique(const Dimension& dim) {
    if (dim.type != DistType::unstructured) return {};
    std::vector<std::int64_t> sorted(dim.indices.begin(), dim.indices.end());
    std::sort(sorted.begin(), sorted.end());
    const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
    if (twice == sorted.end()) return {};
    return violation(reason::indices_not_unique, dim, "indices", "index ", *twice,
                     " appears twice in ", entry(dim.axis, "indices"));
}

Verdict size_covers_own_indices(const Dimension& dim) {
    if (dim.type != DistType::unstructured) return {};
    const auto count = static_cast<std::int64_t>(dim.indices.size());
    if (count <= dim.size) return {};
    return violation(reason::size_sum, dim, "size", entry(dim.axis, "size"), " is ", dim.size,
                     ", expected at least the ", count, " indices of this process");
}

Verdict extent_is_what_is_described(const Dimension& dim) {
    const auto count = dim.local_count();
    if (count && *count == dim.extent) return {};
    const std::string described = count ? text(*count) : "more than 2^63-1";
    return violation(reason::shape_mismatch, dim, "buffer", "dim_data[", dim.axis, "] describes ",
                     described, described == "1" ? " local element" : " local elements",
                     ", but buffer.shape[", dim.axis, "] is ", dim.extent);
}

} // namespace distview::protocol::rules
