// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "rank_group.hpp"
#include "status_board.hpp"
#include "watchdog.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace distview::testing::impl {

/// Makes the verdict of every test the same on all ranks.
///
/// GoogleTest calls OnTestEnd of listeners in reverse order of their registration, and failures
/// raised there still count for the test: this listener, added after the printer, adds the failures
/// of the other ranks before the printer says OK or FAILED.
class AgreementListener : public ::testing::EmptyTestEventListener {
public:
    AgreementListener(RankGroup& group, StatusBoard& board, Watchdog& watchdog);

    /// The verdict over all tests and ranks, including failures outside of tests. Collective.
    bool agree_on_program(bool passed_here);

private:
    struct Failure {
        std::string file;
        int line = 0;
        std::string message;

        bool operator==(const Failure&) const = default;
    };

    struct Record {
        std::string test;
        bool failed = false;
        bool skipped = false;
        std::vector<Failure> failures;
    };

    void OnTestStart(const ::testing::TestInfo& info) override;
    void OnTestPartResult(const ::testing::TestPartResult& result) override;
    void OnTestEnd(const ::testing::TestInfo& info) override;

    static std::string pack(const Record& record);
    static Record unpack(const std::string& packed);
    std::vector<Record> exchange(const Record& mine);
    void add_failures_of_others(const std::vector<Record>& records);
    void require_same_test(const std::vector<Record>& records);
    void require_same_skip(const std::vector<Record>& records);

    RankGroup& m_group;
    StatusBoard& m_board;
    Watchdog& m_watchdog;
    bool m_forwarding = false;
    std::vector<Failure> m_failures;
    std::int64_t m_tests_run = 0;
};

} // namespace distview::testing::impl
