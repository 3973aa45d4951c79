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

/// Names the collective call that this rank is in, from construction to destruction.
///
/// The library's own collective functions begin with one, as should those that a program or a binding makes
/// of several: ranks that are in different calls get a UsageError that says which calls met, instead of
/// waiting for ever or taking each other's values. Of nested ones the outermost counts.
///
///     double energy(const Communicator& comm, ...) {
///         const CollectiveCall call(comm, "energy");
///         return sum(...) + 0.5 * sum(...);
///     }
///
/// The name, of which 47 bytes are told, 39 to other nodes, is the same on all ranks.
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
    int m_exceptions; ///< under way when it began
};

/// For a function that makes one collective call, at most, once it has looked at its arguments: what it throws before
/// that counts as the call. Other ranks, which make it, see that this one does not come, and all stay in step.
///
///     void step(PaddingExchangePlan& plan, const Field& u, double dt) {
///         const SingleCall call(plan.communicator(), "step");
///         require<UsageError>(dt > 0, "step: expected a positive dt");   // on this rank, perhaps
///         plan.execute(exec, u);
///     }
///
/// A function of several calls has a CollectiveCall instead. `comm` and `name` outlive it.
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
    std::uint64_t m_begun; ///< calls before it
    int m_exceptions;      ///< under way when it began
};

/// Says where in the program the collective calls are made that follow, from construction to destruction: what a
/// DeadlineError of another rank tells of this one if it does not come to the next.
///
///     const CallSite here(comm);                    // this line
///     const double e = dot(exec, comm, u, u);
///
/// Without one a DeadlineError tells of calls of plans where the plan was made, of others their names. In Python every
/// call has one. Of nested ones the outermost counts; 47 characters are told.
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
    std::shared_ptr<impl::CommunicatorState> m_state; ///< null within another one
};

/// An argument of a collective call, as an error shows it.
struct Argument {
    std::string name;
    std::string value;
};
/// Makes the list of a call's arguments. Called only if they differ between ranks.
using Arguments = std::function<std::vector<Argument>()>;

/// Ends a step that may have failed on some ranks: returns on all ranks or throws on all.
///
/// `failure` is what this rank caught, or null. If any rank failed, every rank throws the exception
/// of the lowest failing rank: same type, same text, which ends with that rank and how many failed.
/// If none did but `digest` (a hash of arguments that must be alike everywhere) differs between
/// ranks, every rank throws a UsageError that begins with `caller` and names the first rank that
/// differs from rank 0, and the first of `arguments` that does, with both values. Ranks that call
/// something else meanwhile get a UsageError that says which calls met, and so do the others, but for a rank with a
/// failure: it waits until all come, since it may have left a step that they are still in (unless this is part of a
/// CollectiveCall). `arrays` are DistView::identity() of arrays
/// that must be the same on all ranks; those that a rank wrapped for itself are not compared.
///
/// Collective: over comm
/// Cost:       no message on one node; between nodes one of some 400 bytes, log2(nodes) times
void agree(const Communicator& comm, const char* caller, const std::exception_ptr& failure,
           std::uint64_t digest = 0, const Arguments& arguments = {},
           std::span<const std::uint64_t> arrays = {});

namespace impl {

/// An error to which a program gave a code, of the class that the C face numbers so: agree() tells all ranks of both.
struct CodedError : Error {
    CodedError(const std::string& message, std::string its_code, int its_status)
        : Error(message), code(std::move(its_code)), status(its_status) {}
    std::string code;
    int status;
};

} // namespace impl

/// Runs `action` on every rank and agrees on the outcome, and on arguments of which `digest` is a hash; see agree().
///
/// The action itself must not communicate: a rank that throws would leave the others waiting.
///
/// Collective: over comm
/// Example:    auto layout = agree_on(comm, "main", [&] { return read_layout(argc, argv); });
template <std::invocable Action>
auto agree_on(const Communicator& comm, const char* caller, Action&& action,
              std::uint64_t digest = 0, const Arguments& arguments = {}) {
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
    agree(comm, caller, failure, digest, arguments);
    if constexpr (!is_void) return std::move(*result);
}

} // namespace distview
