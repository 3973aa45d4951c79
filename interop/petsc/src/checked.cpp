// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/petsc/checked.hpp>

#include "pending.hpp"

#include <distview/comm/agreement.hpp>
#include <distview/core/text.hpp>
#include <distview/petsc/handle.hpp>
#include <distview/petsc/session.hpp>

#include <petscsys.h>

#include <exception>
#include <string>
#include <utility>

namespace distview::petsc {

namespace {

/// Replaces PETSc's error handler between construction and destruction, and keeps the text of the first error.
class ErrorScope {
public:
    ErrorScope() { (void)PetscPushErrorHandler(&ErrorScope::record, this); }
    ~ErrorScope() { (void)PetscPopErrorHandler(); }
    ErrorScope(const ErrorScope&) = delete;
    ErrorScope& operator=(const ErrorScope&) = delete;

    std::string message;

private:
    static PetscErrorCode record(MPI_Comm, int, const char* function, const char*,
                                 PetscErrorCode code, PetscErrorType type, const char* words,
                                 void* context) {
        auto& message = static_cast<ErrorScope*>(context)->message;
        if (type != PETSC_ERROR_INITIAL || !message.empty()) return code;
        const char* general = nullptr;
        (void)PetscErrorMessage(code, &general, nullptr);
        message =
            text("PETSc's ", function ? function : "call", " reports: ", general ? general : "",
                 words && *words ? ": " : "", words ? words : "");
        return code;
    }
};

thread_local std::exception_ptr pending;

} // namespace

void impl::set_pending(std::exception_ptr failure) noexcept { pending = std::move(failure); }

void impl::run_checked(const Communicator& comm, const char* caller,
                       const std::function<int()>& action) {
    const CollectiveCall call(comm, caller);
    agree_on(comm, caller, [&] {
        require<UsageError>(is_running(), [&] {
            return text(caller,
                        ": expected PETSc to be initialised, got a call before initialisation or "
                        "after PetscFinalize(); make a petsc::Session first");
        });
        Objects::make_room();
    });

    int code = 0;
    std::exception_ptr failure;
    pending = nullptr;
    try {
        const ErrorScope scope;
        code = action();
        if (code != 0 && pending) {
            code = 0;
            failure = std::exchange(pending, nullptr);
        } else if (code != 0) {
            failure = std::make_exception_ptr(
                Error(text(caller, ": ",
                           scope.message.empty() ? text("PETSc's error ", code) : scope.message)));
        }
    } catch (...) {
        failure = std::current_exception();
    }

    distview::impl::agree_on_solver(comm, caller, failure, code);
}

} // namespace distview::petsc
