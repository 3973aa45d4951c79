// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/error.hpp>

#include <cstddef>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace distview::impl {

// Values as bytes that a process of the same build reads: numbers, enumerations, strings, vectors, optionals, variants,
// tuples, and structs whose members `Members::of()` ties, which is written once for both directions:
//
//     struct Members {
//         static auto of(Widths& it) { return std::tie(it.low, it.high); }
//     };
//     const std::string bytes = packed<Members>(widths);
//     const auto same = unpacked<Members, Widths>(bytes);

template <class Value>
inline constexpr bool is_plain = std::is_arithmetic_v<Value> || std::is_enum_v<Value>;

template <class Members>
class ArchiveWriter {
public:
    template <class Value>
    void put(Value& value) {
        if constexpr (is_plain<Value>)
            append(&value, sizeof(Value));
        else {
            auto members = Members::of(value);
            put(members);
        }
    }
    void put(std::string& value) { put_list(value); }
    template <class Value>
    void put(std::vector<Value>& values) {
        put_list(values);
    }
    template <class Value>
    void put(std::optional<Value>& value) {
        put_number(value.has_value());
        if (value) put(*value);
    }
    template <class... Alternatives>
    void put(std::variant<Alternatives...>& value) {
        put_number(value.index());
        std::visit([this](auto& held) { put(held); }, value);
    }
    template <class... Values>
    void put(std::tuple<Values...>& values) {
        std::apply([this](auto&... each) { (put(each), ...); }, values);
    }

    std::string bytes{};

private:
    void append(const void* data, std::size_t size) {
        bytes.append(static_cast<const char*>(data), size);
    }
    template <class Number>
    void put_number(Number number) {
        append(&number, sizeof(Number));
    }
    template <class List>
    void put_list(List& values) {
        using Value = typename List::value_type;
        put_number(values.size());
        if constexpr (is_plain<Value>)
            append(values.data(), values.size() * sizeof(Value));
        else
            for (Value& value : values) put(value);
    }
};

template <class Members>
class ArchiveReader {
public:
    explicit ArchiveReader(std::string_view bytes) : m_bytes(bytes) {}

    template <class Value>
    void get(Value& value) {
        if constexpr (std::is_same_v<Value, bool>)
            value = get_flag();
        else if constexpr (is_plain<Value>)
            take(&value, sizeof(Value));
        else {
            auto members = Members::of(value);
            get(members);
        }
    }
    void get(std::string& value) { get_list(value); }
    template <class Value>
    void get(std::vector<Value>& values) {
        get_list(values);
    }
    template <class Value>
    void get(std::optional<Value>& value) {
        value.reset();
        if (get_flag()) get(value.emplace());
    }
    template <class... Alternatives>
    void get(std::variant<Alternatives...>& value) {
        const auto index = get_number<std::size_t>();
        require<Error>(index < sizeof...(Alternatives), "archive: expected another alternative");
        const auto get_alternative = [&]<std::size_t... I>(std::index_sequence<I...>) {
            ((I == index ? get(value.template emplace<I>()) : void()), ...);
        };
        get_alternative(std::index_sequence_for<Alternatives...>());
    }
    template <class... Values>
    void get(std::tuple<Values...>& values) {
        std::apply([this](auto&... each) { (get(each), ...); }, values);
    }
    bool is_at_end() const noexcept { return m_bytes.empty(); }

private:
    void take(void* data, std::size_t size) {
        require<Error>(size <= m_bytes.size(), "archive: expected more bytes");
        if (size > 0) std::memcpy(data, m_bytes.data(), size);
        m_bytes.remove_prefix(size);
    }
    template <class Number>
    Number get_number() {
        Number number{};
        take(&number, sizeof(Number));
        return number;
    }
    bool get_flag() {
        static_assert(sizeof(bool) == 1, "flags are written as one byte");
        const auto flag = get_number<unsigned char>();
        require<Error>(flag <= 1, "archive: expected a flag");
        return flag == 1;
    }
    template <class List>
    void get_list(List& values) {
        using Value = typename List::value_type;
        constexpr std::size_t least = is_plain<Value> ? sizeof(Value) : 1;
        const auto size = get_number<std::size_t>();
        // Before there is memory for them: bytes that are no size may be any number.
        require<Error>(size <= m_bytes.size() / least, "archive: expected more bytes");
        values.resize(size);
        if constexpr (is_plain<Value>)
            take(values.data(), size * sizeof(Value));
        else
            for (Value& value : values) get(value);
    }

    std::string_view m_bytes;
};

template <class Members, class Value>
std::string packed(const Value& value) {
    ArchiveWriter<Members> to;
    to.put(const_cast<Value&>(value)); // members are tied for both directions; it does not write
    return std::move(to.bytes);
}

/// Throws Error if the bytes are too few or too many, or have a size, flag or alternative that cannot be. Enumerators and
/// numbers are as they come.
template <class Members, class Value>
Value unpacked(std::string_view bytes) {
    Value value{};
    ArchiveReader<Members> from(bytes);
    from.get(value);
    require<Error>(from.is_at_end(), "archive: expected fewer bytes");
    return value;
}

} // namespace distview::impl
