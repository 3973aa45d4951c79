// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/hypre/checked.hpp>

#include "call.hpp"

#include <distview/comm/agreement.hpp>
#include <distview/core/text.hpp>
#include <distview/hypre/session.hpp>

#include <HYPRE_utilities.h>

#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>

namespace distview::hypre {

namespace {

/// Between construction and destruction hypre keeps its texts instead of printing them.
class ErrorScope {
public:
    ErrorScope() {
        (void)HYPRE_ClearAllErrors();
        (void)HYPRE_SetPrintErrorMode(1);
    }
    ~ErrorScope() {
        char* messages = nullptr;
        HYPRE_Int size = 0;
        (void)HYPRE_GetErrorMessages(&messages, &size);
        std::free(messages);
        (void)HYPRE_SetPrintErrorMode(0);
        (void)HYPRE_ClearAllErrors();
    }
    ErrorScope(const ErrorScope&) = delete;
    ErrorScope& operator=(const ErrorScope&) = delete;

    /// hypre's text for a code, and for each place where it occurred if hypre was built to record places.
    static std::string describe(int code) {
        char words[1024] = {};
        HYPRE_DescribeError(code, words);
        std::string all = words;
        while (!all.empty() && all.back() == ' ') all.pop_back();
        return all + take_messages();
    }

private:
    static std::string take_messages() {
        char* buffer = nullptr;
        HYPRE_Int size = 0;
        (void)HYPRE_GetErrorMessages(&buffer, &size);
        std::string all;
        for (HYPRE_Int at = 0; buffer && at < size;) {
            const std::string_view line(buffer + at);
            all += text("\n", line.substr(0, line.find_last_not_of("\n ") + 1));
            at += static_cast<HYPRE_Int>(line.size()) + 1;
        }
        std::free(buffer);
        return all;
    }
};

} // namespace

void impl::run_checked(const Communicator& comm, const char* caller,
                       const std::function<int()>& action) {
    const CollectiveCall call(comm, caller);
    agree_on(comm, caller, [&] {
        require<UsageError>(is_running(), [&] {
            return text(caller,
                        ": expected hypre to be initialised, got a call before initialisation or "
                        "after HYPRE_Finalize(); make a hypre::Session first");
        });
    });

    int code = 0;
    std::exception_ptr failure;
    {
        const ErrorScope scope;
        try {
            try {
                code = action();
            } catch (const CallFailed& failed) {
                code = failed.code;
            }
            if (code != 0)
                throw Error(text(caller, ": hypre reports: ", ErrorScope::describe(code)));
        } catch (...) {
            failure = std::current_exception();
        }
    }

    distview::impl::agree_on_solver(comm, caller, failure, code);
}

} // namespace distview::hypre
