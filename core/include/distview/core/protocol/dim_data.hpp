// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace distview::protocol {

/// The value that a producer gave as 'padding': a pair if `length` is 2.
struct PaddingValue {
    std::int64_t low = 0;
    std::int64_t high = 0;
    /// Number of widths given; if it is not 2, rule B7 refuses the value.
    int length = 2;

    friend constexpr bool operator==(const PaddingValue&, const PaddingValue&) = default;
};

/// The C++ form of one dimension dictionary, as its producer wrote it.
///
/// A member without a value is an absent key. A DimData neither checks values nor fills in defaults: it
/// holds any integers that a foreign producer may write, so that the rules can judge them (validate.hpp).
/// Values that it cannot hold (a float as size, a list that is no buffer) are refused when the library
/// reads the dictionary.
///
///     {'dist_type': 'b', 'size': 18, 'proc_grid_size': 2, 'proc_grid_rank': 1,
///      'start': 8, 'stop': 18, 'padding': (1, 1)}
///
/// is DimData{.dist_type = "b", .size = 18, .proc_grid_size = 2, .proc_grid_rank = 1, .start = 8,
/// .stop = 18, .padding = PaddingValue{1, 1}}.
///
/// Indices: global, 0-based, half-open; the version defines which elements `start`, `stop` and `size` count
/// Source:  Distributed Array Protocol 0.10.0 and 0.9.0, "dimension dictionaries"
struct DimData {
    std::optional<std::string> dist_type{};
    std::optional<std::int64_t> size{};
    std::optional<std::int64_t> proc_grid_size{};
    std::optional<std::int64_t> proc_grid_rank{};
    std::optional<std::int64_t> start{};
    std::optional<std::int64_t> stop{};
    std::optional<PaddingValue> padding{};
    std::optional<bool> periodic{};
    std::optional<std::int64_t> block_size{};
    std::optional<std::vector<std::int64_t>> indices{};
    std::optional<bool> one_to_one{};
    /// Whether the dictionary has keys that the protocol does not define. They have no meaning (rule K6), but a
    /// dictionary with such keys is not the empty one (rule K1).
    bool has_other_keys = false;

    /// Whether this is the empty dictionary, `{}`.
    bool empty() const noexcept;

    friend bool operator==(const DimData&, const DimData&) = default;
};

/// One process's export without its data: dimension dictionaries and the extents of the buffer.
struct SectionDescription {
    std::vector<DimData> dim_data{};
    std::vector<std::int64_t> extents{};

    friend bool operator==(const SectionDescription&, const SectionDescription&) = default;
};

/// The dictionary as JSON with its keys in the order of the members above; the padding is a list.
/// Marks stand for content without a JSON form: "[3 widths]" for a padding that is no pair, "..." for unknown keys.
std::string describe(const DimData& dim);
/// The dictionaries of all axes, "[{...}, {...}]".
std::string describe(const std::vector<DimData>& dim_data);

} // namespace distview::protocol
