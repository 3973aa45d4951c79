// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/communicator_state.hpp>
#include <distview/comm/impl/device_layer.hpp>
#include <distview/comm/impl/device_moves.hpp>
#include <distview/comm/impl/direct_exchange.hpp>
#include <distview/comm/impl/field.hpp>
#include <distview/comm/impl/move_transfer.hpp>
#include <distview/comm/impl/peer_transports.hpp>
#include <distview/comm/impl/persistent_messages.hpp>
#include <distview/comm/impl/redistribution_role.hpp>
#include <distview/comm/impl/shared_rounds.hpp>
#include <distview/comm/redistribution_schedule.hpp>

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace distview::impl {

/// The messages of one direction: where the elements of each lie in a buffer.
class PackedPlaces {
public:
    /// Of the elements of all `fields` for each of the peers that are `wanted`, one field after the other.
    PackedPlaces(std::span<const RedistributionRole::Peer> peers, const std::vector<int>& wanted,
                 std::span<const Field> fields, const DeviceSetting& device, bool received);
    PackedPlaces() = default;

    struct Place {
        int rank = 0;
        int process = 0;
        std::int64_t offset = 0;
        std::int64_t bytes = 0;
        std::vector<std::int64_t> fields; ///< where each one begins
    };
    const std::vector<Place>& places() const noexcept { return m_places; }
    const Place* of(int rank) const noexcept;
    const MessageBuffer& buffer() const noexcept { return m_buffer; }
    /// Of staged messages that are received, what they are copied to; else the buffer.
    const MessageBuffer& kernel_buffer() const noexcept {
        return m_on_device.size() > 0 ? m_on_device : m_buffer;
    }
    /// Where kernels find or put it.
    char* data(const Place& place, std::size_t field) const {
        return kernel_buffer().data() + place.offset + place.fields[field];
    }
    std::size_t bytes() const noexcept { return m_buffer.size() + m_on_device.size(); }

private:
    std::vector<Place> m_places;
    MessageBuffer m_buffer;
    MessageBuffer m_on_device;
};

/// What a redistribution of one set of arrays needs: transfers with their addresses, messages, and what
/// keeps it in step with those that read its sources in place, or write its targets. Made once per set.
///
/// Who writes in place is to DirectExchange what a reader is: it finds out that a target may be touched,
/// touches it, and says when it has finished.
class RedistributionBinding final : public Closable {
public:
    struct Fields {
        std::span<const Field> sources; ///< by pair; of no data if this process has no section
        std::span<const Field> targets;
        bool as_bytes = false; ///< so that element types must be alike
        DeviceLayer* layer =
            nullptr; ///< of the device whose kernels move elements; null: the host's
        /// Whether what is in the target goes into the result.
        bool reads_target = false;
        std::uint64_t element_code = 0; ///< that all must have, if not 0
        /// Whether each copy of a source's element goes into the result.
        bool combines_copies = false;
        bool are_of_that_type() const noexcept;
    };

    /// Units of one pair of arrays.
    struct Batch {
        /// Elements are converted and combined; as they are into a buffer; as they are from one place to
        /// another; or each changes places with the one where it goes to.
        enum class Kind { move, pack, carry, swap };
        std::size_t pair = 0;
        int begin = 0;
        int end = 0;
        Kind kind = Kind::move;
    };
    /// Somebody whose elements have arrived; or all whose targets are written.
    struct Partner {
        int rank = 0;
        Transport transport = Transport::message;
        std::int64_t bytes = 0;
        std::vector<Batch> batches; ///< what to do with them
    };
    /// What to do where it is not what the schedule says of sections that are read in place.
    struct Prepared {
        MoveUnits units{};
        std::vector<Batch> pack{};
        std::vector<Batch> local{};
        std::vector<Partner> in_place{}; ///< of all sources of the transports, by rank
        std::vector<Partner> incoming{}; ///< of `receives`
        std::vector<PersistentMessages::Message> sends{};
        std::vector<PersistentMessages::Message> receives{};
        std::shared_ptr<void> sent{};              ///< what messages to send lie in
        std::vector<std::shared_ptr<void>> held{}; ///< other memory
        std::size_t bytes = 0;                     ///< of all of it
        std::string note{};                        ///< for describe()
    };

    /// Makes no requests yet: that is left for when all ranks have come so far. With `writes`, transports are
    /// those of targets. The first of the `rounds`; the others are appended.
    RedistributionBinding(const RedistributionSchedule& schedule, const RedistributionRole& role,
                          const Fields& fields, PeerTransports transports,
                          const SharedRounds& rounds, SyncLine* ready, bool writes, bool crowded,
                          const DeviceSetting& device = {});
    RedistributionBinding(const Fields& fields, PeerTransports transports, Prepared prepared,
                          SyncLine* ready, bool crowded);
    RedistributionBinding(const RedistributionBinding&) = delete;
    RedistributionBinding& operator=(const RedistributionBinding&) = delete;

    void make_requests(MPI_Comm comm, int tag);
    /// Gives up the step under way and those that were to follow it.
    void leave() noexcept override;
    void close(Time deadline) noexcept override;
    /// Tells receivers of messages that the plan moves nothing more.
    void send_end() noexcept { m_messages.send_end(); }

    bool is_for(const Fields& fields) const noexcept;
    /// Others write targets in place, perhaps after this process has given up: an execution under way
    /// holds their memory.
    void hold_targets(const Arena& arena, std::span<const Field> targets);

    /// What kernels of a device do, by pair; instead of units.
    struct OnDevice {
        std::vector<DeviceMoves> pack;
        std::vector<DeviceMoves> local;
        std::vector<DeviceMoves> incoming;
    };
    const OnDevice& on_device() const noexcept { return m_on_device; }
    const MoveUnits& units() const noexcept { return m_units; }
    const std::vector<Batch>& pack() const noexcept { return m_pack; }
    const std::vector<Batch>& local() const noexcept { return m_local; }

    /// The call that the next step belongs to.
    void set_call(Calls& calls) noexcept { m_watch = {&calls, calls.current()}; }
    const CallWatch& call() const noexcept { return m_watch; }
    void post_receives() {
        m_under_way = true;
        m_messages.start_receives();
    }
    /// Sends what is packed, and lets others read the rest, or write, in place.
    void start_sends(std::uint64_t epoch);

    /// The next one, waiting for it; null once all have been returned.
    const Partner* wait_for_elements();
    /// Enqueues what a staged message takes before kernels can use it.
    void stage(const DeviceQueue& queue, const Partner& partner) const;
    /// Whether wait_for_elements() would not wait; does not say who has gone.
    bool has_all_elements() const { return m_direct.all_arrived() && m_messages.all_arrived(); }
    void end_reading() { m_direct.end_reading(); }
    /// Returns when this section's elements have been sent and read, or its targets been written.
    void wait_for_readers();

    /// Of this step and those that follow.
    std::size_t workspace_bytes() const noexcept;
    /// "from rank 1: direct, 120 bytes" and so on, a line each. Empty for later rounds of the step before.
    std::string describe() const;

    std::uint64_t number = 0;     ///< in the plan, of its sets of arrays
    std::uint64_t last_used = 0;  ///< the plan's, for choosing which binding to drop
    bool shares_memory = false;   ///< sources with targets, on some rank
    bool combines_copies = false; ///< in this step and those that follow

    /// The step that follows in every execution, when all ranks have read what they want of this one.
    RedistributionBinding* next() const noexcept { return m_next.get(); }
    void append(std::shared_ptr<RedistributionBinding> step);
    /// Makes this the first step of what is done with these arrays; `held` is what lies between the steps.
    void begin_with(const Fields& fields, std::vector<std::shared_ptr<void>> held);
    /// Elements that arrive stay as they are in this step and those that follow: others will convert and
    /// combine them.
    void carry();
    bool has_step(const RedistributionBinding* step) const noexcept;
    /// Whether this is a round of the same step as the one before.
    bool is_later_round() const noexcept { return m_is_later_round; }

private:
    /// What those do that are waited for.
    void look() const;
    void make_direct(SyncLine* ready);
    void add_batch(std::vector<Batch>& batches, std::vector<std::vector<MoveTransfer>>& transfers,
                   std::size_t pair, MoveTransfer transfer, Batch::Kind kind = Batch::Kind::move);
    void add_packing(const RedistributionSchedule& schedule, const RedistributionRole& role,
                     const Fields& fields);
    void add_incoming(const RedistributionSchedule& schedule, const RedistributionRole& role,
                      const Fields& fields);
    void add_round(const RedistributionSchedule& schedule, const RedistributionRole& role,
                   const Fields& fields, const SharedRounds& rounds, std::int64_t round);
    void append_rounds(const RedistributionSchedule& schedule, const RedistributionRole& role,
                       const Fields& fields, const SharedRounds& rounds, SyncLine* ready);
    void add_written(const RedistributionSchedule& schedule, const RedistributionRole& role,
                     const Fields& fields);
    bool sends_message_to(int rank) const {
        return m_writes ? !m_transports.sources.contains(rank)
                        : !m_transports.readers.contains(rank);
    }

    /// By pair, with a device.
    struct Transfers {
        std::vector<std::vector<MoveTransfer>> pack;
        std::vector<std::vector<MoveTransfer>> local;
        std::vector<std::vector<MoveTransfer>> incoming;
    };

    std::vector<std::uint64_t> m_identities;
    DeviceSetting m_device;
    Transfers m_transfers; ///< until they are the device's
    OnDevice m_on_device;
    PeerTransports m_transports;
    bool m_writes;
    bool m_crowded;
    PackedPlaces m_packed;
    PackedPlaces m_received;
    MoveUnits m_units;
    std::vector<Batch> m_pack;
    std::vector<Batch> m_local;
    std::vector<Partner> m_in_place; ///< of m_direct.sources(), if their elements are read
    std::vector<Partner> m_incoming; ///< of m_messages
    Partner m_written{};             ///< what goes to all whose targets are written, and stays here
    std::vector<std::weak_ptr<void>> m_targets;
    std::vector<std::shared_ptr<void>> m_held; ///< of m_targets, by the execution under way
    DirectExchange m_direct;
    PersistentMessages m_messages;
    CallWatch m_watch{};
    std::optional<Prepared> m_prepared; ///< but for what it was taken from
    std::shared_ptr<void> m_shared;     ///< memory of SharedRounds
    std::int64_t m_shared_bytes = 0;
    std::int64_t m_round_count = 1;
    bool m_is_later_round = false;
    std::shared_ptr<RedistributionBinding> m_next;
    std::vector<std::shared_ptr<void>> m_between;
    bool m_under_way = false;
    std::uint64_t m_epoch = 0;
};

} // namespace distview::impl
