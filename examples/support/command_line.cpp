// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "command_line.hpp"

#include <cmath>
#include <cstdlib>

namespace program {

double finite_number(const std::string& option, const std::string& value) {
    char* stop = nullptr;
    const double number = std::strtod(value.c_str(), &stop);
    const bool parsed = !value.empty() && stop == value.c_str() + value.size();
    distview::require<distview::UsageError>(parsed && std::isfinite(number), [&] {
        return distview::text(option, ": expected a finite number, got '", value, '\'');
    });
    return number;
}

void add_json_option(CLI::App& app, std::string& path) {
    app.add_option(
        "--json", path,
        "write the report to this file; - is standard output, and the table then goes to "
        "standard error");
}

std::string parse(CLI::App& app, int argc, const char* const* argv) {
    try {
        app.parse(argc, argv);
        // An empty value, for example of an unset variable in a script, would otherwise act as a missing option.
        for (const CLI::Option* const option : app.get_options())
            for (const std::string& value : option->results())
                distview::require<distview::UsageError>(!value.empty(), [&] {
                    return distview::text(option->get_name(), ": expected a value, got ''");
                });
    } catch (const CLI::CallForHelp&) {
        return app.help();
    } catch (const CLI::ParseError& error) {
        throw distview::UsageError(distview::text(error.what(), " (--help lists the options)"));
    }
    return {};
}

} // namespace program
