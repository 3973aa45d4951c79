// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "rank_group.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

namespace distview::testing::impl {

enum class Phase : int { unknown, starting, in_test, left_test, between_tests, ending };

/// What one rank is doing. The texts are written before the phase that announces them.
struct RankStatus {
    static constexpr std::size_t text_capacity = 4096;

    std::atomic<Phase> phase;
    char test[512];
    char failures[text_capacity];
};

/// What every rank is doing, readable without MPI.
///
/// The watchdog must say where all ranks are at a moment when MPI is stuck, so the ranks of one
/// machine write their state into a mapped file. On several machines each rank sees only itself.
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

    /// True for the one rank of the machine that asks first: it writes the report.
    bool claim_report();

    /// One or more lines per rank.
    std::string report() const;

private:
    struct Shared {
        std::atomic<int> report_claimed;
        RankStatus ranks[1];
    };

    RankStatus& mine();

    int m_rank;
    int m_rank_count;
    std::size_t m_size;
    Shared* m_shared = nullptr;
};

}  // namespace distview::testing::impl
