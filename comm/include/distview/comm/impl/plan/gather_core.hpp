// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/plan/gather_role.hpp>
#include <distview/comm/impl/plan/plan_core.hpp>
#include <distview/core/array_layout.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace distview::impl {

/// The untyped part of a GatherPlan and of a GhostExchangePlan: elements that are named one by one are brought from their
/// owners, or combined with there.
class GatherCore final : public PlanCore {
public:
    /// Where elements are copied to, or values come from.
    enum class Side {
        list, ///< memory that each execution is given
        array ///< further positions of the array itself
    };
    /// Collective; `name` begins the text of errors, `role` is this process's, `number` CommunicatorState::next_plan().
    GatherCore(const Communicator& comm, const char* name, std::uint64_t number,
               const ArrayLayout& layout, GatherRole role, Side side,
               std::optional<Transport> required);

    const ArrayLayout& layout() const noexcept { return m_layout; }
    /// Of the list.
    std::int64_t size() const noexcept { return m_role.size; }
    /// Ranks that get elements of this one in a gather, and whose it gets; ascending.
    std::vector<int> send_peers() const { return m_role.given_ranks(); }
    std::vector<int> receive_peers() const { return m_role.wanted_ranks(communicator().rank()); }
    std::string describe() const;

    /// The program of a gather that needs no other rank to take part; local.
    ///
    /// Errors: UsageError if the set is not bound, or elements come in messages or packed by their owner
    const ExchangeProgram& local_program(const ArraySet& arrays);

private:
    Maker prepare(const ArraySet& arrays) override;
    std::vector<PaddingEffect> effects_of(const ArraySet& arrays) const override;
    void check(const ArraySet& arrays) const;
    void prepare_packs(const ArraySet& arrays, GatherProgramSetting& setting) const;

    ArrayLayout m_layout;
    GatherRole m_role;
    Side m_side;
};

} // namespace distview::impl
