// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "count_instructions.hpp"

// The tracer stops a thread after every instruction. On processors whose atomic operations are a load-reserve and a
// conditional store, each stop makes the store fail: such a loop would never end there.
#if defined(__linux__) && (defined(__x86_64__) || defined(__ARM_FEATURE_ATOMICS))
#define DISTVIEW_PERF_CAN_STEP
#endif

#ifdef DISTVIEW_PERF_CAN_STEP
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <new>
#endif

namespace distview::perf {

#ifdef DISTVIEW_PERF_CAN_STEP

namespace {

enum Phase { attaching, ready, counting, done, failed };

struct Shared {
    std::atomic<int> phase{attaching};
    std::atomic<std::int64_t> instructions{0};
};

/// The second process uses system calls only: it is a fork of a process that uses MPI.
[[noreturn]] void step_through(pid_t counted, Shared& shared) {
    int status = 0;
    if (ptrace(PTRACE_ATTACH, counted, nullptr, nullptr) != 0 ||
        waitpid(counted, &status, __WALL) != counted) {
        shared.phase = failed;
        _exit(1);
    }
    shared.phase = ready;
    while (shared.phase != done) {
        if (ptrace(PTRACE_SINGLESTEP, counted, nullptr, nullptr) != 0 ||
            waitpid(counted, &status, __WALL) != counted || !WIFSTOPPED(status))
            _exit(1);
        if (shared.phase == counting) shared.instructions.fetch_add(1, std::memory_order_relaxed);
    }
    ptrace(PTRACE_DETACH, counted, nullptr, nullptr);
    _exit(0);
}

} // namespace

std::optional<std::int64_t> count_instructions(const std::function<void()>& work) {
    void* const memory =
        mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        work();
        return std::nullopt;
    }
    auto& shared = *new (memory) Shared;
    const pid_t counted = getpid();
    const pid_t counter = fork();
    if (counter == 0) step_through(counted, shared);
    if (counter < 0)
        shared.phase = failed;
    else
        prctl(PR_SET_PTRACER, counter, 0, 0, 0); // needed where only ancestors may trace a process
    while (shared.phase == attaching) {
    }

    const bool counts = shared.phase == ready;
    if (counts) shared.phase = counting;
    work();
    shared.phase = done;

    int status = 0;
    if (counter > 0) waitpid(counter, &status, 0);
    const std::int64_t instructions = shared.instructions;
    munmap(memory, sizeof(Shared));
    return counts && status == 0 ? std::optional(instructions) : std::nullopt;
}

#else

std::optional<std::int64_t> count_instructions(const std::function<void()>& work) {
    work();
    return std::nullopt;
}

#endif

} // namespace distview::perf
