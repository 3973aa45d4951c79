// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/c/types.h>

#include <distview/core/error.hpp>
#include <distview/core/text.hpp>

#include <cstdint>
#include <exception>
#include <string>
#include <string_view>

namespace distview::c {

/// Stores the exception being handled as this thread's error; returns its status.
int record_failure() noexcept;

/// Runs action(function), the body of a function of the C face; lets no exception out.
template <class Action>
int guard(const char* function, Action&& action) noexcept {
    try {
        action(function);
        return DISTVIEW_SUCCESS;
    } catch (...) {
        return record_failure();
    }
}

[[noreturn]] void throw_null(const char* function, const char* what);

/// The object that a pointer refers to; UsageError if it is null.
template <class T>
T& checked(T* pointer, const char* function, const char* what) {
    if (!pointer) throw_null(function, what);
    return *pointer;
}

/// Converts errors of a function of the program to exceptions, with the text that the function passed to
/// distview_set_error().
class CallbackErrors {
public:
    explicit CallbackErrors(const char* function) noexcept;
    /// The error of a function that has returned `status`, which is not 0.
    std::exception_ptr error_of(int status) const;
    void check(int status) const {
        if (status != DISTVIEW_SUCCESS) std::rethrow_exception(error_of(status));
    }

private:
    const char* m_function;
    std::uint64_t m_errors; ///< number of errors that this thread had set before the call
};

/// The exception of this thread's error, or of a status without one.
std::exception_ptr failure_of(int status, const char* function);

/// Writes a text into the caller's buffer.
void give_text(std::string_view text, char* buffer, std::int64_t capacity, std::int64_t* length,
               const char* function);

enum class Contracts : int { off = 0, cheap = 1, full = 2 };
Contracts contracts() noexcept;

} // namespace distview::c
