// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/mpi_error.hpp>

#include <distview/comm/impl/mpi/checks.hpp>
#include <distview/comm/impl/mpi/process_watch.hpp>
#include <distview/core/text.hpp>

#include <mpi.h>

#include <limits>
#include <string>

namespace distview {

void check_mpi(int code, const char* call) {
    if (code == MPI_SUCCESS) return;
    char buffer[MPI_MAX_ERROR_STRING] = {};
    int length = 0;
    MPI_Error_string(code, buffer, &length);
    const std::string ended = impl::ProcessWatch::describe_ended(code);
    const std::string failed =
        text(call, " failed: ", std::string(buffer, static_cast<std::size_t>(length)), " (code ",
             code, ')');
    throw MpiError(ended.empty() ? failed : text(ended, "; ", failed), code);
}

void require_mpi(const char* caller) {
    int initialized = 0;
    int finalized = 0;
    MPI_Initialized(&initialized);
    if (initialized) MPI_Finalized(&finalized);
    require<UsageError>(initialized != 0, [&] {
        return text(caller, ": MPI is not initialised; call MPI_Init_thread (or construct a "
                            "distview::Runtime) first");
    });
    require<UsageError>(finalized == 0, [&] { return text(caller, ": MPI is already finalised"); });
}

int impl::message_count(std::int64_t count, const char* caller, const char* unit) {
    require<UsageError>(count >= 0 && count <= std::numeric_limits<int>::max(), [&] {
        return text(caller, ": a message of ", count, ' ', unit, " exceeds MPI's limit of 2^31-1");
    });
    return static_cast<int>(count);
}

} // namespace distview
