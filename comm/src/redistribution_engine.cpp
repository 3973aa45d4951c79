// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/redistribution_engine.hpp>

#include <distview/comm/agreement.hpp>
#include <distview/comm/collectives.hpp>
#include <distview/comm/impl/field_arguments.hpp>
#include <distview/comm/impl/free_number.hpp>
#include <distview/comm/impl/in_place.hpp>
#include <distview/comm/impl/writes_in_place.hpp>
#include <distview/comm/mpi_error.hpp>
#include <distview/comm/redistribution_stages.hpp>
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

bool has_copies(const RedistributionSchedule& schedule) {
    for (int d = 0; d < schedule.rank(); ++d)
        if (schedule.axis(d).most_copies() > 1) return true;
    return false;
}

} // namespace

RedistributionEngine::RedistributionEngine(const Communicator& comm,
                                           RedistributionSchedule schedule,
                                           std::vector<RedistributionSchedule> stages,
                                           const RedistributionOptions& options,
                                           std::optional<Transport> required)
    : m_comm(comm), m_schedule(std::move(schedule)), m_has_copies(has_copies(m_schedule)),
      m_from_process(m_schedule.from_process(comm.rank())),
      m_to_process(m_schedule.to_process(comm.rank())), m_conjugate(options.conjugate),
      m_in_place(options.in_place), m_buffer_bytes(options.buffer_bytes),
      m_has_outsiders(m_schedule.from_layout().process_count() < comm.size() ||
                      m_schedule.to_layout().process_count() < comm.size()),
      m_required(required), m_crowded(comm.state()->crowded()), m_calls(&comm.state()->calls()) {
    if (stages.empty()) stages.push_back(m_schedule);
    for (RedistributionSchedule& stage : stages) {
        RedistributionRole role = role_in(stage, comm.rank());
        const bool writes = writes_in_place(stage);
        m_stages.push_back({std::move(stage), std::move(role), writes, {}});
    }
}

RedistributionRole RedistributionEngine::role_in(const RedistributionSchedule& schedule, int rank) {
    const auto peers = [&](const RedistributionRuns& runs) {
        std::vector<RedistributionRole::Peer> result;
        for (const RedistributionSchedule::Message& message : schedule.messages(runs))
            if (message.elements > 0)
                result.push_back({runs.receives ? schedule.from_rank(message.peer)
                                                : schedule.to_rank(message.peer),
                                  message.peer, message.elements});
        std::sort(result.begin(), result.end(),
                  [](const auto& a, const auto& b) { return a.rank < b.rank; });
        return result;
    };
    RedistributionRole role;
    role.rank = rank;
    if (const int process = schedule.to_process(rank); process >= 0) {
        role.runs_to = schedule.runs_to(process);
        role.receives = peers(role.runs_to);
    }
    if (const int process = schedule.from_process(rank); process >= 0) {
        role.runs_from = schedule.runs_from(process);
        role.sends = peers(role.runs_from);
    }
    return role;
}

RedistributionEngine::~RedistributionEngine() {
    // Others may still read what is packed, and write how far they are.
    if (m_unread) keep(m_unread);
    for (const auto* const stages : {&m_stages, &m_copy_stages})
        for (const Stage& stage : *stages)
            for (const std::optional<PlanLines>& lines : stage.lines)
                if ((m_unusable || m_unread) && lines && lines->memory() && is_open())
                    m_comm.state()->keep_memory(lines->memory());
}

void RedistributionEngine::make_copy_stages() {
    std::vector<Stage> made;
    for (RedistributionSchedule& schedule : m_schedule.of_further_copies()) {
        RedistributionRole role = role_in(schedule, m_comm.rank());
        const bool writes = writes_in_place(schedule);
        made.push_back({std::move(schedule), std::move(role), writes, {}});
    }
    m_copy_stages = std::move(made);
}

/// Until the communicator closes.
void RedistributionEngine::keep(const RedistributionBinding* kept) noexcept {
    for (const auto& binding : m_bindings)
        if (binding->has_step(kept) && is_open()) m_comm.state()->keep(binding);
}

void RedistributionEngine::check_ready(bool to_begin) const {
    require<UsageError>(!m_unusable,
                        "RedistributionPlan: an earlier execution was abandoned or failed; this "
                        "plan cannot be used again, build a new one");
    require<UsageError>(!to_begin || m_active == nullptr,
                        "RedistributionPlan: an execution is in flight; call finish() on its "
                        "handle first");
    require<UsageError>(is_open(), "RedistributionPlan: the communicator has been closed");
}

/// Those of m_bindings, a bit each, that are of these arrays as far as this rank can tell.
std::uint64_t RedistributionEngine::candidates(const Fields& fields) const {
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < m_bindings.size(); ++i)
        if (m_bindings[i]->is_for(fields)) bits |= std::uint64_t{1} << i;
    return bits;
}

/// The same as far as all ranks can tell. A rank without a section does not see that others pass new arrays: if
/// there are such ranks, all ask each other.
std::uint64_t RedistributionEngine::agreed_candidates(const Fields& fields, bool to_begin) const {
    std::uint64_t bits = candidates(fields);
    std::exception_ptr failure;
    try {
        check_ready(to_begin);
    } catch (...) {
        failure = std::current_exception();
    }
    agree(m_comm, name, failure);
    check_mpi(MPI_Allreduce(MPI_IN_PLACE, &bits, 1, MPI_UINT64_T, MPI_BAND, m_comm.mpi()),
              "MPI_Allreduce");
    return bits;
}

/// The first of the candidates.
RedistributionBinding& RedistributionEngine::use(std::uint64_t candidates, const Fields& fields) {
    RedistributionBinding& binding =
        *m_bindings[static_cast<std::size_t>(std::countr_zero(candidates))];
    check_operation(fields, binding.shares_memory);
    binding.last_used = ++m_clock;
    return binding;
}

/// `known` are the candidates, where this rank can tell.
RedistributionBinding& RedistributionEngine::obtain(std::uint64_t known, const Fields& fields,
                                                    bool to_begin) {
    if (m_has_outsiders) known = agreed_candidates(fields, to_begin);
    return known != 0 ? use(known, fields) : make_binding(fields, to_begin);
}

RedistributionBinding& RedistributionEngine::make_binding(const Fields& fields, bool to_begin) {
    DeviceSetting device;
    std::exception_ptr failure;
    std::uint64_t digest = fields.sources.size() * 4 + (m_in_place && fields.reads_target ? 2 : 0) +
                           (fields.combines_copies ? 1 : 0);
    Sharing sharing;
    try {
        check_ready(to_begin);
        sharing = check(fields);
        device = device_setting(fields.layer, m_required, name);
        if (fields.combines_copies && m_copy_stages.empty()) make_copy_stages();
        Stage& first = m_stages.front();
        if (m_in_place && !first.lines[0])
            first.lines[0].emplace(*m_comm.state(), first.role.send_ranks());
    } catch (...) {
        failure = std::current_exception();
    }
    // Where a rank has no section, its types still say what the others' are.
    for (const auto& side : {fields.sources, fields.targets})
        for (const Field& field : side) digest = digest * 0x9e3779b97f4a7c15u + field.element_code;
    // Where a rank has no section, it passes an array without a number.
    agree_on_all(m_comm, name,
                 {failure, digest, arrays_of(*m_comm.state(), fields.sources, fields.targets), 0},
                 [&] { return arguments_of(fields.sources, fields.targets); });
    const bool shares_memory = m_in_place && share_memory(fields, sharing);

    // Tags are dealt out collectively, hence before anything local can fail.
    CommunicatorState& state = *m_comm.state();
    const int tag = state.next_tag();
    const Stage& first = m_stages.front();
    std::shared_ptr<RedistributionBinding> binding =
        shares_memory ? bind_in_place({m_comm, first.schedule, first.role, fields, *first.lines[0],
                                       m_required, m_buffer_bytes, tag, m_crowded},
                                      sharing.is_same)
                      : bind_stages(fields, device, tag);
    for (RedistributionBinding* step = binding.get(); step; step = step->next())
        step->make_requests(m_comm.mpi(), tag);
    binding->shares_memory = shares_memory;
    binding->combines_copies = fields.combines_copies;
    state.add(binding);
    if (m_bindings.size() >= most_bindings) drop_oldest_binding();
    binding->number = free_number(m_bindings);
    binding->last_used = ++m_clock;
    m_bindings.push_back(binding);
    return *binding;
}

/// Where some ranks have no section, these cannot tell which set comes.
CallWord RedistributionEngine::word_of(CallWord::Kind kind, std::uint64_t known) const {
    const std::uint64_t set =
        known == 0 ? CallWord::new_set
                   : m_bindings[static_cast<std::size_t>(std::countr_zero(known))]->number & 0xff;
    return CallWord::of_plan(kind, plan_number, set);
}

RedistributionBinding& RedistributionEngine::bind(Fields fields) {
    fields.combines_copies = fields.combines_copies && m_has_copies;
    const std::uint64_t known = m_has_outsiders ? 0 : candidates(fields);
    return in_call(*m_calls, word_of(CallWord::Kind::bind_redistribution, known), [&]() -> auto& {
        if (known != 0) check_ready(false);
        return obtain(known, fields, false);
    });
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

RedistributionBinding& RedistributionEngine::begin(Fields fields) {
    fields.combines_copies = fields.combines_copies && m_has_copies;
    const std::uint64_t known = m_has_outsiders ? 0 : candidates(fields);
    const CallWord word = word_of(fields.reads_target ? CallWord::Kind::redistribute_combine
                                                      : CallWord::Kind::redistribute,
                                  known);
    // What this rank alone misuses is no call; that a plan is unusable others may still have to find out.
    if (known != 0 && !m_unusable) check_ready(true);
    return in_call(*m_calls, word, [&]() -> auto& {
        if (known != 0 && m_unusable) check_ready(true);
        RedistributionBinding& binding = obtain(known, fields, true);
        if (m_unread) wait_for_readers();
        m_active = &binding;
        m_epoch = next_epoch(m_epoch, binding.number);
        for (RedistributionBinding* step = &binding; step; step = step->next())
            step->set_call(*m_calls);
        return binding;
    });
}

RedistributionBinding& RedistributionEngine::active() {
    require<UsageError>(is_open(),
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
    require<UsageError>(is_open(), "RedistributionPlan: the communicator has been closed");
    try {
        m_unread->wait_for_readers();
    } catch (...) {
        m_unusable = true;
        m_calls->mark_failed(m_unread->call().call);
        // So that others who wait for this process, in this execution or the next one, learn of it.
        m_unread->leave();
        for (const auto& binding : m_bindings)
            if (is_open()) binding->send_end();
        throw;
    }
    m_unread = nullptr;
}

void RedistributionEngine::abandon() noexcept {
    m_unusable = true;
    if (m_active) {
        m_calls->mark_failed(m_active->call().call);
        m_active->leave();
        for (const auto& binding : m_bindings)
            if (!binding->has_step(m_active) && is_open()) binding->send_end();
        // MPI may still read and write the buffers: they stay until the communicator closes.
        keep(m_active);
    }
    m_active = nullptr;
}

std::size_t RedistributionEngine::workspace_bytes() const noexcept {
    std::size_t bytes = 0;
    for (const auto& binding : m_bindings) bytes += binding->workspace_bytes();
    for (const Between& between : m_between) bytes += between.bytes;
    return bytes;
}

std::string RedistributionEngine::describe() const {
    std::ostringstream out;
    out << "redistribution; transports allowed: "
        << (m_required ? to_string(*m_required) : "direct, message") << "\nfrom "
        << m_schedule.from_layout().describe() << "\nto " << m_schedule.to_layout().describe()
        << '\n'
        << m_schedule.describe();
    if (m_stages.size() > 1) {
        out << "\nby dimension, in " << m_stages.size() << " stages of at most";
        for (const Stage& stage : m_stages)
            out << (&stage == &m_stages.front() ? " " : " and ") << most_partners(stage.schedule);
        out << " partners, instead of " << most_partners(m_schedule);
    }
    int set = 0;
    for (const auto& binding : m_bindings) {
        out << "\nbound set " << set++ << ':';
        for (const RedistributionBinding* step = binding.get(); step; step = step->next()) {
            const std::string description = step->describe();
            if (step != binding.get() && !step->is_later_round()) out << "\n  then";
            out << description;
            if (step->shares_memory) break; // the other steps are like the first one
        }
    }
    return out.str();
}

} // namespace distview::impl
