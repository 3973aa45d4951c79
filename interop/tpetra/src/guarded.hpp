// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/error.hpp>
#include <distview/core/text.hpp>
#include <distview/interop/solver_error.hpp>

#include <exception>
#include <string>
#include <string_view>
#include <typeinfo>

namespace distview::tpetra::impl {

/// The message of a Trilinos exception, without the file, line and condition before it.
inline std::string said(std::string_view what) {
    constexpr std::string_view condition = "Throw test that evaluated to true: ";
    if (const auto at = what.find(condition); at != what.npos) {
        const auto line = what.find('\n', at);
        if (line != what.npos) what.remove_prefix(line);
    }
    const auto first = what.find_first_not_of(" \n");
    if (first == what.npos) return "an exception without a text";
    return std::string(what.substr(first, what.find_last_not_of(" \n") - first + 1));
}

/// Runs calls of Trilinos, which may communicate, and agrees on the outcome: if one throws, all ranks throw an error of
/// this library. If Trilinos throws on some ranks while others wait inside it, the program hangs.
template <class Action>
void guarded(const Communicator& comm, const char* caller, Action&& action) {
    std::exception_ptr failure;
    int code = 0; // exceptions have no code and count as 1
    try {
        action();
    } catch (const Error& error) {
        if (typeid(error) == typeid(Error)) code = 1; // a zero on a diagonal, say
        failure = std::current_exception();
    } catch (const std::exception& error) {
        code = 1;
        failure = std::make_exception_ptr(Error(
            text(caller, ": expected no exception from Trilinos, got: ", said(error.what()))));
    }
    distview::impl::agree_on_solver(comm, caller, failure, code);
}

} // namespace distview::tpetra::impl
