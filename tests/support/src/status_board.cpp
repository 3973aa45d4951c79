// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "status_board.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <new>
#include <system_error>
#include <thread>

namespace distview::testing::impl {

namespace {

constexpr int verdict_passed = 1;
constexpr int verdict_failed = 2;

template <class Condition>
bool wait_for(std::chrono::seconds limit, Condition condition) {
    const auto end = std::chrono::steady_clock::now() + limit;
    while (!condition()) {
        if (std::chrono::steady_clock::now() > end) {
            return false;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
}

void copy_text(char* target, std::size_t capacity, const std::string& text) {
    const std::size_t size = std::min(text.size(), capacity - 1);
    std::memcpy(target, text.data(), size);
    target[size] = '\0';
}

/// The descriptor and, on rank 0, the path of a new file of this size; -1 if no file could be created.
int create_file(std::string& path, std::size_t size) {
    std::error_code error;
    path = (std::filesystem::temp_directory_path(error) / "distview_test_XXXXXX").string();
    const int file = ::mkstemp(path.data());
    if (file < 0) {
        path.clear();
    } else if (::ftruncate(file, static_cast<off_t>(size)) != 0) {
        ::close(file);
        ::unlink(path.c_str());
        path.clear();
        return -1;
    }
    return file;
}

void* map_memory(int file, std::size_t size) {
    const int flags = file < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;
    void* memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, flags, file, 0);
    if (memory == MAP_FAILED) {
        throw std::bad_alloc();
    }
    return memory;
}

} // namespace

StatusBoard::StatusBoard(RankGroup& group)
    : m_rank(group.rank()), m_rank_count(group.size()),
      m_size(sizeof(Shared) + sizeof(RankStatus) * static_cast<std::size_t>(m_rank_count)) {
    int file = -1;
    if (m_rank_count > 1) {
        std::string path;
        if (m_rank == 0) {
            file = create_file(path, m_size);
        }
        path = group.gather(path)[0];
        if (m_rank != 0 && !path.empty()) {
            file = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
        }
        m_is_shared = group.all(file >= 0);
        if (m_rank == 0 && !path.empty()) {
            ::unlink(path.c_str());
        }
        if (!m_is_shared && file >= 0) {
            ::close(file);
            file = -1;
        }
    }
    // A new file and an anonymous mapping are zero, which is a valid empty board.
    m_shared = static_cast<Shared*>(map_memory(file, m_size));
    if (file >= 0) {
        ::close(file);
    }
    set_phase(Phase::starting);
}

StatusBoard::~StatusBoard() { ::munmap(m_shared, m_size); }

RankStatus& StatusBoard::mine() { return m_shared->ranks[m_rank]; }

void StatusBoard::enter_test(const std::string& name) {
    copy_text(mine().test, sizeof(mine().test), name);
    mine().failures[0] = '\0';
    set_phase(Phase::in_test);
}

void StatusBoard::add_failure(const std::string& text) {
    char* failures = mine().failures;
    const std::size_t used = ::strnlen(failures, RankStatus::text_capacity - 1);
    copy_text(failures + used, RankStatus::text_capacity - used, text + "\n");
}

void StatusBoard::set_phase(Phase phase) { mine().phase.store(phase, std::memory_order_release); }

bool StatusBoard::claim_report() { return m_shared->report_claimed.exchange(1) == 0; }

bool StatusBoard::all_passed(bool passed_here, std::chrono::seconds limit) {
    mine().verdict = passed_here ? verdict_passed : verdict_failed;
    const int first = m_is_shared ? 0 : m_rank;
    const int last = m_is_shared ? m_rank_count : m_rank + 1;
    bool all = true;
    for (int r = first; r < last; ++r) {
        const std::atomic<int>& verdict = m_shared->ranks[r].verdict;
        all = wait_for(limit, [&verdict] { return verdict != 0; }) && verdict == verdict_passed &&
              all;
    }
    return all;
}

void StatusBoard::set_printed() { m_shared->printed = 1; }

void StatusBoard::wait_until_printed(std::chrono::seconds limit) {
    if (m_is_shared) {
        wait_for(limit, [this] { return m_shared->printed != 0; });
    }
}

std::string StatusBoard::report() const {
    std::string text;
    for (int r = 0; r < m_rank_count; ++r) {
        const RankStatus& status = m_shared->ranks[r];
        const std::string prefix = "[" + rank_list({r}, m_rank_count) + "] ";
        text += prefix;
        switch (status.phase.load(std::memory_order_acquire)) {
        case Phase::unknown: text += "state unknown (on another machine, or not started)\n"; break;
        case Phase::starting: text += "has not begun its first test\n"; break;
        case Phase::in_test: text += std::string("is in test ") + status.test + "\n"; break;
        case Phase::left_test:
            text += std::string("has left test ") + status.test + " and waits for the others\n";
            break;
        case Phase::between_tests:
            text += std::string("is between tests, after ") + status.test + "\n";
            break;
        case Phase::ending: text += "has done its last test\n"; break;
        }
        if (status.failures[0] != '\0') {
            text += prefix + status.failures;
        }
    }
    return text;
}

} // namespace distview::testing::impl
