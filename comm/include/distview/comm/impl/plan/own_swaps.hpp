// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/plan/in_place.hpp>
#include <distview/comm/impl/schedule/run_parts.hpp>
#include <distview/comm/impl/transport/persistent_messages.hpp>

#include <cstdint>
#include <vector>

namespace distview::impl {

/// The elements that a process keeps in a redistribution that undoes itself when done twice: its section is cut
/// into tiles such that each tile's elements go to one tile. Two tiles are swapped element by element; one
/// whose elements stay in it goes through a buffer.
class OwnSwaps {
public:
    /// The buffer has `wanted` bytes or, if as many tiles as are made are still larger, more.
    OwnSwaps(const InPlaceSetting& setting, std::int64_t wanted);

    std::int64_t bytes() const noexcept { return m_bytes; }

    /// Adds what is to be done to what a step does with its own elements.
    void prepare(ExchangeProgram& step) const;

private:
    void cut(std::int64_t parts_of_axis[]);
    std::int64_t closed_tile_bytes() const;
    std::int64_t tile_count() const;
    PartIndex partner_of(const PartIndex& tile) const;
    RedistributionRuns runs_of(const PartIndex& tile) const;
    MoveTransfer transfer(const RedistributionRuns& runs, const MoveTransfer::End& from,
                          const MoveTransfer::End& to) const;

    const InPlaceSetting& m_setting;
    int m_rank;
    int m_process = -1;
    std::vector<AxisOrbits> m_axes; ///< by axis of the target; empty if it keeps nothing
    std::int64_t m_bytes = 0;
};

} // namespace distview::impl
