// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/protocol/dim_data.hpp>
#include <distview/core/protocol/dimension.hpp>
#include <distview/core/protocol/version.hpp>
#include <distview/core/protocol/violation.hpp>

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

/// The rules of the Distributed Array Protocol that integers and missing keys can break, one
/// function per rule. The function returns no violation if the rule holds (or does not apply to this version or
/// dist_type), else the first violation.
///
/// The functions define which data are refused and why; check_local() and check_all() of
/// validate.hpp call them in the right order. A rule may rely on the rules listed before it.
/// Each comment gives the rule's number, the condition that must hold, and the reason code.
namespace distview::protocol::rules {

// The export as a whole

/// E3: '__version__' is three dotted numbers. "version_format"
Verdict version_is_three_numbers(std::string_view text, int process);
/// E4: the version is 0.9.z or 0.10.z. "version_unsupported"
Verdict version_is_supported(const Version& version, int process);
/// E7, E8: one dictionary for each axis of the buffer; none for a buffer without axes, which has
/// one element. "ndim_mismatch"
Verdict one_dictionary_per_axis(const SectionDescription& section, int process);
/// X8: the number of elements of the whole array, the product of the sizes, fits int64; an array
/// without elements always fits. "overflow"
Verdict element_count_fits(std::span<const Dimension> axes);

// One dictionary as it was written

/// K3, and K1 for the key on which all other keys depend: 'dist_type' is present and is
/// one of 'b', 'c', 'u' (0.9: and 'n'). "missing_key", "bad_dist_type"
Verdict dist_type_is_known(const Version& version, const DimData& dim, int axis, int process);
/// K1, K2: the keys that the dist_type needs are present. "missing_key"
Verdict required_keys_are_present(const Version& version, const DimData& dim, int axis,
                                  int process);
/// K6: keys of other dist_types are ignored unless that would change the meaning of the data: padding
/// on 'c' and 'u'; in 0.10 a periodic 'c' or 'u'; in 0.9 an 'n' whose start or stop differs from the
/// axis' ends. "key_not_applicable". X2: the grid of an 'n' is 1 process. "grid_product"
Verdict no_key_of_another_type(const Version& version, const DimData& dim, int axis, int process);
/// B7: 'padding' is a pair of widths >= 0. "padding_form"
Verdict padding_is_a_pair(const DimData& dim, int axis, int process);

// One dictionary, completed

/// K7: size >= 0. "size_negative"
Verdict size_is_not_negative(const Dimension& dim);
/// K8: proc_grid_size >= 1. "grid_size_lt1"
Verdict grid_size_is_positive(const Dimension& dim);
/// K9: 0 <= proc_grid_rank < proc_grid_size. "grid_rank_range"
Verdict grid_rank_is_in_grid(const Dimension& dim);
/// B1, B15, and for cyclic axes too: start >= 0. "start_negative"
Verdict start_is_not_negative(const Dimension& dim);
/// B2: stop >= start; equal for an empty section. "stop_lt_start"
Verdict stop_is_not_below_start(const Dimension& dim);
/// B3, B15: stop <= size. "stop_gt_size"
Verdict stop_is_within_size(const Dimension& dim);
/// B4: grid rank 0 starts at 0. "edge_start"
Verdict first_block_starts_at_zero(const Dimension& dim);
/// B4: the last grid rank stops at size. "edge_stop"
Verdict last_block_stops_at_size(const Dimension& dim);
/// B9: the padding that start and stop enclose fits between them (0.10: all of it; 0.9: the
/// boundary padding). "padding_too_wide"
Verdict padding_fits_in_section(const Dimension& dim);
/// C1: block_size >= 1. "block_size_lt1"
Verdict block_size_is_positive(const Dimension& dim);
/// C2: start == proc_grid_rank * block_size; or size, if the process owns nothing.
/// "cyclic_start"
Verdict cyclic_start_follows_from_grid_rank(const Dimension& dim);
/// U3: no index occurs twice on one process; they may be negative, unordered or beyond size.
/// "indices_not_unique"
Verdict indices_are_unique(const Dimension& dim);
/// U6 as far as one process can see: the number of its indices is at most size. "size_sum"
Verdict size_covers_own_indices(const Dimension& dim);
/// B5, C4, U4: the buffer's extent equals the number of elements described. "shape_mismatch"
Verdict extent_is_what_is_described(const Dimension& dim);

// All processes

/// X1: all processes write the same version, except for the patch number. "axis_inconsistent"
Verdict versions_agree(std::span<const Version> versions);
/// X1: all processes have the same number of dictionaries. "axis_inconsistent"
Verdict ranks_agree(std::span<const SectionDescription> sections);
/// X1: along an axis all processes have the same dist_type, size, proc_grid_size, periodic,
/// block_size and one_to_one. "axis_inconsistent"
Verdict axes_agree(const DimensionTable& table, int process_count);
/// X2: the product of the proc_grid_sizes is the number of processes. "grid_product"
Verdict grid_has_all_processes(const DimensionTable& table, int process_count);
/// X3, X4: processes lie in the grid in C order, the last axis fastest; so every grid
/// coordinate occurs once. "grid_order"
Verdict grid_is_in_c_order(const DimensionTable& table, int process_count);
/// X5: processes with the same grid rank on an axis have the same dictionary there, except for the
/// widths of boundary padding. "axis_inconsistent"
Verdict same_grid_rank_same_section(const DimensionTable& table, int process_count);
/// B8 (0.9): along an axis the key 'padding' is on all processes or on none. "padding_partial"
Verdict padding_is_on_all_or_none(const DimensionTable& table, int process_count, int axis);

// One axis, with one dictionary for each grid rank in order (DimensionTable::row)

/// B10 (0.10): communication padding is equally wide on both sides of a seam. "padding_mismatch"
Verdict padding_is_equal_at_seams(std::span<const Dimension> row);
/// B12, and with it B13: owned ranges follow each other without gap or overlap.
/// "block_not_contiguous"
Verdict blocks_are_contiguous(std::span<const Dimension> row);
/// B11 (0.10): communication padding is no wider than the neighbour's owned elements. "padding_too_wide"
Verdict padding_is_within_neighbour(std::span<const Dimension> row);
/// U5: with one_to_one no index is on two grid ranks. "not_one_to_one"
Verdict labels_are_one_to_one(std::span<const Dimension> row);
/// U6: size lies between the number of distinct indices and the sum of the lists' lengths.
/// "size_sum"
Verdict size_counts_labels(std::span<const Dimension> row);
/// X8 (0.9): the size with a periodic axis' edge padding, as 0.10 counts it, fits int64. "overflow"
Verdict padded_size_fits(std::span<const Dimension> row);

} // namespace distview::protocol::rules
