// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "allocation_hooks.hpp"
#include "mpi_tally.hpp"
#include "run_all_tests.hpp"
#include "sanitizer_defaults.hpp"

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>
#include <mpi.h>

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

namespace {

/// MPI_COMM_WORLD on a separate communicator of the harness, through PMPI: messages of the harness
/// cannot match messages that a test has left behind, and are not counted.
class WorldGroup : public distview::testing::impl::RankGroup {
public:
    WorldGroup() {
        PMPI_Comm_dup(MPI_COMM_WORLD, &m_communicator);
        PMPI_Comm_rank(m_communicator, &m_rank);
        PMPI_Comm_size(m_communicator, &m_size);
    }

    /// To be called before MPI_Finalize; rank and size remain known.
    void close() { PMPI_Comm_free(&m_communicator); }

    int rank() const override { return m_rank; }
    int size() const override { return m_size; }

    std::vector<std::string> gather(const std::string& text) override {
        const int size = static_cast<int>(text.size());
        std::vector<int> sizes(static_cast<std::size_t>(m_size));
        PMPI_Allgather(&size, 1, MPI_INT, sizes.data(), 1, MPI_INT, m_communicator);
        std::vector<int> offsets(sizes.size());
        std::exclusive_scan(sizes.begin(), sizes.end(), offsets.begin(), 0);
        std::string all(static_cast<std::size_t>(offsets.back() + sizes.back()), '\0');
        PMPI_Allgatherv(text.data(), size, MPI_CHAR, all.data(), sizes.data(), offsets.data(),
                        MPI_CHAR, m_communicator);
        std::vector<std::string> texts;
        for (std::size_t r = 0; r < sizes.size(); ++r) {
            texts.push_back(all.substr(static_cast<std::size_t>(offsets[r]),
                                       static_cast<std::size_t>(sizes[r])));
        }
        return texts;
    }

    bool all(bool condition) override {
        const int here = condition ? 1 : 0;
        int everywhere = 0;
        PMPI_Allreduce(&here, &everywhere, 1, MPI_INT, MPI_MIN, m_communicator);
        return everywhere == 1;
    }

    /// Called from the watchdog's thread while another thread is inside MPI, whatever the thread
    /// level: the program is lost anyway. The alarm ends the process if MPI does not.
    [[noreturn]] void abort() override {
        ::alarm(10);
        PMPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
        ::_exit(EXIT_FAILURE);
    }

private:
    MPI_Comm m_communicator = MPI_COMM_NULL;
    int m_rank = 0;
    int m_size = 1;
};

int requested_thread_level() {
    const char* text = std::getenv("DISTVIEW_TEST_THREAD_LEVEL");
    const std::string_view level = text == nullptr ? "funneled" : text;
    if (level == "single") {
        return MPI_THREAD_SINGLE;
    }
    if (level == "serialized") {
        return MPI_THREAD_SERIALIZED;
    }
    return level == "multiple" ? MPI_THREAD_MULTIPLE : MPI_THREAD_FUNNELED;
}

bool handles_are_checked() {
    const char* text = std::getenv("DISTVIEW_TEST_CHECK_HANDLES");
    return text == nullptr || std::string_view(text) != "0";
}

/// Called after MPI_Finalize, because MPI_Finalize frees what the library caches on communicators.
bool all_handles_freed(const distview::testing::impl::RankGroup& group) {
    const distview::testing::MpiHandles left = distview::testing::live_mpi_handles();
    if (!handles_are_checked() || left == distview::testing::MpiHandles{}) {
        return true;
    }
    std::printf("[rank %d of %d] MPI handles not freed: %s\n", group.rank(), group.size(),
                describe(left).c_str());
    std::fflush(stdout);
    return false;
}

} // namespace

int main(int argc, char** argv) {
    namespace harness = distview::testing::impl;
    harness::link_sanitizer_defaults();
    harness::link_allocation_hooks();
    harness::link_mpi_wrappers();
    const int required = requested_thread_level();
    int provided = MPI_THREAD_SINGLE;
    PMPI_Init_thread(&argc, &argv, required, &provided);
    if (provided < required) {
        std::printf("MPI offers thread level %d, the tests need %d\n", provided, required);
        PMPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    }
    harness::ignore_other_threads();
    ::testing::InitGoogleTest(&argc, argv);

    WorldGroup group;
    harness::set_kokkos_defaults(group.size());
    harness::TestProgram program(group);
    bool passed = false;
    {
        const Kokkos::ScopeGuard kokkos(argc, argv);
        passed = program.run();
    }
    group.close();
    PMPI_Finalize();
    passed = all_handles_freed(group) && passed;
    return program.finish(passed);
}
