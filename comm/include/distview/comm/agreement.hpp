// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/communicator.hpp>
#include <distview/core/error.hpp>

#include <concepts>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace distview {

/// Names the collective call that this rank executes, from construction to destruction.
///
/// Every collective function of the library begins with one. A function of a program or a language binding that makes
/// several collective calls should, too: if ranks execute different calls, they get a UsageError that names both calls,
/// instead of waiting for ever or receiving each other's values. If several are nested, the outermost counts.
///
///     double energy(const Communicator& comm, ...) {
///         const CollectiveCall call(comm, "energy");
///         return sum(...) + 0.5 * sum(...);
///     }
///
/// All ranks pass the same name. Errors show its first 47 bytes, or 39 on other nodes.
///
/// Collective: over comm
/// Cost:       some stores into memory that the node's ranks share
class CollectiveCall {
public:
    CollectiveCall(const Communicator& comm, std::string_view name);
    ~CollectiveCall();
    CollectiveCall(const CollectiveCall&) = delete;
    CollectiveCall& operator=(const CollectiveCall&) = delete;

private:
    std::shared_ptr<impl::CommunicatorState> m_state;
    int m_exceptions; ///< uncaught at construction
};

/// For a function that checks its arguments and then makes one collective call, at most. An exception before the call
/// counts as the call: other ranks, which make the call, learn that this rank does not, and all ranks stay in step.
///
///     void step(PaddingExchangePlan& plan, const Field& u, double dt) {
///         const SingleCall call(plan.communicator(), "step");
///         require<UsageError>(dt > 0, "step: expected a positive dt");   // on this rank, perhaps
///         plan.execute(exec, u);
///     }
///
/// A function that makes several calls needs a CollectiveCall instead. `comm` and `name` must outlive the SingleCall.
///
/// Collective: over comm
/// Cost:       a few instructions
class SingleCall {
public:
    SingleCall(const Communicator& comm, std::string_view name);
    ~SingleCall();
    SingleCall(const SingleCall&) = delete;
    SingleCall& operator=(const SingleCall&) = delete;

private:
    const Communicator& m_comm;
    std::string_view m_name;
    std::uint64_t m_begun; ///< number of calls before this one
    int m_exceptions;      ///< uncaught at construction
};

/// Records the source location of the collective calls that follow, from construction to destruction. If this rank
/// does not reach the next call, the DeadlineError of the other ranks shows the location.
///
///     const CallSite here(comm);                    // this line
///     const double e = dot(exec, comm, u, u);
///
/// Without a CallSite a DeadlineError shows where the plan was made for a plan's call, and the name of any other call.
/// In Python every call has one. If several are nested, the outermost counts. Errors show 47 characters.
///
/// Collective: no (local)
/// Cost:       some stores into memory that the node's ranks share
class CallSite {
public:
    explicit CallSite(const Communicator& comm,
                      const std::source_location& where = std::source_location::current());
    CallSite(const Communicator& comm, std::string_view where);
    ~CallSite();
    CallSite(const CallSite&) = delete;
    CallSite& operator=(const CallSite&) = delete;

private:
    std::shared_ptr<impl::CommunicatorState> m_state; ///< null inside another CallSite
};

/// An argument of a collective call, as errors show it.
struct Argument {
    std::string name;
    std::string value;
};
/// Function that lists a call's arguments; called only if they differ between ranks.
using Arguments = std::function<std::vector<Argument>()>;

/// Ends a step that may have failed on some ranks: returns on all ranks or throws on all ranks.
///
/// `failure` is the exception that this rank caught, or null. If any rank failed, every rank throws the exception of
/// the lowest failing rank: same type, same text, which ends with that rank and the number of failed ranks. If no rank
/// failed but `digest` (a hash of arguments that must be equal on all ranks) differs, every rank throws a UsageError
/// that begins with `caller` and names the first rank that differs from rank 0 and the first of `arguments` that
/// differs, with both values. If some ranks make another call meanwhile, all ranks get a UsageError that names the
/// calls that met, except a rank with a failure: it waits for all ranks, which may still be in the step that it left
/// (unless this is part of a CollectiveCall).
/// `arrays` are the DistView::identity() of arrays that must be the same on all ranks; arrays that a rank wrapped
/// by itself are not compared.
///
/// Collective: over comm
/// Cost:       no message on one node; between nodes log2(nodes) messages of some 400 bytes, one after the other
void agree(const Communicator& comm, const char* caller, const std::exception_ptr& failure,
           std::uint64_t digest = 0, const Arguments& arguments = {},
           std::span<const std::uint64_t> arrays = {});

namespace impl {

/// Error with a code from the program, and with the number of its class in the C face: agree() sends both to all ranks.
struct CodedError : Error {
    CodedError(const std::string& message, std::string its_code, int its_status)
        : Error(message), code(std::move(its_code)), status(its_status) {}
    std::string code;
    int status;
};

} // namespace impl

/// Runs `action` on every rank and agrees on the outcome, on `digest`, a hash of arguments, and on `arrays`, which the
/// action may fill; see agree().
///
/// The action must not communicate: if one rank threw, the other ranks would wait for it.
///
/// Collective: over comm
/// Example:    auto layout = agree_on(comm, "main", [&] { return read_layout(argc, argv); });
template <std::invocable Action>
auto agree_on(const Communicator& comm, const char* caller, Action&& action,
              std::uint64_t digest = 0, const Arguments& arguments = {},
              const std::vector<std::uint64_t>& arrays = {}) {
    const CollectiveCall call(comm, caller);
    std::exception_ptr failure;
    constexpr bool is_void = std::is_void_v<std::invoke_result_t<Action>>;
    std::optional<std::conditional_t<is_void, std::monostate, std::invoke_result_t<Action>>> result;
    try {
        if constexpr (is_void)
            std::forward<Action>(action)();
        else
            result.emplace(std::forward<Action>(action)());
    } catch (...) {
        failure = std::current_exception();
    }
    agree(comm, caller, failure, digest, arguments, arrays);
    if constexpr (!is_void) return std::move(*result);
}

} // namespace distview
