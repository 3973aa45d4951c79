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
    ValidPadding after{}; ///< empty where elements are written
    // Of an array that the checking mode knows:
    bool fills = false; ///< padding, these boxes
    std::vector<LocalBox> filled{};
    std::uint64_t plan = 0; ///< number of the plan
};
/// Tells the checking mode of the arrays that it knows.
void note_checked(std::span<const PaddingEffect> effects) noexcept;

/// A program with the messages that it sends and receives, and the flags by which it keeps step with those that read
/// this process's memory in place, or write it, and with those that this process reads or writes. Made once per set
/// of arrays. A set that is exchanged in several steps has a chain of these.
///
/// A rank that writes in place is to DirectExchange what a reader is: it finds out that an array may be touched,
/// touches it, and says when it has finished.
class ExchangeBinding final : public Closable {
public:
    struct Setting {
        const char* user = ""; ///< begins the text of errors
        SyncLine* ready = nullptr;
        bool oversubscribed = false;
        DeviceSetting device{};
    };
    /// Makes no requests yet: that is left for when all ranks have come so far.
    ExchangeBinding(const Setting& setting, PeerTransports transports, ExchangeProgram program);
    /// Step by step: some thousands would take too much of a thread's stack.
    ~ExchangeBinding() override {
        while (m_next) m_next = std::move(m_next->m_next);
    }

    /// Makes the persistent requests of all steps; local.
    void make_requests(CommunicatorState& comm, int tag, const std::array<int, 3>& end_tags);
    /// Gives up the step under way and those that were to follow it.
    void leave() noexcept override;
    void close(Time deadline) noexcept override;
    /// Whether the last execution was not given up, and all others have read what it let them.
    bool is_over() noexcept override;
    /// Tells receivers of messages that the plan exchanges no more.
    void send_end() noexcept { m_messages.send_end(); }

    /// The arrays by which the set is found again.
    void set_key(const ArraySet& arrays);
    bool is_for(const ArraySet& arrays) const noexcept;

    /// Of the arrays that an execution writes; noted when its last step ends.
    void set_effects(std::vector<PaddingEffect> effects) {
        last_step().m_effects = std::move(effects);
    }
    const std::vector<PaddingEffect>& effects() noexcept { return last_step().m_effects; }
    void note_effects() const noexcept {
        for (const PaddingEffect& effect : m_effects) effect.array->valid_padding = effect.after;
        if (any_checked.load(std::memory_order_relaxed)) note_checked(m_effects);
    }
    /// The execution was abandoned: nobody knows what it has filled.
    void note_abandoned() noexcept {
        for (const PaddingEffect& effect : last_step().m_effects) {
            effect.array->valid_padding = ValidPadding();
            if (effect.array->checked) forget(*effect.array->checked);
        }
    }

    /// Keeps the memory of arrays that other ranks write in place: an execution holds it while it is under way, for
    /// they may write after this process has given up.
    void hold_written(const Arena& arena, std::span<const Field> arrays);

    const ExchangeProgram& program() const noexcept { return m_program; }

    /// Of all steps: the call that the next execution belongs to.
    void set_call(Calls& calls) noexcept {
        for (ExchangeBinding* step = this; step; step = step->next())
            step->m_watch = {&calls, calls.current()};
    }
    const CallWatch& call() const noexcept { return m_watch; }

    void post_receives() {
        m_under_way = true;
        if (m_has_messages) m_messages.start_receives();
    }
    /// Sends what is packed, and lets others read the rest, or write.
    void start_sends(std::uint64_t epoch) {
        if (!m_written.empty()) hold_memory();
        m_epoch = epoch;
        m_direct.begin(epoch, &m_watch);
        if (m_has_messages) m_messages.start_sends();
    }

    /// The next elements that are there, waiting for them; null once all have been returned.
    const Incoming* wait_for_elements();
    /// The same for those that fill positions of `box`.
    const Incoming* wait_for_elements(const LocalBox& box);
    /// Enqueues what a staged message takes before kernels can use it.
    void stage(const DeviceQueue& queue, const Incoming& incoming) const;
    /// Whether wait_for_elements() would not wait; does not say who has given up. Lets MPI work if messages are under way.
    bool has_all_elements() { return m_messages.all_arrived() && m_direct.all_arrived(); }
    /// To be called when all that arrived has been moved.
    void end_reading() { m_direct.end_reading(); }
    /// Returns when this section's elements have been sent and read, or its arrays been written.
    void wait_for_readers();

    /// The step that follows in every execution, when all ranks have read what they want of this one.
    ExchangeBinding* next() const noexcept { return m_next.get(); }
    /// Appends a step to those from `first` on; `first` is null before there is one.
    static void append(std::shared_ptr<ExchangeBinding>& first,
                       std::shared_ptr<ExchangeBinding> step) {
        (first ? first->last_step().m_next : first) = std::move(step);
    }
    /// Keeps memory that others use for as long as this is kept.
    void hold(const std::shared_ptr<void>& memory) { m_program.held.push_back(memory); }
    bool has_step(const ExchangeBinding* step) const noexcept;

    /// Of this step and those that follow.
    std::size_t workspace_bytes() const noexcept;
    /// "from rank 1: direct, 120 bytes" and so on, a line each; of all steps.
    std::string describe() const;
    /// The same for a report; what both sides know the receiver counts.
    std::vector<Traffic> traffic() const;

    std::uint64_t number = 0;        ///< in the plan, of its sets of arrays
    std::uint64_t last_used = 0;     ///< the plan's, for choosing which binding to drop
    bool overwrites_sources = false; ///< sources and targets share memory, on some rank
    bool is_later_round = false;     ///< of the step before, which describes it
    std::size_t array_count() const noexcept { return m_identities.size(); }

private:
    ExchangeBinding& last_step() noexcept {
        ExchangeBinding* step = this;
        while (step->next()) step = step->next();
        return *step;
    }
    /// Follows from the memory: a device's is reached by ipc alone.
    Transport in_place_transport() const noexcept {
        return m_setting.device.layer ? Transport::ipc : Transport::direct;
    }
    std::string describe_step() const;
    void append_traffic(std::vector<Traffic>& traffic) const;
    const Incoming* next_elements(const std::vector<char>* wanted);
    /// Looks what ranks do that are waited for.
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
    std::vector<char> m_wanted; ///< of m_direct's sources, those that a box needs
    std::vector<std::weak_ptr<void>> m_written;
    std::vector<std::shared_ptr<void>> m_held; ///< of m_written, by the execution under way
    std::shared_ptr<ExchangeBinding> m_next;
};

} // namespace distview::impl
