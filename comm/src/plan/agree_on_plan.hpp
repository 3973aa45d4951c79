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

/// Visitor of a plan's arguments, called once for each. Computes their hash: of layouts from their values, because a
/// layout's text is incomplete, and of other arguments from their texts. Or collects all texts, for an error.
class PlanArguments {
public:
    PlanArguments() = default;
    explicit PlanArguments(std::vector<Argument>& texts) noexcept : m_texts(&texts) {}

    template <class Value>
    void operator()(const std::string& name, const Value& value) {
        if (m_texts)
            m_texts->push_back({name, text_of(value)});
        else
            add(value);
    }
    std::uint64_t hash() const noexcept { return m_hash.value(); }

private:
    void add(const ArrayLayout& layout) { m_hash.add(layout.fingerprint()); }
    template <class Value>
    void add(const Value& value) {
        for (const char c : text_of(value)) m_hash.add(c);
        m_hash.add('\n');
    }

    static std::string text_of(const ArrayLayout& layout) { return layout.describe(); }
    static std::string text_of(const AxisSlice& slice) {
        return text("{begin ", slice.begin, ", count ", slice.count, ", step ", slice.step, '}');
    }
    static std::string text_of(const Widths& widths) {
        return text('(', widths.low, ", ", widths.high, ')');
    }
    template <std::ranges::range Values>
    static std::string text_of(const Values& values) {
        std::vector<std::string> texts;
        for (const auto& value : values) texts.push_back(text_of(value));
        return tuple_text(texts);
    }
    template <class Number>
        requires std::is_arithmetic_v<Number> || std::is_enum_v<Number>
    static std::string text_of(const Number& value) {
        if constexpr (std::is_enum_v<Number>)
            return text(static_cast<int>(value));
        else
            return text(value);
    }

    std::vector<Argument>* m_texts = nullptr;
    Hash m_hash;
};

/// Begins to build a plan: each rank runs `check`, which throws if its arguments are wrong. Then all ranks agree that
/// no rank failed, on the arguments, and on DISTVIEW_TRANSPORT, whose value is returned. `visit` calls its parameter
/// with the name and the value of each argument.
///
/// Collective: over comm
/// Errors:     those of `check`; UsageError if the transport is unavailable, or if ranks differ (on all ranks)
template <class Visit>
std::optional<Transport> agree_on_plan(const Communicator& comm, const char* name,
                                       const std::function<void()>& check, const Visit& visit) {
    PlanArguments arguments;
    std::optional<Transport> required;
    std::exception_ptr failure;
    try {
        visit(arguments);
        required = required_transport();
        check_available(required);
        check();
    } catch (...) {
        failure = std::current_exception();
    }
    const int transport = required ? static_cast<int>(*required) : -1;
    agree(comm, name, failure, hash_of(arguments.hash(), transport), [&] {
        std::vector<Argument> texts;
        PlanArguments all(texts);
        visit(all);
        texts.push_back(
            {"DISTVIEW_TRANSPORT", required ? std::string(to_string(*required)) : "not set"});
        return texts;
    });
    return required;
}

} // namespace distview::impl
