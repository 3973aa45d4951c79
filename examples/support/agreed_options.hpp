// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "output.hpp"
#include "program.hpp"

#include <distview/comm/agreement.hpp>

#include <cstdio>
#include <optional>
#include <utility>

namespace program {

/// The options of a command line, the same on all ranks; nothing if it requests help, which the root has printed.
///
/// `parse(argc, argv)` returns a text `help`, empty if it returns `options`, which have a `json_path`. `check(options)`
/// checks them further.
///
/// Collective: over comm
/// Errors:     those of `parse` and `check`; distview::UsageError if the JSON cannot be written, or if arguments differ
///             between ranks (thrown on all ranks)
template <class Parse, class Check>
auto agreed_options(const distview::Communicator& comm, const char* name, int argc, char** argv,
                    const Parse& parse, const Check& check) {
    auto line = distview::agree_on(comm, name, [&] {
        auto parsed = parse(argc, argv);
        if (!parsed.help.empty()) return parsed;
        check(parsed.options);
        if (comm.rank() == root && !parsed.options.json_path.empty())
            require_writable("--json", parsed.options.json_path);
        return parsed;
    });
    distview::agree(comm, "command line", nullptr, digest_of_arguments(argc, argv));
    if (line.help.empty()) return std::optional(std::move(line.options));
    if (comm.rank() == root) std::fputs(line.help.c_str(), stdout);
    return std::optional<decltype(line.options)>();
}

} // namespace program
