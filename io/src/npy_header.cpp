// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "npy_header.hpp"

#include <distview/core/error.hpp>
#include <distview/core/text.hpp>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <complex>
#include <optional>
#include <string_view>

namespace distview::impl {

namespace {

constexpr std::string_view magic = "\x93NUMPY";
/// Version 1 stores the header's length in 16 bits, later versions in 32.
constexpr std::int64_t short_prefix = 10;
constexpr std::int64_t long_prefix = 12;
constexpr std::int64_t longest_header = 1 << 20;

/// The text after 'key': in a Python dictionary.
std::string_view behind(std::string_view header, std::string_view key) {
    for (const char quote : {'\'', '"'}) {
        const std::string quoted = quote + std::string(key) + quote;
        const std::size_t at = header.find(quoted);
        if (at == std::string_view::npos) continue;
        std::string_view rest = header.substr(at + quoted.size());
        const std::size_t colon = rest.find(':');
        if (colon == std::string_view::npos) return {};
        rest.remove_prefix(colon + 1);
        while (!rest.empty() && std::isspace(static_cast<unsigned char>(rest.front())))
            rest.remove_prefix(1);
        return rest;
    }
    return {};
}

std::string_view quoted_text(std::string_view rest) {
    if (rest.empty() || (rest.front() != '\'' && rest.front() != '"')) return {};
    const std::size_t end = rest.find(rest.front(), 1);
    return end == std::string_view::npos ? std::string_view() : rest.substr(1, end - 1);
}

std::optional<std::vector<std::int64_t>> numbers_in_brackets(std::string_view rest) {
    if (rest.empty() || rest.front() != '(') return std::nullopt;
    const std::size_t end = rest.find(')');
    if (end == std::string_view::npos) return std::nullopt;
    std::vector<std::int64_t> numbers;
    const char* at = rest.data() + 1;
    const char* const last = rest.data() + end;
    while (at < last) {
        if (*at == ' ' || *at == ',') {
            ++at;
            continue;
        }
        std::int64_t number = -1;
        const auto [next, error] = std::from_chars(at, last, number);
        if (error != std::errc() || number < 0) return std::nullopt;
        numbers.push_back(number);
        at = next;
        if (at < last && *at == 'L') ++at; // written by Python 2
    }
    return numbers;
}

/// The number of bytes of an array of this shape; nothing if it does not fit in 64 bits.
std::optional<std::int64_t> bytes_of(const ElementType& element,
                                     const std::vector<std::int64_t>& shape) {
    std::int64_t bytes = element.bytes;
    for (const std::int64_t extent : shape)
        if (__builtin_mul_overflow(bytes, extent, &bytes)) return std::nullopt;
    return bytes;
}

void expect_npy(const std::string& caller, const std::string& path, const std::string& name,
                bool condition, const char* got) {
    require<Error>(condition, [&] {
        return text(caller, ": expected a .npy file in '", path, "'",
                    name.empty() ? "" : ", member '" + name + "'", ", got ", got);
    });
}

/// parse_typestr() that also accepts long double in this machine's format, which may differ on other machines.
std::optional<ElementType> parse_descr(const std::string& type, bool is_swapped) {
    for (const ElementType& wide :
         {element_type<long double>(), element_type<std::complex<long double>>()})
        if (!is_swapped && type == typestr_of(wide)) return wide;
    return parse_typestr(type);
}

} // namespace

std::string npy_header(const ElementType& element, const std::vector<std::int64_t>& shape,
                       bool fortran_order, std::int64_t alignment) {
    std::string dictionary =
        text("{'descr': '", typestr_of(element),
             "', 'fortran_order': ", fortran_order ? "True" : "False", ", 'shape': (");
    for (const std::int64_t extent : shape) dictionary += text(extent, ", ");
    if (shape.size() > 1) dictionary.resize(dictionary.size() - 2);
    if (shape.size() == 1) dictionary.pop_back();
    dictionary += "), }";
    const std::int64_t used = short_prefix + static_cast<std::int64_t>(dictionary.size()) + 1;
    dictionary.append(
        static_cast<std::size_t>((used + alignment - 1) / alignment * alignment - used), ' ');
    dictionary += '\n';
    std::string header(magic);
    header += '\1';
    header += '\0';
    header += static_cast<char>(dictionary.size() & 0xff);
    header += static_cast<char>(dictionary.size() >> 8);
    return header + dictionary;
}

NpyPlace read_npy_header(const RawFile& file, const std::string& caller, const std::string& name,
                         std::int64_t begin, std::int64_t end) {
    const auto expect = [&](bool condition, const char* got) {
        expect_npy(caller, file.path(), name, condition, got);
    };
    std::string prefix(static_cast<std::size_t>(long_prefix), '\0');
    const std::int64_t bytes_there = std::min(end - begin, long_prefix);
    file.read(prefix.data(), bytes_there, begin, "the header");
    NpyPlace place;
    place.field.name = name;
    place.is_npy = place.has_numbers = prefix.compare(0, magic.size(), magic) == 0;
    if (!place.is_npy) return place;
    expect(bytes_there == long_prefix, "a file that ends within its header");
    const auto byte = [&](std::size_t i) {
        return static_cast<std::int64_t>(static_cast<unsigned char>(prefix[i]));
    };
    expect(byte(6) >= 1 && byte(6) <= 3, "an unknown format version");
    const bool is_long = byte(6) > 1;
    std::int64_t length = byte(8) + (byte(9) << 8);
    if (is_long) length += (byte(10) << 16) + (byte(11) << 24);
    const std::int64_t header_begin = begin + (is_long ? long_prefix : short_prefix);
    place.offset = header_begin + length;
    expect(length <= longest_header && place.offset <= end, "a file that ends within its header");
    std::string header(static_cast<std::size_t>(length), '\0');
    file.read(header.data(), length, header_begin, "the header");

    std::string type(quoted_text(behind(header, "descr")));
    if (!type.empty() && type.front() == '>') {
        place.is_swapped = true;
        type.front() = '<';
    }
    if (!type.empty() && type.front() == '=') type.front() = '<';
    const std::optional<ElementType> element = parse_descr(type, place.is_swapped);
    place.has_numbers = element.has_value();
    if (!place.has_numbers) return place;
    place.field.element = *element;
    place.is_swapped =
        place.is_swapped && element->bytes > 1 && element->kind != ElementKind::opaque;
    const std::string_view order = behind(header, "fortran_order");
    expect(order.starts_with("True") || order.starts_with("False"),
           "a header without 'fortran_order'");
    place.field.is_fortran_order = order.starts_with("True");
    const auto shape = numbers_in_brackets(behind(header, "shape"));
    expect(shape.has_value() && shape->size() <= static_cast<std::size_t>(max_rank),
           "a header without a shape or with too many axes");
    place.field.shape = *shape;
    const auto bytes = bytes_of(*element, *shape);
    expect(bytes.has_value() && *bytes <= end - place.offset, "a file that ends within its array");
    return place;
}

void require_numbers(const std::string& caller, const std::string& path, const NpyPlace& place) {
    expect_npy(caller, path, place.field.name, place.is_npy, "a file with other first bytes");
    expect_npy(caller, path, place.field.name, place.has_numbers,
               "elements that are not plain numbers");
}

void SwappedSource::read(std::int64_t begin, std::int64_t end, void* to) const {
    m_source.read(begin, end, to);
    auto* at = static_cast<std::byte*>(to);
    for (std::int64_t i = begin; i < end; i += m_number_bytes, at += m_number_bytes)
        std::reverse(at, at + m_number_bytes);
}

} // namespace distview::impl
