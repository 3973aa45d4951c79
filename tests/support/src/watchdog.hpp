// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "rank_group.hpp"
#include "status_board.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace distview::testing::impl {

/// Ends the program when a test exceeds its time limit, after reporting the position of each rank.
class Watchdog {
public:
    Watchdog(RankGroup& group, StatusBoard& board);
    Watchdog(const Watchdog&) = delete;
    Watchdog& operator=(const Watchdog&) = delete;
    ~Watchdog();

    /// Restarts the clock, with DISTVIEW_TEST_TIMEOUT as the limit.
    void restart();

    /// Sets another limit for the running test; 0 means none.
    void set_limit(double seconds);

private:
    void watch();
    bool expired() const;
    void fire();

    RankGroup& m_group;
    StatusBoard& m_board;
    double m_default_limit;
    std::atomic<double> m_limit;
    std::atomic<std::chrono::steady_clock::time_point> m_start;
    std::mutex m_mutex;
    std::condition_variable m_stop_signal;
    bool m_stop = false;
    std::thread m_thread;
};

/// The program's watchdog, or nullptr outside of run_all_tests.
Watchdog* watchdog();

} // namespace distview::testing::impl
