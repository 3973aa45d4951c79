// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "raw_file.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace distview::impl {

/// The position of an array's bytes in a file. The array's own bytes are numbered from 0 in C order of `extents`; this
/// order is called file order here.
struct StoredArray {
    std::vector<std::int64_t> extents; ///< the last one fastest
    std::int64_t element_bytes = 1;
    std::int64_t offset = 0; ///< of byte 0 in the file, if there are no chunks
    /// Positions of runs of `chunk_bytes` bytes, which follow each other in file order. Runs begin anew with every
    /// `row_bytes` bytes, before which the last run may be shorter.
    std::vector<std::int64_t> chunks;
    std::int64_t chunk_bytes = 0;
    std::int64_t row_bytes = 0;

    std::int64_t elements() const noexcept;
    std::int64_t bytes() const noexcept { return elements() * element_bytes; }

    void read(const RawFile& file, std::int64_t begin, std::int64_t end, void* to,
              const std::string& what) const;
    void write(const RawFile& file, std::int64_t begin, std::int64_t end, const void* from,
               const std::string& what) const;
};

/// A source from which an array is read: bytes in file order.
class ByteSource {
public:
    ByteSource() = default;
    virtual ~ByteSource() = default;
    ByteSource(const ByteSource&) = delete;
    ByteSource& operator=(const ByteSource&) = delete;
    virtual void read(std::int64_t begin, std::int64_t end, void* to) const = 0;
};

class RawSource : public ByteSource {
public:
    RawSource(const RawFile& file, const StoredArray& stored, std::string what)
        : m_file(file), m_stored(stored), m_what(std::move(what)) {}
    void read(std::int64_t begin, std::int64_t end, void* to) const override {
        m_stored.read(m_file, begin, end, to, m_what);
    }

private:
    const RawFile& m_file;
    const StoredArray& m_stored;
    std::string m_what;
};

/// A box of memory whose bytes are numbered in file order.
class StridedBytes {
public:
    /// `extents` and `strides` (bytes) by axis of the file.
    StridedBytes(void* data, std::vector<std::int64_t> extents, std::vector<std::int64_t> strides,
                 std::int64_t element_bytes);

    std::int64_t bytes() const noexcept { return m_bytes; }
    /// Number of bytes that are consecutive in file order and in memory; all of them if memory has no gaps.
    std::int64_t run_bytes() const noexcept { return m_run; }
    /// The address of bytes [begin, end), or null if they are not consecutive in memory.
    std::byte* find(std::int64_t begin, std::int64_t end) const noexcept;
    void copy_out(std::int64_t begin, std::int64_t end, std::byte* to) const noexcept;
    void copy_in(std::int64_t begin, std::int64_t end, const std::byte* from) const noexcept;

private:
    /// Calls visit(memory, bytes) for runs of [begin, end) in order.
    template <class Visit>
    void for_each_run(std::int64_t begin, std::int64_t end, const Visit& visit) const noexcept;

    std::byte* m_data;
    std::vector<std::int64_t> m_extents; ///< of runs
    std::vector<std::int64_t> m_strides;
    std::int64_t m_run = 0;
    std::int64_t m_bytes = 0;
};

} // namespace distview::impl
