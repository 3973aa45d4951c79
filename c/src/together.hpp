// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "handles.hpp"

#include <distview/comm/agreement.hpp>

#include <cstdint>
#include <exception>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace distview::c {

/// The communicator of a collective call, without which no other rank can be told.
inline const Communicator& communicator_of(const distview_communicator* comm,
                                           const char* function) {
    return checked(comm, function, "a communicator").value;
}

/// Looks at the arguments of a collective call, on all ranks: what one rank throws all throw. `digest` is what they
/// must agree on, `arrays` those that must be the same.
template <class Check>
auto together(const Communicator& comm, const char* function, Check&& check,
              std::uint64_t digest = 0, std::initializer_list<const distview_array*> arrays = {}) {
    const CollectiveCall call(comm, function);
    using Result = std::invoke_result_t<Check>;
    std::exception_ptr failure;
    std::vector<std::uint64_t> identities;
    for (const distview_array* array : arrays)
        identities.push_back(array ? array->view.identity() : 0);
    if constexpr (std::is_void_v<Result>) {
        try {
            check();
        } catch (...) {
            failure = std::current_exception();
        }
        agree(comm, function, failure, digest, {}, identities);
    } else {
        std::optional<Result> result;
        try {
            result.emplace(check());
        } catch (...) {
            failure = std::current_exception();
        }
        agree(comm, function, failure, digest, {}, identities);
        return std::move(*result);
    }
}

/// Throws `failure`, if there is one, on a rank that others may be waiting for in an execution of a plan: those that
/// need this rank learn that it does something else.
inline void give_up(const Communicator& comm, const char* function,
                    const std::exception_ptr& failure) {
    if (!failure) return;
    try {
        agree(comm, function, failure);
    } catch (const Error&) {
    }
    std::rethrow_exception(failure);
}

} // namespace distview::c
