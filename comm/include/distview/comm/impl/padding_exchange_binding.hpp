// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/communicator_state.hpp>
#include <distview/comm/impl/direct_exchange.hpp>
#include <distview/comm/impl/exchange_copies.hpp>
#include <distview/comm/impl/field.hpp>
#include <distview/comm/impl/peer_transports.hpp>
#include <distview/comm/impl/persistent_messages.hpp>
#include <distview/comm/padding_exchange_schedule.hpp>
#include <distview/core/local_box.hpp>

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace distview::impl {

/// What a padding exchange of one set of arrays needs: copies with their addresses, messages, and
/// what keeps it in step with those that read in place. Made once per set.
class PaddingExchangeBinding final : public Closable {
public:
    /// Makes no requests yet: that is left for when all ranks have come so far.
    PaddingExchangeBinding(ExchangeKind kind, int process, const ExchangeParts& parts,
                           std::span<const Field> fields, PeerTransports transports,
                           SharedPack shared_pack, SyncLine* ready, bool crowded,
                           const DeviceSetting& device);

    /// Makes the persistent requests; local.
    void make_requests(MPI_Comm comm, int tag);
    /// Gives up the exchange under way.
    void leave() noexcept override {
        m_direct.abandon();
        m_messages.abandon();
    }
    /// Tells receivers of messages that the plan exchanges no more.
    void send_end() noexcept { m_messages.send_end(); }
    void close(Time deadline) noexcept override { m_messages.close(deadline); }

    bool is_for(ExchangeKind kind, std::span<const Field> fields,
                const DeviceLayer* layer) const noexcept;
    std::size_t field_count() const noexcept { return m_identities.size(); }
    const ExchangeCopies& copies() const noexcept { return m_copies; }

    /// The call that the next exchange belongs to.
    void set_call(Calls& calls) noexcept { m_watch = {&calls, calls.current()}; }
    const CallWatch& call() const noexcept { return m_watch; }
    void post_receives() {
        if (m_has_messages) m_messages.start_receives();
    }
    /// Sends what is packed, and lets the neighbours read the rest in place.
    void start_sends(std::uint64_t epoch) {
        start_sends(epoch, [](const ExchangeCopies::Partner&) {});
    }
    /// The same, with pack(message) before each message.
    template <class Pack>
    void start_sends(std::uint64_t epoch, Pack&& pack) {
        m_direct.begin(epoch, &m_watch);
        if (m_has_messages) m_messages.start_sends([&](std::size_t i) { pack(m_copies.sends[i]); });
    }

    /// Some elements that are there: copies().incoming[begin, end) is to be done with them.
    struct Arrived {
        int begin = 0;
        int end = 0;
        const ExchangeCopies::Partner* message = nullptr; ///< if it came in one
    };
    /// Enqueues what a staged message takes before kernels can use it.
    void stage(const DeviceQueue& queue, const Arrived& arrived) const;
    /// The next elements that are there, waiting for them; empty once all have been returned.
    std::optional<Arrived> wait_for_elements();
    /// The same for those that fill positions of `box` (of a field of so many axes).
    std::optional<Arrived> wait_for_elements(const LocalBox& box, int rank);
    /// Whether wait_for_elements() would not wait; does not say who has gone.
    bool has_all_elements() const;
    /// To be called when all that arrived has been copied.
    void end_reading() { m_direct.end_reading(); }
    /// Returns when this section's elements have been sent and read.
    void wait_for_readers();

    /// "from process 1: direct, 120 bytes" and so on, a line each.
    std::string describe() const;

    std::uint64_t number = 0;    ///< in the plan, of its sets of arrays
    std::uint64_t last_used = 0; ///< the plan's, for choosing which binding to drop

private:
    std::optional<Arrived> next_elements(bool all);
    /// What those do that are waited for.
    void look() const;

    ExchangeKind m_kind;
    DeviceSetting m_device;
    bool m_crowded; ///< more ranks than cores
    std::vector<std::uint64_t> m_identities;
    PeerTransports m_transports;
    ExchangeCopies m_copies;
    std::vector<const ReadablePeer*> m_direct_peers; ///< of m_direct.sources()
    DirectExchange m_direct;
    CallWatch m_watch{};
    PersistentMessages m_messages;
    bool m_has_messages = false;
    std::vector<char> m_wanted; ///< direct sources that a box needs
};

} // namespace distview::impl
