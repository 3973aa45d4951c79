// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace distview::protocol {

/// A version of the Distributed Array Protocol, "major.minor.patch".
///
/// The same numbers have different meanings in 0.9 and 0.10 (see dimension.hpp), so the library selects
/// the rules by the pair (major, minor), never by comparing versions. The patch number has
/// no effect.
///
/// Source: protocol specification, rules E3 and E4, resolution A1
struct Version {
    int major = 0;
    int minor = 0;
    int patch = 0;

    constexpr bool is_0_9() const noexcept { return major == 0 && minor == 9; }
    constexpr bool is_0_10() const noexcept { return major == 0 && minor == 10; }
    /// Rule E4: whether this library reads and writes the version.
    constexpr bool is_supported() const noexcept { return (is_0_9() || is_0_10()) && patch >= 0; }

    /// Rule E3: parses three ASCII decimal numbers without leading zeros, joined by dots, and nothing
    /// else; empty if the text has another form. Numbers beyond int read as its largest value.
    static std::optional<Version> parse(std::string_view text) noexcept;

    friend constexpr bool operator==(const Version&, const Version&) = default;
};

inline constexpr Version v0_9_0{0, 9, 0};
inline constexpr Version v0_10_0{0, 10, 0};

/// "0.10.0"
std::string to_string(const Version& version);

/// The version that an export names, if this library can read it.
///
/// Collective: no (local)
/// Errors:     ProtocolError "version_format" (E3) or "version_unsupported" (E4), naming `process`
Version supported_version(std::string_view text, int process = -1);

/// The version that a program requests for exports, if this library can write it.
///
/// Collective: no (local)
/// Errors:     ProtocolError "version_format" (E3) or "version_unsupported" (E4), whose text names the export
Version writable_version(std::string_view wanted);

} // namespace distview::protocol
