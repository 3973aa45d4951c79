// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/in_place.hpp>
#include <distview/comm/impl/redistribution_engine.hpp>

#include <distview/comm/agreement.hpp>
#include <distview/comm/mpi_error.hpp>

#include <algorithm>
#include <exception>
#include <utility>

namespace distview::impl {

namespace {

constexpr const char* name = "RedistributionPlan";

std::vector<int> merged(std::vector<int> a, const std::vector<int>& b) {
    a.insert(a.end(), b.begin(), b.end());
    std::sort(a.begin(), a.end());
    a.erase(std::unique(a.begin(), a.end()), a.end());
    return a;
}

} // namespace

std::vector<int> RedistributionEngine::send_ranks() const {
    std::vector<int> result;
    for (const Stage& stage : m_stages) result = merged(std::move(result), stage.role.send_ranks());
    return result;
}

std::vector<int> RedistributionEngine::receive_ranks() const {
    std::vector<int> result;
    for (const Stage& stage : m_stages)
        result = merged(std::move(result), stage.role.receive_ranks());
    return result;
}

/// Collective.
std::shared_ptr<RedistributionBinding>
RedistributionEngine::bind_stages(const Fields& fields, const DeviceSetting& device, int tag) {
    std::shared_ptr<RedistributionBinding> first;
    std::vector<std::shared_ptr<void>> held;
    std::vector<Field> from(fields.sources.begin(), fields.sources.end());
    for (std::size_t s = 0; s < m_stages.size(); ++s) {
        const bool is_last = s + 1 == m_stages.size();
        std::vector<Field> to(fields.targets.begin(), fields.targets.end());
        if (!is_last)
            to = agree_on(m_comm, name, [&] { return make_between(s, fields.sources, held); });
        auto binding =
            bind_stage(m_stages[s], {from, to, fields.as_bytes, fields.layer}, device, tag);
        if (!is_last) binding->carry();
        if (first)
            first->append(std::move(binding));
        else
            first = std::move(binding);
        from = std::move(to);
    }
    if (m_stages.size() > 1) first->begin_with(fields, std::move(held));
    if (fields.combines_copies)
        for (Stage& stage : m_copy_stages) first->append(bind_stage(stage, fields, device, tag));
    return first;
}

/// Arrays like the sources that a stage brings elements to. Executions follow each other, and what a stage
/// has written is not needed beyond the next one: sets and stages share memory.
std::vector<Field> RedistributionEngine::make_between(std::size_t stage,
                                                      std::span<const Field> sources,
                                                      std::vector<std::shared_ptr<void>>& held) {
    const RedistributionSchedule& schedule = m_stages[stage].schedule;
    const int process = schedule.to_process(m_comm.rank());
    std::vector<Field> result;
    for (std::size_t f = 0; f < sources.size(); ++f) {
        Field field;
        field.element_size = sources[f].element_size;
        field.element_code = sources[f].element_code;
        if (process >= 0) {
            field.process = process;
            field.layout = &schedule.to_layout();
            const Extents extents = field.layout->local_extents(process);
            std::int64_t bytes = field.element_size;
            for (auto d = static_cast<std::size_t>(schedule.rank()); d-- > 0;) {
                field.strides[d] = bytes;
                bytes *= extents[d];
            }
            const std::size_t slot = stage % 2 * sources.size() + f;
            const auto wanted = static_cast<std::size_t>(bytes);
            auto found = std::find_if(m_between.begin(), m_between.end(), [&](const Between& b) {
                return b.slot == slot && b.bytes >= wanted;
            });
            if (found == m_between.end())
                found = m_between.insert(
                    found,
                    {slot, wanted,
                     exchange_memory(*m_comm.state(), bytes, m_required != Transport::message)});
            field.data = found->memory.get();
            held.push_back(found->memory);
        }
        result.push_back(field);
    }
    return result;
}

/// Collective.
std::shared_ptr<RedistributionBinding> RedistributionEngine::bind_stage(Stage& stage,
                                                                        const Fields& fields,
                                                                        const DeviceSetting& device,
                                                                        int tag) {
    const bool writes = can_write_in_place(stage, fields);
    SharedRounds rounds;
    if (!writes && !fields.layer && m_required != Transport::message)
        rounds = SharedRounds(m_comm, stage.schedule, stage.role, fields.sources);
    std::shared_ptr<RedistributionBinding> binding;
    std::exception_ptr failure;
    try {
        binding = make_binding(stage, fields, std::move(rounds), device, writes, tag);
    } catch (...) {
        failure = std::current_exception();
    }
    agree(m_comm, name, failure);
    return binding;
}

/// Whether targets are written in place: with all arrays in shared memory. Where some are not, it depends on
/// the sources alone who can be reached.
bool RedistributionEngine::can_write_in_place(const Stage& stage, const Fields& fields) const {
    if (!stage.writes_in_place) return false;
    const Arena& arena = *m_comm.state()->arena();
    int can = fields.layer ? 0 : 1;
    for (const auto& side : {fields.sources, fields.targets})
        for (const Field& field : side)
            if (field.data && !arena.find(field.data)) can = 0;
    check_mpi(MPI_Allreduce(MPI_IN_PLACE, &can, 1, MPI_INT, MPI_LAND, m_comm.mpi()),
              "MPI_Allreduce");
    return can != 0;
}

/// Collective among partners.
std::shared_ptr<RedistributionBinding>
RedistributionEngine::make_binding(Stage& stage, const Fields& fields, SharedRounds rounds,
                                   const DeviceSetting& device, bool writes, int tag) {
    CommunicatorState& state = *m_comm.state();
    // Whoever touches another's elements is told where they are, and says when it has done so.
    const auto owned = writes ? fields.targets : fields.sources;
    const std::vector<int> touched = writes ? stage.role.send_ranks() : stage.role.receive_ranks();
    std::optional<PlanLines>& lines = stage.lines[writes ? 1 : 0];
    if (!lines) lines.emplace(state, writes ? stage.role.receive_ranks() : stage.role.send_ranks());
    const OfferedPacks packs = rounds.offer(state, lines->readers());
    PeerTransports transports =
        find_transports(state, name, tag, owned, packs, touched, *lines, m_required, fields.layer,
                        writes ? Access::write : Access::read);
    auto binding = std::make_shared<RedistributionBinding>(
        stage.schedule, stage.role, fields, std::move(transports), rounds, lines->ready(), writes,
        m_crowded, device);
    if (writes) binding->hold_targets(*state.arena(), fields.targets);
    return binding;
}

} // namespace distview::impl
