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

/// The untyped part of a GatherPlan and of a GhostExchangePlan: brings single elements from their owners, or combines
/// them there with values.
class GatherCore final : public PlanCore {
public:
    /// Destination of elements, or source of values.
    enum class Side {
        list, ///< memory that each execution passes
        array ///< other positions of the array itself
    };
    /// Collective; `name` begins the text of errors, `role` is this process's, `number` CommunicatorState::next_plan().
    GatherCore(const Communicator& comm, const char* name, std::uint64_t number,
               const ArrayLayout& layout, GatherRole role, Side side,
               std::optional<Transport> required);

    const ArrayLayout& layout() const noexcept { return m_layout; }
    /// Number of elements in the list.
    std::int64_t size() const noexcept { return m_role.size; }
    /// Ranks to which this rank sends elements in a gather, and from which it receives elements; ascending.
    std::vector<int> send_peers() const { return m_role.given_ranks(); }
    std::vector<int> receive_peers() const { return m_role.wanted_ranks(communicator().rank()); }
    std::string describe() const;

    /// The program of a gather in which no other rank needs to take part; local.
    ///
    /// Errors: UsageError if the set is not bound, or if elements arrive in messages or packed by their owner
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
