// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/mpi/process_watch.hpp>

#include <distview/comm/impl/memory/process_name.hpp>
#include <distview/core/error.hpp>
#include <distview/core/text.hpp>

#include <algorithm>
#include <mutex>
#include <numeric>

#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

namespace distview::impl {

namespace {

#ifdef OMPI_HAVE_MPI_EXT_FTMPI
bool tells_of_end(int code) {
    return code == MPIX_ERR_PROC_FAILED || code == MPIX_ERR_PROC_FAILED_PENDING ||
           code == MPIX_ERR_REVOKED;
}
#else
bool tells_of_end(int) { return false; }
#endif

/// All watches of this process.
struct Watches {
    std::mutex mutex;
    std::vector<ProcessWatch*> all;

    static Watches& instance() {
        static Watches& watches =
            *new Watches; // MPI_Finalize may run after the destruction of static objects
        return watches;
    }
};

} // namespace

#ifdef OMPI_HAVE_MPI_EXT_FTMPI
const int ProcessWatch::process_failed = MPIX_ERR_PROC_FAILED;
#else
const int ProcessWatch::process_failed = MPI_ERR_OTHER;
#endif

ProcessWatch::ProcessWatch(MPI_Comm comm, Calls& calls) : m_comm(comm), m_calls(&calls) {
    const std::lock_guard lock(Watches::instance().mutex);
    Watches::instance().all.push_back(this);
}

ProcessWatch::~ProcessWatch() {
    const std::lock_guard lock(Watches::instance().mutex);
    std::erase(Watches::instance().all, this);
}

/// Ranks that have ended according to MPI; empty if MPI cannot report them.
std::vector<int> ProcessWatch::ended_for_mpi() const {
    std::vector<int> result;
#ifdef OMPI_HAVE_MPI_EXT_FTMPI
    MPI_Group failed = MPI_GROUP_NULL;
    if (MPIX_Comm_get_failed(m_comm, &failed) != MPI_SUCCESS) return result;
    int count = 0;
    MPI_Group_size(failed, &count);
    if (count > 0) {
        std::vector<int> numbers(static_cast<std::size_t>(count));
        std::iota(numbers.begin(), numbers.end(), 0);
        result.resize(numbers.size());
        MPI_Group all = MPI_GROUP_NULL;
        MPI_Comm_group(m_comm, &all);
        MPI_Group_translate_ranks(failed, count, numbers.data(), all, result.data());
        MPI_Group_free(&all);
    }
    MPI_Group_free(&failed);
#endif
    return result;
}

/// Text that names the ranks known to have ended, and the consequence.
std::string ProcessWatch::find_ended() const {
    std::vector<int> ranks = ended_for_mpi();
    for (const Calls::Rank& other : m_calls->ranks())
        if (has_ended(other)) ranks.push_back(other.rank);
    std::sort(ranks.begin(), ranks.end());
    ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
    if (ranks.empty()) return {};
    // Other ranks of this node may see that this rank leaves before they learn why.
    m_calls->line().knows_end.store(true, std::memory_order_release);
#ifdef OMPI_HAVE_MPI_EXT_FTMPI
    // Informs ranks that wait for this one, which has noticed the end and will not arrive.
    MPIX_Comm_revoke(m_comm);
#endif
    std::string list;
    for (const int rank : ranks) list += text(list.empty() ? "" : ", ", rank);
    int size = 0;
    MPI_Comm_size(m_comm, &size);
    return text("rank", ranks.size() > 1 ? "s " : " ", list, " of ", size, " ended (the process",
                ranks.size() > 1 ? "es are" : " is",
                " gone): this communicator cannot be used any more");
}

bool ProcessWatch::has_ended(const Calls::Rank& other) const {
    const ProcessName process{other.line->process.load(std::memory_order_relaxed),
                              other.line->started.load(std::memory_order_relaxed)};
    return other.rank != m_calls->rank() && process.has_ended();
}

void ProcessWatch::check() {
    constexpr std::chrono::milliseconds interval{1};
    constexpr std::chrono::milliseconds interval_of_asking{20};
    const Clock::time_point now = Clock::now();
    const std::vector<Calls::Rank>& ranks = m_calls->ranks();
    // A rank that shares its processor checks rarely, and then several processes at once.
    const auto looks =
        std::min(static_cast<std::size_t>((now - m_looked) / interval), ranks.size());
    if (looks == 0) return;
    m_looked = now;
    bool some_ended = false;
    for (std::size_t i = 0; i < looks; ++i) some_ended |= has_ended(ranks[m_next++ % ranks.size()]);
    if (now - m_asked >= interval_of_asking) {
        m_asked = now;
        some_ended |= !ended_for_mpi().empty();
    }
    if (!some_ended) return;
    if (const std::string ended = find_ended(); !ended.empty())
        throw MpiError(ended, process_failed);
}

void ProcessWatch::throw_if_ended(int code, const ProcessWatch* of) {
    if (const std::string ended = describe_ended(code, of); !ended.empty())
        throw MpiError(ended, process_failed);
}

std::string ProcessWatch::describe_ended(int code, const ProcessWatch* of) {
    // MPI itself may learn only some time after the communicator is revoked that a process on another node has ended.
    const auto patience = std::chrono::milliseconds(tells_of_end(code) ? 1800 : 0);
    const Clock::time_point end = Clock::now() + patience;
    std::string result;
    do {
        int found = 0;
        if (tells_of_end(code)) // lets MPI make progress
            MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &found, MPI_STATUS_IGNORE);
        const std::lock_guard lock(Watches::instance().mutex);
        for (const ProcessWatch* const watch : Watches::instance().all) {
            if (of && watch != of) continue;
            const std::string ended = watch->find_ended();
            if (result.empty() || (!ended.empty() && watch->m_calls->is_under_way()))
                result = ended;
        }
    } while (result.empty() && Clock::now() < end);
    return result;
}

} // namespace distview::impl
