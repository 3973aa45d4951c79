// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/communicator.hpp>
#include <distview/comm/impl/in_flight.hpp>
#include <distview/comm/impl/redistribution_binding.hpp>
#include <distview/comm/redistribution_schedule.hpp>
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

/// The part of a RedistributionPlan that does not depend on types or execution spaces.
class RedistributionEngine {
public:
    using Fields = RedistributionBinding::Fields;

    struct Labels {
        std::string pack = "distview::RedistributionPlan::pack";
        std::string move = "distview::RedistributionPlan::move";
        std::string swap = "distview::RedistributionPlan::swap";
        std::string move_local = "distview::RedistributionPlan::move_local";
        std::string fence_ready =
            "distview::RedistributionPlan: elements are written and packed, others may read";
        std::string fence_done = "distview::RedistributionPlan: elements have been read";
    };

    /// Collective.
    RedistributionEngine(const Communicator& comm, RedistributionSchedule schedule,
                         std::vector<RedistributionSchedule> stages,
                         const RedistributionOptions& options, std::optional<Transport> required);
    ~RedistributionEngine();
    RedistributionEngine(const RedistributionEngine&) = delete;
    RedistributionEngine& operator=(const RedistributionEngine&) = delete;

    const RedistributionSchedule& schedule() const noexcept { return m_schedule; }
    /// What is done one after the other; the schedule itself if it is done at once.
    int stage_count() const noexcept { return static_cast<int>(m_stages.size()); }
    const RedistributionSchedule& stage(int number) const noexcept {
        return m_stages[static_cast<std::size_t>(number)].schedule;
    }
    /// Other ranks that get elements of this one in some stage, and whose this one gets; ascending.
    std::vector<int> send_ranks() const;
    std::vector<int> receive_ranks() const;
    bool conjugate() const noexcept { return m_conjugate; }
    /// This rank's process of either grid; -1 if it is none.
    int from_process() const noexcept { return m_from_process; }
    int to_process() const noexcept { return m_to_process; }

    RedistributionBinding& bind(Fields fields);
    RedistributionBinding& begin(Fields fields);
    RedistributionBinding& active();
    /// Goes on to the next step of the execution when others have read this section; false if there is none.
    bool advance();
    void end() noexcept { m_unread = std::exchange(m_active, nullptr); }
    void wait_for_readers();
    std::uint64_t epoch() const noexcept { return m_epoch; }
    void abandon() noexcept;

    std::size_t workspace_bytes() const noexcept;
    std::string describe() const;

    const Labels labels{};
    std::uint64_t plan_number = 0; ///< on the communicator

private:
    struct Stage {
        RedistributionSchedule schedule;
        RedistributionRole role{};
        bool writes_in_place = false;                    ///< where that is possible; else reads
        std::array<std::optional<PlanLines>, 2> lines{}; ///< of readers, of writers
    };
    /// Memory of intermediate arrays.
    struct Between {
        std::size_t slot = 0; ///< for arrays that are not in use at a time
        std::size_t bytes = 0;
        std::shared_ptr<char> memory{};
    };
    static RedistributionRole role_in(const RedistributionSchedule& schedule, int rank);
    bool is_open() const noexcept { return m_comm.state()->is_open(); }
    void check_ready(bool to_begin) const;
    struct Sharing {
        bool any = false;    ///< where it matters
        bool is_same = true; ///< every source is its target, and nothing else overlaps
    };
    Sharing check(const Fields& fields) const;
    static void check_operation(const Fields& fields, bool shares_memory);
    bool share_memory(const Fields& fields, Sharing& sharing) const;
    std::uint64_t candidates(const Fields& fields) const;
    std::uint64_t agreed_candidates(const Fields& fields, bool to_begin) const;
    CallWord word_of(CallWord::Kind kind, std::uint64_t known) const;
    RedistributionBinding& use(std::uint64_t candidates, const Fields& fields);
    RedistributionBinding& obtain(std::uint64_t known, const Fields& fields, bool to_begin);
    RedistributionBinding& make_binding(const Fields& fields, bool to_begin);
    void make_copy_stages();
    std::shared_ptr<RedistributionBinding> bind_stages(const Fields& fields,
                                                       const DeviceSetting& device, int tag);
    std::shared_ptr<RedistributionBinding> bind_stage(Stage& stage, const Fields& fields,
                                                      const DeviceSetting& device, int tag);
    std::vector<Field> make_between(std::size_t stage, std::span<const Field> sources,
                                    std::vector<std::shared_ptr<void>>& held);
    bool can_write_in_place(const Stage& stage, const Fields& fields) const;
    std::shared_ptr<RedistributionBinding> make_binding(Stage& stage, const Fields& fields,
                                                        SharedRounds rounds,
                                                        const DeviceSetting& device, bool writes,
                                                        int tag);
    void drop_oldest_binding();
    void keep(const RedistributionBinding* binding) noexcept;

    Communicator m_comm;
    RedistributionSchedule m_schedule;
    std::vector<Stage> m_stages; ///< never fewer or more: intermediate arrays are of their layouts
    bool m_has_copies;           ///< whether several processes of the source hold an element
    /// What combine() does after m_stages, which is one then: one for each further choice of holders. Made
    /// when it is first called.
    std::vector<Stage> m_copy_stages;
    int m_from_process = -1;
    int m_to_process = -1;
    bool m_conjugate;
    bool m_in_place;
    std::int64_t m_buffer_bytes;
    bool m_has_outsiders; ///< ranks that are in one grid only, or in none
    std::optional<Transport> m_required;
    bool m_crowded;
    Calls* m_calls; ///< of the communicator, which m_comm keeps
    bool m_unusable = false;
    std::uint64_t m_epoch = 0;
    std::uint64_t m_clock = 0;
    RedistributionBinding* m_active = nullptr;
    RedistributionBinding* m_unread = nullptr; ///< of the last exchange, until it has been read
    std::vector<std::shared_ptr<RedistributionBinding>> m_bindings;
    std::vector<Between> m_between;
};

using RedistributionInFlight = InFlight<RedistributionEngine>;

/// The engine of a plan's arguments; collective, agrees on them.
std::shared_ptr<RedistributionEngine>
make_redistribution_engine(const Communicator& comm, const ArrayLayout& from, const ArrayLayout& to,
                           const RedistributionOptions& options);

} // namespace distview::impl
