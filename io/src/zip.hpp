// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "raw_file.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace distview::impl {

/// An uncompressed member of a ZIP archive. All sizes have 64 bits (zip64).
struct ZipMember {
    std::string name;
    std::uint32_t crc = 0;
    std::int64_t header = 0; ///< where the member's header begins
    std::int64_t begin = 0;  ///< where its bytes begin
    std::int64_t bytes = 0;
};

/// Bytes of a member's header, which contains the name.
std::int64_t zip_header_bytes(const std::string& name);
std::string zip_header(const ZipMember& member);
/// The end of the archive: a table of the members, and its position.
std::string zip_end(const std::vector<ZipMember>& members, std::int64_t begin);

/// Returns the members of an archive. Throws Error if the file is no archive, or if members are compressed.
std::vector<ZipMember> read_zip(const RawFile& file, const std::string& caller);

} // namespace distview::impl
