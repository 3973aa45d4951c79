// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "output.hpp"

#include <distview/core/error.hpp>
#include <distview/core/text.hpp>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace program {

void require_writable(const char* option, const std::string& path) {
    std::error_code ignored;
    const bool existed = std::filesystem::exists(path, ignored);
    errno = 0;
    const bool writable = static_cast<bool>(std::ofstream(path, std::ios::app));
    const int error = errno;
    if (writable && !existed) std::filesystem::remove(path, ignored);
    distview::require<distview::UsageError>(writable, [&] {
        return distview::text(option, ": cannot write to '", path,
                              "': ", error ? std::strerror(error) : "not a file");
    });
}

void write_file(const std::string& path, const std::string& contents) {
    std::ofstream out(path, std::ios::binary | std::ios::trunc);
    out << contents;
    out.close();
    distview::require<distview::UsageError>(static_cast<bool>(out), [&] {
        return distview::text("cannot write '", path, "': ", std::strerror(errno));
    });
}

} // namespace program
