// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/io/hdf5_series.hpp>

#include "check_field.hpp"
#include "h5_attributes.hpp"
#include "h5_fields.hpp"
#include "new_file.hpp"

#include <distview/comm/agreement.hpp>
#include <distview/core/error.hpp>
#include <distview/core/text.hpp>

#include <algorithm>
#include <utility>

namespace distview {

namespace {

constexpr const char* series_name = "Hdf5Series";

using H5Extents = std::vector<hsize_t>;

/// Extends a dataset to `steps` steps and allocates the last step's space in the file. Bytes that a failed append() has
/// left beyond the other steps are removed first: they may have no space allocated.
void extend(const impl::H5Calls& calls, hid_t file, const std::string& dataset_name,
            std::int64_t steps, const std::vector<std::int64_t>& shape) {
    const std::string what = text("to append to '", dataset_name, "' of");
    impl::H5Id dataset(calls.check(H5Dopen2(file, dataset_name.c_str(), H5P_DEFAULT), what),
                       H5Dclose);
    H5Extents extents = impl::h5_extents(shape);
    extents.insert(extents.begin(), static_cast<hsize_t>(steps - 1));
    calls.check(H5Dset_extent(dataset, extents.data()), what);
    extents[0] = static_cast<hsize_t>(steps);
    calls.check(H5Dset_extent(dataset, extents.data()), what);
    calls.check(dataset.reset(), what);
}

/// Bytes that a step of a field occupies: the last chunks along its axes are as large as the others.
std::int64_t step_bytes(const impl::NewField& field) {
    const std::vector<std::int64_t> chunk =
        impl::chunk_extents(field.shape, field.element.bytes, impl::most_chunk_bytes);
    std::int64_t bytes = field.element.bytes;
    for (std::size_t d = 0; d < chunk.size(); ++d)
        bytes *= (field.shape[d] + chunk[d] - 1) / chunk[d] * chunk[d];
    return bytes;
}

/// Finds the positions of a step's chunks in the file: boxes of whole rows, as chunk_extents() cuts them.
void find_chunks(const impl::H5Calls& calls, hid_t file, impl::NewField& field, std::int64_t step) {
    const std::string what = text("the place of field '", field.name, "' in");
    const impl::H5Id dataset(calls.check(H5Dopen2(file, field.name.c_str(), H5P_DEFAULT), what),
                             H5Dclose);
    const impl::H5Id creation(H5Dget_create_plist(dataset), H5Pclose);
    const std::size_t axes = field.shape.size();
    H5Extents chunk(axes + 1);
    calls.check(H5Pget_chunk(creation, static_cast<int>(axes + 1), chunk.data()), what);
    impl::StoredArray& stored = field.stored;
    stored.chunk_bytes = stored.row_bytes = field.element.bytes;
    for (std::size_t d = axes; d >= 1; --d) {
        stored.chunk_bytes *= static_cast<std::int64_t>(chunk[d]);
        stored.row_bytes *= field.shape[d - 1];
        if (static_cast<std::int64_t>(chunk[d]) < field.shape[d - 1]) break;
    }
    H5Extents at(axes + 1, 0);
    at[0] = static_cast<hsize_t>(step);
    for (bool more = true; more;) {
        unsigned mask = 0;
        haddr_t address = HADDR_UNDEF;
        hsize_t bytes = 0;
        calls.check(H5Dget_chunk_info_by_coord(dataset, at.data(), &mask, &address, &bytes), what);
        if (address == HADDR_UNDEF) calls.fail(what);
        stored.chunks.push_back(static_cast<std::int64_t>(address));
        more = false;
        for (std::size_t d = axes; d >= 1 && !more; --d) {
            at[d] += chunk[d];
            more = at[d] < static_cast<hsize_t>(field.shape[d - 1]);
            if (!more) at[d] = 0;
        }
    }
}

void write_row(const impl::H5Calls& calls, hid_t file, const std::string& dataset_name, hid_t type,
               std::int64_t step, std::int64_t count, bool has_axis, const void* values) {
    const std::string what = text("to write '", dataset_name, "' of");
    impl::H5Id dataset(calls.check(H5Dopen2(file, dataset_name.c_str(), H5P_DEFAULT), what),
                       H5Dclose);
    const impl::H5Id space(H5Dget_space(dataset), H5Sclose);
    H5Extents begin{static_cast<hsize_t>(step)}, extent{1};
    if (has_axis) {
        begin.push_back(0);
        extent.push_back(static_cast<hsize_t>(count));
    }
    calls.check(
        H5Sselect_hyperslab(space, H5S_SELECT_SET, begin.data(), nullptr, extent.data(), nullptr),
        what);
    const auto in_memory = static_cast<hsize_t>(count);
    const impl::H5Id memory(H5Screate_simple(1, &in_memory, nullptr), H5Sclose);
    calls.check(H5Dwrite(dataset, type, memory, space, H5P_DEFAULT, values), what);
    calls.check(dataset.reset(), what); // closing writes the bytes that HDF5 holds
}

void count_steps(const impl::H5Calls& calls, hid_t file, std::int64_t steps) {
    const std::string path = text(impl::vtk_group, "/Steps");
    const impl::H5Id group(calls.check(H5Gopen2(file, path.c_str(), H5P_DEFAULT), "the steps of"),
                           H5Gclose);
    const impl::H5Id attribute = impl::open_number(calls, group, "NSteps", "the steps of");
    calls.check(H5Awrite(attribute, H5T_NATIVE_INT64, &steps), "to count the steps of");
}

void close(const impl::H5Calls& calls, impl::H5Id& file) {
    if (file.reset() < 0) calls.fail("to write");
}

} // namespace

Hdf5Series::Hdf5Series(const Communicator& comm, const std::string& path,
                       const std::vector<NamedArray>& arrays, const Attributes& attributes,
                       const Hdf5Options& options)
    : m_comm(comm), m_path(path) {
    const CollectiveCall call(comm, series_name);
    m_options = impl::options_of_root(comm, options);
    impl::agree_on_arrays(comm, series_name, {path}, arrays, [&] {
        impl::check_arrays(series_name, comm, arrays, m_options);
        if (comm.rank() != 0) return;
        impl::check_texts(series_name, attributes, m_options.axis_names);
        impl::check_axis_names(series_name, arrays, m_options.axis_names);
    });
    for (const NamedArray& each : arrays)
        m_fields.push_back(
            {each.name, each.array.section().element, impl::shape_of(each.array), false});
    impl::NewFile file(comm, series_name, path);
    file.make([&](const std::string& temporary) {
        const impl::H5Turn turn;
        const impl::H5Calls calls(series_name, temporary);
        impl::RawFile(series_name, temporary, impl::RawFile::Mode::create).close();
        impl::H5Builder builder(calls, temporary, m_options);
        std::vector<impl::NewField> fields = impl::new_fields(arrays, m_options);
        builder.add_times();
        for (impl::NewField& field : fields) builder.add_series_field(field);
        builder.add_axes(fields, true);
        builder.add_grid(fields, true);
        builder.add_attributes(attributes);
        builder.close();
    });
    file.commit(m_options.sync);
}

void Hdf5Series::check(const std::vector<NamedArray>& arrays) const {
    impl::check_arrays(series_name, m_comm, arrays, m_options);
    require<UsageError>(arrays.size() == m_fields.size(), [&] {
        return text(series_name, ": expected ", m_fields.size(),
                    " arrays, as at construction, got ", arrays.size());
    });
    for (std::size_t f = 0; f < arrays.size(); ++f) {
        require<UsageError>(arrays[f].name == m_fields[f].name, [&] {
            return text(series_name, ": expected the array '", m_fields[f].name,
                        "', as at construction, got '", arrays[f].name, "'");
        });
        impl::check_field(series_name, text("the field '", arrays[f].name, "' of '", m_path, '\''),
                          m_fields[f], arrays[f].array);
    }
}

void Hdf5Series::append(double time, const std::vector<NamedArray>& arrays) {
    const CollectiveCall call(m_comm, series_name);
    impl::agree_on_arrays(m_comm, series_name, {m_path}, arrays, [&] { check(arrays); });
    std::vector<impl::NewField> fields = impl::new_fields(arrays, m_options);
    for (impl::NewField& field : fields) {
        field.stored.extents = field.shape;
        field.stored.element_bytes = field.element.bytes;
    }
    const impl::H5Calls calls(series_name, m_path);
    impl::from_root(
        m_comm, series_name,
        [&] {
            const impl::H5Turn turn;
            std::int64_t growth = 0;
            for (const impl::NewField& field : fields)
                growth += field.blocks * 8 + (field.is_compressed ? 0 : step_bytes(field));
            // Datasets of elements, datasets of checksums, and the times.
            const impl::ReservedRoom room(calls, growth, 2 * fields.size() + 1);
            impl::H5Id file = impl::open_h5_file(calls, true);
            impl::Packed packed;
            for (impl::NewField& field : fields) {
                if (field.blocks > 0)
                    extend(calls, file, text(impl::checksum_group, '/', field.name), m_steps + 1,
                           {field.blocks});
                extend(calls, file, field.name, m_steps + 1, field.shape);
                impl::StoredArray& stored = field.stored;
                if (stored.elements() > 0 && !field.is_compressed)
                    find_chunks(calls, file, field, m_steps);
                packed.put(stored.chunks).put(stored.chunk_bytes).put(stored.row_bytes);
            }
            close(calls, file);
            return packed;
        },
        [&](impl::Packed& packed) {
            for (impl::NewField& field : fields) {
                field.stored.chunks = packed.get_all<std::int64_t>();
                field.stored.chunk_bytes = packed.get<std::int64_t>();
                field.stored.row_bytes = packed.get<std::int64_t>();
            }
        });
    impl::RawFile raw = agree_on(m_comm, series_name, [&] {
        return impl::RawFile(series_name, m_path, impl::RawFile::Mode::write);
    });
    std::vector<std::vector<std::uint64_t>> sums;
    for (std::size_t f = 0; f < fields.size(); ++f)
        sums.push_back(
            impl::write_field(m_comm, series_name, arrays, f, raw, fields[f], m_steps, m_options));
    agree_on(m_comm, series_name, [&] {
        // The elements must be on the disk before the time, which makes the step count.
        if (m_options.sync) raw.sync();
        raw.close();
    });
    agree_on(m_comm, series_name, [&] {
        if (m_comm.rank() != 0) return;
        const impl::H5Turn turn;
        const impl::ReservedRoom room(calls, 0, fields.size() + 1);
        impl::H5Id file = impl::open_h5_file(calls, true);
        for (std::size_t f = 0; f < fields.size(); ++f)
            if (fields[f].blocks > 0)
                write_row(calls, file, text(impl::checksum_group, '/', fields[f].name),
                          H5T_NATIVE_UINT64, m_steps, fields[f].blocks, true, sums[f].data());
        extend(calls, file, impl::time_name, m_steps + 1, {});
        write_row(calls, file, impl::time_name, H5T_NATIVE_DOUBLE, m_steps, 1, false, &time);
        if (m_options.grid) count_steps(calls, file, m_steps + 1);
        close(calls, file);
        // The time, which makes the step count, and the checksums must be on the disk as well.
        if (m_options.sync) impl::RawFile(series_name, m_path, impl::RawFile::Mode::write).sync();
    });
    ++m_steps;
}

void load_hdf5_step(const Communicator& comm, const std::string& path, std::int64_t step,
                    const std::vector<NamedArray>& arrays, const FileOptions& options) {
    const CollectiveCall call(comm, "load_hdf5_step");
    agree_on(comm, "load_hdf5_step", [&] {
        require<UsageError>(step >= 0, [&] {
            return text("load_hdf5_step: expected a step of at least 0, got ", step);
        });
    });
    impl::load_fields(comm, impl::H5Calls("load_hdf5_step", path), arrays, step, options);
}

} // namespace distview
