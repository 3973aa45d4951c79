// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "handles.hpp"

#include <distview/comm/agreement.hpp>
#include <distview/core/hash.hpp>

#include <cstdint>
#include <exception>
#include <initializer_list>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace distview::c {

/// The communicator of a collective call. Without it other ranks cannot learn of an error.
inline const Communicator& communicator_of(const distview_communicator* comm,
                                           const char* function) {
    return checked(comm, function, "a communicator").value;
}

/// A number that all ranks must pass alike, and the name that errors give it.
struct AgreedNumber {
    const char* name;
    std::int64_t value;
};

/// Checks the arguments of a collective call on all ranks: an exception on one rank is thrown on all. `numbers` and
/// `arrays` must be the same on all ranks.
template <class Check>
auto together(const Communicator& comm, const char* function, Check&& check,
              std::initializer_list<AgreedNumber> numbers = {},
              std::initializer_list<const distview_array*> arrays = {}) {
    const CollectiveCall call(comm, function);
    using Result = std::invoke_result_t<Check>;
    std::exception_ptr failure;
    std::vector<std::uint64_t> identities;
    const auto look = [&] {
        for (const distview_array* array : arrays)
            identities.push_back(array ? array->view.identity() : 0);
        return check();
    };
    Hash digest;
    for (const AgreedNumber& number : numbers) digest.add(number.value);
    const Arguments arguments = [&numbers] {
        std::vector<Argument> list;
        for (const AgreedNumber& number : numbers)
            list.push_back({number.name, text(number.value)});
        return list;
    };
    if constexpr (std::is_void_v<Result>) {
        try {
            look();
        } catch (...) {
            failure = std::current_exception();
        }
        agree(comm, function, failure, digest.value(), arguments, identities);
    } else {
        std::optional<Result> result;
        try {
            result.emplace(look());
        } catch (...) {
            failure = std::current_exception();
        }
        agree(comm, function, failure, digest.value(), arguments, identities);
        return std::move(*result);
    }
}

/// Checks the arguments of an execution: on all ranks with full contracts, else on this rank only.
template <class Check>
auto look_at(const Communicator& comm, const char* function, Check&& check,
             std::initializer_list<AgreedNumber> numbers = {}) {
    if (contracts() == Contracts::full) return together(comm, function, check, numbers);
    return check();
}

/// guard() for a collective function that begins with a collective call of the library. If it throws before, that counts
/// as the call: other ranks detect that this rank does not join theirs.
template <class Action>
int guard_call(const char* function, const Communicator& comm, Action&& action) noexcept {
    return guard(function, [&](const char* name) {
        const SingleCall call(comm, name);
        action(name);
    });
}
/// The same for a function of a plan, which may be null.
template <class Plan, class Action>
int guard_plan(const char* function, Plan* plan, Action&& action) noexcept {
    if (!plan) return guard(function, [](const char* name) { throw_null(name, "a plan"); });
    return guard_call(function, plan->comm, [&](const char* name) { action(*plan, name); });
}
/// The same for a function that makes several calls, which count as one.
template <class Plan, class Action>
int guard_plan_calls(const char* function, Plan* plan, Action&& action) noexcept {
    return guard_plan(function, plan, [&](Plan& used, const char* name) {
        const CollectiveCall call(used.comm, name);
        action(used, name);
    });
}

} // namespace distview::c
