// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "raw_file.hpp"
#include "stored_array.hpp"

#include <distview/io/file_options.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace distview::impl {

/// A .npy file's first bytes, up to the array; their number is a multiple of `alignment`.
std::string npy_header(const ElementType& element, const std::vector<std::int64_t>& shape,
                       bool fortran_order, std::int64_t alignment = 64);

/// A .npy file inside another file, such as an archive.
struct NpyPlace {
    StoredField field;
    std::int64_t offset = 0; ///< of the array's bytes
    bool is_swapped = false; ///< whether the other byte order is used
    bool has_numbers = true; ///< if false, only the name is known
    bool is_npy = true;      ///< if false, has_numbers is false too
};
/// Reads the header at `begin`; `end` is the end of the inner file. Throws Error if the header is damaged.
NpyPlace read_npy_header(const RawFile& file, const std::string& caller, const std::string& name,
                         std::int64_t begin, std::int64_t end);
/// Throws Error unless `place`, found in the file `path`, is a .npy file of numbers.
void require_numbers(const std::string& caller, const std::string& path, const NpyPlace& place);

/// Reverses the bytes of each number.
class SwappedSource : public ByteSource {
public:
    SwappedSource(const ByteSource& source, std::int64_t number_bytes)
        : m_source(source), m_number_bytes(number_bytes) {}
    void read(std::int64_t begin, std::int64_t end, void* to) const override;

private:
    const ByteSource& m_source;
    std::int64_t m_number_bytes;
};

} // namespace distview::impl
