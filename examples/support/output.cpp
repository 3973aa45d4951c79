// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "output.hpp"

#include <distview/core/error.hpp>
#include <distview/core/text.hpp>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace program {

namespace {

void write_file(const std::string& path, const std::string& contents) {
    std::ofstream out(path, std::ios::binary | std::ios::trunc);
    out << contents;
    out.close();
    distview::require<distview::UsageError>(static_cast<bool>(out), [&] {
        return distview::text("cannot write '", path, "': ", std::strerror(errno));
    });
}

void print(const std::string& contents, std::FILE* to) {
    const bool written = std::fwrite(contents.data(), 1, contents.size(), to) == contents.size() &&
                         std::fflush(to) == 0;
    distview::require<distview::UsageError>(written, [&] {
        return distview::text("cannot write to standard ", to == stdout ? "output" : "error", ": ",
                              std::strerror(errno));
    });
}

/// A path that is equal for all names of a file, whether the file exists or not.
std::filesystem::path full_path(const std::string& path) {
    std::error_code failed;
    const std::filesystem::path absolute = std::filesystem::absolute(path, failed);
    const std::filesystem::path found = std::filesystem::weakly_canonical(absolute, failed);
    return failed ? absolute.lexically_normal() : found;
}

} // namespace

void require_file(const char* option, const std::string& path, const char* what) {
    distview::require<distview::UsageError>(path != standard_output, [&] {
        return distview::text(option, ": expected the name of a file, got '-': ", what,
                              " is not written to standard output");
    });
}

void require_writable(const char* option, const std::string& path) {
    if (path == standard_output) return;
    std::error_code ignored;
    const bool existed = std::filesystem::exists(path, ignored);
    // Opening a pipe would wait for its reader.
    if (std::filesystem::is_fifo(path, ignored)) return;
    errno = 0;
    const bool writable = static_cast<bool>(std::ofstream(path, std::ios::app));
    const int error = errno;
    // If a link led nowhere, this call has created only its target.
    if (writable && !existed)
        std::filesystem::remove(std::filesystem::canonical(path, ignored), ignored);
    distview::require<distview::UsageError>(writable, [&] {
        return distview::text(option, ": cannot write to '", path,
                              "': ", error ? std::strerror(error) : "not a file");
    });
}

void require_distinct(const std::vector<NamedPath>& files) {
    std::error_code ignored;
    for (std::size_t i = 0; i < files.size(); ++i)
        for (std::size_t k = 0; k < i; ++k) {
            const std::string& path = files[i].path;
            if (path.empty() || path == standard_output || files[k].path.empty()) continue;
            const bool same = full_path(path) == full_path(files[k].path);
            // Output to a device, such as /dev/null, is not kept.
            const bool is_kept = !std::filesystem::is_character_file(path, ignored);
            distview::require<distview::UsageError>(!same || !is_kept, [&] {
                return distview::text(files[k].option, ", ", files[i].option,
                                      ": expected two files, got '", path, "' twice");
            });
        }
}

void write_report(const std::string& json_path, const std::string& json, const std::string& table) {
    const bool to_stdout = json_path == standard_output;
    if (!to_stdout && !json_path.empty()) write_file(json_path, json);
    // The table goes first, and ends with a line: Open MPI 5.0.7's mpirun, which forwards 2 KiB at a time, sometimes
    // prints the beginning of an unfinished line among the next bytes of the other stream.
    print(table, to_stdout ? stderr : stdout);
    if (to_stdout) print(json, stdout);
}

} // namespace program
