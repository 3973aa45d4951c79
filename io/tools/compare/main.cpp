// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// distview-compare A B: reports the differences between the arrays of two files.
#include "comparison.hpp"

#include <distview/comm/agreement.hpp>
#include <distview/comm/runtime.hpp>
#include <distview/core/error.hpp>

#include <mpi.h>

#include <cstdio>
#include <exception>
#include <optional>

namespace {

// Exit statuses of cmp and diff.
constexpr int same = 0;
constexpr int different = 1;
constexpr int trouble = 2;

int run(const distview::Communicator& comm, int argc, char** argv) {
    const compare::CommandLine line = distview::agree_on(
        comm, "distview-compare", [&] { return compare::parse_command_line(argc, argv); });
    if (!line.help.empty()) {
        if (comm.rank() == 0) std::fputs(line.help.c_str(), stdout);
        return same;
    }
    const compare::Comparison comparison = compare::compare_files(comm, line.options);
    if (comm.rank() == 0 && !line.options.quiet)
        std::fputs(compare::to_text(comparison, line.options).c_str(), stdout);
    return comparison.differs() ? different : same;
}

} // namespace

int main(int argc, char** argv) {
    std::optional<distview::Runtime> runtime;
    try {
        runtime.emplace(argc, argv);
        const distview::Communicator comm(MPI_COMM_WORLD);
        int status = trouble;
        try {
            status = run(comm, argc, argv);
        } catch (const distview::Error& error) { // the same on every rank
            if (comm.rank() == 0) std::fprintf(stderr, "distview-compare: %s\n", error.what());
        }
        // A launcher ends the other ranks when one returns an error status: only rank 0 returns it.
        return comm.rank() == 0 ? status : 0;
    } catch (const std::exception& error) { // an error of this rank alone
        std::fprintf(stderr, "distview-compare: %s\n", error.what());
        MPI_Abort(MPI_COMM_WORLD, trouble);
        return trouble;
    }
}
