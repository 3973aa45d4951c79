// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/io/hdf5.hpp>

#include "check_field.hpp"
#include "checksum.hpp"
#include "h5_attributes.hpp"
#include "h5_build.hpp"
#include "h5_compress.hpp"
#include "h5_fields.hpp"
#include "h5_open.hpp"
#include "new_file.hpp"

#include <distview/comm/agreement.hpp>
#include <distview/comm/collectives.hpp>
#include <distview/core/error.hpp>
#include <distview/core/text.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace distview {

namespace impl {

std::vector<int> plain_order(int rank) {
    std::vector<int> order(static_cast<std::size_t>(rank));
    std::iota(order.begin(), order.end(), 0);
    return order;
}

Hdf5Options options_of_root(const Communicator& comm, Hdf5Options options) {
    take_from_root(comm, options.checksum_bytes, options.compression, options.buffer_bytes,
                   options.sync);
    if (comm.rank() != 0) options.grid.reset(); // so that it is not even checked
    return options;
}

namespace {
bool can_compress() {
    const H5Turn turn;
    return H5Zfilter_avail(H5Z_FILTER_DEFLATE) > 0;
}
} // namespace

void check_arrays(const std::string& caller, const Communicator& comm,
                  const std::vector<NamedArray>& arrays, const Hdf5Options& options) {
    for (const NamedArray& each : arrays) check_processes(caller, comm, each.array);
    check_names(caller, arrays);
    require<UsageError>(options.checksum_bytes >= 0 && options.buffer_bytes > 0, [&] {
        return text(caller, ": expected checksum_bytes >= 0 and buffer_bytes > 0, got ",
                    options.checksum_bytes, " and ", options.buffer_bytes);
    });
    require<UsageError>(options.compression >= 0 && options.compression <= 9, [&] {
        return text(caller, ": expected a compression of 0 (none) to 9, got ", options.compression);
    });
    require<UsageError>(options.compression == 0 || can_compress(), [&] {
        return text(caller, ": expected a compression of 0, got ", options.compression,
                    ": the HDF5 library of this build has no zlib");
    });
    if (!options.grid) return;
    const std::size_t axes = options.grid->spacing.size();
    require<UsageError>(axes >= 1 && axes <= 3 &&
                            (options.grid->origin.empty() || options.grid->origin.size() == axes),
                        [&] {
                            return text(
                                caller,
                                ": expected a grid with one to three spacings, and an origin that "
                                "is empty or has as many numbers, got ",
                                axes, " and ", options.grid->origin.size());
                        });
    for (const double spacing : options.grid->spacing)
        require<UsageError>(std::isfinite(spacing) && spacing > 0, [&] {
            return text(caller, ": expected a grid with finite spacings above 0, got ", spacing);
        });
    const bool is_of_one = std::any_of(arrays.begin(), arrays.end(), [&](const NamedArray& each) {
        return each.array.rank() == static_cast<int>(axes);
    });
    require<UsageError>(arrays.empty() || is_of_one, [&] {
        return text(caller, ": expected a grid with as many spacings as an array has axes, got ",
                    axes, " for '", arrays[0].name, "' with ", arrays[0].array.rank(), " axes");
    });
    // VTK shows "flow/u" as "flow_u".
    std::map<std::string, std::string> shown;
    std::optional<std::vector<std::int64_t>> shape;
    for (const NamedArray& each : arrays) {
        if (each.array.rank() != static_cast<int>(axes)) continue;
        if (!shape) shape = shape_of(each.array);
        if (shape_of(each.array) != *shape) continue;
        std::string name = each.name;
        std::replace(name.begin(), name.end(), '/', '_');
        const auto [place, is_new] = shown.insert({name, each.name});
        require<UsageError>(is_new, [&] {
            return text(caller,
                        ": expected names of fields on a grid that stay different when '/' is "
                        "replaced by '_', got '",
                        place->second, "' and '", each.name, "'");
        });
    }
}

std::vector<NewField> new_fields(const std::vector<NamedArray>& arrays,
                                 const Hdf5Options& options) {
    std::vector<NewField> fields;
    for (const NamedArray& each : arrays) {
        NewField field;
        field.name = each.name;
        field.element = each.array.section().element;
        field.shape = shape_of(each.array);
        for (int d = 0; d < each.array.rank(); ++d)
            field.axes.push_back(each.array.layout().axis(d));
        std::int64_t bytes = field.element.bytes;
        for (const std::int64_t extent : field.shape) bytes *= extent;
        // HDF5 chunks need arrays with axes and elements.
        field.is_compressed = options.compression > 0 && bytes > 0 && !field.shape.empty();
        if (options.checksum_bytes > 0) {
            Blocks blocks;
            blocks.block_bytes = options.checksum_bytes;
            field.blocks = blocks.count(bytes);
        }
        fields.push_back(std::move(field));
    }
    return fields;
}

Transfer transfer_of(const std::string& caller, const std::vector<NamedArray>& arrays,
                     std::size_t number, const FileOptions& options) {
    const NamedArray& named = arrays[number];
    Transfer transfer;
    transfer.caller = caller;
    transfer.what = text("field '", named.name, "'");
    transfer.permutation = plain_order(named.array.rank());
    transfer.buffer_bytes = options.buffer_bytes;
    transfer.progress = progress_of(options, arrays, number);
    return transfer;
}

std::vector<std::uint64_t> write_field(const Communicator& comm, const std::string& caller,
                                       const std::vector<NamedArray>& arrays, std::size_t number,
                                       const RawFile& file, const NewField& field,
                                       std::int64_t step, const Hdf5Options& options) {
    Transfer transfer = transfer_of(caller, arrays, number, options);
    if (options.checksum_bytes > 0) {
        transfer.blocks.block_bytes = options.checksum_bytes;
        transfer.blocks.hash = &xxh3;
    }
    const RawFile scratch =
        field.is_compressed ? make_scratch_file(comm, caller, file.path()) : RawFile();
    const RawFile& target = field.is_compressed ? scratch : file;
    write_array(comm, arrays[number].array, target, field.stored, transfer);
    std::vector<std::uint64_t> sums;
    if (field.blocks > 0) {
        // Ranks now read bytes that other ranks have written.
        if (options.sync) agree_on(comm, caller.c_str(), [&] { target.sync(); });
        sums = finish_blocks(comm, target, field.stored, transfer.blocks, caller, transfer.what);
    }
    if (field.is_compressed)
        agree_on(comm, caller.c_str(), [&] {
            if (comm.rank() == 0)
                write_compressed(H5Calls(caller, file.path()), field, step, scratch);
        });
    return sums;
}

void read_field(const Communicator& comm, const H5Calls& calls, const OpenField& open,
                std::int64_t step, const std::vector<NamedArray>& arrays, std::size_t number,
                const FileOptions& options, const RawFile& of_root) {
    const NamedArray& named = arrays[number];
    Transfer transfer = transfer_of(calls.caller(), arrays, number, options);
    transfer.blocks.expected = open.sums;
    if (open.block_bytes > 0) {
        transfer.blocks.block_bytes = open.block_bytes;
        transfer.blocks.step_bytes = open.step_bytes;
        transfer.blocks.hash_of_pieces = &xxh3_of_pieces;
    }
    StoredArray stored;
    stored.extents = shape_of(named.array);
    stored.element_bytes = open.field.element.bytes;
    stored.offset = open.offset;
    RawFile file;
    const std::unique_ptr<ByteSource> source =
        agree_on(comm, calls.caller().c_str(), [&]() -> std::unique_ptr<ByteSource> {
            const H5Turn turn;
            if (!open.is_plain || step >= 0) return std::make_unique<H5Source>(calls, open, step);
            file = RawFile(calls.caller(), calls.path(), RawFile::Mode::read);
            return std::make_unique<RawSource>(file, stored, transfer.what);
        });
    check_not_replaced(comm, calls.caller(), of_root);
    read_array(comm, named.array, *source, stored, transfer,
               text(transfer.what, step >= 0 ? text(", step ", step, ',') : "", " of '",
                    calls.path(), '\''));
}

} // namespace impl

bool has_hdf5() noexcept { return true; }

void save_hdf5(const Communicator& comm, const std::string& path,
               const std::vector<NamedArray>& arrays, const Attributes& attributes,
               const Hdf5Options& options) {
    impl::save_fields(comm, "save_hdf5", path, arrays, attributes, options, 1);
}

void impl::save_fields(const Communicator& comm, const std::string& caller, const std::string& path,
                       const std::vector<NamedArray>& arrays, const Attributes& attributes,
                       const Hdf5Options& given, int keep) {
    const CollectiveCall call(comm, caller);
    const Hdf5Options options = impl::options_of_root(comm, given);
    impl::agree_on_arrays(comm, caller, {path}, arrays, [&] {
        impl::check_arrays(caller, comm, arrays, options);
        if (comm.rank() != 0) return;
        impl::check_texts(caller, attributes, options.axis_names);
        impl::check_axis_names(caller, arrays, options.axis_names);
    });
    std::vector<impl::NewField> fields = impl::new_fields(arrays, options);

    impl::NewFile file(comm, caller, path);
    file.make([&](const std::string& name) {
        const impl::H5Turn turn;
        const impl::H5Calls calls(caller, name);
        // Tried first, for the system's reason if the file cannot be created.
        impl::RawFile(caller, name, impl::RawFile::Mode::create).close();
        impl::H5Builder builder(calls, name, options);
        for (impl::NewField& field : fields) builder.add_field(field);
        builder.add_axes(fields, false);
        builder.add_grid(fields, false);
        builder.add_attributes(attributes);
        builder.close();
    });
    impl::from_root(
        comm, caller,
        [&] {
            impl::Packed packed;
            for (const impl::NewField& field : fields) packed.put(field.stored.offset);
            return packed;
        },
        [&](impl::Packed& packed) {
            for (impl::NewField& field : fields) {
                field.stored.extents = field.shape;
                field.stored.element_bytes = field.element.bytes;
                field.stored.offset = packed.get<std::int64_t>();
            }
        });

    for (std::size_t f = 0; f < fields.size(); ++f) {
        const impl::NewField& field = fields[f];
        const std::vector<std::uint64_t> sums =
            impl::write_field(comm, caller, arrays, f, file.file(), field, -1, options);
        agree_on(comm, caller.c_str(), [&] {
            if (comm.rank() == 0 && !sums.empty())
                field.sums.write(file.file(), 0, field.sums.bytes(), sums.data(),
                                 text("checksums of field '", field.name, "'"));
        });
    }
    file.commit(options.sync, keep);
}

Hdf5Contents inspect_hdf5(const Communicator& comm, const std::string& path) {
    const std::string caller = "inspect_hdf5";
    const CollectiveCall call(comm, caller);
    impl::agree_on_arrays(comm, caller, {path}, {}, [] {});
    return impl::from_root(
        comm, caller,
        [&] {
            const impl::H5Turn turn;
            const impl::H5Calls calls(caller, path);
            const impl::H5Id file = impl::open_h5_file(calls);
            impl::Packed found;
            const std::vector<StoredField> fields = impl::list_fields(calls, file);
            found.put(static_cast<std::int64_t>(fields.size()));
            for (const StoredField& field : fields)
                found.put(field.name).put(field.element).put(field.shape);
            impl::put_attributes(found, impl::read_attributes(calls, file));
            found.put(impl::read_times(calls, file));
            return found;
        },
        [](impl::Packed& packed) {
            Hdf5Contents contents;
            contents.fields.resize(static_cast<std::size_t>(packed.get<std::int64_t>()));
            for (StoredField& field : contents.fields) {
                field.name = packed.get<std::string>();
                field.element = packed.get<ElementType>();
                field.shape = packed.get_all<std::int64_t>();
            }
            contents.attributes = impl::get_attributes(packed);
            contents.times = packed.get_all<double>();
            return contents;
        });
}

void load_hdf5(const Communicator& comm, const std::string& path,
               const std::vector<NamedArray>& arrays, const FileOptions& options) {
    const CollectiveCall call(comm, "load_hdf5");
    impl::load_fields(comm, impl::H5Calls("load_hdf5", path), arrays, -1, options);
}

namespace impl {

namespace {

/// Throws unless an array can hold a field, or the field's step if `step` is not -1. All ranks pass equal shapes.
void check_open_field(const H5Calls& calls, StoredField field, std::int64_t step,
                      const AnyDistView& array) {
    const std::string where = text("field '", field.name, "' of '", calls.path(), '\'');
    if (step >= 0) {
        require<UsageError>(!field.shape.empty() && step < field.shape[0], [&] {
            return text(calls.caller(), ": expected a step below ",
                        field.shape.empty() ? 0 : field.shape[0], " of ", where, ", got ", step);
        });
        field.shape.erase(field.shape.begin());
    }
    check_field(calls.caller(), where, field, array);
}

} // namespace

void load_fields(const Communicator& comm, const H5Calls& calls,
                 const std::vector<NamedArray>& arrays, std::int64_t step, const FileOptions& given,
                 RawFile of_root) {
    const FileOptions options = options_of_root(comm, given);
    agree_on_arrays(
        comm, calls.caller(), {calls.path(), step}, arrays,
        [&] {
            for (const NamedArray& each : arrays) {
                check_processes(calls.caller(), comm, each.array);
                check_text(calls.caller(), "names of fields", each.name);
            }
        },
        Names::of_all);
    const std::vector<OpenField> fields = from_root(
        comm, calls.caller(),
        [&] {
            if (!of_root.is_open())
                of_root = RawFile(calls.caller(), calls.path(), RawFile::Mode::read);
            const H5Turn turn;
            const H5Id file = open_h5_file(calls);
            std::vector<OpenField> found;
            for (const NamedArray& each : arrays)
                found.push_back(look_at_field(calls, file, each.name));
            for (std::size_t f = 0; f < arrays.size(); ++f)
                check_open_field(calls, found[f].field, step, arrays[f].array);
            Packed packed;
            for (OpenField& open : found) {
                look_at_sums(calls, file, open, step);
                open.put(packed);
            }
            return packed;
        },
        [&](Packed& packed) {
            std::vector<OpenField> found;
            for (std::size_t f = 0; f < arrays.size(); ++f) found.push_back(OpenField::get(packed));
            return found;
        });
    for (std::size_t f = 0; f < arrays.size(); ++f)
        read_field(comm, calls, fields[f], step, arrays, f, options, of_root);
}

} // namespace impl

} // namespace distview
