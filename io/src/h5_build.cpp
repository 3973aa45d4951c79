// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "h5_build.hpp"

#include "h5_attributes.hpp"

#include <distview/core/error.hpp>
#include <distview/core/text.hpp>

#include <hdf5_hl.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <numeric>
#include <optional>
#include <set>
#include <variant>

namespace distview::impl {

namespace {

/// Whether HDF5 keeps a name as it is: a path of groups and a name, none of them empty or ".".
bool is_path(const std::string& name) {
    for (std::size_t begin = 0; begin <= name.size();) {
        const std::size_t end = std::min(name.find('/', begin), name.size());
        const std::string part = name.substr(begin, end - begin);
        if (part.empty() || part == ".") return false;
        begin = end + 1;
    }
    return true;
}

/// Longer axes get no coordinates, since rank 0 alone writes coordinates.
constexpr std::int64_t most_coordinates = std::int64_t{1} << 22;
/// Data begin at page boundaries.
constexpr hsize_t page = 4096;

H5Id new_property_list(hid_t kind) { return {H5Pcreate(kind), H5Pclose}; }

/// Properties of an object that stores no times, so that the same call makes the same file at any time.
H5Id creation_properties(hid_t kind) {
    H5Id list = new_property_list(kind);
    (void)H5Pset_obj_track_times(list, false);
    return list;
}

H5Id new_group(const H5Calls& calls, hid_t parent, const std::string& name,
               const std::string& what) {
    return {calls.check(H5Gcreate2(parent, name.c_str(), H5P_DEFAULT,
                                   creation_properties(H5P_GROUP_CREATE), H5P_DEFAULT),
                        what),
            H5Gclose};
}

/// Makes the groups of the names before each '/' of `name`. HDF5's own (H5Pset_create_intermediate_group) store times.
void make_groups_of(const H5Calls& calls, hid_t file, const std::string& name,
                    const std::string& what) {
    for (auto end = name.find('/'); end != std::string::npos; end = name.find('/', end + 1)) {
        const std::string group = name.substr(0, end);
        if (H5Lexists(file, group.c_str(), H5P_DEFAULT) <= 0)
            (void)new_group(calls, file, group, what);
    }
}

H5Id space_of(const std::vector<std::int64_t>& extents, bool grows = false) {
    if (extents.empty()) return {H5Screate(H5S_SCALAR), H5Sclose};
    const std::vector<hsize_t> now = h5_extents(extents);
    std::vector<hsize_t> most = now;
    if (grows) most[0] = H5S_UNLIMITED;
    return {H5Screate_simple(static_cast<int>(now.size()), now.data(), most.data()), H5Sclose};
}

/// Whether a field has as many axes as the grid, so that its cells have positions.
bool lies_in(const std::optional<UniformGrid>& grid, const NewField& field) {
    return grid && grid->spacing.size() == field.shape.size();
}

/// The text by which netCDF readers recognise a dimension without coordinates.
std::string dimension_text(std::int64_t extent) {
    std::array<char, 80> characters{};
    std::snprintf(characters.data(), characters.size(),
                  "This is a netCDF dimension but not a netCDF variable.%10lld",
                  static_cast<long long>(extent));
    return characters.data();
}

} // namespace

std::vector<std::int64_t> chunk_extents(const std::vector<std::int64_t>& shape,
                                        std::int64_t element_bytes, std::int64_t most_bytes) {
    // A chunk has whole rows of one box of rows: consecutive bytes in file order.
    std::vector<std::int64_t> chunk(shape.size(), 1);
    std::int64_t bytes = element_bytes;
    for (std::size_t d = shape.size(); d-- > 0;) {
        const std::int64_t extent = std::max<std::int64_t>(shape[d], 1);
        chunk[d] = std::clamp<std::int64_t>(most_bytes / bytes, 1, extent);
        if (chunk[d] < extent) break;
        bytes *= extent;
    }
    return chunk;
}

bool is_on_grid(const UniformGrid& grid, const std::vector<std::int64_t>& shape,
                const std::vector<NewField>& fields) {
    for (const NewField& field : fields)
        if (field.shape.size() == grid.spacing.size() && field.shape.size() <= 3)
            return field.shape == shape;
    return false;
}

void check_text(const std::string& caller, const char* what, const std::string& value) {
    require<UsageError>(value.find('\0') == std::string::npos, [&] {
        return text(caller, ": expected ", what, " without NUL, got '", value.c_str(),
                    "' followed by NUL");
    });
}

void check_names(const std::string& caller, const std::vector<NamedArray>& arrays) {
    std::set<std::string> names;
    for (const NamedArray& each : arrays) {
        check_text(caller, "names of fields", each.name);
        const std::string first = each.name.substr(0, each.name.find('/'));
        const bool is_taken = first == checksum_group || first == vtk_group || first == time_name;
        require<UsageError>(is_path(each.name) && !is_taken, [&] {
            return text(caller, ": expected names of fields that are not empty, not '", time_name,
                        "', not in '", checksum_group, "' or '", vtk_group,
                        "', with no part between '/' that is empty or '.', got '", each.name, "'");
        });
        require<UsageError>(names.insert(each.name).second, [&] {
            return text(caller, ": expected different names of fields, got '", each.name,
                        "' twice");
        });
    }
    for (const std::string& name : names)
        for (std::size_t slash = name.find('/'); slash != std::string::npos;
             slash = name.find('/', slash + 1))
            require<UsageError>(!names.contains(name.substr(0, slash)), [&] {
                return text(
                    caller,
                    ": expected names of fields that are not the groups of other fields, got '",
                    name.substr(0, slash), "' and '", name, "'");
            });
}

void check_texts(const std::string& caller, const Attributes& attributes,
                 const std::vector<std::string>& axis_names) {
    for (const auto& [name, value] : attributes) {
        check_text(caller, "names of attributes", name);
        if (const auto* const characters = std::get_if<std::string>(&value))
            check_text(caller, "texts of attributes", *characters);
    }
    for (const std::string& name : axis_names) check_text(caller, "names of axes", name);
}

void check_axis_names(const std::string& caller, const std::vector<NamedArray>& arrays,
                      const std::vector<std::string>& axis_names) {
    std::set<std::string> datasets(axis_names.begin(), axis_names.end());
    datasets.insert(time_name);
    for (const NamedArray& each : arrays) datasets.insert(each.name);
    for (const std::string& name : axis_names) {
        const std::string first = name.substr(0, name.find('/'));
        bool can_be = is_path(name) && first != checksum_group && first != vtk_group;
        for (std::size_t slash = name.find('/'); slash != std::string::npos;
             slash = name.find('/', slash + 1))
            can_be = can_be && !datasets.contains(name.substr(0, slash));
        require<UsageError>(can_be, [&] {
            return text(
                caller, ": expected names of axes that are not empty, not in '", checksum_group,
                "', '", vtk_group, "', '", time_name,
                "', a field or another axis, with no part between '/' that is empty or '.', got '",
                name, "'");
        });
    }
}

H5Builder::H5Builder(const H5Calls& calls, const std::string& name, const Hdf5Options& options)
    : m_calls(calls), m_options(options) {
    const H5Id access = new_property_list(H5P_FILE_ACCESS);
    // In this format HDF5's own tables have checksums, and every release since 2008 can read it.
    (void)H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18);
    (void)H5Pset_alignment(access, 16 * page, page);
    const H5Id creation = creation_properties(H5P_FILE_CREATE);
    // netCDF needs the order in which objects were created.
    (void)H5Pset_link_creation_order(creation, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
    (void)H5Pset_attr_creation_order(creation, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
    m_file =
        H5Id(m_calls.check(H5Fcreate(name.c_str(), H5F_ACC_TRUNC, creation, access), "to write"),
             H5Fclose);
}

H5Id H5Builder::create_dataset(const std::string& name, const ElementType& element,
                               const std::vector<std::int64_t>& shape, bool has_steps,
                               bool is_compressed) {
    const std::string what = text("to make field '", name, "' in");
    const H5Id creation = creation_properties(H5P_DATASET_CREATE);
    // All ranks write into uncompressed datasets, so their space is allocated at once.
    if (!is_compressed) (void)H5Pset_alloc_time(creation, H5D_ALLOC_TIME_EARLY);
    (void)H5Pset_fill_time(creation, H5D_FILL_TIME_NEVER);
    (void)H5Pset_attr_creation_order(creation, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
    std::vector<std::int64_t> extents = shape;
    if (has_steps || is_compressed) {
        std::vector<std::int64_t> chunk = chunk_extents(
            shape, element.bytes, is_compressed ? compressed_chunk_bytes : most_chunk_bytes);
        if (has_steps) {
            chunk.insert(chunk.begin(), 1);
            extents.insert(extents.begin(), 0);
        }
        const std::vector<hsize_t> as_hsize = h5_extents(chunk);
        m_calls.check(H5Pset_chunk(creation, static_cast<int>(as_hsize.size()), as_hsize.data()),
                      what);
    }
    if (is_compressed) {
        m_calls.check(H5Pset_shuffle(creation), what);
        m_calls.check(H5Pset_deflate(creation, static_cast<unsigned>(m_options.compression)), what);
    }
    const H5Id type = h5_type(element);
    make_groups_of(m_calls, m_file, name, what);
    H5Id dataset(m_calls.check(H5Dcreate2(m_file, name.c_str(), type, space_of(extents, has_steps),
                                          H5P_DEFAULT, creation, H5P_DEFAULT),
                               what),
                 H5Dclose);
    return dataset;
}

void H5Builder::add_sums(NewField& field, bool has_steps) {
    if (field.blocks == 0) return;
    const std::string name = text(checksum_group, '/', field.name);
    const H5Id sums =
        create_dataset(name, {ElementKind::unsigned_integer, 8}, {field.blocks}, has_steps);
    write_attribute(m_calls, sums, "algorithm", std::string("xxh3_64"));
    write_attribute(m_calls, sums, "block_bytes", m_options.checksum_bytes);
    field.sums.extents = {field.blocks};
    field.sums.element_bytes = 8;
    if (!has_steps) field.sums.offset = static_cast<std::int64_t>(H5Dget_offset(sums));
}

void H5Builder::add_field(NewField& field) {
    const H5Id dataset =
        create_dataset(field.name, field.element, field.shape, false, field.is_compressed);
    field.stored.extents = field.shape;
    field.stored.element_bytes = field.element.bytes;
    if (!field.is_compressed)
        field.stored.offset = static_cast<std::int64_t>(H5Dget_offset(dataset));
    add_sums(field, false);
}

void H5Builder::add_series_field(NewField& field) {
    (void)create_dataset(field.name, field.element, field.shape, true, field.is_compressed);
    add_sums(field, true);
}

H5Id H5Builder::scale_of(int axis, const NewField& field) {
    const auto d = static_cast<std::size_t>(axis);
    const std::int64_t extent = field.shape[d];
    const AxisLayout* const layout = d < field.axes.size() ? &field.axes[d] : nullptr;
    const std::int64_t* const labels = layout && layout->type() == DistType::unstructured &&
                                               layout->as_unstructured().known_process() < 0 &&
                                               extent <= most_coordinates
                                           ? layout->as_unstructured().all_labels()
                                           : nullptr;
    const bool has_labels = labels != nullptr;
    const std::optional<UniformGrid>& grid = m_options.grid;
    const bool has_places = lies_in(grid, field) && !has_labels && extent <= most_coordinates;
    const auto known = std::find_if(m_scales.begin(), m_scales.end(), [&](const Scale& scale) {
        const bool is_like = scale.axis == axis && scale.extent == extent &&
                             scale.has_places == has_places && !scale.labels == !has_labels;
        return is_like && (!has_labels || std::equal(labels, labels + extent, scale.labels));
    });
    const std::string what = text("to make the axes of field '", field.name, "' in");
    if (known != m_scales.end())
        return {m_calls.check(H5Dopen2(m_file, known->name.c_str(), H5P_DEFAULT), what), H5Dclose};

    std::string name =
        d < m_options.axis_names.size() ? m_options.axis_names[d] : text("axis_", axis);
    if (H5Lexists(m_file, name.c_str(), H5P_DEFAULT) > 0) name += text('_', extent);
    while (H5Lexists(m_file, name.c_str(), H5P_DEFAULT) > 0) name += '_';
    m_scales.push_back({axis, extent, has_places, labels, name});

    const H5Id creation = creation_properties(H5P_DATASET_CREATE);
    (void)H5Pset_attr_creation_order(creation, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
    const hid_t type = has_places ? H5T_IEEE_F64LE : has_labels ? H5T_STD_I64LE : H5T_IEEE_F32BE;
    make_groups_of(m_calls, m_file, name, what);
    H5Id scale(m_calls.check(H5Dcreate2(m_file, name.c_str(), type, space_of({extent}), H5P_DEFAULT,
                                        creation, H5P_DEFAULT),
                             what),
               H5Dclose);
    if (has_places) {
        std::vector<double> places(static_cast<std::size_t>(extent));
        const double first = (grid->origin.empty() ? 0.0 : grid->origin[d]) +
                             (grid->on_points ? 0.0 : 0.5 * grid->spacing[d]);
        for (std::size_t i = 0; i < places.size(); ++i)
            places[i] = first + grid->spacing[d] * static_cast<double>(i);
        m_calls.check(
            H5Dwrite(scale, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, places.data()), what);
    } else if (has_labels) {
        m_calls.check(H5Dwrite(scale, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, labels),
                      what);
    }
    const bool has_values = has_places || has_labels;
    // H5Dclose() would not report a full disk.
    if (has_values) m_calls.check(H5Dflush(scale), what);
    m_calls.check(H5DSset_scale(scale, has_values ? name.c_str() : dimension_text(extent).c_str()),
                  what);
    return scale;
}

void H5Builder::add_axes(const std::vector<NewField>& fields, bool has_steps) {
    // Axes with coordinates get their names first, whatever the order of the fields.
    std::vector<NewField> in_order = fields;
    std::stable_partition(in_order.begin(), in_order.end(),
                          [&](const NewField& field) { return lies_in(m_options.grid, field); });
    for (const NewField& field : in_order) {
        const std::string what = text("to name the axes of field '", field.name, "' in");
        const H5Id dataset(m_calls.check(H5Dopen2(m_file, field.name.c_str(), H5P_DEFAULT), what),
                           H5Dclose);
        const auto attach = [&](hid_t scale, unsigned axis) {
            m_calls.check(H5DSattach_scale(dataset, scale, axis), what);
        };
        if (has_steps)
            attach(H5Id(m_calls.check(H5Dopen2(m_file, time_name, H5P_DEFAULT), what), H5Dclose),
                   0);
        for (std::size_t d = 0; d < field.shape.size(); ++d)
            attach(scale_of(static_cast<int>(d), field), static_cast<unsigned>(d) + has_steps);
    }
}

void H5Builder::add_grid(const std::vector<NewField>& fields, bool has_steps) {
    if (!m_options.grid) return;
    const UniformGrid& grid = *m_options.grid;
    const std::size_t axes = grid.spacing.size();
    const std::string what = "to make the group VTKHDF of";
    const H5Id group = new_group(m_calls, m_file, vtk_group, what);
    const char* const data = grid.on_points ? "PointData" : "CellData";
    const H5Id arrays = new_group(m_calls, group, data, what);
    std::vector<std::int64_t> extent(6, 0); // x, y, z; x is the last axis
    std::vector<double> origin(3, 0.0), spacing(3, 1.0);
    for (const NewField& field : fields) {
        if (!is_on_grid(grid, field.shape, fields)) continue;
        for (std::size_t d = 0; d < axes; ++d) {
            const std::size_t x = axes - 1 - d;
            extent[2 * x + 1] = field.shape[d] - (grid.on_points ? 1 : 0);
            spacing[x] = grid.spacing[d];
            origin[x] = grid.origin.empty() ? 0.0 : grid.origin[d];
        }
        std::string name = field.name;
        std::replace(name.begin(), name.end(), '/', '_');
        m_calls.check(H5Lcreate_hard(m_file, field.name.c_str(), arrays, name.c_str(), H5P_DEFAULT,
                                     H5P_DEFAULT),
                      what);
    }
    write_fixed_text(m_calls, group, "Type", "ImageData");
    write_attribute(m_calls, group, "Version", std::vector<std::int64_t>{has_steps ? 2 : 1, 0});
    write_attribute(m_calls, group, "WholeExtent", extent);
    write_attribute(m_calls, group, "Origin", origin);
    write_attribute(m_calls, group, "Spacing", spacing);
    write_attribute(m_calls, group, "Direction", std::vector<double>{1, 0, 0, 0, 1, 0, 0, 0, 1});
    if (!has_steps) return;
    const H5Id steps = new_group(m_calls, group, "Steps", what);
    write_attribute(m_calls, steps, "NSteps", std::int64_t{0});
    m_calls.check(H5Lcreate_hard(m_file, time_name, steps, "Values", H5P_DEFAULT, H5P_DEFAULT),
                  what);
}

void H5Builder::add_times() {
    const H5Id times = create_dataset(time_name, {ElementKind::floating_point, 8}, {}, true);
    m_calls.check(H5DSset_scale(times, time_name), "to make the times of");
}

void H5Builder::add_attributes(const Attributes& attributes) {
    for (const auto& [name, value] : attributes) write_attribute(m_calls, m_file, name, value);
}

void H5Builder::close() {
    if (m_file.reset() < 0) m_calls.fail("to write");
}

} // namespace distview::impl
