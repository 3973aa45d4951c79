// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/protocol/dimension.hpp>
#include <distview/core/protocol/violation.hpp>
#include <distview/core/text.hpp>

#include <string>
#include <string_view>

namespace distview::protocol::impl {

/// The characters of `value` with quotes, backslashes and control characters escaped.
std::string escaped(std::string_view value, char quote);

/// The beginning of a foreign string, escaped, in quotes.
std::string quoted(std::string_view value);

/// "dim_data[1]['size']"
inline std::string entry(int axis, std::string_view key) {
    return text("dim_data[", axis, "]['", key, "']");
}

/// A violation whose message is `parts` after "DAP import, process R: ".
template <class... Parts>
Violation violation(std::string_view code, int process, int axis, std::string_view key,
                    const Parts&... parts) {
    const std::string at =
        process < 0 ? text("DAP import: ") : text("DAP import, process ", process, ": ");
    return {std::string(code), axis, std::string(key), process, text(at, parts...)};
}

template <class... Parts>
Violation violation(std::string_view code, const Dimension& dim, std::string_view key,
                    const Parts&... parts) {
    return violation(code, dim.process, dim.axis, key, parts...);
}

/// Rule E4 for exports.
Verdict check_writable(const Version& version);

} // namespace distview::protocol::impl
