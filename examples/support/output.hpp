// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

namespace program {

/// The path that programs treat as standard output.
inline constexpr const char* standard_output = "-";

/// Throws distview::UsageError if `path` is standard output, but `what` (such as "the picture") is not written there.
void require_file(const char* option, const std::string& path, const char* what);

/// Throws distview::UsageError unless `path` is standard output or a file can be written there. It leaves
/// no new file behind. Call it before a long run.
void require_writable(const char* option, const std::string& path);

/// A file that a run writes, and the option that names it.
struct NamedPath {
    const char* option;
    std::string path; ///< empty: none
};

/// Throws distview::UsageError if two options name one file, because the later one would overwrite the other.
void require_distinct(const std::vector<NamedPath>& files);

/// Writes the report of a run: the JSON to `json_path`, unless that is empty, and the table to standard
/// output or, if the JSON goes there, to standard error: programs can read the JSON, people the table.
///
/// Errors: distview::UsageError if writing fails
void write_report(const std::string& json_path, const std::string& json, const std::string& table);

} // namespace program
