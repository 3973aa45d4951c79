// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace distview::protocol {

/// Reason codes: the values of Violation::code and ProtocolError::code().
///
/// One code names one kind of mistake, whichever rule finds it. Programs may compare codes:
/// they do not change between releases.
namespace reason {
inline constexpr std::string_view version_format = "version_format";             // E3
inline constexpr std::string_view version_unsupported = "version_unsupported";   // E4
inline constexpr std::string_view ndim_mismatch = "ndim_mismatch";               // E7, E8
inline constexpr std::string_view missing_key = "missing_key";                   // K1, K2
inline constexpr std::string_view bad_dist_type = "bad_dist_type";               // K3
inline constexpr std::string_view key_not_applicable = "key_not_applicable";     // K6
inline constexpr std::string_view size_negative = "size_negative";               // K7
inline constexpr std::string_view grid_size_lt1 = "grid_size_lt1";               // K8
inline constexpr std::string_view grid_rank_range = "grid_rank_range";           // K9
inline constexpr std::string_view start_negative = "start_negative";             // B1, B15
inline constexpr std::string_view stop_lt_start = "stop_lt_start";               // B2
inline constexpr std::string_view stop_gt_size = "stop_gt_size";                 // B3, B15
inline constexpr std::string_view edge_start = "edge_start";                     // B4
inline constexpr std::string_view edge_stop = "edge_stop";                       // B4
inline constexpr std::string_view shape_mismatch = "shape_mismatch";             // B5, C4, U4
inline constexpr std::string_view padding_form = "padding_form";                 // B7
inline constexpr std::string_view padding_partial = "padding_partial";           // B8
inline constexpr std::string_view padding_too_wide = "padding_too_wide";         // B9, B11
inline constexpr std::string_view padding_mismatch = "padding_mismatch";         // B10
inline constexpr std::string_view block_not_contiguous = "block_not_contiguous"; // B12
inline constexpr std::string_view block_size_lt1 = "block_size_lt1";             // C1
inline constexpr std::string_view cyclic_start = "cyclic_start";                 // C2
inline constexpr std::string_view indices_not_unique = "indices_not_unique";     // U3
inline constexpr std::string_view not_one_to_one = "not_one_to_one";             // U5
inline constexpr std::string_view size_sum = "size_sum";                         // U6
inline constexpr std::string_view axis_inconsistent = "axis_inconsistent";       // X1, X5
inline constexpr std::string_view grid_product = "grid_product";                 // X2, K6
inline constexpr std::string_view grid_order = "grid_order";                     // X3, X4
inline constexpr std::string_view overflow = "overflow";                         // X8

/// Every code above, in the order of the specification.
inline constexpr std::array all{
    version_format,  version_unsupported, ndim_mismatch,      missing_key,
    bad_dist_type,   key_not_applicable,  size_negative,      grid_size_lt1,
    grid_rank_range, start_negative,      stop_lt_start,      stop_gt_size,
    edge_start,      edge_stop,           shape_mismatch,     padding_form,
    padding_partial, padding_too_wide,    padding_mismatch,   block_not_contiguous,
    block_size_lt1,  cyclic_start,        indices_not_unique, not_one_to_one,
    size_sum,        axis_inconsistent,   grid_product,       grid_order,
    overflow};
} // namespace reason

/// One broken rule: its code, its place, and a message.
struct Violation {
    std::string code;
    /// Axis of the array, or -1.
    int axis = -1;
    /// Key of the dimension dictionary (or of the export), or empty.
    std::string key;
    /// Process whose data break the rule; for a rule between processes, the lowest process that shows the violation.
    int process = -1;
    /// "DAP import, process 3: ..." : expected value, actual value, place.
    std::string message;

    friend bool operator==(const Violation&, const Violation&) = default;
};

/// The result of a rule or a check: empty, or the first violation.
using Verdict = std::optional<Violation>;

/// Throws the violation, if any, as a ProtocolError.
void throw_if_violated(const Verdict& verdict);

} // namespace distview::protocol
