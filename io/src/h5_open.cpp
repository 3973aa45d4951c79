// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "h5_open.hpp"

#include "damage.hpp"
#include "h5_build.hpp"

#include <distview/core/error.hpp>
#include <distview/core/text.hpp>

#include <hdf5_hl.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <limits>
#include <optional>

namespace distview::impl {

void OpenField::put(Packed& packed) const {
    packed.put(field.name).put(field.element).put(field.shape).put(is_plain).put(offset);
    packed.put(block_bytes).put(step_bytes).put(sums);
}

OpenField OpenField::get(Packed& packed) {
    OpenField result;
    result.field.name = packed.get<std::string>();
    result.field.element = packed.get<ElementType>();
    result.field.shape = packed.get_all<std::int64_t>();
    result.is_plain = packed.get<bool>();
    result.offset = packed.get<std::int64_t>();
    result.block_bytes = packed.get<std::int64_t>();
    result.step_bytes = packed.get<std::int64_t>();
    result.sums = packed.get_all<std::uint64_t>();
    return result;
}

H5Id open_h5_file(const H5Calls& calls, bool writable) {
    // The system's reasons (no such file, no permission, a folder) are plainer than HDF5's.
    const RawFile file(calls.caller(), calls.path(),
                       writable ? RawFile::Mode::write : RawFile::Mode::read);
    const H5Id access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
#if H5_VERSION_GE(1, 14, 0)
    // Without this, files on file systems without locks could not be read.
    (void)H5Pset_file_locking(access, writable, true);
#endif
    const hid_t opened =
        H5Fopen(calls.path().c_str(), writable ? H5F_ACC_RDWR : H5F_ACC_RDONLY, access);
    const bool is_locked =
        opened < 0 && writable && h5_reason().find("unable to lock file") != std::string::npos;
    require<Error>(!is_locked, [&] {
        return text(calls.caller(), ": expected to write '", calls.path(),
                    "', got a file that another program has opened and locked; programs started "
                    "with HDF5_USE_FILE_LOCKING=FALSE do not lock it");
    });
    return {calls.check(opened, "an HDF5 file in"), H5Fclose};
}

ReservedRoom::ReservedRoom(const H5Calls& calls, std::int64_t growth, std::size_t datasets)
    : m_file(calls.caller(), calls.path(), RawFile::Mode::write) {
    // Maximum growth of a dataset's tables in one step, and of the file's own tables.
    constexpr std::int64_t table_bytes = 1 << 15;
    m_is_reserved = m_file.reserve(growth + table_bytes * static_cast<std::int64_t>(datasets + 1));
}

ReservedRoom::~ReservedRoom() {
    if (m_is_reserved) m_file.give_back();
}

namespace {

/// Whether a dataset has neither elements nor extents, as created by h5py.Empty.
bool is_null(hid_t dataset) {
    const H5Id space(H5Dget_space(dataset), H5Sclose);
    return H5Sget_simple_extent_type(space) == H5S_NULL;
}

std::vector<std::int64_t> extents_of(hid_t dataset) {
    const H5Id space(H5Dget_space(dataset), H5Sclose);
    std::vector<hsize_t> extents(
        static_cast<std::size_t>(std::max(H5Sget_simple_extent_ndims(space), 0)));
    if (!extents.empty()) (void)H5Sget_simple_extent_dims(space, extents.data(), nullptr);
    // Files may claim extents beyond 64-bit indices; no array has that many elements.
    constexpr hsize_t most = std::numeric_limits<std::int64_t>::max();
    for (hsize_t& extent : extents) extent = std::min(extent, most);
    return {extents.begin(), extents.end()};
}

/// The product, if 64 bits hold it.
std::optional<std::int64_t> product_of(const std::vector<std::int64_t>& factors) {
    std::int64_t product = 1;
    for (const std::int64_t factor : factors)
        if (__builtin_mul_overflow(product, factor, &product)) return std::nullopt;
    return product;
}

/// Throws DamageError if a dataset that is about to be read as a whole claims more elements than its storage can hold.
void check_stored(const H5Calls& calls, hid_t dataset, const std::string& what) {
    std::vector<std::int64_t> factors = extents_of(dataset);
    factors.push_back(static_cast<std::int64_t>(H5Tget_size(H5Id(H5Dget_type(dataset), H5Tclose))));
    const std::optional<std::int64_t> bytes = product_of(factors);
    // Data that were never written have no storage: up to this size the claim is trusted.
    constexpr std::int64_t trusted = std::int64_t{1} << 26;
    if (bytes && *bytes <= trusted) return;
    // Deflate compresses at most by this factor.
    constexpr std::int64_t most_per_byte = 1032;
    const H5Id file(H5Iget_file_id(dataset), H5Fclose);
    hsize_t stored = 0;
    (void)H5Fget_filesize(file, &stored);
    stored = std::min(stored, H5Dget_storage_size(dataset));
    require<DamageError>(bytes && static_cast<hsize_t>(*bytes / most_per_byte) <= stored, [&] {
        factors.pop_back();
        return text(calls.caller(), ": expected ", what, " '", calls.path(),
                    "' to have at most as many elements as the stored bytes can hold, got extents ",
                    tuple_text(factors), " in ", stored, " bytes");
    });
}

/// The extents of a field. In a film only steps with a time count: a killed writer may have begun another step.
std::vector<std::int64_t> extents_of_field(hid_t file, hid_t dataset) {
    std::vector<std::int64_t> extents = extents_of(dataset);
    if (extents.empty() || H5Lexists(file, time_name, H5P_DEFAULT) <= 0) return extents;
    const H5Id times(H5Dopen2(file, time_name, H5P_DEFAULT), H5Dclose);
    if (times < 0 || H5DSis_scale(times) <= 0 || H5DSis_attached(dataset, times, 0) <= 0)
        return extents;
    const std::vector<std::int64_t> steps = extents_of(times);
    if (steps.size() == 1) extents[0] = std::min(extents[0], steps[0]);
    return extents;
}

/// Whether a dataset's bytes are in this file, and not in one that it links to.
bool is_in_file(hid_t file, hid_t dataset) {
    H5O_info2_t of_file{}, of_dataset{};
    return H5Oget_info3(file, &of_file, H5O_INFO_BASIC) >= 0 &&
           H5Oget_info3(dataset, &of_dataset, H5O_INFO_BASIC) >= 0 &&
           of_file.fileno == of_dataset.fileno;
}

} // namespace

H5Id open_number(const H5Calls& calls, hid_t object, const char* name, const std::string& what) {
    H5Id attribute(calls.check(H5Aopen(object, name, H5P_DEFAULT), what), H5Aclose);
    const hssize_t count = H5Sget_simple_extent_npoints(H5Id(H5Aget_space(attribute), H5Sclose));
    require<DamageError>(count == 1, [&] {
        return text(calls.caller(), ": expected ", what, " '", calls.path(),
                    "' with one number as '", name, "', got ", count);
    });
    return attribute;
}

void look_at_sums(const H5Calls& calls, hid_t file, OpenField& open, std::int64_t step) {
    // A step that does not exist has no checksums.
    if (step >= 0 && (open.field.shape.empty() || step >= open.field.shape[0])) return;
    const std::string name = text(checksum_group, '/', open.field.name);
    // Names are looked up group by group, since a missing name is no error.
    for (std::size_t slash = name.find('/'); slash != std::string::npos;
         slash = name.find('/', slash + 1))
        if (H5Lexists(file, name.substr(0, slash).c_str(), H5P_DEFAULT) <= 0) return;
    if (H5Lexists(file, name.c_str(), H5P_DEFAULT) <= 0) return;
    const std::string what = text("the checksums of field '", open.field.name, "' in");
    const H5Id dataset(calls.check(H5Dopen2(file, name.c_str(), H5P_DEFAULT), what), H5Dclose);
    calls.check(H5Aread(open_number(calls, dataset, "block_bytes", what), H5T_NATIVE_INT64,
                        &open.block_bytes),
                what);
    const std::vector<std::int64_t> extents = extents_of(dataset);
    if (step >= 0 && extents.size() == 1) { // of the whole array: its first axis is no series
        open.block_bytes = 0;
        return;
    }
    const bool has_steps = extents.size() == 2;
    std::vector<std::int64_t> factors = open.field.shape;
    if (has_steps && !factors.empty()) factors.erase(factors.begin());
    factors.push_back(open.field.element.bytes);
    const std::int64_t bytes = product_of(factors).value_or(-1);
    const std::int64_t steps = has_steps && !open.field.shape.empty() ? open.field.shape[0] : 1;
    const bool fits = (has_steps || extents.size() == 1) && open.block_bytes > 0 && bytes >= 0 &&
                      (!has_steps || extents[0] >= steps) &&
                      extents.back() == (bytes == 0 ? 0 : (bytes - 1) / open.block_bytes + 1);
    require<DamageError>(fits, [&] {
        return text(calls.caller(), ": expected ", what, " '", calls.path(),
                    "' to be one for each block of the field's bytes, got ", tuple_text(extents),
                    " for blocks of ", open.block_bytes, " bytes");
    });
    // Checksums of one step, or of all steps; blocks begin anew with each step.
    const std::int64_t read_steps = step >= 0 ? 1 : steps;
    if (has_steps && step < 0) open.step_bytes = bytes;
    check_stored(calls, dataset, what);
    open.sums.resize(static_cast<std::size_t>(extents.back() * read_steps));
    const H5Id space(H5Dget_space(dataset), H5Sclose);
    if (has_steps) {
        const hsize_t begin[2] = {static_cast<hsize_t>(std::max<std::int64_t>(step, 0)), 0};
        const hsize_t count[2] = {static_cast<hsize_t>(read_steps),
                                  static_cast<hsize_t>(extents.back())};
        (void)H5Sselect_hyperslab(space, H5S_SELECT_SET, begin, nullptr, count, nullptr);
    }
    const hsize_t count = open.sums.size();
    const H5Id memory(H5Screate_simple(1, &count, nullptr), H5Sclose);
    calls.check(H5Dread(dataset, H5T_NATIVE_UINT64, memory, space, H5P_DEFAULT, open.sums.data()),
                what);
}

OpenField look_at_field(const H5Calls& calls, hid_t file, const std::string& name) {
    OpenField open;
    open.field.name = name;
    bool is_there = !name.empty();
    for (std::size_t slash = name.find('/', 1); is_there && slash != std::string::npos;
         slash = name.find('/', slash + 1))
        is_there = H5Lexists(file, name.substr(0, slash).c_str(), H5P_DEFAULT) > 0;
    is_there = is_there && H5Lexists(file, name.c_str(), H5P_DEFAULT) > 0;
    if (is_there) {
        const H5Id object(H5Oopen(file, name.c_str(), H5P_DEFAULT), H5Oclose);
        is_there =
            object < 0 || H5Iget_type(object) == H5I_DATASET; // HDF5 says why it does not open
    }
    require<UsageError>(is_there, [&] {
        std::string names;
        for (const StoredField& field : list_fields(calls, file))
            names += text(names.empty() ? "" : ", ", "'", field.name, "'");
        return text(calls.caller(), ": expected a field '", name, "' in '", calls.path(), "', got ",
                    names.empty() ? "a file without fields" : names);
    });
    const std::string what = text("field '", name, "' in");
    const H5Id dataset(calls.check(H5Dopen2(file, name.c_str(), H5P_DEFAULT), what), H5Dclose);
    const H5Id type(H5Dget_type(dataset), H5Tclose);
    const auto element = element_of(type);
    require<ShapeError>(element.has_value(), [&] {
        const H5T_class_t kind = H5Tget_class(type);
        const bool is_number = kind == H5T_INTEGER || kind == H5T_FLOAT;
        return text(calls.caller(), ": expected numbers in field '", name, "' in '", calls.path(),
                    "', got ",
                    is_number ? text("numbers of ", H5Tget_size(type),
                                     " bytes, which NumPy does not support")
                              : "texts or a table");
    });
    require<ShapeError>(!is_null(dataset), [&] {
        return text(calls.caller(), ": expected numbers in field '", name, "' in '", calls.path(),
                    "', got a dataset without elements (H5S_NULL)");
    });
    open.field.element = *element;
    open.field.shape = extents_of_field(file, dataset);
    const H5Id creation(H5Dget_create_plist(dataset), H5Pclose);
    const haddr_t offset = H5Dget_offset(dataset);
    open.is_plain =
        H5Tequal(type, h5_type(*element)) > 0 && H5Pget_layout(creation) == H5D_CONTIGUOUS &&
        H5Pget_external_count(creation) == 0 && offset != HADDR_UNDEF && is_in_file(file, dataset);
    if (open.is_plain) open.offset = static_cast<std::int64_t>(offset);
    return open;
}

namespace {

struct Listing {
    const H5Calls& calls;
    hid_t file;
    std::vector<StoredField> fields;
};

/// Whether an object is not a field but was added by us. (Times of steps are an axis, which is no field anyway.)
bool is_ours(const std::string& name, hid_t object) {
    const std::string first = name.substr(0, name.find('/'));
    if (first != vtk_group) return first == checksum_group;
    // Second names of fields. Files of VTK's own writers have fields only here, under one name.
    H5O_info2_t found{};
    return H5Oget_info3(object, &found, H5O_INFO_BASIC) < 0 || found.rc > 1;
}

herr_t take_link(hid_t group, const char* name, const H5L_info2_t*, void* data) noexcept {
    try {
        auto& listing = *static_cast<Listing*>(data);
        const H5Id object(H5Oopen(group, name, H5P_DEFAULT), H5Oclose);
        if (object < 0 || H5Iget_type(object) != H5I_DATASET || H5DSis_scale(object) > 0 ||
            is_null(object) || is_ours(name, object))
            return 0;
        const H5Id type(H5Dget_type(object), H5Tclose);
        if (const auto element = element_of(type))
            listing.fields.push_back(
                {name, *element, extents_of_field(listing.file, object), false});
        return 0;
    } catch (const std::exception&) {
        return -1;
    }
}

} // namespace

std::vector<StoredField> list_fields(const H5Calls& calls, hid_t file) {
    Listing listing{calls, file, {}};
    calls.check(H5Lvisit2(file, H5_INDEX_NAME, H5_ITER_INC, &take_link, &listing),
                "to list the fields of");
    return listing.fields;
}

std::vector<double> read_times(const H5Calls& calls, hid_t file) {
    if (H5Lexists(file, time_name, H5P_DEFAULT) <= 0) return {};
    const H5Id dataset(H5Dopen2(file, time_name, H5P_DEFAULT), H5Dclose);
    // Other programs may store something else under this name: fields, texts.
    if (dataset < 0 || H5DSis_scale(dataset) <= 0) return {};
    const H5T_class_t kind = H5Tget_class(H5Id(H5Dget_type(dataset), H5Tclose));
    const std::vector<std::int64_t> extents = extents_of(dataset);
    if (extents.size() != 1 || (kind != H5T_FLOAT && kind != H5T_INTEGER)) return {};
    check_stored(calls, dataset, "the times of");
    std::vector<double> times(static_cast<std::size_t>(extents[0]));
    if (!times.empty())
        calls.check(
            H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, times.data()),
            "to read the times of");
    return times;
}

H5Source::H5Source(const H5Calls& calls, const OpenField& field, std::int64_t step)
    : m_calls(calls), m_what(text("to read field '", field.field.name, "' of")),
      m_file(open_h5_file(calls)),
      m_dataset(calls.check(H5Dopen2(m_file, field.field.name.c_str(), H5P_DEFAULT), m_what),
                H5Dclose),
      m_type(h5_memory_type(field.field.element, H5Id(H5Dget_type(m_dataset), H5Tclose))),
      m_extents(field.field.shape), m_element_bytes(field.field.element.bytes), m_step(step) {
    if (step >= 0) m_extents.erase(m_extents.begin());
}

void H5Source::read(std::int64_t begin, std::int64_t end, void* to) const {
    const std::int64_t first = begin / m_element_bytes;
    const std::int64_t last = (end + m_element_bytes - 1) / m_element_bytes;
    const std::int64_t before = begin - first * m_element_bytes;
    if (before == 0 && last * m_element_bytes == end) return read_elements(first, last, to);
    // Blocks of checksums may end within an element.
    std::vector<std::byte> whole(static_cast<std::size_t>((last - first) * m_element_bytes));
    read_elements(first, last, whole.data());
    std::memcpy(to, whole.data() + before, static_cast<std::size_t>(end - begin));
}

void H5Source::read_elements(std::int64_t first, std::int64_t last, void* to) const {
    const H5Turn turn;
    const H5Id space(H5Dget_space(m_dataset), H5Sclose);
    auto* at = static_cast<std::byte*>(to);
    for_each_box(m_extents, first, last, [&](auto start, auto count, std::int64_t elements) {
        const H5Id memory = select_box(m_calls, m_what, space, m_step, start, count, elements);
        m_calls.check(H5Dread(m_dataset, m_type, memory, space, H5P_DEFAULT, at), m_what);
        at += elements * m_element_bytes;
    });
}

} // namespace distview::impl
