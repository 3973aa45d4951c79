// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "h5_compress.hpp"

#include "h5_open.hpp"

#include <distview/comm/agreement.hpp>
#include <distview/core/text.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

namespace distview::impl {

RawFile make_scratch_file(const Communicator& comm, const std::string& caller,
                          const std::string& path) {
    const std::string name = path + ".scratch";
    RawFile file;
    agree_on(comm, caller.c_str(), [&] {
        if (comm.rank() != 0) return;
        // A killed writer may have left it, or it is a link to another file.
        remove_file(name);
        file = RawFile(caller, name, RawFile::Mode::create);
    });
    try {
        agree_on(comm, caller.c_str(), [&] {
            if (comm.rank() != 0) file = RawFile(caller, name, RawFile::Mode::write);
        });
    } catch (...) {
        if (comm.rank() == 0) remove_file(name);
        throw;
    }
    if (comm.rank() == 0) remove_file(name);
    return file;
}

void write_compressed(const H5Calls& calls, const NewField& field, std::int64_t step,
                      const RawFile& scratch) {
    const H5Turn turn;
    const std::string what = text("to write field '", field.name, "' of");
    std::optional<ReservedRoom> room;
    const std::int64_t bytes_of_all = field.stored.elements() * field.element.bytes;
    // Incompressible data grow a little. Only films need the space reserved: another file is not complete yet anyway.
    if (step >= 0) room.emplace(calls, bytes_of_all + bytes_of_all / 256, std::size_t{1});
    H5Id file = open_h5_file(calls, true);
    {
        H5Id dataset(calls.check(H5Dopen2(file, field.name.c_str(), H5P_DEFAULT), what), H5Dclose);
        const H5Id space(H5Dget_space(dataset), H5Sclose);
        const H5Id type = h5_type(field.element);
        const std::vector<std::int64_t> chunk =
            chunk_extents(field.shape, field.element.bytes, compressed_chunk_bytes);
        // Chunk by chunk: otherwise HDF5 would compress a chunk again for each of its parts. `whole` elements make one
        // chunk; the last chunk of each `row` has only the row's remaining elements.
        std::int64_t whole = 1;
        std::int64_t row = 1;
        for (std::size_t d = field.shape.size(); d-- > 0;) {
            whole *= chunk[d];
            row *= field.shape[d];
            if (chunk[d] < field.shape[d]) break;
        }
        std::vector<std::byte> bytes(static_cast<std::size_t>(whole * field.element.bytes));
        const std::int64_t all = field.stored.elements();
        for (std::int64_t first = 0; first < all;) {
            const std::int64_t last = std::min(first + whole, (first / row + 1) * row);
            scratch.read(bytes.data(), (last - first) * field.element.bytes,
                         first * field.element.bytes, what);
            const std::byte* at = bytes.data();
            for_each_box(
                field.shape, first, last, [&](auto start, auto count, std::int64_t elements) {
                    const H5Id memory =
                        select_box(calls, what, space, step, start, count, elements);
                    calls.check(H5Dwrite(dataset, type, memory, space, H5P_DEFAULT, at), what);
                    at += elements * field.element.bytes;
                });
            first = last;
        }
        // HDF5 holds the last chunks until here: this call, and no call above, reports a full disk.
        calls.check(dataset.reset(), what);
    }
    if (file.reset() < 0) calls.fail(what);
}

} // namespace distview::impl
