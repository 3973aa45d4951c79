// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/io/npy.hpp>

#include "check_field.hpp"
#include "crc32.hpp"
#include "from_root.hpp"
#include "new_file.hpp"
#include "npy_header.hpp"
#include "npy_transfer.hpp"
#include "zip.hpp"

#include <distview/comm/agreement.hpp>
#include <distview/core/error.hpp>
#include <distview/core/text.hpp>

#include <algorithm>
#include <set>
#include <utility>

namespace distview {

namespace {

constexpr const char* suffix = ".npy";

/// An array and its place in the archive.
struct Member {
    impl::ZipMember zip;
    std::string header; ///< of the .npy file
    impl::StoredArray stored;
    impl::Transfer transfer;
};

void check_members(const std::string& caller, const Communicator& comm,
                   const std::vector<NamedArray>& arrays) {
    std::set<std::string> names;
    for (const NamedArray& each : arrays) {
        impl::check_processes(caller, comm, each.array);
        require<UsageError>(!each.name.empty() && each.name.size() < 60000, [&] {
            return text(caller, ": expected array names of 1 to 59999 bytes, got one of ",
                        each.name.size(), " bytes");
        });
        require<UsageError>(names.insert(each.name).second, [&] {
            return text(caller, ": expected different names of arrays, got '", each.name,
                        "' twice");
        });
    }
}

std::vector<Member> make_members(const std::string& caller, const std::vector<NamedArray>& arrays,
                                 const NpyOptions& options) {
    std::vector<Member> members;
    std::int64_t at = 0;
    for (const NamedArray& each : arrays) {
        Member member;
        member.transfer.caller = caller;
        member.transfer.what = text("array '", each.name, "'");
        member.transfer.permutation = impl::axis_order(each.array.rank(), options.fortran_order);
        member.transfer.buffer_bytes = options.buffer_bytes;
        member.transfer.blocks.hash = &impl::crc32;
        member.header = impl::npy_header(each.array.section().element, impl::shape_of(each.array),
                                         options.fortran_order);
        member.stored.extents = impl::file_extents(each.array, member.transfer.permutation);
        member.stored.element_bytes = each.array.section().element.bytes;
        member.zip.name = each.name + suffix;
        member.zip.header = at;
        member.zip.begin = at + impl::zip_header_bytes(member.zip.name);
        member.stored.offset = member.zip.begin + static_cast<std::int64_t>(member.header.size());
        member.zip.bytes = static_cast<std::int64_t>(member.header.size()) + member.stored.bytes();
        at = member.zip.begin + member.zip.bytes;
        members.push_back(std::move(member));
    }
    return members;
}

/// The CRC of a member, combined from the CRCs of its header and of its array's blocks.
std::uint32_t crc_of(const Member& member, const std::vector<std::uint64_t>& sums) {
    auto crc = static_cast<std::uint32_t>(impl::crc32(member.header.data(), member.header.size()));
    std::int64_t left = member.stored.bytes();
    for (const std::uint64_t sum : sums) {
        const std::int64_t bytes = std::min(left, member.transfer.blocks.block_bytes);
        crc = impl::combined_crc32(crc, static_cast<std::uint32_t>(sum), bytes);
        left -= bytes;
    }
    return crc;
}

/// Rank 0 keeps the file open.
std::vector<impl::NpyPlace> find_members(const Communicator& comm, const std::string& caller,
                                         const std::string& path, impl::RawFile& of_root) {
    return impl::from_root(
        comm, caller,
        [&] {
            of_root = impl::RawFile(caller, path, impl::RawFile::Mode::read);
            impl::Packed found;
            const std::vector<impl::ZipMember> members = impl::read_zip(of_root, caller);
            found.put(static_cast<std::int64_t>(members.size()));
            for (const impl::ZipMember& member : members) {
                std::string name = member.name;
                if (name.ends_with(suffix)) name.resize(name.size() - 4);
                impl::put_place(found, impl::read_npy_header(of_root, caller, name, member.begin,
                                                             member.begin + member.bytes));
            }
            return found;
        },
        [](impl::Packed& packed) {
            std::vector<impl::NpyPlace> places(
                static_cast<std::size_t>(packed.get<std::int64_t>()));
            for (impl::NpyPlace& place : places) place = impl::get_place(packed);
            return places;
        });
}

const impl::NpyPlace& find_member(const std::string& caller, const std::string& path,
                                  const std::vector<impl::NpyPlace>& places,
                                  const std::string& name) {
    const auto found = std::find_if(places.begin(), places.end(), [&](const impl::NpyPlace& place) {
        return place.field.name == name;
    });
    require<UsageError>(found != places.end(), [&] {
        std::string names;
        for (const impl::NpyPlace& place : places)
            names += text(names.empty() ? "" : ", ", "'", place.field.name, "'");
        return text(caller, ": expected an array '", name, "' in '", path, "', got ",
                    names.empty() ? "an empty archive" : names);
    });
    impl::require_numbers(caller, path, *found);
    return *found;
}

} // namespace

void save_npz(const Communicator& comm, const std::string& path,
              const std::vector<NamedArray>& arrays, const NpyOptions& given) {
    const std::string caller = "save_npz";
    const CollectiveCall call(comm, caller);
    const NpyOptions options = impl::options_of_root(comm, given);
    impl::agree_on_arrays(
        comm, caller, {path}, arrays, [&] { check_members(caller, comm, arrays); },
        impl::Names::of_all);
    std::vector<Member> members = make_members(caller, arrays, options);
    const std::int64_t end =
        members.empty() ? 0 : members.back().zip.begin + members.back().zip.bytes;

    impl::NewFile file(comm, caller, path);
    file.make([&](const std::string& name) {
        const impl::RawFile created(caller, name, impl::RawFile::Mode::create);
        created.resize(end);
    });
    for (std::size_t m = 0; m < members.size(); ++m) {
        Member& member = members[m];
        member.transfer.progress = impl::progress_of(options, arrays, m);
        impl::write_array(comm, arrays[m].array, file.file(), member.stored, member.transfer);
        const std::vector<std::uint64_t> sums = impl::finish_blocks(
            comm, file.file(), member.stored, member.transfer.blocks, caller, member.transfer.what);
        agree_on(comm, caller.c_str(), [&] {
            if (comm.rank() != 0) return;
            member.zip.crc = crc_of(member, sums);
            const std::string header = impl::zip_header(member.zip) + member.header;
            file.file().write(header.data(), static_cast<std::int64_t>(header.size()),
                              member.zip.header, "the header of a member");
        });
    }
    agree_on(comm, caller.c_str(), [&] {
        if (comm.rank() != 0) return;
        std::vector<impl::ZipMember> table;
        for (const Member& member : members) table.push_back(member.zip);
        const std::string bytes = impl::zip_end(table, end);
        file.file().write(bytes.data(), static_cast<std::int64_t>(bytes.size()), end,
                          "the table of members");
    });
    file.commit(options.sync);
}

std::vector<StoredField> inspect_npz(const Communicator& comm, const std::string& path) {
    const CollectiveCall call(comm, "inspect_npz");
    impl::agree_on_arrays(comm, "inspect_npz", {path}, {}, [] {});
    impl::RawFile of_root;
    const std::vector<impl::NpyPlace> places = find_members(comm, "inspect_npz", path, of_root);
    return agree_on(comm, "inspect_npz", [&] { // copying takes memory
        std::vector<StoredField> fields;
        for (const impl::NpyPlace& place : places)
            if (place.has_numbers) fields.push_back(place.field);
        return fields;
    });
}

void load_npz(const Communicator& comm, const std::string& path,
              const std::vector<NamedArray>& arrays, const FileOptions& given) {
    const std::string caller = "load_npz";
    const CollectiveCall call(comm, caller);
    const FileOptions options = impl::options_of_root(comm, given);
    impl::RawFile of_root;
    const std::vector<impl::NpyPlace> places = find_members(comm, caller, path, of_root);
    const impl::RawFile file = impl::agree_on_arrays(
        comm, caller, {path}, arrays,
        [&] {
            for (const NamedArray& each : arrays) {
                impl::check_processes(caller, comm, each.array);
                impl::check_field(caller, text("array '", each.name, "' of '", path, "'"),
                                  find_member(caller, path, places, each.name).field, each.array);
            }
            return impl::RawFile(caller, path, impl::RawFile::Mode::read);
        },
        impl::Names::of_all);
    impl::check_not_replaced(comm, caller, of_root);
    for (std::size_t a = 0; a < arrays.size(); ++a)
        impl::read_npy_array(comm, caller, file, find_member(caller, path, places, arrays[a].name),
                             arrays[a].array, options, impl::progress_of(options, arrays, a));
}

} // namespace distview
