// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

namespace program {

/// What programs take for a path that means standard output.
inline constexpr const char* standard_output = "-";

/// Throws distview::UsageError if `path` is standard output, where `what` is not written: "the picture".
void require_file(const char* option, const std::string& path, const char* what);

/// Throws distview::UsageError unless a file can be written at `path`, or that is standard output; leaves
/// no file behind that was not there. Before a long run, not after it.
void require_writable(const char* option, const std::string& path);

/// A file that a run writes, and the option that names it.
struct NamedPath {
    const char* option;
    std::string path; ///< empty: none
};

/// Throws distview::UsageError if two options name one file: the later of the two would be all that is left.
void require_distinct(const std::vector<NamedPath>& files);

/// Writes what a run has to say: the JSON to `json_path`, unless that is empty, and the table to standard
/// output, or, if the JSON goes there, to standard error: programs can read the one, people the other.
///
/// Errors: distview::UsageError if writing fails
void write_report(const std::string& json_path, const std::string& json, const std::string& table);

} // namespace program
