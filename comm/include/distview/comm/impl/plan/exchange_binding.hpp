// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/mpi/communicator_state.hpp>
#include <distview/comm/impl/plan/array_set.hpp>
#include <distview/comm/impl/plan/exchange_program.hpp>
#include <distview/comm/impl/report/plan_record.hpp>
#include <distview/comm/impl/transport/call_watch.hpp>
#include <distview/comm/impl/transport/direct_exchange.hpp>
#include <distview/comm/impl/transport/peer_transports.hpp>
#include <distview/comm/impl/transport/persistent_messages.hpp>
#include <distview/core/checked_events.hpp>
#include <distview/core/local_box.hpp>
#include <distview/core/shared_state.hpp>

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace distview::impl {

/// The valid padding of an array after an execution.
struct PaddingEffect {
    std::shared_ptr<ArrayState> array{};
    ValidPadding after{}; ///< empty if elements are written
    // For arrays that the checking mode knows:
    bool fills = false; ///< whether the execution fills the boxes `filled`
    std::vector<LocalBox> filled{};
    std::uint64_t plan = 0; ///< number of the plan
};
/// Reports effects to the checking mode, for the arrays that it knows.
void note_checked(std::span<const PaddingEffect> effects) noexcept;

/// A program with its messages, and with the flags that synchronise this process with ranks that read or write its
/// memory in place, and with ranks whose memory it reads or writes. Made once per set of arrays. If a set is exchanged
/// in several steps, it has a chain of bindings.
///
/// DirectExchange treats a rank that writes in place like a reader: it waits until it may access an array, accesses it,
/// and reports that it has finished.
class ExchangeBinding final : public Closable {
public:
    struct Setting {
        const char* user = ""; ///< begins the text of errors
        SyncLine* ready = nullptr;
        bool oversubscribed = false;
        DeviceSetting device{};
    };
    /// Makes no requests: make_requests() does, after all ranks have made their bindings.
    ExchangeBinding(const Setting& setting, PeerTransports transports, ExchangeProgram program);
    /// Destroys the chain in a loop: a recursion over some thousands of steps would need too much stack.
    ~ExchangeBinding() override {
        while (m_next) m_next = std::move(m_next->m_next);
    }

    /// Makes the persistent requests of all steps; local.
    void make_requests(CommunicatorState& comm, int tag, const std::array<int, 3>& end_tags);
    /// Abandons the step in flight and the steps after it.
    void leave() noexcept override;
    void close(Time deadline) noexcept override;
    /// Whether the last execution was not abandoned and all its readers have finished.
    bool is_over() noexcept override;
    /// Informs receivers of messages that the plan sends no more.
    void send_end() noexcept { m_messages.send_end(); }

    /// Stores the arrays' identities, by which is_for() recognises the set.
    void set_key(const ArraySet& arrays);
    bool is_for(const ArraySet& arrays) const noexcept;

    /// Stores the effects on arrays that an execution writes; they are noted when its last step ends.
    void set_effects(std::vector<PaddingEffect> effects) {
        last_step().m_effects = std::move(effects);
    }
    const std::vector<PaddingEffect>& effects() noexcept { return last_step().m_effects; }
    void note_effects() const noexcept {
        for (const PaddingEffect& effect : m_effects) effect.array->valid_padding = effect.after;
        if (any_checked.load(std::memory_order_relaxed)) note_checked(m_effects);
    }
    /// Marks all padding invalid after an abandoned execution, which may have filled any part of it.
    void note_abandoned() noexcept {
        for (const PaddingEffect& effect : last_step().m_effects) {
            effect.array->valid_padding = ValidPadding();
            if (effect.array->checked) forget(*effect.array->checked);
        }
    }

    /// Keeps the memory of arrays that other ranks write in place: an execution in flight holds it, because these ranks
    /// may write after this process has abandoned the execution.
    void hold_written(const Arena& arena, std::span<const Field> arrays);

    const ExchangeProgram& program() const noexcept { return m_program; }

    /// Sets, in all steps, the call to which the next execution belongs.
    void set_call(Calls& calls) noexcept {
        for (ExchangeBinding* step = this; step; step = step->next())
            step->m_watch = {&calls, calls.current()};
    }
    const CallWatch& call() const noexcept { return m_watch; }

    void post_receives() {
        m_under_way = true;
        if (m_has_messages) m_messages.start_receives();
    }
    /// Sends packed messages, and allows other ranks to read this section in place, or to write it.
    void start_sends(std::uint64_t epoch) {
        if (!m_written.empty()) hold_memory();
        m_epoch = epoch;
        m_direct.begin(epoch, &m_watch);
        if (m_has_messages) m_messages.start_sends();
    }

    /// Waits for the next elements and returns them; null after all have been returned.
    const Incoming* wait_for_elements();
    /// The same for elements that fill positions of `box`.
    const Incoming* wait_for_elements(const LocalBox& box);
    /// Enqueues the copy of a staged message to device memory, for kernels.
    void stage(const DeviceQueue& queue, const Incoming& incoming) const;
    /// Whether wait_for_elements() would not wait; does not detect abandoned executions. Lets messages make progress.
    bool has_all_elements() { return m_messages.all_arrived() && m_direct.all_arrived(); }
    /// Call it when all elements that arrived have been moved.
    void end_reading() { m_direct.end_reading(); }
    /// Returns when this section's elements have been sent and read, or when its arrays have been written.
    void wait_for_readers();

    /// The next step of every execution, which begins after all readers of this step have finished.
    ExchangeBinding* next() const noexcept { return m_next.get(); }
    /// Appends a step to the chain that begins at `first`, which is null if the chain is empty.
    static void append(std::shared_ptr<ExchangeBinding>& first,
                       std::shared_ptr<ExchangeBinding> step) {
        (first ? first->last_step().m_next : first) = std::move(step);
    }
    /// Keeps memory, which other objects use, as long as this binding.
    void hold(const std::shared_ptr<void>& memory) { m_program.held.push_back(memory); }
    bool has_step(const ExchangeBinding* step) const noexcept;

    /// Total of this step and the steps after it.
    std::size_t workspace_bytes() const noexcept;
    /// "from rank 1: direct, 120 bytes" and so on, one line each, for all steps.
    std::string describe() const;
    /// The same for a report; the receiver counts traffic that both sides know.
    std::vector<Traffic> traffic() const;

    std::uint64_t number = 0;        ///< number of the set of arrays in the plan
    std::uint64_t last_used = 0;     ///< time of the plan's clock; the oldest binding is dropped
    bool overwrites_sources = false; ///< sources and targets share memory, on some rank
    bool is_later_round = false;     ///< whether an earlier step describes this one
    std::size_t array_count() const noexcept { return m_identities.size(); }

private:
    ExchangeBinding& last_step() noexcept {
        ExchangeBinding* step = this;
        while (step->next()) step = step->next();
        return *step;
    }
    /// Transport of memory that is read in place: ipc for a device's memory, else direct.
    Transport in_place_transport() const noexcept {
        return m_setting.device.layer ? Transport::ipc : Transport::direct;
    }
    std::string describe_step() const;
    void append_traffic(std::vector<Traffic>& traffic) const;
    const Incoming* next_elements(const std::vector<char>* wanted);
    /// Checks on the ranks for which this process waits.
    void look() const;
    void hold_memory() noexcept;

    Setting m_setting;
    std::vector<std::uint64_t> m_identities;
    int m_variant = 0;
    std::vector<PaddingEffect> m_effects;
    PeerTransports m_transports;
    ExchangeProgram m_program;
    DirectExchange m_direct;
    PersistentMessages m_messages;
    CallWatch m_watch{};
    bool m_has_messages = false;
    bool m_under_way = false;
    bool m_was_left = false;
    std::uint64_t m_epoch = 0;
    std::vector<char> m_wanted; ///< by source of m_direct: whether a box needs it
    std::vector<std::weak_ptr<void>> m_written;
    std::vector<std::shared_ptr<void>> m_held; ///< m_written, during an execution
    std::shared_ptr<ExchangeBinding> m_next;
};

} // namespace distview::impl
