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

/// Takes values out of `bytes`, or appends them.
template <class Members, bool reads>
class Archive {
public:
    std::conditional_t<reads, std::string_view, std::string> bytes{};

    template <class Value>
    void pass(Value& value) {
        if constexpr (is_plain<Value>) {
            pass_bytes(&value, sizeof(Value));
        } else {
            auto members = Members::of(value);
            pass(members);
        }
    }
    void pass(bool& flag) {
        auto byte = static_cast<unsigned char>(flag);
        pass(byte);
        require<Error>(byte <= 1, "archive: expected a flag");
        if constexpr (reads) flag = byte == 1;
    }
    void pass(std::string& value) { pass_list(value); }
    template <class Value>
    void pass(std::vector<Value>& values) {
        pass_list(values);
    }
    template <class Value>
    void pass(std::optional<Value>& value) {
        bool is_there = value.has_value();
        pass(is_there);
        if constexpr (reads) is_there ? void(value.emplace()) : value.reset();
        if (value) pass(*value);
    }
    template <class... Alternatives>
    void pass(std::variant<Alternatives...>& value) {
        std::size_t index = value.index();
        pass(index);
        require<Error>(index < sizeof...(Alternatives), "archive: expected another alternative");
        if constexpr (reads)
            [&]<std::size_t... I>(std::index_sequence<I...>) {
                ((I == index ? void(value.template emplace<I>()) : void()), ...);
            }(std::index_sequence_for<Alternatives...>());
        std::visit([this](auto& held) { this->pass(held); }, value);
    }
    template <class... Values>
    void pass(std::tuple<Values...>& values) {
        std::apply([this](auto&... each) { (this->pass(each), ...); }, values);
    }

private:
    void pass_bytes(void* data, std::size_t size) {
        if constexpr (reads) {
            require<Error>(size <= bytes.size(), "archive: expected more bytes");
            if (size > 0) std::memcpy(data, bytes.data(), size);
            bytes.remove_prefix(size);
        } else {
            bytes.append(static_cast<const char*>(data), size);
        }
    }
    template <class List>
    void pass_list(List& values) {
        using Value = typename List::value_type;
        std::size_t size = values.size();
        pass(size);
        if constexpr (reads) {
            // Before there is memory for them: bytes that are no size may be any number.
            constexpr std::size_t least = is_plain<Value> ? sizeof(Value) : 1;
            require<Error>(size <= bytes.size() / least, "archive: expected more bytes");
            values.resize(size);
        }
        if constexpr (is_plain<Value>)
            pass_bytes(values.data(), size * sizeof(Value));
        else
            for (Value& value : values) pass(value);
    }
};

template <class Members, class Value>
std::string packed(const Value& value) {
    Archive<Members, false> to;
    to.pass(const_cast<Value&>(value)); // members are tied for both directions; it does not write
    return std::move(to.bytes);
}

/// Throws Error if the bytes are too few or too many, or have a size, flag or alternative that cannot be. Enumerators and
/// numbers are as they come.
template <class Members, class Value>
Value unpacked(std::string_view bytes) {
    Value value{};
    Archive<Members, true> from{bytes};
    from.pass(value);
    require<Error>(from.bytes.empty(), "archive: expected fewer bytes");
    return value;
}

} // namespace distview::impl
