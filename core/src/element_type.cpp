// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/core/element_type.hpp>

#include <distview/core/text.hpp>

#include <bit>
#include <charconv>
#include <system_error>

namespace distview {

namespace {
constexpr char native_order = std::endian::native == std::endian::little ? '<' : '>';
} // namespace

std::string describe(const ElementType& type) {
    const std::int64_t bits = 8 * type.bytes;
    switch (type.kind) {
    case ElementKind::signed_integer: return text("int", bits);
    case ElementKind::unsigned_integer: return text("uint", bits);
    case ElementKind::floating_point: return text("float", bits);
    case ElementKind::bfloat: return text("bfloat", bits);
    case ElementKind::complex: return text("complex", bits);
    case ElementKind::boolean: return type.bytes == 1 ? "bool" : text("bool", bits);
    case ElementKind::opaque: break;
    }
    return text(type.bytes, " opaque bytes");
}

std::string typestr_of(const ElementType& type) {
    const char order = type.bytes > 1 ? native_order : '|';
    switch (type.kind) {
    case ElementKind::boolean: return text("|b", type.bytes);
    case ElementKind::signed_integer: return text(order, 'i', type.bytes);
    case ElementKind::unsigned_integer: return text(order, 'u', type.bytes);
    case ElementKind::floating_point: return text(order, 'f', type.bytes);
    case ElementKind::complex: return text(order, type.bytes == 4 ? 'V' : 'c', type.bytes);
    case ElementKind::bfloat: return text(order, 'V', type.bytes);
    case ElementKind::opaque: break;
    }
    return text("|V", type.bytes);
}

std::optional<ElementType> parse_typestr(std::string_view typestr) {
    if (typestr.size() < 3) return {};
    std::int64_t bytes = 0;
    const char* const end = typestr.data() + typestr.size();
    const auto read = std::from_chars(typestr.data() + 2, end, bytes);
    if (read.ec != std::errc() || read.ptr != end || bytes < 1) return {};
    if (typestr[0] != native_order && typestr[0] != '=' && !(typestr[0] == '|' && bytes == 1) &&
        !(typestr[0] == '|' && typestr[1] == 'V'))
        return {};
    const bool plain = bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
    const auto type = [&](ElementKind kind, bool has_size) {
        return has_size ? std::optional(ElementType{kind, bytes}) : std::nullopt;
    };
    switch (typestr[1]) {
    case 'b': return type(ElementKind::boolean, bytes == 1);
    case 'i': return type(ElementKind::signed_integer, plain);
    case 'u': return type(ElementKind::unsigned_integer, plain);
    case 'f': return type(ElementKind::floating_point, plain && bytes > 1);
    case 'c': return type(ElementKind::complex, bytes == 8 || bytes == 16);
    case 'V':
        if (typestr[0] == native_order && bytes == 2) return ElementType{ElementKind::bfloat, 2};
        if (typestr[0] == native_order && bytes == 4) return ElementType{ElementKind::complex, 4};
        return ElementType{ElementKind::opaque, bytes};
    default: return {};
    }
}

} // namespace distview
