// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/agreement.hpp>
#include <distview/comm/impl/transport/transport.hpp>
#include <distview/core/array_layout.hpp>
#include <distview/core/axis_slice.hpp>
#include <distview/core/hash.hpp>
#include <distview/core/text.hpp>

#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <ranges>
#include <string>
#include <type_traits>
#include <vector>

namespace distview::impl {

/// The text of an argument of a plan, for an error.
inline std::string argument_text(const ArrayLayout& layout) { return describe_fully(layout); }
inline std::string argument_text(const char* word) { return word; }
inline std::string argument_text(const AxisSlice& slice) {
    return text("{begin ", slice.begin, ", count ", slice.count, ", step ", slice.step, '}');
}
inline std::string argument_text(const Widths& widths) {
    return text('(', widths.low, ", ", widths.high, ')');
}
template <class Number>
    requires std::is_arithmetic_v<Number> || std::is_enum_v<Number>
std::string argument_text(const Number& value) {
    if constexpr (std::is_enum_v<Number>)
        return text(static_cast<int>(value));
    else
        return text(value);
}
template <std::ranges::range Values>
std::string argument_text(const Values& values) {
    std::vector<std::string> texts;
    for (const auto& value : values) texts.push_back(argument_text(value));
    return tuple_text(texts);
}

/// Adds an argument to a hash: a layout's values, because its text is incomplete, or another argument's text.
inline void add_argument(Hash& hash, const ArrayLayout& layout) { hash.add(layout.fingerprint()); }
template <class Value>
void add_argument(Hash& hash, const Value& value) {
    for (const char c : argument_text(value)) hash.add(c);
    hash.add('\n');
}

/// Begins to build a plan: each rank runs `check`, which throws if its arguments are wrong. Then all ranks agree that
/// no rank failed, on the arguments, and on DISTVIEW_TRANSPORT, whose value is returned. `visit` calls its parameter
/// with the name and the value of each argument.
///
/// Collective: over comm
/// Errors:     those of `check`; UsageError if the transport is unavailable, or if ranks differ (on all ranks)
template <class Visit>
std::optional<Transport> agree_on_plan(const Communicator& comm, const char* name,
                                       const std::function<void()>& check, const Visit& visit) {
    Hash arguments;
    const auto add = [&](const std::string&, const auto& value) { add_argument(arguments, value); };
    std::optional<Transport> required;
    std::exception_ptr failure;
    try {
        visit(add);
        required = required_transport();
        check_available(required);
        check();
    } catch (...) {
        failure = std::current_exception();
    }
    const int transport = required ? static_cast<int>(*required) : -1;
    agree(comm, name, failure, hash_of(arguments.value(), transport), [&] {
        std::vector<Argument> texts;
        const auto list = [&](const std::string& argument, const auto& value) {
            texts.push_back({argument, argument_text(value)});
        };
        visit(list);
        texts.push_back(
            {"DISTVIEW_TRANSPORT", required ? std::string(to_string(*required)) : "not set"});
        return texts;
    });
    return required;
}

} // namespace distview::impl
