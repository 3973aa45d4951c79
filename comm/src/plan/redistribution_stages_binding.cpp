// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/plan/in_place.hpp>
#include <distview/comm/impl/plan/redistribution_core.hpp>
#include <distview/comm/impl/plan/redistribution_program.hpp>

#include <distview/comm/agreement.hpp>
#include <distview/comm/mpi_error.hpp>

#include <algorithm>
#include <utility>

namespace distview::impl {

namespace {

/// Elements that are moved stay as they are: later steps will convert and combine them.
void carry(ExchangeProgram& program) {
    const auto carry_all = [](std::vector<Batch>& batches) {
        for (Batch& batch : batches)
            if (batch.kind == Batch::Kind::move) batch.kind = Batch::Kind::carry;
    };
    carry_all(program.local);
    carry_all(program.written.batches);
    for (Incoming& incoming : program.in_place) carry_all(incoming.batches);
    for (Incoming& incoming : program.received) carry_all(incoming.batches);
}

std::vector<int> merged(std::vector<int> a, const std::vector<int>& b) {
    a.insert(a.end(), b.begin(), b.end());
    std::sort(a.begin(), a.end());
    a.erase(std::unique(a.begin(), a.end()), a.end());
    return a;
}

} // namespace

std::vector<int> RedistributionCore::send_peers() const {
    std::vector<int> result;
    for (const Stage& stage : m_stages) result = merged(std::move(result), stage.role.send_ranks());
    return result;
}

std::vector<int> RedistributionCore::receive_peers() const {
    std::vector<int> result;
    for (const Stage& stage : m_stages)
        result = merged(std::move(result), stage.role.receive_ranks());
    return result;
}

/// Elements stay as they are in the stages before the last one, which converts and combines them. Collective.
std::shared_ptr<ExchangeBinding>
RedistributionCore::bind_stages(const ArraySet& arrays, const DeviceSetting& device, int tag) {
    std::shared_ptr<ExchangeBinding> first;
    std::vector<std::shared_ptr<void>> held;
    std::vector<Field> from(arrays.sources.begin(), arrays.sources.end());
    for (std::size_t s = 0; s < m_stages.size(); ++s) {
        const bool is_last = s + 1 == m_stages.size();
        std::vector<Field> to(arrays.targets.begin(), arrays.targets.end());
        if (!is_last)
            to = agree_on(communicator(), name(),
                          [&] { return make_between(s, arrays.sources, held); });
        ArraySet step = arrays;
        step.sources = from;
        step.targets = to;
        ExchangeBinding::append(first, bind_stage(m_stages[s], step, device, !is_last, tag));
        from = std::move(to);
    }
    if (arrays.variant != 0)
        for (Stage& stage : m_copy_stages)
            ExchangeBinding::append(first, bind_stage(stage, arrays, device, false, tag));
    first->hold(held);
    return first;
}

/// Arrays like the sources that a stage brings elements to. Executions follow each other, and what a stage
/// has written is not needed beyond the next one: sets and stages share memory.
std::vector<Field> RedistributionCore::make_between(std::size_t stage,
                                                    std::span<const Field> sources,
                                                    std::vector<std::shared_ptr<void>>& held) {
    const RedistributionSchedule& schedule = m_stages[stage].schedule;
    const int process = schedule.to_process(communicator().rank());
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
                    found, {slot, wanted,
                            exchange_memory(state(), bytes, required() != Transport::message)});
            field.data = found->memory.get();
            held.push_back(found->memory);
        }
        result.push_back(field);
    }
    return result;
}

/// Collective.
std::shared_ptr<ExchangeBinding> RedistributionCore::bind_stage(Stage& stage,
                                                                const ArraySet& arrays,
                                                                const DeviceSetting& device,
                                                                bool carries, int tag) {
    const bool writes = can_write_in_place(stage, arrays);
    SharedRounds rounds;
    if (!writes && !arrays.layer && required() != Transport::message)
        rounds = SharedRounds(communicator(), stage.schedule, stage.role, arrays.sources);
    return agree_on(communicator(), name(), [&] {
        return bind_rounds(stage, arrays, std::move(rounds), device, writes, carries, tag);
    });
}

/// Whether targets are written in place: with all arrays in shared memory. Where some are not, it depends on
/// the sources alone who can be reached.
bool RedistributionCore::can_write_in_place(const Stage& stage, const ArraySet& arrays) const {
    if (!stage.pushes) return false;
    const Arena& arena = *state().arena();
    int can = arrays.layer ? 0 : 1;
    for (const auto& side : {arrays.sources, arrays.targets})
        for (const Field& field : side)
            if (field.data && !arena.find(field.data)) can = 0;
    check_mpi(MPI_Allreduce(MPI_IN_PLACE, &can, 1, MPI_INT, MPI_LAND, communicator().mpi()),
              "MPI_Allreduce");
    return can != 0;
}

/// A step for each round. Collective among partners.
std::shared_ptr<ExchangeBinding>
RedistributionCore::bind_rounds(Stage& stage, const ArraySet& arrays, SharedRounds rounds,
                                const DeviceSetting& device, bool writes, bool carries, int tag) {
    // Processes that touch another's elements are told where they are, and say when they have done so.
    const auto owned = writes ? arrays.targets : arrays.sources;
    const std::vector<int> touched = writes ? stage.role.send_ranks() : stage.role.receive_ranks();
    const PlanLines& lines = lines_of(stage, writes);
    rounds.allocate(state());
    const PeerTransports transports =
        find_transports(state(), name(), tag, owned, rounds.packs().offer(lines.readers()), touched,
                        lines, required(), arrays.layer, writes ? Access::write : Access::read);
    std::shared_ptr<ExchangeBinding> first;
    for (ExchangeProgram& program : redistribution_programs(stage.schedule, stage.role, arrays,
                                                            transports, rounds, writes, device)) {
        if (carries) carry(program);
        auto step = std::make_shared<ExchangeBinding>(
            ExchangeBinding::Setting{name(), lines.ready(), oversubscribed(), device},
            PeerTransports(transports), std::move(program));
        step->is_later_round = first != nullptr;
        ExchangeBinding::append(first, std::move(step));
    }
    if (writes) first->hold_written(*state().arena(), arrays.targets);
    return first;
}

} // namespace distview::impl
