// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/plan/exchange_parts.hpp>
#include <distview/comm/impl/plan/plan_core.hpp>
#include <distview/comm/impl/report/plan_record.hpp>
#include <distview/comm/impl/transport/field.hpp>
#include <distview/comm/padding_exchange_schedule.hpp>
#include <distview/core/array_layout.hpp>

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace distview::impl {

/// The untyped part of a PaddingExchangePlan.
class PaddingExchangeCore final : public PlanCore {
public:
    /// `schedules` are this process's, made with `options`; `number` is CommunicatorState::next_plan().
    PaddingExchangeCore(const Communicator& comm, std::uint64_t number,
                        std::vector<PaddingExchangeSchedule> schedules,
                        std::vector<PaddingExchangeOptions> options, bool one_geometry,
                        std::optional<Transport> required);

    const std::vector<PaddingExchangeSchedule>& schedules() const noexcept { return m_schedules; }
    /// Ranks to which this rank sends elements to fill padding, and from which it receives elements; ascending.
    std::vector<int> send_peers() const;
    std::vector<int> receive_peers() const;
    const LocalBox& inner_cells() const noexcept { return m_inner_cells; }
    const std::vector<LocalBox>& outer_cells() const noexcept { return m_outer_cells; }
    std::string describe() const;
    /// Fields whose padding is not valid to depth `depth`, as far as the plan fills it; all fields or none if fields
    /// have separate geometries. Valid until the next call.
    ///
    /// Errors: UsageError if the plan fills no padding to `depth`; errors of binding `arrays` that concern layouts
    std::span<const Field> stale(const ArraySet& arrays, Widths depth);

private:
    Maker prepare(const ArraySet& arrays) override;
    std::vector<PaddingEffect> effects_of(const ArraySet& arrays) const override;
    std::vector<ExchangeShape> shapes_of(const ArraySet& arrays) const override;
    void check_elements(const ArraySet& arrays) const override;
    void check(const ArraySet& arrays) const;
    const PaddingExchangeSchedule& schedule_of(std::size_t field) const noexcept {
        return m_schedules[m_one_geometry ? 0 : field];
    }

    std::vector<PaddingExchangeSchedule> m_schedules; ///< a single one for all fields, or one each
    std::vector<PaddingExchangeOptions> m_options;    ///< likewise
    LocalBox m_inner_cells;                           ///< of field 0
    std::vector<LocalBox> m_outer_cells;
    bool m_one_geometry;
    std::vector<Field> m_stale; ///< result of stale()
};

/// Copies of a padding exchange of these fields on the rank that copies most: as it is, on every other possible process
/// grid, and with every smaller depth. Computed from schedules, without communication. Fields have one geometry, and
/// alternatives keep the order of axes in memory.
std::vector<ExchangeShape> exchange_shapes(const ArrayLayout& layout,
                                           const PaddingExchangeOptions& options,
                                           std::span<const Field> fields,
                                           const std::vector<char>& borrowed);

} // namespace distview::impl
