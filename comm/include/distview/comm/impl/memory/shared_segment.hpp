// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace distview::impl {

/// The address of a segment for other processes of the node; plain numbers that can be sent.
struct SegmentAddress {
    std::int64_t process = -1; ///< number of the process that made it; -1: there is none
    std::int64_t descriptor = -1;
    std::int64_t bytes = 0;
    std::int64_t key = 0; ///< a random number that the segment begins with

    friend constexpr bool operator==(const SegmentAddress&, const SegmentAddress&) = default;
};

/// Access of a process to another one's segment.
enum class Access { read, write };

/// Memory that several processes of a node see.
///
/// Has no name in the file system: it is unlinked at once and found through its maker's open
/// descriptor, so that a crash leaves nothing behind. Whether another process's segment can be
/// reached is decided by trying: it must begin with the key that its maker told, and with this
/// library's layout_version.
///
/// A process that is forked does not have the memory: whatever it does, it cannot change the arrays of the
/// process that forked it, nor what that one tells its neighbours.
class SharedSegment {
public:
    /// Bytes at the beginning that belong to the segment itself.
    static constexpr std::size_t header_bytes = 256;
    /// Number of the layout of all that processes of a node tell each other: headers, lines, offers. To be raised
    /// when one of these changes, so that two builds of the library in one program use messages.
    static constexpr std::int64_t layout_version = 15;

    /// A new segment of zeros with room for at least `bytes`, or why there is none, as when the process may
    /// not make files of that size (ulimit -f). The memory is reserved: writing it later cannot fail.
    static std::shared_ptr<SharedSegment> make(std::size_t bytes, std::string& why_not);
    /// Another process's segment; null if it cannot be reached from here.
    static std::shared_ptr<SharedSegment> open(const SegmentAddress& address, Access access);

    ~SharedSegment();
    SharedSegment(const SharedSegment&) = delete;
    SharedSegment& operator=(const SharedSegment&) = delete;

    char* data() const noexcept { return m_data; }
    /// Header included.
    std::size_t bytes() const noexcept { return m_bytes; }
    const SegmentAddress& address() const noexcept { return m_address; }
    /// How it is mapped here.
    Access access() const noexcept { return m_access; }

    /// Whether the bytes [begin, end), counted from `offset`, lie behind the header and inside the segment.
    bool holds(std::int64_t offset, std::int64_t begin, std::int64_t end) const noexcept;

private:
    SharedSegment(int descriptor, char* data, std::size_t bytes, Access access) noexcept
        : m_descriptor(descriptor), m_data(data), m_bytes(bytes), m_access(access) {}

    int m_descriptor;
    char* m_data;
    std::size_t m_bytes;
    Access m_access;
    SegmentAddress m_address{};
};

} // namespace distview::impl
