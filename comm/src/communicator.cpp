// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/communicator.hpp>

#include <distview/comm/impl/communicator_state.hpp>
#include <distview/comm/impl/neighbour_sync.hpp>
#include <distview/comm/mpi_error.hpp>
#include <distview/core/text.hpp>

#include <memory>
#include <mutex>
#include <vector>

#include <unistd.h>

namespace distview {

namespace impl {

void CommunicatorState::add(const std::weak_ptr<Closable>& user) {
    std::erase_if(m_users, [](const std::weak_ptr<Closable>& old) { return old.expired(); });
    m_users.push_back(user);
}

std::shared_ptr<void> CommunicatorState::line_memory(std::size_t count) {
    std::shared_ptr<void> memory;
    if (const auto spare = m_spare_lines.find(count); spare != m_spare_lines.end()) {
        memory = std::move(spare->second);
        m_spare_lines.erase(spare);
    } else {
        memory = m_arena->allocate((count + 1) * sizeof(SyncLine)); // to align them
    }
    if (!memory) return nullptr;
    void* at = memory.get();
    std::size_t space = (count + 1) * sizeof(SyncLine);
    std::align(alignof(SyncLine), count * sizeof(SyncLine), at, space);
    return {at, [memory, count, state = weak_from_this()](void*) {
                if (const auto alive = state.lock()) alive->m_spare_lines.emplace(count, memory);
            }};
}

std::shared_ptr<SharedSegment> CommunicatorState::segment_of(const SegmentAddress& address) {
    std::erase_if(m_segments, [](const auto& old) { return old.expired(); });
    for (const std::weak_ptr<SharedSegment>& mapped : m_segments)
        if (auto segment = mapped.lock(); segment->address() == address) return segment;
    std::shared_ptr<SharedSegment> segment = SharedSegment::open(address);
    if (segment) m_segments.push_back(segment);
    return segment;
}

void CommunicatorState::close() noexcept {
    if (!is_open()) return;
    for (const std::weak_ptr<Closable>& user : m_users)
        if (const std::shared_ptr<Closable> alive = user.lock()) alive->leave();
    // While a rank waits here MPI goes on receiving for an exchange that was abandoned on it, without
    // which the others could not end theirs; afterwards nobody begins to send.
    MPI_Barrier(m_comm);
    for (const std::weak_ptr<Closable>& user : m_users)
        if (const std::shared_ptr<Closable> alive = user.lock()) alive->close();
    MPI_Barrier(m_comm); // and here, until all have received what they cannot cancel
    m_users.clear();
    m_kept.clear();
    m_kept_memory.clear();
    MPI_Comm_free(&m_comm); // sets it to MPI_COMM_NULL
    m_comm = MPI_COMM_NULL;
}

namespace {

/// Keeps every duplicate findable: by the communicator it was made from, and for MPI_Finalize.
class Registry {
public:
    /// Never destroyed: MPI_Finalize may be called from the destructor of a static object.
    static Registry& instance() {
        static Registry& registry = *new Registry;
        return registry;
    }

    std::shared_ptr<CommunicatorState> find_or_make(MPI_Comm parent) {
        const std::lock_guard lock(m_mutex);
        create_keys();
        void* value = nullptr;
        int found = 0;
        check_mpi(MPI_Comm_get_attr(parent, m_key, &value, &found), "MPI_Comm_get_attr");
        // One that was closed, which happens collectively, is replaced.
        if (found && (*static_cast<Holder*>(value))->is_open()) return *static_cast<Holder*>(value);

        auto state = duplicate(parent);
        check_mpi(MPI_Comm_set_attr(parent, m_key, new Holder(state)), "MPI_Comm_set_attr");
        std::erase_if(m_states, [](const auto& old) { return old.expired(); });
        m_states.push_back(state);
        return state;
    }

private:
    /// What the attribute of a communicator points to.
    using Holder = std::shared_ptr<CommunicatorState>;

    void create_keys() {
        if (m_key != MPI_KEYVAL_INVALID) return;
        check_mpi(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_parent_freed, &m_key, nullptr),
                  "MPI_Comm_create_keyval");
        // MPI_Finalize deletes the attributes of MPI_COMM_SELF before anything else.
        int at_finalize = MPI_KEYVAL_INVALID;
        check_mpi(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_finalize, &at_finalize, nullptr),
                  "MPI_Comm_create_keyval");
        check_mpi(MPI_Comm_set_attr(MPI_COMM_SELF, at_finalize, this), "MPI_Comm_set_attr");
        check_mpi(MPI_Comm_free_keyval(&at_finalize), "MPI_Comm_free_keyval");
    }

    static std::shared_ptr<CommunicatorState> duplicate(MPI_Comm parent) {
        MPI_Comm comm = MPI_COMM_NULL;
        check_mpi(MPI_Comm_dup(parent, &comm), "MPI_Comm_dup");
        check_mpi(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
        int rank = 0;
        int size = 0;
        check_mpi(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
        check_mpi(MPI_Comm_size(comm, &size), "MPI_Comm_size");
        void* limit = nullptr;
        int found = 0;
        check_mpi(MPI_Comm_get_attr(comm, MPI_TAG_UB, &limit, &found), "MPI_Comm_get_attr");
        constexpr int least_limit = 32767; // what the standard guarantees
        const int tag_limit = found ? *static_cast<int*>(limit) : least_limit;
        const int here = ranks_of_node(comm);
        // Of the node: std::thread::hardware_concurrency() counts those that this rank is bound to.
        const bool crowded = here > ::sysconf(_SC_NPROCESSORS_ONLN);
        auto state = std::make_shared<CommunicatorState>(comm, rank, size, tag_limit, crowded);
        state->set_one_node(here == size);
        return state;
    }

    static int ranks_of_node(MPI_Comm comm) {
        MPI_Comm node = MPI_COMM_NULL;
        check_mpi(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node),
                  "MPI_Comm_split_type");
        int ranks = 0;
        check_mpi(MPI_Comm_size(node, &ranks), "MPI_Comm_size");
        check_mpi(MPI_Comm_free(&node), "MPI_Comm_free");
        return ranks;
    }

    static int on_parent_freed(MPI_Comm, int, void* value, void*) {
        const std::unique_ptr<Holder> holder(static_cast<Holder*>(value));
        (*holder)->close();
        return MPI_SUCCESS;
    }

    static int on_finalize(MPI_Comm, int, void* value, void*) {
        auto& registry = *static_cast<Registry*>(value);
        const std::lock_guard lock(registry.m_mutex);
        for (const auto& weak : registry.m_states)
            if (const auto state = weak.lock()) state->close();
        registry.m_states.clear();
        if (registry.m_key != MPI_KEYVAL_INVALID) MPI_Comm_free_keyval(&registry.m_key);
        return MPI_SUCCESS;
    }

    std::mutex m_mutex;
    int m_key = MPI_KEYVAL_INVALID;
    std::vector<std::weak_ptr<CommunicatorState>> m_states;
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
bool Communicator::is_open() const noexcept { return m_state->is_open(); }
void Communicator::close() { impl::open_state(m_state).close(); }

} // namespace distview
