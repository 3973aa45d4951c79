// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "exact_sum.hpp"

#include <distview/comm/collectives.hpp>

#include <algorithm>
#include <limits>
#include <regex>

namespace program {

Int128 ExactSum::rounded() const noexcept {
    const Int128 doubled = 2 * m_fraction + one; // floor(x + 1/2)
    const Int128 quotient = doubled / (2 * one);
    return m_whole + quotient - (doubled % (2 * one) < 0 ? 1 : 0);
}

ExactSum total(const distview::Communicator& comm, const ExactSum& mine) {
    ExactSum sum;
    for (const ExactSum& of_rank : distview::all_gather(comm, mine)) sum += of_rank;
    return sum;
}

std::string to_string(Int128 value) {
    std::string digits;
    const bool negative = value < 0;
    do {
        const int digit = static_cast<int>(value % 10);
        digits += static_cast<char>('0' + (digit < 0 ? -digit : digit));
        value /= 10;
    } while (value != 0);
    if (negative) digits += '-';
    std::reverse(digits.begin(), digits.end());
    return digits;
}

std::string to_string(const ExactSum& sum) {
    return sum.valid() ? to_string(sum.rounded()) : "none (too large)";
}

// The JSON library has no integers beyond 64 bits: larger ones are stored as marked texts.
nlohmann::ordered_json json_integer(const ExactSum& sum) {
    if (!sum.valid()) return nullptr;
    const Int128 value = sum.rounded();
    if (value >= std::numeric_limits<std::int64_t>::min() &&
        value <= std::numeric_limits<std::int64_t>::max())
        return static_cast<std::int64_t>(value);
    return "integer:" + to_string(value);
}

std::string dump(const nlohmann::ordered_json& json) {
    return std::regex_replace(json.dump(2), std::regex("\"integer:(-?[0-9]+)\""), "$1") + '\n';
}

} // namespace program
