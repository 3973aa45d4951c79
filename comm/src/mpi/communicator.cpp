// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/communicator.hpp>

#include <distview/comm/impl/memory/neighbour_sync.hpp>
#include <distview/comm/impl/memory/processors.hpp>
#include <distview/comm/impl/mpi/checks.hpp>
#include <distview/comm/impl/mpi/communicator_state.hpp>
#include <distview/comm/impl/report/report_log.hpp>
#include <distview/comm/mpi_error.hpp>
#include <distview/core/checking.hpp>
#include <distview/core/hash.hpp>
#include <distview/core/text.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <string_view>
#include <thread>
#include <tuple>
#include <utility>

namespace distview {

namespace impl {

CommunicatorState::CommunicatorState(MPI_Comm duplicate, const Ranks& ranks, const CallLines& lines,
                                     const Deadline::Setting& setting)
    : m_comm(duplicate), m_ranks(ranks),
      m_calls(ranks.rank, lines.ranks, lines.memory, ranks.oversubscribed),
      m_between(lines.speakers.size() > 1
                    ? std::make_unique<NodeMessages>(m_calls, m_comm, lines.speakers)
                    : nullptr),
      m_meeting(m_calls, m_between.get()),
      m_processes(std::make_unique<ProcessWatch>(m_comm, m_calls)),
      m_deadline(m_comm, m_calls, setting) {
    m_calls.set_checks([this] { make_progress(); },
                       [this] {
                           m_deadline.throw_if_passed();
                           ProcessWatch::throw_if_ended(
                               m_calls.end_is_known() ? ProcessWatch::process_failed : MPI_SUCCESS,
                               m_processes.get());
                       });
}

CommunicatorState::~CommunicatorState() = default;

void CommunicatorState::set_report(const std::string& file) {
    if (file.empty()) return m_report.reset();
    if (!m_report) m_report = std::make_unique<ReportLog>(file);
    m_report->set_file(file);
}

void CommunicatorState::make_progress() {
    int found = 0;
    check_mpi(
        MPI_Iprobe(MPI_ANY_SOURCE, NodeMessages::tag_of_none, m_comm, &found, MPI_STATUS_IGNORE),
        "MPI_Iprobe");
    if (m_processes) m_processes->check();
    m_deadline.check();
    m_calls.ask(check_interrupt);
    require<UsageError>(is_open(), "Communicator: freed by a signal handler while this rank waits");
}

void CommunicatorState::number_array(std::uint64_t identity) noexcept {
    constexpr std::size_t most_arrays = 1 << 16;
    const std::uint64_t number = m_array_count++;
    try {
        m_arrays.emplace(identity, number);
    } catch (const std::bad_alloc&) {
        return; // as if this rank had wrapped the array locally
    }
    if (m_arrays.size() > most_arrays) m_arrays.erase(m_arrays.begin());
}

std::optional<std::uint64_t>
CommunicatorState::digest_of(std::span<const std::uint64_t> identities) const {
    Hash digest;
    for (const std::uint64_t identity : identities) {
        const auto found = m_arrays.find(identity);
        if (found == m_arrays.end()) return std::nullopt;
        digest.add(static_cast<std::int64_t>(found->second));
    }
    return digest.value() & ~(std::uint64_t{1} << 63); // all ones means no digest
}

void CommunicatorState::add(const std::weak_ptr<Closable>& user) {
    if (m_users.size() == m_users.capacity()) {
        std::erase_if(m_users, [](const std::weak_ptr<Closable>& old) { return old.expired(); });
        m_users.reserve(2 * m_users.size() + 1); // keeps these clean-ups rare
    }
    m_users.push_back(user);
    std::unique_lock lock(m_left_mutex);
    auto kept = std::exchange(m_kept, {});
    lock.unlock();
    std::erase_if(kept, [](const auto& one) { return one->is_over(); });
    lock.lock();
    m_kept.splice(m_kept.end(), kept);
}

std::shared_ptr<void> CommunicatorState::line_memory(std::size_t count) {
    std::list<SpareLines> lines; // one element: moving it back allocates nothing
    std::unique_lock looking(m_left_mutex);
    const auto spare =
        std::find_if(m_spare_lines.begin(), m_spare_lines.end(), [&](const SpareLines& old) {
            return old.count == count && old.meetings < m_calls.meetings() &&
                   old.failures == m_calls.failures();
        });
    if (spare != m_spare_lines.end()) lines.splice(lines.end(), m_spare_lines, spare);
    looking.unlock();
    std::size_t space = (count + 1) * sizeof(SyncLine); // room for alignment
    if (lines.empty()) {
        lines.push_back({count, m_line_arena->allocate(space)});
        if (!lines.front().memory) return nullptr;
    }
    lines.front().failures = m_calls.failures();
    void* at = lines.front().memory.get();
    std::align(alignof(SyncLine), count * sizeof(SyncLine), at, space);
    return {at, [lines = std::make_shared<std::list<SpareLines>>(std::move(lines)),
                 state = weak_from_this()](void*) {
                const auto alive = state.lock();
                if (!alive) return;
                const std::lock_guard lock(alive->m_left_mutex); // released before `alive`
                SpareLines& own = lines->front();
                own.meetings = alive->m_calls.meetings();
                alive->m_spare_lines.splice(alive->m_spare_lines.end(), *lines);
            }};
}

std::shared_ptr<SharedSegment> CommunicatorState::segment_of(const SegmentAddress& address,
                                                             Access access) {
    std::erase_if(m_segments, [](const auto& old) { return old.expired(); });
    for (const std::weak_ptr<SharedSegment>& mapped : m_segments)
        if (auto segment = mapped.lock();
            segment && segment->address() == address && segment->access() == access)
            return segment;
    std::shared_ptr<SharedSegment> segment = SharedSegment::open(address, access);
    if (segment) m_segments.push_back(segment);
    return segment;
}

/// Receives each message whole: within a node Open MPI copies all of a message, even into a shorter buffer.
void drop_messages(MPI_Comm comm) noexcept {
    constexpr int unit = 1 << 16; // bytes; an int can count enough units
    MPI_Status status;
    int found = 0;
    while (MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &found, &status) == MPI_SUCCESS && found) {
        MPI_Count bytes = 0;
#if MPI_VERSION >= 4
        MPI_Get_elements_c(&status, MPI_BYTE, &bytes);
#else // deprecated since MPI 4.1
        MPI_Get_elements_x(&status, MPI_BYTE, &bytes);
#endif
        const auto units = static_cast<int>((bytes + unit - 1) / unit);
        const std::unique_ptr<char[]> room(
            new (std::nothrow) char[static_cast<std::size_t>(units) * unit]);
        if (!room) return;
        MPI_Datatype type = MPI_DATATYPE_NULL;
        MPI_Type_contiguous(unit, MPI_BYTE, &type);
        MPI_Type_commit(&type);
        const int code = MPI_Recv(room.get(), units, type, status.MPI_SOURCE, status.MPI_TAG, comm,
                                  MPI_STATUS_IGNORE);
        MPI_Type_free(&type);
        if (code != MPI_SUCCESS) return; // its sender has ended, and MPI may find it again
    }
}

namespace {

/// Waits until all ranks have arrived in each communicator. Non-blocking, because ranks may hold the communicators
/// in different orders. Ranks that wait for this one in another call get an error, and may arrive then.
///
/// The first wait also finds out for which communicators rank 0 wants a report.
void wait_in_all(std::span<const std::shared_ptr<CommunicatorState>> open, bool is_first) {
    const auto drop = [&] {
        if (!is_first)
            for (const auto& state : open) drop_messages(state->comm());
    };
    drop(); // before other ranks may free theirs
    for (const auto& state : open) {
        CommunicatorState::Closing& own = state->closing();
        if (MPI_Iallreduce(MPI_IN_PLACE, &own.wants_report, 1, MPI_INT, MPI_MAX, state->comm(),
                           &own.request) != MPI_SUCCESS)
            own.has_failed = true;
    }
    const auto began = std::chrono::steady_clock::now();
    while (!std::all_of(open.begin(), open.end(),
                        [](const auto& state) { return state->closing().is_done(); })) {
        drop();
        std::this_thread::yield();
        if (!is_first) continue; // all ranks arrived in the first wait
        for (const auto& state : open) {
            CommunicatorState::Closing& own = state->closing();
            if (!own.is_lost) own.is_lost = !state->meeting().refuse();
            if (!state->deadline().is_late(began) || own.has_told) continue;
            own.has_told = true;
            write_own_report(*state); // rank 0's figures: others may never arrive
            state->deadline().tell_closing();
        }
    }
}

} // namespace

void CommunicatorState::close_all(
    std::span<const std::shared_ptr<CommunicatorState>> open) noexcept {
    for (const auto& state : open) {
        Closing& own = state->m_closing;
        if (state->rank() == 0 && state->m_report)
            own.room.reset(new (std::nothrow) char[most_report_bytes(*state)]);
        own.wants_report = own.room ? 1 : 0;
        state->calls().close();
    }
    for (const auto& state : open)
        for (const std::weak_ptr<Closable>& user : state->m_users)
            if (const std::shared_ptr<Closable> alive = user.lock()) alive->leave();
    // While this rank waits, MPI still receives messages of exchanges abandoned here: without
    // that the other ranks could not complete theirs. Afterwards no rank begins to send.
    wait_in_all(open, true);
    write_reports(open);
    // One deadline for all abandoned exchanges.
    const Closable::Time deadline = std::chrono::steady_clock::now() + Closable::grace;
    for (const auto& state : open)
        for (const std::weak_ptr<Closable>& user : state->m_users)
            if (const std::shared_ptr<Closable> alive = user.lock()) alive->close(deadline);
    wait_in_all(open, false); // until all have received messages that cannot be cancelled
    for (const auto& state : open) {
        state->m_users.clear();
        std::unique_lock lock(state->m_left_mutex);
        auto kept = std::exchange(state->m_kept, {});
        lock.unlock();
        kept.clear(); // returns line memory, which locks the mutex
        state->m_between.reset();
        state->m_processes.reset();
        state->m_closing.comm = std::exchange(state->m_comm, MPI_COMM_NULL);
    }
    // Only once all are closed: freeing the parent of an open one would close that one alone.
    for (const auto& state : open) {
        drop_messages(state->m_closing.comm);
        MPI_Comm_free(&state->m_closing.comm);
    }
}

namespace {

/// Finds every duplicate: by the communicator from which it was made, and for MPI_Finalize.
class Registry {
public:
    /// Never destroyed: MPI_Finalize may be called from the destructor of a static object.
    static Registry& instance() {
        static Registry& registry = *new Registry;
        return registry;
    }

    /// Holds no lock for all communicators while it calls MPI: another thread may be in a
    /// collective call on another communicator, which may complete only after this one.
    std::shared_ptr<CommunicatorState> find_or_make(MPI_Comm parent) {
        const int key = parent_key();
        const std::shared_ptr<Entry> entry = entry_of(parent);
        // A second thread with the same parent waits here, and gets the state that the first one makes.
        const std::lock_guard making(entry->making);
        // A closed state is replaced. All ranks close it together.
        if (entry->state && entry->state->is_open()) return entry->state;
        auto state = duplicate(parent);
        if (!entry->state)
            check_mpi(MPI_Comm_set_attr(parent, key, entry.get()), "MPI_Comm_set_attr");
        entry->state = state;
        return state;
    }

private:
    /// The duplicate of one parent, for as long as the parent exists; the parent's attribute points to it.
    struct Entry {
        std::mutex making;
        std::shared_ptr<CommunicatorState> state;
    };

    std::shared_ptr<Entry> entry_of(MPI_Comm parent) {
        const std::lock_guard lock(m_mutex);
        m_closed.reserve(m_entries.size() + 1); // no allocation in on_finalize(): others wait
        std::shared_ptr<Entry>& entry = m_entries[parent];
        if (!entry) entry = std::make_shared<Entry>();
        return entry;
    }

    /// The key of the parents' attribute. All MPI calls here are local, and callbacks do not take this lock.
    int parent_key() {
        const std::lock_guard lock(m_key_mutex);
        if (m_key != MPI_KEYVAL_INVALID) return m_key;
        // MPI_Finalize deletes the attributes of MPI_COMM_SELF before anything else.
        int at_finalize = MPI_KEYVAL_INVALID;
        check_mpi(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_finalize, &at_finalize, nullptr),
                  "MPI_Comm_create_keyval");
        check_mpi(MPI_Comm_set_attr(MPI_COMM_SELF, at_finalize, this), "MPI_Comm_set_attr");
        check_mpi(MPI_Comm_free_keyval(&at_finalize), "MPI_Comm_free_keyval");
        check_mpi(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_parent_freed, &m_key, nullptr),
                  "MPI_Comm_create_keyval");
        return m_key;
    }

    static std::shared_ptr<CommunicatorState> duplicate(MPI_Comm parent) {
        Deadline::Setting setting;
        // Perhaps of this rank alone: the others must not wait for it.
        std::array<char, 256> failure{};
        try {
            setting = Deadline::from_environment();
            require_known_check();
        } catch (const std::exception& error) {
            std::string_view(error.what()).copy(failure.data(), failure.size() - 1);
        }
        MPI_Comm comm = MPI_COMM_NULL;
        check_mpi(MPI_Comm_dup(parent, &comm), "MPI_Comm_dup");
        check_mpi(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
        CommunicatorState::Ranks ranks;
        check_mpi(MPI_Comm_rank(comm, &ranks.rank), "MPI_Comm_rank");
        check_mpi(MPI_Comm_size(comm, &ranks.size), "MPI_Comm_size");
        int failed = failure.front() != '\0' ? ranks.rank : ranks.size;
        check_mpi(MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MIN, comm), "MPI_Allreduce");
        if (failed < ranks.size) {
            check_mpi(
                MPI_Bcast(failure.data(), static_cast<int>(failure.size()), MPI_CHAR, failed, comm),
                "MPI_Bcast");
            check_mpi(MPI_Comm_free(&comm), "MPI_Comm_free");
            const std::string where =
                ranks.size > 1 ? text(" [rank ", failed, " of ", ranks.size, ']') : "";
            throw UsageError(failure.data() + where);
        }
        void* limit = nullptr;
        int found = 0;
        check_mpi(MPI_Comm_get_attr(comm, MPI_TAG_UB, &limit, &found), "MPI_Comm_get_attr");
        constexpr int least_limit = 32767; // guaranteed by the MPI standard
        ranks.tag_limit = found ? *static_cast<int*>(limit) : least_limit;
        MPI_Comm node = MPI_COMM_NULL;
        check_mpi(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node),
                  "MPI_Comm_split_type");
        check_mpi(MPI_Comm_size(node, &ranks.ranks_of_node), "MPI_Comm_size");
        ranks.node = ranks.rank;
        check_mpi(MPI_Bcast(&ranks.node, 1, MPI_INT, 0, node), "MPI_Bcast");
        const ProcessorSet mine = allowed_processors();
        std::vector<ProcessorSet> processors(static_cast<std::size_t>(ranks.ranks_of_node));
        constexpr int words = static_cast<int>(std::tuple_size_v<ProcessorSet>);
        check_mpi(MPI_Allgather(mine.data(), words, MPI_UINT64_T, processors.data(), words,
                                MPI_UINT64_T, node),
                  "MPI_Allgather");
        ranks.oversubscribed = shares_processors(mine, processors);
        ranks.processors = count_processors(processors);
        ranks.own_processors = count_processors({&mine, 1});
        auto state = std::make_shared<CommunicatorState>(
            comm, ranks, share_call_lines(comm, node, ranks.rank), setting);
        state->set_report(ReportLog::file_from_environment());
        check_mpi(MPI_Comm_free(&node), "MPI_Comm_free");
        return state;
    }

    static int on_parent_freed(MPI_Comm parent, int, void*, void*) {
        Registry& registry = instance();
        std::shared_ptr<Entry> entry;
        {
            const std::lock_guard lock(registry.m_mutex);
            if (auto node = registry.m_entries.extract(parent)) entry = std::move(node.mapped());
        }
        if (entry && entry->state && entry->state->is_open())
            CommunicatorState::close_all({&entry->state, 1});
        return MPI_SUCCESS;
    }

    static int on_finalize(MPI_Comm, int, void* value, void*) {
        auto& registry = *static_cast<Registry*>(value);
        {
            const std::lock_guard lock(registry.m_mutex);
            for (const auto& [parent, entry] : registry.m_entries)
                if (entry && entry->state && entry->state->is_open())
                    registry.m_closed.push_back(entry->state);
        }
        CommunicatorState::close_all(registry.m_closed);
        registry.m_closed.clear();
        if (registry.m_key != MPI_KEYVAL_INVALID) MPI_Comm_free_keyval(&registry.m_key);
        return MPI_SUCCESS;
    }

    std::mutex m_key_mutex;
    int m_key = MPI_KEYVAL_INVALID;
    std::mutex m_mutex;
    std::map<MPI_Comm, std::shared_ptr<Entry>> m_entries;
    std::vector<std::shared_ptr<CommunicatorState>> m_closed; ///< by MPI_Finalize
};

CommunicatorState& open_state(const std::shared_ptr<CommunicatorState>& state) {
    require<UsageError>(state->is_open(),
                        "Communicator: used after close(), after MPI_Comm_free of the "
                        "communicator that it duplicates, or after MPI_Finalize");
    return *state;
}

} // namespace

} // namespace impl

Communicator::Communicator(MPI_Comm parent) {
    require_mpi("Communicator");
    require<UsageError>(parent != MPI_COMM_NULL, "Communicator: got MPI_COMM_NULL");
    int inter = 0;
    check_mpi(MPI_Comm_test_inter(parent, &inter), "MPI_Comm_test_inter");
    require<UsageError>(inter == 0, "Communicator: expected an intracommunicator");
    m_state = impl::Registry::instance().find_or_make(parent);
}

int Communicator::rank() const { return impl::open_state(m_state).rank(); }
int Communicator::size() const { return impl::open_state(m_state).size(); }
MPI_Comm Communicator::mpi() const { return impl::open_state(m_state).comm(); }
int Communicator::processors(int ranks_of_node) const {
    const auto& known = impl::open_state(m_state).ranks();
    return impl::share_of_processors(known.own_processors, known.processors,
                                     std::max(known.ranks_of_node, ranks_of_node));
}
void Communicator::set_deadline(std::chrono::duration<double> limit) {
    require<UsageError>(std::isfinite(limit.count()) && limit.count() >= 0, [&] {
        return text("Communicator::set_deadline: expected a number of seconds >= 0, got ",
                    limit.count());
    });
    impl::open_state(m_state).deadline().set_limit(limit);
}
void Communicator::set_report(const std::string& file) {
    impl::open_state(m_state).set_report(file);
}
bool Communicator::is_open() const noexcept { return m_state->is_open(); }

} // namespace distview
