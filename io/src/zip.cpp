// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "zip.hpp"

#include <distview/core/error.hpp>
#include <distview/core/text.hpp>

#include <algorithm>

namespace distview::impl {

namespace {

// Numbers defined by ZIP's specification (APPNOTE.TXT).
constexpr std::uint32_t member_signature = 0x04034b50;
constexpr std::uint32_t table_signature = 0x02014b50;
constexpr std::uint32_t end64_signature = 0x06064b50;
constexpr std::uint32_t locator_signature = 0x07064b50;
constexpr std::uint32_t end_signature = 0x06054b50;
constexpr std::uint16_t version = 45;
constexpr std::uint16_t zip64 = 1;
constexpr std::uint32_t is_in_zip64 = 0xffffffff;
/// Marks a name as UTF-8; readers take unmarked names as MS-DOS's.
constexpr std::uint16_t has_utf8_name = 1u << 11;
/// 1 January 1980, so that an archive's bytes do not depend on the date.
constexpr std::uint32_t no_time = (1u << 5 | 1u) << 16;

class Bytes {
public:
    Bytes& u16(std::uint64_t value) { return put(value, 2); }
    Bytes& u32(std::uint64_t value) { return put(value, 4); }
    Bytes& u64(std::uint64_t value) { return put(value, 8); }
    Bytes& text(const std::string& value) {
        m_bytes += value;
        return *this;
    }
    const std::string& all() const { return m_bytes; }

private:
    Bytes& put(std::uint64_t value, int count) {
        for (int i = 0; i < count; ++i) m_bytes += static_cast<char>(value >> (8 * i) & 0xff);
        return *this;
    }
    std::string m_bytes;
};

std::uint16_t flags_of(const ZipMember& member) {
    const bool is_ascii = std::all_of(member.name.begin(), member.name.end(),
                                      [](unsigned char byte) { return byte < 0x80; });
    return is_ascii ? std::uint16_t{0} : has_utf8_name;
}

std::uint64_t number(const std::string& bytes, std::size_t at, std::size_t count) {
    std::uint64_t value = 0;
    for (std::size_t i = count; i-- > 0;)
        value = value << 8 | static_cast<unsigned char>(bytes.at(at + i));
    return value;
}

} // namespace

std::int64_t zip_header_bytes(const std::string& name) {
    return 30 + static_cast<std::int64_t>(name.size()) + 20;
}

std::string zip_header(const ZipMember& member) {
    return Bytes()
        .u32(member_signature)
        .u16(version)
        .u16(flags_of(member))
        .u16(0)
        .u32(no_time)
        .u32(member.crc)
        .u32(is_in_zip64)
        .u32(is_in_zip64)
        .u16(member.name.size())
        .u16(20)
        .text(member.name)
        .u16(zip64)
        .u16(16)
        .u64(member.bytes)
        .u64(member.bytes)
        .all();
}

std::string zip_end(const std::vector<ZipMember>& members, std::int64_t begin) {
    Bytes bytes;
    for (const ZipMember& member : members)
        bytes.u32(table_signature)
            .u16(version)
            .u16(version)
            .u16(flags_of(member))
            .u16(0)
            .u32(no_time)
            .u32(member.crc)
            .u32(is_in_zip64)
            .u32(is_in_zip64)
            .u16(member.name.size())
            .u16(28)
            .u16(0)
            .u16(0)
            .u16(0)
            .u32(0)
            .u32(is_in_zip64)
            .text(member.name)
            .u16(zip64)
            .u16(24)
            .u64(member.bytes)
            .u64(member.bytes)
            .u64(member.header);
    const auto table = static_cast<std::int64_t>(bytes.all().size());
    bytes.u32(end64_signature)
        .u64(44)
        .u16(version)
        .u16(version)
        .u32(0)
        .u32(0)
        .u64(members.size())
        .u64(members.size())
        .u64(table)
        .u64(begin);
    bytes.u32(locator_signature).u32(0).u64(begin + table).u32(1);
    const std::uint64_t few = std::min<std::uint64_t>(members.size(), 0xffff);
    bytes.u32(end_signature)
        .u16(0)
        .u16(0)
        .u16(few)
        .u16(few)
        .u32(is_in_zip64)
        .u32(is_in_zip64)
        .u16(0);
    return bytes.all();
}

std::vector<ZipMember> read_zip(const RawFile& file, const std::string& caller) {
    const auto expect = [&](bool condition, const std::string& got) {
        require<Error>(condition, [&] {
            return text(caller, ": expected an archive of stored .npy files in '", file.path(),
                        "', got ", got);
        });
    };
    const std::int64_t size = file.size();
    const auto part = [&](std::int64_t begin, std::int64_t count) {
        expect(begin >= 0 && count >= 0 && count <= size - begin, "a table outside of the file");
        std::string bytes(static_cast<std::size_t>(count), '\0');
        file.read(bytes.data(), count, begin, "the table of members");
        return bytes;
    };
    const std::int64_t tail_bytes = std::min<std::int64_t>(size, 22 + 0xffff);
    const std::string tail = part(size - tail_bytes, tail_bytes);
    std::size_t end = tail.size() < 22 ? std::string::npos : tail.size() - 22;
    while (end != std::string::npos && number(tail, end, 4) != end_signature)
        end = end == 0 ? std::string::npos : end - 1;
    expect(end != std::string::npos, "a file without the table of members at its end");

    std::uint64_t count = number(tail, end + 10, 2);
    std::uint64_t table_bytes = number(tail, end + 12, 4);
    std::uint64_t table_begin = number(tail, end + 16, 4);
    if (end >= 20 && number(tail, end - 20, 4) == locator_signature) {
        const std::string end64 = part(static_cast<std::int64_t>(number(tail, end - 12, 8)), 56);
        expect(number(end64, 0, 4) == end64_signature, "a damaged table of members");
        count = number(end64, 32, 8);
        table_bytes = number(end64, 40, 8);
        table_begin = number(end64, 48, 8);
    }
    const std::string table =
        part(static_cast<std::int64_t>(table_begin), static_cast<std::int64_t>(table_bytes));
    std::vector<ZipMember> members;
    std::size_t at = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
        expect(at + 46 <= table.size() && number(table, at, 4) == table_signature,
               "a damaged table of members");
        const std::size_t name_bytes = number(table, at + 28, 2);
        const std::size_t extra_bytes = number(table, at + 30, 2);
        const std::size_t comment_bytes = number(table, at + 32, 2);
        expect(at + 46 + name_bytes + extra_bytes + comment_bytes <= table.size(),
               "a damaged table of members");
        ZipMember member;
        member.name = table.substr(at + 46, name_bytes);
        expect(number(table, at + 10, 2) == 0 && (number(table, at + 8, 2) & 1) == 0,
               text("compressed member '", member.name, "' (numpy.savez() does not compress)"));
        member.crc = static_cast<std::uint32_t>(number(table, at + 16, 4));
        std::uint64_t stored = number(table, at + 20, 4);
        std::uint64_t plain = number(table, at + 24, 4);
        std::uint64_t header = number(table, at + 42, 4);
        std::size_t extra = at + 46 + name_bytes;
        const std::size_t extra_end = extra + extra_bytes;
        while (extra + 4 <= extra_end) {
            const std::size_t bytes = number(table, extra + 2, 2);
            expect(extra + 4 + bytes <= extra_end, "a damaged table of members");
            std::size_t value = extra + 4;
            if (number(table, extra, 2) == zip64)
                for (std::uint64_t* each : {&plain, &stored, &header})
                    if (*each == is_in_zip64 && value + 8 <= extra + 4 + bytes) {
                        *each = number(table, value, 8);
                        value += 8;
                    }
            extra += 4 + bytes;
        }
        member.header = static_cast<std::int64_t>(header);
        member.bytes = static_cast<std::int64_t>(stored);
        const std::string own = part(member.header, 30);
        expect(number(own, 0, 4) == member_signature, "a damaged header of a member");
        member.begin =
            member.header + 30 + static_cast<std::int64_t>(number(own, 26, 2) + number(own, 28, 2));
        expect(member.bytes >= 0 && member.bytes <= size - member.begin,
               "a member outside of the file");
        members.push_back(member);
        at += 46 + name_bytes + extra_bytes + comment_bytes;
    }
    return members;
}

} // namespace distview::impl
