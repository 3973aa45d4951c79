// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "run_all_tests.hpp"

#include "agreement_listener.hpp"
#include "watchdog.hpp"

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

namespace distview::testing::impl {

namespace {

/// Ranks that select, order or repeat tests differently would wait for each other forever.
void take_flags_from_rank_zero(RankGroup& group) {
    int seed = GTEST_FLAG_GET(random_seed);
    if (GTEST_FLAG_GET(shuffle) && seed == 0) {
        // GoogleTest accepts seeds of 1 to 99999, and derives one from the clock for 0.
        const auto now = std::chrono::system_clock::now().time_since_epoch().count();
        seed = 1 + static_cast<int>(now / 1000 % 99999);
    }
    std::string flags;
    append_field(flags, GTEST_FLAG_GET(filter));
    append_field(flags, std::to_string(seed));
    append_field(flags, std::to_string(GTEST_FLAG_GET(repeat)));
    append_field(flags, GTEST_FLAG_GET(shuffle) ? "1" : "0");
    append_field(flags, GTEST_FLAG_GET(also_run_disabled_tests) ? "1" : "0");
    append_field(flags, GTEST_FLAG_GET(fail_fast) ? "1" : "0");

    flags = group.gather(flags)[0];
    std::size_t position = 0;
    GTEST_FLAG_SET(filter, take_field(flags, position));
    GTEST_FLAG_SET(random_seed, std::stoi(take_field(flags, position)));
    GTEST_FLAG_SET(repeat, std::stoi(take_field(flags, position)));
    GTEST_FLAG_SET(shuffle, take_field(flags, position) == "1");
    GTEST_FLAG_SET(also_run_disabled_tests, take_field(flags, position) == "1");
    GTEST_FLAG_SET(fail_fast, take_field(flags, position) == "1");
}

void silence_this_rank() {
    ::testing::TestEventListeners& listeners = ::testing::UnitTest::GetInstance()->listeners();
    delete listeners.Release(listeners.default_result_printer());
    GTEST_FLAG_SET(output, "");
}

bool only_lists_tests() { return GTEST_FLAG_GET(list_tests); }

} // namespace

TestProgram::TestProgram(RankGroup& group) : m_group(group), m_board(group) {
    set_rank_group(&group);
}

bool TestProgram::run() {
    // From now on no tool listens to Kokkos unless a test attaches one.
    Kokkos::Tools::Experimental::set_request_tool_settings_callback(nullptr);
    if (only_lists_tests()) {
        return m_group.rank() != 0 || RUN_ALL_TESTS() == 0;
    }
    take_flags_from_rank_zero(m_group);
    if (m_group.rank() != 0) {
        silence_this_rank();
    }
    Watchdog watchdog(m_group, m_board);
    auto* listener = new AgreementListener(m_group, m_board, watchdog);
    ::testing::UnitTest::GetInstance()->listeners().Append(listener);

    const bool passed_here = RUN_ALL_TESTS() == 0;
    const bool passed = listener->agree_on_program(passed_here);
    delete ::testing::UnitTest::GetInstance()->listeners().Release(listener);
    return passed;
}

int TestProgram::finish(bool passed) {
    constexpr std::chrono::seconds limit(10);
    const bool all_passed = m_board.all_passed(passed, limit);
    if (m_group.rank() == 0) {
        if (!only_lists_tests()) {
            std::printf("%s\n", all_passed ? passed_token : failed_token);
            std::fflush(stdout);
        }
        if (!all_passed && m_group.size() > 1) {
            // The launcher drops output not yet forwarded when the first failed process ends.
            std::this_thread::sleep_for(std::chrono::milliseconds(300));
        }
        m_board.set_printed();
    } else {
        m_board.wait_until_printed(limit);
    }
    return all_passed ? EXIT_SUCCESS : EXIT_FAILURE;
}

void set_kokkos_defaults(int rank_count) {
    constexpr int keep = 0;
    if (std::getenv("OMP_NUM_THREADS") == nullptr) {
        const int cores = static_cast<int>(std::thread::hardware_concurrency());
        const std::string threads = std::to_string(std::max(1, cores / rank_count));
        ::setenv("KOKKOS_NUM_THREADS", threads.c_str(), keep);
    }
    if (rank_count > 1) {
        // Ranks share cores on purpose: suppress the warning of each rank.
        ::setenv("KOKKOS_DISABLE_WARNINGS", "true", keep);
    }
    // Only suppresses the warning of Kokkos that threads are not bound; tests want no binding.
    ::setenv("OMP_PROC_BIND", "false", keep);
    // During initialisation, Kokkos asks once whether to fence every kernel for its listeners.
    Kokkos::Tools::Experimental::set_request_tool_settings_callback(
        [](std::uint32_t, Kokkos_Tools_ToolSettings* settings) {
            settings->requires_global_fencing = false;
        });
}

} // namespace distview::testing::impl
