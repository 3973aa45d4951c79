// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "rank_group.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

namespace distview::testing::impl {

enum class Phase : int { unknown, starting, in_test, left_test, between_tests, ending };

/// The state of one rank. The texts are written before the phase that announces them.
struct RankStatus {
    static constexpr std::size_t text_capacity = 4096;

    std::atomic<Phase> phase;
    std::atomic<int> verdict;
    char test[512];
    char failures[text_capacity];
};

/// The state of every rank, readable without MPI.
///
/// The watchdog must report where all ranks are while MPI is stuck, so the ranks of one machine write their state into
/// a mapped file. On several machines each rank sees only the ranks of its own machine.
class StatusBoard {
public:
    /// Collective over the group.
    explicit StatusBoard(RankGroup& group);
    StatusBoard(const StatusBoard&) = delete;
    StatusBoard& operator=(const StatusBoard&) = delete;
    ~StatusBoard();

    void enter_test(const std::string& name);
    void add_failure(const std::string& text);
    void set_phase(Phase phase);

    /// True for the first rank of the machine that calls it: that rank writes the report.
    bool claim_report();

    /// One or more lines per rank.
    std::string report() const;

    /// True if every rank passed; false also if a rank has not reported within the time limit. For
    /// the end of the program, after MPI_Finalize. Ranks on other machines are not asked.
    bool all_passed(bool passed_here, std::chrono::seconds limit);

    /// Keep a rank from ending before rank 0 has printed: a launcher kills the other processes when
    /// one has failed.
    void set_printed();
    void wait_until_printed(std::chrono::seconds limit);

private:
    struct Shared {
        std::atomic<int> report_claimed;
        std::atomic<int> printed;
        RankStatus ranks[1];
    };

    RankStatus& mine();

    int m_rank;
    int m_rank_count;
    bool m_is_shared = false;
    std::size_t m_size;
    Shared* m_shared = nullptr;
};

} // namespace distview::testing::impl
