// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "progress.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace shallow_water {

namespace {

std::string duration_text(double seconds) {
    char text[32];
    const auto total = static_cast<long>(seconds + 0.5);
    if (total >= 3600)
        std::snprintf(text, sizeof text, "%ld:%02ld:%02ld", total / 3600, total / 60 % 60,
                      total % 60);
    else
        std::snprintf(text, sizeof text, "%ld:%02ld", total / 60, total % 60);
    return text;
}

/// Launchers give their ranks pseudo-terminals; scripts/run sets a variable that tells what is behind them.
bool is_terminal() {
    const char* told = std::getenv("DISTVIEW_STDERR_IS_TERMINAL");
    return told != nullptr ? std::string(told) == "1" : isatty(STDERR_FILENO) == 1;
}

} // namespace

Progress::Progress(bool wanted, std::int64_t steps)
    : m_active(wanted && is_terminal()), m_steps(std::max<std::int64_t>(steps, 1)) {}

Progress::~Progress() {
    if (m_shown) std::fprintf(stderr, "\r\033[K");
}

void Progress::update(std::int64_t steps_done) {
    if (!m_active) return;
    if (m_first < 0) m_first = steps_done - 1;
    const Clock::time_point now = Clock::now();
    if (m_shown && now - m_last < std::chrono::milliseconds(200)) return;
    m_last = now;
    m_shown = true;
    const double seconds = std::chrono::duration<double>(now - m_start).count();
    const double rate = seconds > 0 ? static_cast<double>(steps_done - m_first) / seconds : 0;
    const double share = static_cast<double>(steps_done) / static_cast<double>(m_steps);
    constexpr int width = 30;
    const int filled = static_cast<int>(share * width);
    const std::string bar = std::string(static_cast<std::size_t>(filled), '#') +
                            std::string(static_cast<std::size_t>(width - filled), '.');
    const double left = rate > 0 ? static_cast<double>(m_steps - steps_done) / rate : 0;
    std::fprintf(stderr, "\r  [%s] %3.0f %%  step %lld of %lld  %.0f steps/s  %s left\033[K",
                 bar.c_str(), 100 * share, static_cast<long long>(steps_done),
                 static_cast<long long>(m_steps), rate, duration_text(left).c_str());
    std::fflush(stderr);
}

} // namespace shallow_water
