// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/redistribution_engine.hpp>

#include <distview/comm/agreement.hpp>
#include <distview/comm/collectives.hpp>
#include <distview/comm/impl/in_place.hpp>
#include <distview/comm/impl/writes_in_place.hpp>
#include <distview/comm/mpi_error.hpp>
#include <distview/core/text.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <exception>
#include <sstream>

namespace distview::impl {

namespace {

constexpr const char* name = "RedistributionPlan";
/// Sets of arrays that a plan remembers; at most 64.
constexpr std::size_t most_bindings = 32;

} // namespace

RedistributionEngine::RedistributionEngine(const Communicator& comm,
                                           RedistributionSchedule schedule,
                                           const RedistributionOptions& options,
                                           std::optional<Transport> required)
    : m_comm(comm), m_schedule(std::move(schedule)),
      m_from_process(m_schedule.from_process(comm.rank())),
      m_to_process(m_schedule.to_process(comm.rank())), m_conjugate(options.conjugate),
      m_in_place(options.in_place), m_buffer_bytes(options.buffer_bytes),
      m_has_outsiders(m_schedule.from_layout().process_count() < comm.size() ||
                      m_schedule.to_layout().process_count() < comm.size()),
      m_required(required),
      m_writes_in_place(required != Transport::cma && writes_in_place(m_schedule)),
      m_crowded(comm.state()->crowded()) {
    m_role.rank = comm.rank();
    find_peers();
}

void RedistributionEngine::find_peers() {
    const auto peers = [&](const RedistributionRuns& runs) {
        std::vector<RedistributionRole::Peer> result;
        for (const RedistributionSchedule::Message& message : m_schedule.messages(runs))
            if (message.elements > 0)
                result.push_back({runs.receives ? m_schedule.from_rank(message.peer)
                                                : m_schedule.to_rank(message.peer),
                                  message.peer, message.elements});
        std::sort(result.begin(), result.end(),
                  [](const auto& a, const auto& b) { return a.rank < b.rank; });
        return result;
    };
    if (m_to_process >= 0) {
        m_role.runs_to = m_schedule.runs_to(m_to_process);
        m_role.receives = peers(m_role.runs_to);
    }
    if (m_from_process >= 0) {
        m_role.runs_from = m_schedule.runs_from(m_from_process);
        m_role.sends = peers(m_role.runs_from);
    }
}

RedistributionEngine::~RedistributionEngine() {
    // Others may still read what is packed, and write how far they are.
    if (m_unread) keep(m_unread);
    for (const std::optional<PlanLines>& lines : m_lines)
        if ((m_unusable || m_unread) && lines && lines->memory() && m_comm.is_open())
            m_comm.state()->keep_memory(lines->memory());
}

/// Until the communicator closes.
void RedistributionEngine::keep(const RedistributionBinding* kept) noexcept {
    for (const auto& binding : m_bindings)
        if (binding->has_step(kept) && m_comm.is_open()) m_comm.state()->keep(binding);
}

void RedistributionEngine::check_ready(bool to_begin) const {
    require<UsageError>(!m_unusable,
                        "RedistributionPlan: an earlier execution was abandoned or failed; this "
                        "plan cannot be used again, build a new one");
    require<UsageError>(!to_begin || m_active == nullptr,
                        "RedistributionPlan: an execution is in flight; call finish() on its "
                        "handle first");
    require<UsageError>(m_comm.is_open(), "RedistributionPlan: the communicator has been closed");
}

/// Those of m_bindings, a bit each, that are of these arrays as far as this rank can tell.
std::uint64_t RedistributionEngine::candidates(const Fields& fields) const {
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < m_bindings.size(); ++i)
        if (m_bindings[i]->is_for(fields)) bits |= std::uint64_t{1} << i;
    return bits;
}

/// The number of the binding of these arrays; none if they are new. A rank without a section does not see
/// that others pass new ones: if there are such ranks, all ask each other.
std::optional<std::size_t> RedistributionEngine::find(const Fields& fields, bool to_begin) const {
    std::uint64_t bits = candidates(fields);
    if (m_has_outsiders) {
        std::exception_ptr failure;
        try {
            check_ready(to_begin);
        } catch (...) {
            failure = std::current_exception();
        }
        agree(m_comm, name, failure);
        check_mpi(MPI_Allreduce(MPI_IN_PLACE, &bits, 1, MPI_UINT64_T, MPI_BAND, m_comm.mpi()),
                  "MPI_Allreduce");
    }
    if (bits == 0) return std::nullopt;
    return static_cast<std::size_t>(std::countr_zero(bits));
}

RedistributionBinding& RedistributionEngine::obtain(const Fields& fields, bool to_begin) {
    if (const auto known = find(fields, to_begin)) {
        check_ready(to_begin);
        RedistributionBinding& binding = *m_bindings[*known];
        check_operation(fields, binding.shares_memory);
        binding.last_used = ++m_clock;
        return binding;
    }

    PackedPlaces offered;
    std::exception_ptr failure;
    std::uint64_t digest = fields.sources.size() * 2 + (m_in_place && fields.reads_target ? 1 : 0);
    Sharing sharing;
    try {
        check_ready(to_begin);
        sharing = check(fields);
        if (m_in_place && !m_lines[0]) m_lines[0].emplace(*m_comm.state(), m_role.send_ranks());
        if (!m_in_place) offered = offer(fields);
    } catch (...) {
        failure = std::current_exception();
    }
    // Where a rank has no section, its types still say what the others' are.
    for (const auto& side : {fields.sources, fields.targets})
        for (const Field& field : side) digest = digest * 0x9e3779b97f4a7c15u + field.element_code;
    agree(m_comm, name, failure, digest);
    const bool shares_memory = m_in_place && share_memory(fields, sharing);
    if (m_in_place && !shares_memory)
        offered = agree_on(m_comm, name, [&] { return offer(fields); });

    // Tags are dealt out collectively, hence before anything local can fail.
    CommunicatorState& state = *m_comm.state();
    const int tag = state.next_tag();
    const int notice_tag = state.next_tag();
    std::shared_ptr<RedistributionBinding> binding;
    if (shares_memory) {
        binding = bind_in_place({m_comm, m_schedule, m_role, fields, *m_lines[0], m_required,
                                 m_buffer_bytes, tag, m_crowded},
                                sharing.is_same);
    } else {
        const bool writes = can_write_in_place(fields);
        try {
            binding = make_binding(fields, std::move(offered), writes, tag);
        } catch (...) {
            failure = std::current_exception();
        }
        agree(m_comm, name, failure);
    }
    binding->make_requests(m_comm.mpi(), tag, notice_tag);
    for (RedistributionBinding* step = binding->next(); step; step = step->next())
        step->make_requests(m_comm.mpi(), tag, state.next_tag());
    binding->shares_memory = shares_memory;
    state.add(binding);
    if (m_bindings.size() >= most_bindings) drop_oldest_binding();
    binding->last_used = ++m_clock;
    m_bindings.push_back(binding);
    return *binding;
}

/// What others are to copy from this process's memory, packed.
PackedPlaces RedistributionEngine::offer(const Fields& fields) const {
    if (m_required != Transport::cma) return {};
    return {m_role.sends, m_role.send_ranks(), fields.sources};
}

/// Whether targets are written in place: with all arrays in shared memory. Where some are not, it depends on
/// the sources alone who can be reached.
bool RedistributionEngine::can_write_in_place(const Fields& fields) const {
    if (!m_writes_in_place) return false;
    const Arena& arena = *m_comm.state()->arena();
    int can = 1;
    for (const auto& side : {fields.sources, fields.targets})
        for (const Field& field : side)
            if (field.data && !arena.find(field.data)) can = 0;
    check_mpi(MPI_Allreduce(MPI_IN_PLACE, &can, 1, MPI_INT, MPI_LAND, m_comm.mpi()),
              "MPI_Allreduce");
    return can != 0;
}

/// Collective among partners.
std::shared_ptr<RedistributionBinding> RedistributionEngine::make_binding(const Fields& fields,
                                                                          PackedPlaces offered,
                                                                          bool writes, int tag) {
    CommunicatorState& state = *m_comm.state();
    // Whoever touches another's elements is told where they are, and says when it has done so.
    const auto owned = writes ? fields.targets : fields.sources;
    const std::vector<int> touched = writes ? m_role.send_ranks() : m_role.receive_ranks();
    std::optional<PlanLines>& lines = m_lines[writes ? 1 : 0];
    if (!lines) lines.emplace(state, writes ? m_role.receive_ranks() : m_role.send_ranks());
    OfferedPacks packs;
    for (const int reader : lines->readers()) {
        const PackedPlaces::Place* const place = offered.of(reader);
        packs.packs.push_back(place ? offered.buffer().data() + place->offset : nullptr);
    }
    PeerTransports transports =
        find_transports(state, name, tag, owned, packs, touched, *lines, m_required);
    auto binding = std::make_shared<RedistributionBinding>(
        m_schedule, m_role, fields, std::move(transports), std::move(offered), lines->ready(),
        writes, m_crowded);
    if (writes) binding->hold_targets(*state.arena(), fields.targets);
    return binding;
}

/// Whether sources share memory with targets on some rank, where it matters; `sharing` becomes what it is on
/// all of them. Collective.
bool RedistributionEngine::share_memory(const Fields& fields, Sharing& sharing) const {
    std::array<std::int64_t, 2> flags{sharing.any ? 1 : 0, sharing.is_same ? 0 : 1};
    all_reduce(m_comm, ReduceOperation::max, std::span<std::int64_t>(flags));
    sharing = {flags[0] != 0, flags[1] == 0};
    check_operation(fields, sharing.any);
    return sharing.any;
}

/// Spares those that are in use.
void RedistributionEngine::drop_oldest_binding() {
    const auto age = [&](const std::shared_ptr<RedistributionBinding>& binding) {
        const bool in_use = binding->has_step(m_active) || binding->has_step(m_unread);
        return in_use ? 0 : m_clock - binding->last_used + 1;
    };
    m_bindings.erase(
        std::max_element(m_bindings.begin(), m_bindings.end(),
                         [&](const auto& a, const auto& b) { return age(a) < age(b); }));
}

RedistributionBinding& RedistributionEngine::begin(const Fields& fields) {
    RedistributionBinding& binding = obtain(fields, true);
    if (m_unread) wait_for_readers();
    m_active = &binding;
    ++m_epoch;
    return binding;
}

RedistributionBinding& RedistributionEngine::active() {
    require<UsageError>(m_comm.is_open(),
                        "RedistributionHandle::finish: the communicator has been closed");
    return *m_active;
}

bool RedistributionEngine::advance() {
    RedistributionBinding* const next = active().next();
    if (!next) return false;
    m_unread = m_active;
    wait_for_readers();
    m_active = next;
    ++m_epoch;
    return true;
}

void RedistributionEngine::wait_for_readers() {
    if (!m_unread) return;
    require<UsageError>(m_comm.is_open(), "RedistributionPlan: the communicator has been closed");
    try {
        m_unread->wait_for_readers();
    } catch (...) {
        m_unusable = true;
        m_unread->leave(); // so that others who wait for this process learn of it
        throw;
    }
    m_unread = nullptr;
}

void RedistributionEngine::abandon() noexcept {
    m_unusable = true;
    if (m_active) {
        m_active->leave();
        // MPI may still read and write the buffers: they stay until the communicator closes.
        keep(m_active);
    }
    m_active = nullptr;
}

std::size_t RedistributionEngine::workspace_bytes() const noexcept {
    std::size_t bytes = 0;
    for (const auto& binding : m_bindings) bytes += binding->workspace_bytes();
    return bytes;
}

std::string RedistributionEngine::describe() const {
    std::ostringstream out;
    out << "redistribution; transports allowed: "
        << (m_required ? to_string(*m_required) : "direct, message") << "\nfrom "
        << m_schedule.from_layout().describe() << "\nto " << m_schedule.to_layout().describe()
        << '\n'
        << m_schedule.describe();
    int set = 0;
    for (const auto& binding : m_bindings) {
        out << "\nbound set " << set++ << ':';
        for (const RedistributionBinding* step = binding.get(); step; step = step->next()) {
            out << step->describe();
            if (step->shares_memory) break; // the other steps are like the first one
        }
    }
    return out.str();
}

} // namespace distview::impl
