// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <chrono>
#include <cstdint>

namespace shallow_water {

/// A line on standard error that is rewritten during the run: share done, steps/s, time left.
///
/// Silent unless `wanted` and standard error is a terminal; at most five times a second.
class Progress {
public:
    Progress(bool wanted, std::int64_t steps);
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    void update(std::int64_t steps_done);

private:
    using Clock = std::chrono::steady_clock;
    bool m_active;
    bool m_shown = false;
    std::int64_t m_steps;
    std::int64_t m_first = -1; ///< step from which this run started
    Clock::time_point m_start = Clock::now();
    Clock::time_point m_last = m_start;
};

} // namespace shallow_water
