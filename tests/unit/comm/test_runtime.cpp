// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A Runtime in a program where MPI and Kokkos run already, as in this test; for other cases see programs/lifecycle.cpp.
#include <distview/comm/mpi_error.hpp>
#include <distview/comm/runtime.hpp>
#include <distview/core/message_sink.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <mpi.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace distview::testing {

namespace {

struct Program {
    char name[8] = "program";
    char* arguments[2] = {name, nullptr};
    int argc = 1;
    char** argv = arguments;
};

bool mpi_runs() {
    int initialized = 0;
    int finalized = 0;
    MPI_Initialized(&initialized);
    MPI_Finalized(&finalized);
    return initialized != 0 && finalized == 0;
}

TEST(Runtime, LeavesAloneWhatRunsAlready) {
    int provided = MPI_THREAD_SINGLE;
    MPI_Query_thread(&provided);
    Program program;
    {
        const Runtime runtime(program.argc, program.argv);
        EXPECT_EQ(runtime.thread_level(), provided);
    }
    EXPECT_TRUE(mpi_runs());
    EXPECT_TRUE(Kokkos::is_initialized());
    EXPECT_EQ(program.argc, 1);
    EXPECT_NO_THROW(require_mpi("test"));
}

TEST(Runtime, WarnsOfALowerThreadLevel) {
    int provided = MPI_THREAD_SINGLE;
    MPI_Query_thread(&provided);
    if (provided == MPI_THREAD_MULTIPLE) GTEST_SKIP() << "there is no higher level";
    std::vector<std::pair<Severity, std::string>> reports;
    set_message_sink([&](Severity severity, std::string_view message) {
        reports.emplace_back(severity, message);
    });
    Program program;
    {
        const Runtime asks_no_more(program.argc, program.argv, provided);
    }
    EXPECT_TRUE(reports.empty());
    {
        const Runtime asks_for_more(program.argc, program.argv, MPI_THREAD_MULTIPLE);
    }
    set_message_sink(nullptr);
    ASSERT_EQ(reports.size(), 1u);
    EXPECT_EQ(reports[0].first, Severity::warning);
    EXPECT_TRUE(reports[0].second.starts_with("Runtime: asked MPI for thread level"))
        << reports[0].second;
}

} // namespace

} // namespace distview::testing
