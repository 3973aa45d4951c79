// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace distview::impl {

/// Address of a segment for other processes of the node; plain numbers that can be sent.
struct SegmentAddress {
    std::int64_t process = -1; ///< ID of the process that made it; -1: no segment
    std::int64_t descriptor = -1;
    std::int64_t bytes = 0;
    std::int64_t key = 0; ///< random number at the segment's beginning

    friend constexpr bool operator==(const SegmentAddress&, const SegmentAddress&) = default;
};

/// Access of a process to another one's segment.
enum class Access { read, write };

/// Memory that several processes of a node can map.
///
/// Has no name in the file system: it is unlinked at once and opened through its maker's file
/// descriptor, so that a crash leaves nothing behind. open() tries to reach another process's
/// segment: the segment must begin with the key that its maker sent, and with this library's
/// layout_version.
///
/// A forked child process does not map the memory: it cannot change its parent's arrays, nor
/// the flags that the parent shows its neighbours.
class SharedSegment {
public:
    /// Bytes of the header at the segment's beginning.
    static constexpr std::size_t header_bytes = 256;
    /// Version of the data that processes of a node share: headers, lines, offers. Raise it when
    /// one of these changes, so that two builds of the library in one program use messages.
    static constexpr std::int64_t layout_version = 15;

    /// Makes a segment of zeros for at least `bytes`; or returns null, with the reason, such as a limit
    /// on the size of files (ulimit -f). The memory is reserved: writing to it later cannot fail.
    static std::shared_ptr<SharedSegment> make(std::size_t bytes, std::string& why_not);
    /// Maps another process's segment; null if it cannot be reached from here.
    static std::shared_ptr<SharedSegment> open(const SegmentAddress& address, Access access);

    ~SharedSegment();
    SharedSegment(const SharedSegment&) = delete;
    SharedSegment& operator=(const SharedSegment&) = delete;

    char* data() const noexcept { return m_data; }
    /// Bytes of the segment, header included.
    std::size_t bytes() const noexcept { return m_bytes; }
    const SegmentAddress& address() const noexcept { return m_address; }
    /// Access with which this process maps the segment.
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
