// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/core/protocol/rules.hpp>

#include "protocol_arithmetic.hpp"
#include "protocol_message.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace distview::protocol::rules {

using impl::entry;
using impl::violation;

namespace {

const char* flag_text(bool value) { return value ? "True" : "False"; }

/// The violation "process p's value differs from process q's".
template <class Value>
Violation differs(const Dimension& dim, std::string_view key, const Value& value,
                  const Dimension& other, const Value& other_value) {
    return violation(reason::axis_inconsistent, dim, key, entry(dim.axis, key), " is ", value,
                     ", but ", other_value, " on process ", other.process);
}

/// The same violation between processes that must agree because they have the same grid rank.
template <class Value>
Violation differs_in_grid_rank(const Dimension& dim, std::string_view key, const Value& value,
                               const Dimension& other, const Value& other_value) {
    return violation(reason::axis_inconsistent, dim, key, entry(dim.axis, key), " is ", value,
                     ", but ", other_value, " on process ", other.process,
                     " of the same grid rank ", dim.grid_rank);
}

std::string dist_type_text(DistType type) { return text('\'', static_cast<char>(type), '\''); }

std::string widths_text(Widths widths) { return text('(', widths.low, ", ", widths.high, ')'); }

/// The widths that processes of one grid rank must share: all except boundary padding.
Widths shared_padding(const Dimension& dim) {
    return dim.edges_counted() ? dim.communication() : dim.padding;
}

} // namespace

Verdict versions_agree(std::span<const Version> versions) {
    for (std::size_t p = 1; p < versions.size(); ++p)
        if (versions[p].major != versions[0].major || versions[p].minor != versions[0].minor)
            return violation(reason::axis_inconsistent, static_cast<int>(p), -1, "__version__",
                             "'__version__' is ", to_string(versions[p]), ", but ",
                             to_string(versions[0]), " on process 0");
    return {};
}

Verdict ranks_agree(std::span<const SectionDescription> sections) {
    const std::size_t rank = sections.front().dim_data.size();
    for (std::size_t p = 1; p < sections.size(); ++p) {
        const std::size_t other = sections[p].dim_data.size();
        if (other != rank)
            return violation(reason::axis_inconsistent, static_cast<int>(p), -1, "dim_data", other,
                             other == 1 ? " dimension dictionary, but "
                                        : " dimension dictionaries, but ",
                             rank, " on process 0");
    }
    return {};
}

Verdict axes_agree(const DimensionTable& table, int process_count) {
    for (int p = 1; p < process_count; ++p)
        for (int d = 0; d < table.rank(); ++d) {
            const Dimension& mine = table(p, d);
            const Dimension& first = table(0, d);
            if (mine.type != first.type)
                return differs(mine, "dist_type", dist_type_text(mine.type), first,
                               dist_type_text(first.type));
            if (mine.size != first.size) return differs(mine, "size", mine.size, first, first.size);
            if (mine.grid_size != first.grid_size)
                return differs(mine, "proc_grid_size", mine.grid_size, first, first.grid_size);
            if (mine.periodic != first.periodic)
                return differs(mine, "periodic", flag_text(mine.periodic), first,
                               flag_text(first.periodic));
            if (mine.block_size != first.block_size)
                return differs(mine, "block_size", mine.block_size, first, first.block_size);
            if (mine.one_to_one != first.one_to_one)
                return differs(mine, "one_to_one", flag_text(mine.one_to_one), first,
                               flag_text(first.one_to_one));
        }
    return {};
}

Verdict grid_has_all_processes(const DimensionTable& table, int process_count) {
    std::optional<std::int64_t> product = 1;
    std::vector<std::int64_t> grid;
    for (int d = 0; d < table.rank(); ++d) {
        grid.push_back(table(0, d).grid_size);
        if (product) product = impl::checked_product(*product, grid.back());
    }
    if (product && *product == process_count) return {};
    return violation(reason::grid_product, 0, -1, "proc_grid_size", "the process grid ",
                     tuple_text(grid), " has ", product ? text(*product) : "more than 2^63-1",
                     product && *product == 1 ? " process" : " processes", ", but the array is on ",
                     process_count);
}

Verdict grid_is_in_c_order(const DimensionTable& table, int process_count) {
    for (int p = 0; p < process_count; ++p) {
        std::int64_t rest = p;
        for (int d = table.rank() - 1; d >= 0; --d) {
            const Dimension& dim = table(p, d);
            const std::int64_t expected = rest % dim.grid_size;
            rest /= dim.grid_size;
            if (dim.grid_rank != expected)
                return violation(reason::grid_order, dim, "proc_grid_rank",
                                 entry(d, "proc_grid_rank"), " is ", dim.grid_rank, ", expected ",
                                 expected, ": processes lie in the grid in C order");
        }
    }
    return {};
}

Verdict same_grid_rank_same_section(const DimensionTable& table, int process_count) {
    std::vector<int> strides;
    for (int d = 0; d < table.rank(); ++d) strides.push_back(table.stride(d));
    for (int p = 0; p < process_count; ++p)
        for (int d = 0; d < table.rank(); ++d) {
            const Dimension& mine = table(p, d);
            const int reference =
                static_cast<int>(mine.grid_rank) * strides[static_cast<std::size_t>(d)];
            if (reference == p) continue;
            const Dimension& other = table(reference, d);
            if (mine.start != other.start)
                return differs_in_grid_rank(mine, "start", mine.start, other, other.start);
            if (mine.stop != other.stop)
                return differs_in_grid_rank(mine, "stop", mine.stop, other, other.stop);
            if (!(shared_padding(mine) == shared_padding(other)))
                return differs_in_grid_rank(mine, "padding", widths_text(mine.padding), other,
                                            widths_text(other.padding));
            if (!std::equal(mine.indices.begin(), mine.indices.end(), other.indices.begin(),
                            other.indices.end()))
                return violation(reason::axis_inconsistent, mine, "indices", entry(d, "indices"),
                                 " differ from those of process ", other.process,
                                 " of the same grid rank ", mine.grid_rank);
            if (mine.extent != other.extent)
                return violation(reason::axis_inconsistent, mine, "buffer", "buffer.shape[", d,
                                 "] is ", mine.extent, ", but ", other.extent, " on process ",
                                 other.process, " of the same grid rank ", mine.grid_rank);
        }
    return {};
}

Verdict padding_is_on_all_or_none(const DimensionTable& table, int process_count, int axis) {
    const Dimension& first = table(0, axis);
    if (first.version.is_0_10()) return {};
    for (int p = 1; p < process_count; ++p) {
        const Dimension& mine = table(p, axis);
        if (mine.padding_given != first.padding_given)
            return violation(reason::padding_partial, mine, "padding", "dim_data[", axis, "] ",
                             mine.padding_given ? "has 'padding', but that of process 0 lacks it"
                                                : "lacks 'padding', but that of process 0 has it",
                             "; 0.9 requires it on all processes or on none");
    }
    return {};
}

Verdict padding_is_equal_at_seams(std::span<const Dimension> row) {
    if (row.front().version.is_0_9()) return {};
    for (std::size_t r = 0; r + 1 < row.size(); ++r)
        if (row[r].padding.high != row[r + 1].padding.low)
            return violation(reason::padding_mismatch, row[r], "padding", "dim_data[", row[r].axis,
                             "]: right padding ", row[r].padding.high, " of grid rank ", r,
                             " differs from left padding ", row[r + 1].padding.low,
                             " of grid rank ", r + 1);
    return {};
}

Verdict blocks_are_contiguous(std::span<const Dimension> row) {
    for (std::size_t r = 0; r + 1 < row.size(); ++r)
        if (row[r].owned_end() != row[r + 1].owned_begin())
            return violation(reason::block_not_contiguous, row[r], "stop", "dim_data[", row[r].axis,
                             "]: grid rank ", r, " owns indices below ", row[r].owned_end(),
                             ", but grid rank ", r + 1, " from ", row[r + 1].owned_begin(), " on");
    return {};
}

Verdict padding_is_within_neighbour(std::span<const Dimension> row) {
    if (row.front().version.is_0_9()) return {};
    const auto owned = [&](std::size_t r) { return row[r].owned_end() - row[r].owned_begin(); };
    const auto too_wide = [&](std::size_t r, const char* side, std::int64_t width,
                              std::size_t neighbour) {
        return violation(reason::padding_too_wide, row[r], "padding", "dim_data[", row[r].axis,
                         "]: ", side, " padding ", width, " of grid rank ", r, " exceeds the ",
                         owned(neighbour), " indices owned by grid rank ", neighbour);
    };
    for (std::size_t r = 0; r < row.size(); ++r) {
        if (r > 0 && row[r].padding.low > owned(r - 1))
            return too_wide(r, "left", row[r].padding.low, r - 1);
        if (r + 1 < row.size() && row[r].padding.high > owned(r + 1))
            return too_wide(r, "right", row[r].padding.high, r + 1);
    }
    return {};
}

Verdict labels_are_one_to_one(std::span<const Dimension> row) {
    if (!row.front().one_to_one) return {};
    std::vector<std::pair<std::int64_t, std::size_t>> places;
    for (std::size_t r = 0; r < row.size(); ++r)
        for (const std::int64_t label : row[r].indices) places.emplace_back(label, r);
    std::sort(places.begin(), places.end());
    const auto shared =
        std::adjacent_find(places.begin(), places.end(),
                           [](const auto& a, const auto& b) { return a.first == b.first; });
    if (shared == places.end()) return {};
    return violation(reason::not_one_to_one, row[shared->second], "one_to_one", "dim_data[",
                     row.front().axis, "]: one_to_one is True, but index ", shared->first,
                     " is on grid ranks ", shared->second, " and ", (shared + 1)->second);
}

Verdict size_counts_labels(std::span<const Dimension> row) {
    std::vector<std::int64_t> labels;
    for (const Dimension& dim : row)
        labels.insert(labels.end(), dim.indices.begin(), dim.indices.end());
    const auto sum = static_cast<std::int64_t>(labels.size());
    std::sort(labels.begin(), labels.end());
    const auto distinct =
        static_cast<std::int64_t>(std::unique(labels.begin(), labels.end()) - labels.begin());
    const std::int64_t size = row.front().size;
    if (distinct <= size && size <= sum) return {};
    const std::string expected =
        distinct == sum ? text("the ", sum, " indices of all processes")
                        : text(distinct, " (distinct indices) to ", sum, " (all lists)");
    return violation(reason::size_sum, row.front(), "size", entry(row.front().axis, "size"), " is ",
                     size, ", expected ", expected);
}

Verdict padded_size_fits(std::span<const Dimension> row) {
    const Dimension& last = row.back();
    if (row.front().edges_counted()) return {};
    const auto with_low = impl::checked_sum(last.size, row.front().edges().low);
    if (with_low && impl::checked_sum(*with_low, last.edges().high)) return {};
    return violation(reason::overflow, row.front(), "size", entry(last.axis, "size"), " ",
                     last.size, " and the periodic padding exceed 2^63-1");
}

} // namespace distview::protocol::rules
