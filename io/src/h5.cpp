// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "h5.hpp"

#include "damage.hpp"

#include <distview/core/error.hpp>
#include <distview/core/text.hpp>

#include <cstdint>

namespace distview::impl {

namespace {

std::recursive_mutex& turns() {
    static std::recursive_mutex mutex;
    return mutex;
}

} // namespace

H5Turn::H5Turn() : m_lock(turns()) {
    (void)H5Eget_auto2(H5E_DEFAULT, &m_function, &m_data);
    (void)H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

H5Turn::~H5Turn() { (void)H5Eset_auto2(H5E_DEFAULT, m_function, m_data); }

namespace {

herr_t take_reason(unsigned number, const H5E_error2_t* error, void* reasons) {
    if (!error->desc) return 0;
    auto& [first, last] = *static_cast<std::pair<std::string, std::string>*>(reasons);
    (number == 0 ? first : last) = error->desc;
    return 0;
}

} // namespace

std::string h5_reason() {
    std::pair<std::string, std::string> reasons;
    (void)H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, &take_reason, &reasons);
    if (reasons.first.empty()) return "no reason";
    return reasons.first + (reasons.second.empty() ? "" : ": " + reasons.second);
}

void H5Calls::fail(const std::string& what) const {
    const std::string reason = h5_reason();
    const std::string message =
        text(m_caller, ": expected ", what, " '", m_path, "', got HDF5's '", reason, "'");
    // HDF5 includes the error number if the system failed.
    if (reason.find("errno = ") != std::string::npos) throw Error(message);
    throw DamageError(message);
}

herr_t H5Id::reset() noexcept {
    const hid_t id = std::exchange(m_id, H5I_INVALID_HID);
    if (id < 0) return 0;
    const std::lock_guard lock(turns());
    return m_close(id);
}

namespace {

/// An IEEE format for which HDF5 has no name.
H5Id small_float(std::size_t exponent_bits, std::size_t fraction_bits, std::size_t bias) {
    const hid_t type = H5Tcopy(H5T_IEEE_F32LE);
    (void)H5Tset_fields(type, 15, fraction_bits, exponent_bits, 0, fraction_bits);
    (void)H5Tset_size(type, 2);
    (void)H5Tset_ebias(type, bias);
    return {type, H5Tclose};
}

hid_t integer(std::int64_t bytes, bool is_signed) {
    switch (bytes) {
    case 1: return is_signed ? H5T_STD_I8LE : H5T_STD_U8LE;
    case 2: return is_signed ? H5T_STD_I16LE : H5T_STD_U16LE;
    case 4: return is_signed ? H5T_STD_I32LE : H5T_STD_U32LE;
    default: return is_signed ? H5T_STD_I64LE : H5T_STD_U64LE;
    }
}

H5Id opaque(std::int64_t bytes) {
    return {H5Tcreate(H5T_OPAQUE, static_cast<std::size_t>(bytes)), H5Tclose};
}

H5Id floating(std::int64_t bytes) {
    switch (bytes) {
    case 2: return small_float(5, 10, 15);
    case 4: return {H5Tcopy(H5T_IEEE_F32LE), H5Tclose};
    case 8: return {H5Tcopy(H5T_IEEE_F64LE), H5Tclose};
    default: // long double has the format of this machine
        if (bytes == static_cast<std::int64_t>(sizeof(long double)))
            return {H5Tcopy(H5T_NATIVE_LDOUBLE), H5Tclose};
        return opaque(bytes);
    }
}

H5Id complex_pair(std::int64_t bytes, const std::string& real, const std::string& imaginary) {
    const H5Id part = floating(bytes / 2);
    H5Id pair(H5Tcreate(H5T_COMPOUND, static_cast<std::size_t>(bytes)), H5Tclose);
    (void)H5Tinsert(pair, real.c_str(), 0, part);
    (void)H5Tinsert(pair, imaginary.c_str(), static_cast<std::size_t>(bytes / 2), part);
    return pair;
}

std::string member_name(hid_t type, unsigned member) {
    char* const characters = H5Tget_member_name(type, member);
    std::string name = characters ? characters : "";
    (void)H5free_memory(characters);
    return name;
}

} // namespace

H5Id h5_type(const ElementType& element) {
    switch (element.kind) {
    case ElementKind::signed_integer:
    case ElementKind::unsigned_integer:
        if (element.bytes > 8) break;
        return {H5Tcopy(integer(element.bytes, element.kind == ElementKind::signed_integer)),
                H5Tclose};
    case ElementKind::floating_point: return floating(element.bytes);
    case ElementKind::bfloat: return small_float(8, 7, 127);
    case ElementKind::complex: return complex_pair(element.bytes, "r", "i");
    case ElementKind::boolean: {
        H5Id type(H5Tenum_create(H5T_STD_I8LE), H5Tclose);
        std::int8_t value = 0;
        (void)H5Tenum_insert(type, "FALSE", &value);
        value = 1;
        (void)H5Tenum_insert(type, "TRUE", &value);
        return type;
    }
    case ElementKind::opaque: break;
    }
    return opaque(element.bytes);
}

H5Id h5_memory_type(const ElementType& element, hid_t stored) {
    // HDF5 does not convert between opaque types with different tags.
    if (element.kind == ElementKind::opaque) return {H5Tcopy(stored), H5Tclose};
    if (element.kind != ElementKind::complex) return h5_type(element);
    std::string real = member_name(stored, 0), imaginary = member_name(stored, 1);
    const auto begins_with = [](const std::string& name, char small, char capital) {
        return name[0] == small || name[0] == capital;
    };
    if (begins_with(real, 'i', 'I') && begins_with(imaginary, 'r', 'R')) real.swap(imaginary);
    return complex_pair(element.bytes, real, imaginary);
}

namespace {

// HDF5 supports numbers of any size, such as 3 bytes.
bool is_integer_size(std::int64_t bytes) {
    return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
}

bool is_float_size(std::int64_t bytes) {
    return bytes == 2 || bytes == 4 || bytes == 8 ||
           bytes == static_cast<std::int64_t>(sizeof(long double));
}

} // namespace

std::optional<ElementType> element_of(hid_t type) {
    const auto bytes = static_cast<std::int64_t>(H5Tget_size(type));
    switch (H5Tget_class(type)) {
    case H5T_INTEGER:
        if (!is_integer_size(bytes)) return std::nullopt;
        return ElementType{H5Tget_sign(type) == H5T_SGN_NONE ? ElementKind::unsigned_integer
                                                             : ElementKind::signed_integer,
                           bytes};
    case H5T_FLOAT: {
        if (!is_float_size(bytes)) return std::nullopt;
        std::size_t sign = 0, exponent = 0, exponent_bits = 0, fraction = 0, fraction_bits = 0;
        (void)H5Tget_fields(type, &sign, &exponent, &exponent_bits, &fraction, &fraction_bits);
        return ElementType{bytes == 2 && exponent_bits == 8 ? ElementKind::bfloat
                                                            : ElementKind::floating_point,
                           bytes};
    }
    case H5T_OPAQUE: return ElementType{ElementKind::opaque, bytes};
    case H5T_ENUM:
        if (bytes == 1 && H5Tget_nmembers(type) == 2) return ElementType{ElementKind::boolean, 1};
        return std::nullopt;
    case H5T_COMPOUND: {
        if (H5Tget_nmembers(type) != 2 || H5Tget_member_class(type, 0) != H5T_FLOAT ||
            H5Tget_member_class(type, 1) != H5T_FLOAT)
            return std::nullopt;
        const H5Id first(H5Tget_member_type(type, 0), H5Tclose);
        const H5Id second(H5Tget_member_type(type, 1), H5Tclose);
        const auto part = static_cast<std::int64_t>(H5Tget_size(first));
        if (H5Tequal(first, second) <= 0 || !is_float_size(part)) return std::nullopt;
        return ElementType{ElementKind::complex, 2 * part};
    }
    default: return std::nullopt;
    }
}

void for_each_box(
    const std::vector<std::int64_t>& extents, std::int64_t first, std::int64_t last,
    const std::function<void(const std::vector<hsize_t>& start, const std::vector<hsize_t>& count,
                             std::int64_t elements)>& visit) {
    const std::size_t axes = extents.size();
    while (first < last) {
        std::vector<hsize_t> start(axes), count(axes, 1);
        std::int64_t below = 1;
        std::int64_t number = first;
        std::int64_t taken = 1;
        bool grows = true;
        for (std::size_t d = axes; d-- > 0;) {
            const std::int64_t index = number % extents[d];
            number /= extents[d];
            start[d] = static_cast<hsize_t>(index);
            if (grows) {
                const std::int64_t most = std::min(extents[d] - index, (last - first) / below);
                if (most >= 1) {
                    count[d] = static_cast<hsize_t>(most);
                    taken = below * most;
                }
                grows = most == extents[d];
            }
            below *= extents[d];
        }
        visit(start, count, taken);
        first += taken;
    }
}

H5Id select_box(const H5Calls& calls, const std::string& what, hid_t space, std::int64_t step,
                std::vector<hsize_t> start, std::vector<hsize_t> count, std::int64_t elements) {
    if (step >= 0) {
        start.insert(start.begin(), static_cast<hsize_t>(step));
        count.insert(count.begin(), 1);
    }
    if (!start.empty())
        calls.check(H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, count.data(),
                                        nullptr),
                    what);
    const auto in_memory = static_cast<hsize_t>(elements);
    return {H5Screate_simple(1, &in_memory, nullptr), H5Sclose};
}

std::vector<hsize_t> h5_extents(const std::vector<std::int64_t>& extents) {
    return {extents.begin(), extents.end()};
}

} // namespace distview::impl
