// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "h5_attributes.hpp"

#include <distview/core/text.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <variant>
#include <vector>

namespace distview::impl {

namespace {

void write_values(const H5Calls& calls, hid_t object, const std::string& name, hid_t type,
                  const H5Id& space, const void* values) {
    const std::string what = text("to write attribute '", name, "' of");
    const H5Id attribute(
        calls.check(H5Acreate2(object, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT), what),
        H5Aclose);
    calls.check(H5Awrite(attribute, type, values), what);
}

H5Id line_of(std::size_t count) {
    const hsize_t extent = count;
    return {H5Screate_simple(1, &extent, nullptr), H5Sclose};
}

template <class T>
hid_t number_type() {
    if (std::is_same_v<T, std::uint64_t>) return H5T_NATIVE_UINT64;
    return std::is_same_v<T, double> ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT64;
}

} // namespace

void write_attribute(const H5Calls& calls, hid_t object, const std::string& name,
                     const AttributeValue& value) {
    std::visit(
        [&](const auto& v) {
            using T = std::decay_t<decltype(v)>;
            const H5Id scalar(H5Screate(H5S_SCALAR), H5Sclose);
            if constexpr (std::is_same_v<T, std::string>) {
                const H5Id type(H5Tcopy(H5T_C_S1), H5Tclose);
                (void)H5Tset_size(type, H5T_VARIABLE);
                (void)H5Tset_cset(type, H5T_CSET_UTF8);
                const char* const characters = v.c_str();
                write_values(calls, object, name, type, scalar, &characters);
            } else if constexpr (std::is_arithmetic_v<T>) {
                write_values(calls, object, name, number_type<T>(), scalar, &v);
            } else {
                // HDF5 needs an address even if it writes nothing.
                const typename T::value_type none{};
                write_values(calls, object, name, number_type<typename T::value_type>(),
                             line_of(v.size()), v.empty() ? &none : v.data());
            }
        },
        value);
}

void write_fixed_text(const H5Calls& calls, hid_t object, const std::string& name,
                      const std::string& value) {
    const H5Id type(H5Tcopy(H5T_C_S1), H5Tclose);
    (void)H5Tset_size(type, value.size());
    (void)H5Tset_strpad(type, H5T_STR_NULLPAD);
    write_values(calls, object, name, type, H5Id(H5Screate(H5S_SCALAR), H5Sclose), value.data());
}

namespace {

template <class T>
AttributeValue read_numbers(const H5Calls& calls, hid_t attribute, std::size_t count,
                            bool is_scalar) {
    std::vector<T> values(count);
    if (count == 0) return values; // HDF5 would need an address even so
    calls.check(H5Aread(attribute, number_type<T>(), values.data()), "to read an attribute of");
    if (is_scalar) return values.at(0);
    return values;
}

/// Whether some numbers exceed 64 bits with a sign: HDF5 would replace them by the greatest number that fits.
bool are_beyond_signed(const H5Calls& calls, hid_t attribute, hid_t type, std::size_t count) {
    if (count == 0 || H5Tget_sign(type) != H5T_SGN_NONE || H5Tget_size(type) < 8) return false;
    std::vector<std::uint64_t> values(count);
    calls.check(H5Aread(attribute, number_type<std::uint64_t>(), values.data()),
                "to read an attribute of");
    constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();
    return std::ranges::any_of(values, [](std::uint64_t value) { return value > most; });
}

std::string read_text(const H5Calls& calls, hid_t attribute, hid_t type) {
    const char* const what = "to read an attribute of";
    if (H5Tis_variable_str(type) > 0) {
        const H5Id memory(H5Tcopy(H5T_C_S1), H5Tclose);
        (void)H5Tset_size(memory, H5T_VARIABLE);
        (void)H5Tset_cset(memory, H5Tget_cset(type));
        char* characters = nullptr;
        calls.check(H5Aread(attribute, memory, &characters), what);
        std::string value = characters ? characters : "";
        (void)H5free_memory(characters);
        return value;
    }
    std::string value(H5Tget_size(type), '\0');
    calls.check(H5Aread(attribute, type, value.data()), what);
    return value.substr(0, value.find('\0'));
}

struct Reading {
    const H5Calls& calls;
    Attributes found;
    std::string failure;
};

void read_one(Reading& reading, hid_t object, const char* name) {
    const H5Id attribute(reading.calls.check(H5Aopen(object, name, H5P_DEFAULT),
                                             text("to read attribute '", name, "' of")),
                         H5Aclose);
    const H5Id type(H5Aget_type(attribute), H5Tclose);
    const H5Id space(H5Aget_space(attribute), H5Sclose);
    const hssize_t count = H5Sget_simple_extent_npoints(space);
    const bool is_scalar = H5Sget_simple_extent_type(space) == H5S_SCALAR;
    if (count < 0 || H5Sget_simple_extent_ndims(space) > 1) return;
    const auto n = static_cast<std::size_t>(count);
    switch (H5Tget_class(type)) {
    case H5T_INTEGER:
        if (are_beyond_signed(reading.calls, attribute, type, n))
            reading.found[name] = read_numbers<double>(reading.calls, attribute, n, is_scalar);
        else
            reading.found[name] =
                read_numbers<std::int64_t>(reading.calls, attribute, n, is_scalar);
        break;
    case H5T_FLOAT:
        reading.found[name] = read_numbers<double>(reading.calls, attribute, n, is_scalar);
        break;
    case H5T_STRING:
        if (n == 1) reading.found[name] = read_text(reading.calls, attribute, type);
        break;
    default: break;
    }
}

herr_t take_attribute(hid_t object, const char* name, const H5A_info_t*, void* data) noexcept {
    auto& reading = *static_cast<Reading*>(data);
    try {
        read_one(reading, object, name);
        return 0;
    } catch (const std::exception& error) {
        reading.failure = error.what();
        return -1;
    }
}

} // namespace

Attributes read_attributes(const H5Calls& calls, hid_t object) {
    Reading reading{calls, {}, {}};
    hsize_t at = 0;
    if (H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, &at, &take_attribute, &reading) < 0) {
        if (!reading.failure.empty()) throw Error(reading.failure);
        calls.fail("to read the attributes of");
    }
    return reading.found;
}

} // namespace distview::impl
