// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/plan/plan_core.hpp>
#include <distview/comm/impl/schedule/redistribution_role.hpp>
#include <distview/comm/redistribution_schedule.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace distview::impl {

/// The untyped part of a RedistributionPlan. Sets of arrays of variant 1 combine every copy of a source's
/// element; sets of variant 0 use one copy.
class RedistributionCore final : public PlanCore {
public:
    /// `number` is CommunicatorState::next_plan().
    RedistributionCore(const Communicator& comm, std::uint64_t number,
                       RedistributionSchedule schedule, const RedistributionOptions& options,
                       std::optional<Transport> required);

    const RedistributionSchedule& schedule() const noexcept { return m_first.schedule; }
    /// Other ranks to which this rank sends elements, and from which it receives elements; ascending.
    std::vector<int> send_peers() const { return m_first.role.send_ranks(); }
    std::vector<int> receive_peers() const { return m_first.role.receive_ranks(); }
    bool conjugate() const noexcept { return m_conjugate; }
    /// Whether several processes of the source hold an element.
    bool has_copies() const noexcept { return m_has_copies; }
    /// Process of this rank in the source's grid, and in the target's; -1 if it is in none.
    int from_process() const noexcept { return m_from_process; }
    int to_process() const noexcept { return m_to_process; }
    std::string describe() const;

private:
    /// Moves each element from one of the processes that hold it.
    struct Pass {
        RedistributionSchedule schedule;
        RedistributionRole role{};
        bool pushes = false;    ///< whether to write in place if possible, not read
        std::size_t number = 0; ///< among all passes
    };
    /// How sources and targets of a set share memory.
    struct Sharing {
        bool any = false;    ///< some share memory, and not harmlessly
        bool is_same = true; ///< every source is its target, and no other arrays overlap
    };
    /// A set during binding.
    struct NewSet {
        const ArraySet& arrays;
        const DeviceSetting& device;
        const Tags& tags;
    };
    Pass make_pass(RedistributionSchedule schedule, std::size_t number) const;
    /// Lines of the readers of a pass, or of the ranks that write its targets.
    PlanLines& lines_of(const Pass& pass, bool writes) {
        return lines(2 * pass.number + (writes ? 1 : 0),
                     writes ? pass.role.receive_ranks() : pass.role.send_ranks());
    }
    static RedistributionRole role_in(const RedistributionSchedule& schedule, int rank);

    Maker prepare(const ArraySet& arrays) override;
    std::uint64_t digest_of(const ArraySet& arrays) const override;
    std::vector<ExchangeShape> shapes_of(const ArraySet& arrays) const override;
    std::shared_ptr<ExchangeBinding> make(const NewSet& set, Sharing sharing);

    Sharing check(const ArraySet& arrays) const;
    void bind_pass(const Pass& pass, bool is_last, const NewSet& set,
                   std::shared_ptr<ExchangeBinding>& binding);
    bool can_write_in_place(const Pass& pass, const ArraySet& arrays) const;
    std::shared_ptr<ExchangeBinding> bind_in_place(const NewSet& set, bool is_same);

    Pass m_first; ///< from the first choice of holders: the only pass of execute()
    /// Passes of combine(), one for each further choice of holders. The first combine() makes them.
    std::vector<Pass> m_further;
    bool m_has_copies;
    int m_from_process = -1;
    int m_to_process = -1;
    bool m_conjugate;
    bool m_in_place;
    std::int64_t m_buffer_bytes;
};

/// Makes the core of a plan with these arguments; collective, agrees on the arguments.
std::shared_ptr<RedistributionCore> make_redistribution_core(const Communicator& comm,
                                                             const ArrayLayout& from,
                                                             const ArrayLayout& to,
                                                             const RedistributionOptions& options);

} // namespace distview::impl
