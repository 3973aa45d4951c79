// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Executions in several steps: each is a RedistributionBinding, the first one holds the others.
#include <distview/comm/impl/redistribution_binding.hpp>

#include <utility>

namespace distview::impl {

RedistributionBinding::RedistributionBinding(const Fields& fields, PeerTransports transports,
                                             Prepared prepared, SyncLine* ready, bool crowded)
    : m_transports(std::move(transports)), m_writes(false), m_crowded(crowded),
      m_units(std::move(prepared.units)), m_pack(std::move(prepared.pack)),
      m_local(std::move(prepared.local)), m_in_place(std::move(prepared.in_place)),
      m_incoming(std::move(prepared.incoming)), m_prepared(std::move(prepared)) {
    for (const Field& field : fields.sources) m_identities.push_back(field.identity);
    for (const Field& field : fields.targets) m_identities.push_back(field.identity);
    make_direct(ready);
}

void RedistributionBinding::append(std::shared_ptr<RedistributionBinding> step) {
    RedistributionBinding* last = this;
    while (last->m_next) last = last->m_next.get();
    last->m_next = std::move(step);
}

void RedistributionBinding::begin_with(const Fields& fields,
                                       std::vector<std::shared_ptr<void>> held) {
    m_identities.clear();
    for (const Field& field : fields.sources) m_identities.push_back(field.identity);
    for (const Field& field : fields.targets) m_identities.push_back(field.identity);
    m_between = std::move(held);
}

void RedistributionBinding::carry() {
    const auto carry_all = [](std::vector<Batch>& batches) {
        for (Batch& batch : batches) batch.kind = Batch::Kind::carry;
    };
    for (RedistributionBinding* step = this; step; step = step->next()) {
        carry_all(step->m_local);
        carry_all(step->m_written.batches);
        for (Partner& partner : step->m_in_place) carry_all(partner.batches);
        for (Partner& partner : step->m_incoming) carry_all(partner.batches);
    }
}

bool RedistributionBinding::has_step(const RedistributionBinding* step) const noexcept {
    const RedistributionBinding* mine = this;
    while (mine && mine != step) mine = mine->m_next.get();
    return mine != nullptr && step != nullptr;
}

std::size_t RedistributionBinding::workspace_bytes() const noexcept {
    return m_packed.bytes() + m_received.bytes() + static_cast<std::size_t>(m_shared_bytes) +
           (m_prepared ? m_prepared->bytes : 0) + (m_next ? m_next->workspace_bytes() : 0);
}

/// Others would wait for this process in the steps that it does not come to.
void RedistributionBinding::leave() noexcept {
    RedistributionBinding* step = this;
    while (step->m_next && !step->m_under_way) step = step->m_next.get();
    step->m_direct.abandon();
    step->m_messages.abandon();
    if (!std::exchange(step->m_under_way, false)) return;
    for (RedistributionBinding* later = step->next(); later; later = later->next()) {
        // Their lines may be those of the step that was given up: they must not seem to be further.
        later->m_direct.refuse(step->m_epoch);
        later->m_messages.refuse();
    }
}

void RedistributionBinding::close(Time deadline) noexcept {
    for (RedistributionBinding* step = this; step; step = step->next())
        step->m_messages.close(deadline);
}

} // namespace distview::impl
