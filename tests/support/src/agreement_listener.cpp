// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agreement_listener.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

namespace distview::testing::impl {

AgreementListener::AgreementListener(RankGroup& group, StatusBoard& board, Watchdog& watchdog)
    : m_group(group), m_board(board), m_watchdog(watchdog) {}

void AgreementListener::OnTestStart(const ::testing::TestInfo& info) {
    m_board.enter_test(std::string(info.test_suite_name()) + "." + info.name());
    m_watchdog.restart();
}

void AgreementListener::OnTestPartResult(const ::testing::TestPartResult& result) {
    if (!result.failed() || m_forwarding) {
        return;
    }
    // A failure caused by an exception has no file name and no line.
    Failure failure{result.file_name() == nullptr ? "" : result.file_name(), result.line_number(),
                    result.message()};
    const std::string place =
        failure.file.empty() ? "" : failure.file + ":" + std::to_string(failure.line) + ": ";
    m_board.add_failure(place + failure.message);
    m_failures.push_back(std::move(failure));
}

void AgreementListener::OnTestEnd(const ::testing::TestInfo& info) {
    m_board.set_phase(Phase::left_test);
    Record mine;
    mine.test = std::string(info.test_suite_name()) + "." + info.name();
    mine.failed = info.result()->Failed();
    mine.skipped = info.result()->Skipped();
    mine.failures = std::exchange(m_failures, {});

    const std::vector<Record> records = exchange(mine);
    m_forwarding = true;
    require_same_test(records);
    require_same_skip(records);
    add_failures_of_others(records);
    m_forwarding = false;

    m_tests_run += mine.skipped ? 0 : 1;
    m_board.set_phase(Phase::between_tests);
    m_watchdog.restart();
}

bool AgreementListener::agree_on_program(bool passed_here) {
    m_board.set_phase(Phase::ending);
    m_watchdog.restart();
    Record mine;
    mine.test = "the end of the program, after " + std::to_string(m_tests_run) + " tests";
    mine.failed = !passed_here;
    mine.failures = std::exchange(m_failures, {});

    const std::vector<Record> records = exchange(mine);
    m_forwarding = true;
    add_failures_of_others(records);
    m_forwarding = false;
    const bool same_number = std::all_of(records.begin(), records.end(), [&](const Record& other) {
        return other.test == mine.test;
    });
    if (m_group.rank() == 0 && !same_number) {
        std::printf("The ranks ran different numbers of tests.\n");
    } else if (m_group.rank() == 0 && m_tests_run == 0) {
        std::printf("No test ran.\n");
    }
    const bool any_failed = std::any_of(records.begin(), records.end(),
                                        [](const Record& record) { return record.failed; });
    return same_number && m_tests_run > 0 && !any_failed;
}

std::string AgreementListener::pack(const Record& record) {
    std::string packed;
    append_field(packed, record.test);
    append_field(packed, record.failed ? "1" : "0");
    append_field(packed, record.skipped ? "1" : "0");
    for (const Failure& failure : record.failures) {
        append_field(packed, failure.file);
        append_field(packed, std::to_string(failure.line));
        append_field(packed, failure.message);
    }
    return packed;
}

AgreementListener::Record AgreementListener::unpack(const std::string& packed) {
    std::size_t position = 0;
    Record record;
    record.test = take_field(packed, position);
    record.failed = take_field(packed, position) == "1";
    record.skipped = take_field(packed, position) == "1";
    while (position < packed.size()) {
        Failure failure;
        failure.file = take_field(packed, position);
        failure.line = std::stoi(take_field(packed, position));
        failure.message = take_field(packed, position);
        record.failures.push_back(std::move(failure));
    }
    return record;
}

std::vector<AgreementListener::Record> AgreementListener::exchange(const Record& mine) {
    std::vector<Record> records;
    for (const std::string& packed : m_group.gather(pack(mine))) {
        records.push_back(unpack(packed));
    }
    return records;
}

void AgreementListener::require_same_test(const std::vector<Record>& records) {
    for (std::size_t r = 1; r < records.size(); ++r) {
        if (records[r].test != records[0].test) {
            ADD_FAILURE() << "[" << rank_list({static_cast<int>(r)}, m_group.size()) << "] ran "
                          << records[r].test << " while rank 0 ran " << records[0].test;
        }
    }
}

void AgreementListener::require_same_skip(const std::vector<Record>& records) {
    std::vector<int> skipping;
    for (std::size_t r = 0; r < records.size(); ++r) {
        if (records[r].skipped) {
            skipping.push_back(static_cast<int>(r));
        }
    }
    if (!skipping.empty() && skipping.size() != records.size()) {
        ADD_FAILURE() << "[" << rank_list(skipping, m_group.size())
                      << "] skipped the test, the others did not";
    }
}

void AgreementListener::add_failures_of_others(const std::vector<Record>& records) {
    // Every rank marks the test as failed, so that --gtest_fail_fast acts on all; only rank 0
    // prints, and there equal failures of several ranks become one.
    std::vector<std::pair<Failure, std::vector<int>>> failures;
    for (std::size_t r = 0; r < records.size(); ++r) {
        if (static_cast<int>(r) == m_group.rank()) {
            continue;
        }
        for (const Failure& failure : records[r].failures) {
            const auto same = std::find_if(failures.begin(), failures.end(),
                                           [&](const auto& f) { return f.first == failure; });
            if (same != failures.end() && same->second.back() != static_cast<int>(r)) {
                same->second.push_back(static_cast<int>(r));
            } else if (same == failures.end()) {
                failures.push_back({failure, {static_cast<int>(r)}});
            }
        }
    }
    for (const auto& [failure, ranks] : failures) {
        const char* file = failure.file.empty() ? "unknown file" : failure.file.c_str();
        ADD_FAILURE_AT(file, failure.line)
            << "[" << rank_list(ranks, m_group.size()) << "] " << failure.message;
    }
}

} // namespace distview::testing::impl
