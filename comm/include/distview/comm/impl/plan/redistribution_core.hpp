// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/plan/plan_core.hpp>
#include <distview/comm/impl/schedule/redistribution_role.hpp>
#include <distview/comm/redistribution_schedule.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace distview::impl {

class SharedRounds;

/// The untyped part of a RedistributionPlan. Sets of arrays of variant 1 combine every copy of a source's
/// element, those of variant 0 take one of them.
class RedistributionCore final : public PlanCore {
public:
    /// `number` is CommunicatorState::next_plan().
    RedistributionCore(const Communicator& comm, std::uint64_t number,
                       RedistributionSchedule schedule, std::vector<RedistributionSchedule> stages,
                       const RedistributionOptions& options, std::optional<Transport> required);

    const RedistributionSchedule& schedule() const noexcept { return m_schedule; }
    /// Schedules executed one after the other; the schedule itself if there is one stage.
    int stage_count() const noexcept { return static_cast<int>(m_stages.size()); }
    const RedistributionSchedule& stage(int number) const noexcept {
        return m_stages[static_cast<std::size_t>(number)].schedule;
    }
    /// Other ranks that get elements of this one in some stage, and whose this one gets; ascending.
    std::vector<int> send_peers() const;
    std::vector<int> receive_peers() const;
    bool conjugate() const noexcept { return m_conjugate; }
    /// Whether several processes of the source hold an element.
    bool has_copies() const noexcept { return m_has_copies; }
    /// Process of this rank in either grid; -1 if it is none.
    int from_process() const noexcept { return m_from_process; }
    int to_process() const noexcept { return m_to_process; }
    std::string describe() const;

private:
    struct Stage {
        RedistributionSchedule schedule;
        RedistributionRole role{};
        bool pushes = false;    ///< where that is possible; else reads
        std::size_t number = 0; ///< among all stages
    };
    /// Memory of intermediate arrays.
    struct Between {
        std::size_t slot = 0; ///< for arrays that are not in use at a time
        std::size_t bytes = 0;
        std::shared_ptr<char> memory{};
    };
    /// How sources and targets of a set share memory.
    struct Sharing {
        bool any = false;    ///< where it matters
        bool is_same = true; ///< every source is its target, and nothing else overlaps
    };
    Stage make_stage(RedistributionSchedule schedule, std::size_t number) const;
    /// Lines of readers of a stage, or of those that write its targets.
    PlanLines& lines_of(const Stage& stage, bool writes) {
        return lines(2 * stage.number + (writes ? 1 : 0),
                     writes ? stage.role.receive_ranks() : stage.role.send_ranks());
    }
    static RedistributionRole role_in(const RedistributionSchedule& schedule, int rank);

    Maker prepare(const ArraySet& arrays) override;
    std::uint64_t digest_of(const ArraySet& arrays) const override;
    std::vector<ExchangeShape> shapes_of(const ArraySet& arrays) const override;
    std::shared_ptr<ExchangeBinding> make(const ArraySet& arrays, const DeviceSetting& device,
                                          Sharing sharing, int tag);
    std::size_t own_workspace_bytes() const noexcept override;

    Sharing check(const ArraySet& arrays) const;
    Sharing agreed(Sharing sharing) const;
    std::shared_ptr<ExchangeBinding> bind_stages(const ArraySet& arrays,
                                                 const DeviceSetting& device, int tag);
    std::shared_ptr<ExchangeBinding> bind_stage(Stage& stage, const ArraySet& arrays,
                                                const DeviceSetting& device, bool carries, int tag);
    std::shared_ptr<ExchangeBinding> bind_rounds(Stage& stage, const ArraySet& arrays,
                                                 SharedRounds rounds, const DeviceSetting& device,
                                                 bool writes, bool carries, int tag);
    std::vector<Field> make_between(std::size_t stage, std::span<const Field> sources,
                                    std::vector<std::shared_ptr<void>>& held);
    bool can_write_in_place(const Stage& stage, const ArraySet& arrays) const;

    RedistributionSchedule m_schedule;
    std::vector<Stage> m_stages; ///< never fewer or more: intermediate arrays are of their layouts
    bool m_has_copies;
    /// Schedules of combine() after m_stages, which is one then: one for each further choice of holders. Made
    /// when it is first called.
    std::vector<Stage> m_copy_stages;
    int m_from_process = -1;
    int m_to_process = -1;
    bool m_conjugate;
    bool m_in_place;
    std::int64_t m_buffer_bytes;
    std::vector<Between> m_between;
};

/// The core of a plan with these arguments; collective, agrees on them.
std::shared_ptr<RedistributionCore> make_redistribution_core(const Communicator& comm,
                                                             const ArrayLayout& from,
                                                             const ArrayLayout& to,
                                                             const RedistributionOptions& options);

} // namespace distview::impl
