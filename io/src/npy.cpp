// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/io/npy.hpp>

#include "check_field.hpp"
#include "from_root.hpp"
#include "new_file.hpp"
#include "npy_header.hpp"
#include "npy_transfer.hpp"

#include <distview/comm/agreement.hpp>
#include <distview/core/error.hpp>
#include <distview/core/text.hpp>

#include <algorithm>
#include <numeric>

namespace distview {

namespace impl {

std::vector<int> axis_order(int rank, bool fortran_order) {
    std::vector<int> order(static_cast<std::size_t>(rank));
    std::iota(order.begin(), order.end(), 0);
    if (fortran_order) std::reverse(order.begin(), order.end());
    return order;
}

std::vector<std::int64_t> shape_of(const AnyDistView& array) {
    std::vector<std::int64_t> shape;
    for (int d = 0; d < array.rank(); ++d) shape.push_back(array.extent(d));
    return shape;
}

std::string describe_field(const ElementType& element, const std::vector<std::int64_t>& shape) {
    return text(describe(element), " of shape ", tuple_text(shape));
}

void check_field(const std::string& caller, const std::string& where, const StoredField& stored,
                 const AnyDistView& array) {
    const bool fits = stored.element == array.section().element && stored.shape == shape_of(array);
    require<ShapeError>(fits, [&] {
        return text(caller, ": expected ", describe_field(array.section().element, shape_of(array)),
                    ", like the array, in ", where, ", got ",
                    describe_field(stored.element, stored.shape));
    });
}

NpyOptions options_of_root(const Communicator& comm, NpyOptions options) {
    take_from_root(comm, options.fortran_order, options.buffer_bytes, options.sync);
    return options;
}

void put_place(Packed& packed, const NpyPlace& place) {
    packed.put(place.field.name).put(place.field.element).put(place.field.shape);
    packed.put(place.field.is_fortran_order).put(place.offset).put(place.is_swapped);
    packed.put(place.has_numbers).put(place.is_npy);
}

NpyPlace get_place(Packed& packed) {
    NpyPlace place;
    place.field.name = packed.get<std::string>();
    place.field.element = packed.get<ElementType>();
    place.field.shape = packed.get_all<std::int64_t>();
    place.field.is_fortran_order = packed.get<bool>();
    place.offset = packed.get<std::int64_t>();
    place.is_swapped = packed.get<bool>();
    place.has_numbers = packed.get<bool>();
    place.is_npy = packed.get<bool>();
    return place;
}

void read_npy_array(const Communicator& comm, const std::string& caller, const RawFile& file,
                    const NpyPlace& place, const AnyDistView& array, const FileOptions& options,
                    const std::function<void(std::int64_t)>& progress) {
    Transfer transfer;
    transfer.progress = progress;
    transfer.caller = caller;
    transfer.what = place.field.name.empty() ? "the array" : "member '" + place.field.name + "'";
    transfer.permutation = axis_order(array.rank(), place.field.is_fortran_order);
    transfer.buffer_bytes = options.buffer_bytes;
    StoredArray stored;
    stored.extents = file_extents(array, transfer.permutation);
    stored.element_bytes = place.field.element.bytes;
    stored.offset = place.offset;
    const RawSource raw(file, stored, transfer.what);
    const ElementType& element = place.field.element;
    const SwappedSource swapped(raw, element.kind == ElementKind::complex ? element.bytes / 2
                                                                          : element.bytes);
    const ByteSource& source = place.is_swapped ? static_cast<const ByteSource&>(swapped)
                                                : static_cast<const ByteSource&>(raw);
    read_array(comm, array, source, stored, transfer,
               text(transfer.what, " of '", file.path(), '\''));
}

} // namespace impl

namespace {

/// Rank 0 keeps the file open.
impl::NpyPlace find_array(const Communicator& comm, const std::string& caller,
                          const std::string& path, impl::RawFile& of_root) {
    return impl::from_root(
        comm, caller,
        [&] {
            of_root = impl::RawFile(caller, path, impl::RawFile::Mode::read);
            impl::Packed found;
            const impl::NpyPlace place =
                impl::read_npy_header(of_root, caller, "", 0, of_root.size());
            impl::require_numbers(caller, path, place);
            impl::put_place(found, place);
            return found;
        },
        impl::get_place);
}

} // namespace

void save_npy(const Communicator& comm, const std::string& path, const AnyDistView& array,
              const NpyOptions& given) {
    const std::string caller = "save_npy";
    const CollectiveCall call(comm, caller);
    const NpyOptions options = impl::options_of_root(comm, given);
    impl::agree_on_arrays(comm, caller, {path}, {{"", array}},
                          [&] { impl::check_processes(caller, comm, array); });
    impl::Transfer transfer;
    transfer.caller = caller;
    transfer.what = "the array";
    transfer.permutation = impl::axis_order(array.rank(), options.fortran_order);
    transfer.buffer_bytes = options.buffer_bytes;
    const std::string header =
        impl::npy_header(array.section().element, impl::shape_of(array), options.fortran_order);
    impl::StoredArray stored;
    stored.extents = impl::file_extents(array, transfer.permutation);
    stored.element_bytes = array.section().element.bytes;
    stored.offset = static_cast<std::int64_t>(header.size());
    transfer.progress = impl::progress_of(options, {{"", array}}, 0);

    impl::NewFile file(comm, caller, path);
    file.make([&](const std::string& name) {
        const impl::RawFile created(caller, name, impl::RawFile::Mode::create);
        created.write(header.data(), stored.offset, 0, "the header");
        created.resize(stored.offset + stored.bytes());
    });
    impl::write_array(comm, array, file.file(), stored, transfer);
    file.commit(options.sync);
}

StoredField inspect_npy(const Communicator& comm, const std::string& path) {
    const CollectiveCall call(comm, "inspect_npy");
    impl::agree_on_arrays(comm, "inspect_npy", {path}, {}, [] {});
    impl::RawFile of_root;
    return find_array(comm, "inspect_npy", path, of_root).field;
}

void load_npy(const Communicator& comm, const std::string& path, const AnyDistView& array,
              const FileOptions& given) {
    const std::string caller = "load_npy";
    const CollectiveCall call(comm, caller);
    const FileOptions options = impl::options_of_root(comm, given);
    impl::RawFile of_root;
    const impl::NpyPlace place = find_array(comm, caller, path, of_root);
    const impl::RawFile file = impl::agree_on_arrays(comm, caller, {path}, {{"", array}}, [&] {
        impl::check_processes(caller, comm, array);
        impl::check_field(caller, text("'", path, "'"), place.field, array);
        return impl::RawFile(caller, path, impl::RawFile::Mode::read);
    });
    impl::check_not_replaced(comm, caller, of_root);
    impl::read_npy_array(comm, caller, file, place, array, options,
                         impl::progress_of(options, {{"", array}}, 0));
}

} // namespace distview
