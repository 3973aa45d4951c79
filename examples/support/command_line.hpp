// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/error.hpp>
#include <distview/core/text.hpp>

#include <CLI/CLI.hpp>

#include <charconv>
#include <concepts>
#include <string>
#include <system_error>
#include <type_traits>
#include <utility>

namespace program {

/// The value of an option as a whole number from `least` to `most`; only decimal digits are allowed.
///
/// Errors: distview::UsageError with the option, the expected and the actual value
template <std::integral Number>
Number whole_number(const std::string& option, const std::string& value, Number least,
                    Number most) {
    Number number{};
    const char* end = value.data() + value.size();
    const auto [stop, error] = std::from_chars(value.data(), end, number);
    const bool parsed = error == std::errc() && stop == end;
    distview::require<distview::UsageError>(parsed && least <= number && number <= most, [&] {
        return distview::text(option, ": expected a whole number from ", least, " to ", most,
                              ", got '", value, '\'');
    });
    return number;
}

/// The same for a finite number.
double finite_number(const std::string& option, const std::string& value);

/// Declares an option whose value is a whole number. For a wrong value the command-line library would report
/// that it cannot be converted, but not the expected value.
template <std::integral Number, class Target>
CLI::Option* add_whole_number(CLI::App& app, const char* option, Target& target,
                              std::pair<Number, Number> range, const char* description) {
    const auto read = [option, &target, range](const std::string& value) {
        target = whole_number(option, value, range.first, range.second);
    };
    auto* added = app.add_option_function<std::string>(option, read, description)->type_name("INT");
    if constexpr (std::is_same_v<Target, Number>) added->default_str(distview::text(target));
    return added;
}

/// Declares an option whose value is a finite number.
template <class Target>
CLI::Option* add_number(CLI::App& app, const char* option, Target& target,
                        const char* description) {
    const auto read = [option, &target](const std::string& value) {
        target = finite_number(option, value);
    };
    auto* added =
        app.add_option_function<std::string>(option, read, description)->type_name("FLOAT");
    if constexpr (std::is_same_v<Target, double>) added->default_str(distview::text(target));
    return added;
}

/// Declares --json, for write_report().
void add_json_option(CLI::App& app, std::string& path);

/// Reads a command line, including --help. Local; prints nothing.
///
/// Returns: the text of --help if it was requested, otherwise an empty text
/// Errors:  distview::UsageError that names the mistake
std::string parse(CLI::App& app, int argc, const char* const* argv);

} // namespace program
