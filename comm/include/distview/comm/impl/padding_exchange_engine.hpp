// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/communicator.hpp>
#include <distview/comm/impl/in_flight.hpp>
#include <distview/comm/impl/padding_exchange_binding.hpp>
#include <distview/comm/padding_exchange_schedule.hpp>
#include <distview/comm/transport.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace distview::impl {

/// The part of a PaddingExchangePlan that does not depend on types or execution spaces.
class PaddingExchangeEngine {
public:
    struct Labels {
        std::string pack = "distview::PaddingExchangePlan::pack";
        std::string copy_local = "distview::PaddingExchangePlan::copy_local";
        std::string unpack = "distview::PaddingExchangePlan::unpack";
        std::string combine = "distview::PaddingExchangePlan::combine";
        std::string fence_ready =
            "distview::PaddingExchangePlan: elements are written and packed, others may read";
        std::string fence_done = "distview::PaddingExchangePlan: others' elements have been read";
    };

    /// Collective; the schedules are this process's.
    PaddingExchangeEngine(const Communicator& comm, std::vector<PaddingExchangeSchedule> schedules,
                          bool one_geometry, std::optional<Transport> required);
    ~PaddingExchangeEngine();
    PaddingExchangeEngine(const PaddingExchangeEngine&) = delete;
    PaddingExchangeEngine& operator=(const PaddingExchangeEngine&) = delete;

    const Communicator& communicator() const noexcept { return m_comm; }
    const std::vector<PaddingExchangeSchedule>& schedules() const noexcept { return m_schedules; }
    bool one_geometry() const noexcept { return m_one_geometry; }
    /// Processes that get elements of this one when padding is filled, and whose it gets; ascending.
    std::vector<int> send_peers() const;
    std::vector<int> receive_peers() const;
    const LocalBox& inner_cells() const noexcept { return m_inner_cells; }
    const std::vector<LocalBox>& outer_cells() const noexcept { return m_outer_cells; }
    /// Axes of field 0's array.
    int rank() const noexcept { return m_schedules.front().layout().rank(); }

    /// The binding of these arrays; collective the first time a set comes. Throws UsageError if an
    /// exchange was abandoned.
    /// `layer` is the device's whose kernels move the elements, null for the host's.
    PaddingExchangeBinding& bind(ExchangeKind kind, std::span<const Field> fields,
                                 DeviceLayer* layer = nullptr);
    /// Begins an exchange of these arrays once the last one has been read; throws UsageError also if
    /// one is in flight.
    PaddingExchangeBinding& begin(ExchangeKind kind, std::span<const Field> fields,
                                  DeviceLayer* layer = nullptr);
    /// What is in flight; throws UsageError if the communicator was closed meanwhile.
    PaddingExchangeBinding& active();
    /// Ends the exchange in flight; whether it has been read is left for later.
    void end() noexcept { m_unread = std::exchange(m_active, nullptr); }
    /// Returns when others have read what the last exchange let them.
    void wait_for_readers();
    /// Of the exchange begun last.
    std::uint64_t epoch() const noexcept { return m_epoch; }
    /// Gives up the exchange in flight without waiting for anybody; the plan is unusable then.
    void abandon() noexcept;

    std::size_t workspace_bytes() const noexcept;
    std::string describe() const;

    const Labels labels{};

private:
    const PaddingExchangeSchedule& schedule_of(std::size_t field) const noexcept {
        return m_schedules[m_one_geometry ? 0 : field];
    }
    bool is_open() const noexcept { return m_comm.state()->is_open(); }
    void check_ready(bool to_begin) const;
    void check(std::span<const Field> fields, DeviceLayer* layer) const;
    PaddingExchangeBinding* find(ExchangeKind kind, std::span<const Field> fields,
                                 const DeviceLayer* layer) noexcept;
    CallWord word_of(CallWord::Kind kind, const PaddingExchangeBinding* binding) const noexcept;
    PaddingExchangeBinding& use(PaddingExchangeBinding& binding) noexcept;
    PaddingExchangeBinding& make_binding(ExchangeKind kind, std::span<const Field> fields,
                                         DeviceLayer* layer, bool to_begin);
    void drop_oldest_binding();
    void keep(const PaddingExchangeBinding* binding) noexcept;

    Communicator m_comm;
    std::vector<PaddingExchangeSchedule> m_schedules;
    LocalBox m_inner_cells; ///< of field 0
    std::vector<LocalBox> m_outer_cells;
    bool m_one_geometry;
    std::optional<Transport> m_required;
    bool m_crowded;         ///< whether there are more ranks than cores
    Calls* m_calls;         ///< of the communicator, which m_comm keeps
    std::uint64_t m_number; ///< of this plan on the communicator
    bool m_unusable = false;
    std::uint64_t m_epoch = 0;
    /// By kind, from the first binding on.
    std::array<std::optional<PlanLines>, 2> m_lines;
    std::uint64_t m_clock = 0;
    PaddingExchangeBinding* m_latest = nullptr; ///< bound or found
    PaddingExchangeBinding* m_active = nullptr;
    PaddingExchangeBinding* m_unread = nullptr; ///< of the last exchange, until it has been read
    std::vector<std::shared_ptr<PaddingExchangeBinding>> m_bindings;
};

using ExchangeInFlight = InFlight<PaddingExchangeEngine>;

} // namespace distview::impl
