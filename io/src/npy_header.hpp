// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "raw_file.hpp"
#include "stored_array.hpp"

#include <distview/io/file_options.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace distview::impl {

/// A .npy file's first bytes, up to the array: `alignment` of them or a multiple.
std::string npy_header(const ElementType& element, const std::vector<std::int64_t>& shape,
                       bool fortran_order, std::int64_t alignment = 64);

/// A .npy file within a file.
struct NpyPlace {
    StoredField field;
    std::int64_t offset = 0; ///< of the array's bytes
    bool is_swapped = false; ///< of the other byte order
    bool has_numbers = true; ///< else there is no more than the name
    bool is_npy = true;      ///< else it has no numbers either
};
/// Reads the header that begins at `begin`; `end` is where the file within the file ends. Throws Error if it is damaged.
NpyPlace read_npy_header(const RawFile& file, const std::string& caller, const std::string& name,
                         std::int64_t begin, std::int64_t end);
/// Throws Error unless there are numbers of a .npy file in what was found in the file `path`.
void require_numbers(const std::string& caller, const std::string& path, const NpyPlace& place);

/// Turns the bytes of each number around.
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
