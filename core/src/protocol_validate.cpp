// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/core/protocol/validate.hpp>

#include <distview/core/error.hpp>
#include <distview/core/protocol/rules.hpp>

#include "protocol_table.hpp"

#include <initializer_list>
#include <optional>
#include <utility>
#include <vector>

namespace distview::protocol {

namespace {

using WrittenRule = Verdict (*)(const Version&, const DimData&, int, int);
using LocalRule = Verdict (*)(const Dimension&);
using RowRule = Verdict (*)(std::span<const Dimension>);

/// Checks the rules of one axis; appends the completed dictionary if they hold.
Verdict check_axis(const Version& version, const DimData& dim, std::int64_t extent, int axis,
                   int process, std::vector<Dimension>& completed) {
    for (const WrittenRule rule : {rules::dist_type_is_known, rules::required_keys_are_present,
                                   rules::no_key_of_another_type})
        if (auto found = rule(version, dim, axis, process)) return found;
    if (auto found = rules::padding_is_a_pair(dim, axis, process)) return found;

    const Dimension whole = complete(version, dim, extent, axis, process);
    for (const LocalRule rule :
         {rules::size_is_not_negative, rules::grid_size_is_positive, rules::grid_rank_is_in_grid,
          rules::start_is_not_negative, rules::stop_is_not_below_start, rules::stop_is_within_size,
          rules::first_block_starts_at_zero, rules::last_block_stops_at_size,
          rules::padding_fits_in_section, rules::block_size_is_positive,
          rules::cyclic_start_follows_from_grid_rank, rules::indices_are_unique,
          rules::extent_is_what_is_described, rules::size_covers_own_indices})
        if (auto found = rule(whole)) return found;
    completed.push_back(whole);
    return {};
}

Verdict check_section(const Version& version, const SectionDescription& section, int process,
                      std::vector<Dimension>& completed) {
    if (auto found = rules::one_dictionary_per_axis(section, process)) return found;
    const std::size_t first = completed.size();
    for (std::size_t d = 0; d < section.dim_data.size(); ++d)
        if (auto found = check_axis(version, section.dim_data[d], section.extents[d],
                                    static_cast<int>(d), process, completed))
            return found;
    return rules::element_count_fits(std::span<const Dimension>(completed).subspan(first));
}

Verdict check_row(const DimensionTable& table, int process_count, int axis) {
    if (auto found = rules::padding_is_on_all_or_none(table, process_count, axis)) return found;
    const std::vector<Dimension> row = table.row(axis);
    const auto first_broken = [&](std::initializer_list<RowRule> row_rules) -> Verdict {
        for (const RowRule rule : row_rules)
            if (auto found = rule(row)) return found;
        return {};
    };
    switch (row.front().type) {
    case DistType::block:
        return first_broken({rules::padding_is_equal_at_seams, rules::blocks_are_contiguous,
                             rules::padding_is_within_neighbour, rules::padded_size_fits});
    case DistType::unstructured:
        return first_broken({rules::labels_are_one_to_one, rules::size_counts_labels});
    case DistType::cyclic: break;
    }
    return {};
}

/// check_all(); stores the completed dictionaries in `table` if it finds no violation.
Verdict check(const Version& version, std::span<const SectionDescription> sections,
              std::optional<DimensionTable>& table) {
    require<UsageError>(!sections.empty(),
                        "check_all: expected the dimension data of at least one process, got none");
    if (auto found = rules::version_is_supported(version, 0)) return found;
    const auto process_count = static_cast<int>(sections.size());
    const std::size_t rank = sections.front().dim_data.size();
    std::vector<Dimension> completed;
    completed.reserve(sections.size() * rank);
    for (int p = 0; p < process_count; ++p)
        if (auto found =
                check_section(version, sections[static_cast<std::size_t>(p)], p, completed))
            return found;
    if (auto found = rules::ranks_agree(sections)) return found;

    table.emplace(static_cast<int>(rank), std::move(completed));
    if (auto found = rules::axes_agree(*table, process_count)) return found;
    if (auto found = rules::grid_has_all_processes(*table, process_count)) return found;
    if (auto found = rules::grid_is_in_c_order(*table, process_count)) return found;
    if (auto found = rules::same_grid_rank_same_section(*table, process_count)) return found;
    for (int d = 0; d < table->rank(); ++d)
        if (auto found = check_row(*table, process_count, d)) return found;
    return {};
}

} // namespace

DimensionTable impl::conforming_table(const Version& version,
                                      std::span<const SectionDescription> sections) {
    std::optional<DimensionTable> table;
    throw_if_violated(check(version, sections, table));
    return std::move(*table);
}

Dimension impl::conforming_dimension(const Version& version, const DimData& dim,
                                     std::int64_t extent) {
    throw_if_violated(rules::version_is_supported(version, -1));
    std::vector<Dimension> completed;
    throw_if_violated(check_axis(version, dim, extent, 0, -1, completed));
    return completed.front();
}

Verdict check_local(const Version& version, const SectionDescription& section, int process) {
    if (auto found = rules::version_is_supported(version, process)) return found;
    std::vector<Dimension> completed;
    completed.reserve(section.dim_data.size());
    return check_section(version, section, process, completed);
}

Verdict check_all(const Version& version, std::span<const SectionDescription> sections) {
    std::optional<DimensionTable> table;
    return check(version, sections, table);
}

void require_conforming(const Version& version, const SectionDescription& section, int process) {
    throw_if_violated(check_local(version, section, process));
}

void require_conforming(const Version& version, std::span<const SectionDescription> sections) {
    throw_if_violated(check_all(version, sections));
}

void throw_if_violated(const Verdict& verdict) {
    if (verdict)
        throw ProtocolError(verdict->message, verdict->code, verdict->axis, verdict->key,
                            verdict->process);
}

} // namespace distview::protocol
