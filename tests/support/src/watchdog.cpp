// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "watchdog.hpp"

#include "run_all_tests.hpp"

#include <distview_testing/allocations.hpp>
#include <distview_testing/ranks.hpp>

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace distview::testing {

namespace {

impl::Watchdog* g_watchdog = nullptr;

double limit_from_environment() {
    constexpr double default_seconds = 60;
    const char* text = std::getenv("DISTVIEW_TEST_TIMEOUT");
    if (text == nullptr || *text == '\0') {
        return default_seconds;
    }
    char* end = nullptr;
    const double seconds = std::strtod(text, &end);
    return *end == '\0' && seconds >= 0 ? seconds : default_seconds;
}

/// Writes to the descriptor directly: the stuck thread may hold the lock of stdout.
void write_out(const std::string& text) {
    std::size_t done = 0;
    while (done < text.size()) {
        const ssize_t n = ::write(STDOUT_FILENO, text.data() + done, text.size() - done);
        if (n <= 0) {
            return;
        }
        done += static_cast<std::size_t>(n);
    }
}

} // namespace

namespace impl {

Watchdog* watchdog() { return g_watchdog; }

Watchdog::Watchdog(RankGroup& group, StatusBoard& board)
    : m_group(group), m_board(board), m_default_limit(limit_from_environment()),
      m_limit(m_default_limit), m_start(std::chrono::steady_clock::now()),
      m_thread([this] { watch(); }) {
    g_watchdog = this;
}

Watchdog::~Watchdog() {
    g_watchdog = nullptr;
    {
        const std::lock_guard lock(m_mutex);
        m_stop = true;
    }
    m_stop_signal.notify_one();
    m_thread.join();
}

void Watchdog::restart() {
    m_limit = m_default_limit;
    m_start = std::chrono::steady_clock::now();
}

void Watchdog::set_limit(double seconds) { m_limit = seconds; }

void Watchdog::watch() {
    const UncountedScope not_the_test;
    std::unique_lock lock(m_mutex);
    while (
        !m_stop_signal.wait_for(lock, std::chrono::milliseconds(100), [this] { return m_stop; })) {
        if (expired()) {
            fire();
        }
    }
}

bool Watchdog::expired() const {
    const double limit = m_limit;
    // Rank 0 reports first, so the report normally comes from it.
    const double grace = m_group.rank() == 0 ? 0.0 : 1.0;
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - m_start.load();
    return limit > 0 && passed.count() > limit + grace;
}

void Watchdog::fire() {
    if (!m_board.claim_report()) {
        // Another rank reports and ends this process; exit here if it fails to.
        std::this_thread::sleep_for(std::chrono::seconds(20));
        ::_exit(EXIT_FAILURE);
    }
    char seconds[32];
    std::snprintf(seconds, sizeof(seconds), "%g", m_limit.load());
    write_out("\nDISTVIEW-TEST-WATCHDOG: no end after " + std::string(seconds) +
              " s (DISTVIEW_TEST_TIMEOUT); the ranks:\n" + m_board.report() +
              std::string(failed_token) + "\n");
    // A launcher drops output not yet forwarded when it ends the program.
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    m_group.abort();
}

} // namespace impl

void set_test_timeout(double seconds) {
    if (g_watchdog != nullptr) {
        g_watchdog->set_limit(seconds);
    }
}

} // namespace distview::testing
