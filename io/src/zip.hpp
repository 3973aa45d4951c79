// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "raw_file.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace distview::impl {

/// A member of a ZIP archive that is stored as it is. All sizes have 64 bits (zip64).
struct ZipMember {
    std::string name;
    std::uint32_t crc = 0;
    std::int64_t header = 0; ///< where its own header begins
    std::int64_t begin = 0;  ///< where its bytes begin
    std::int64_t bytes = 0;
};

/// Bytes of a member's own header; the name counts.
std::int64_t zip_header_bytes(const std::string& name);
std::string zip_header(const ZipMember& member);
/// What ends the archive: a table of the members and where it begins.
std::string zip_end(const std::vector<ZipMember>& members, std::int64_t begin);

/// The members of an archive. Throws Error if it is none, or members are compressed.
std::vector<ZipMember> read_zip(const RawFile& file, const std::string& caller);

} // namespace distview::impl
