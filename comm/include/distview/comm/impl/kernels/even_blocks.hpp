// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/axis_layout.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace distview::impl {

/// The owners along an axis of blocks that are equally long, or the first ones by one element longer: found by a
/// multiplication. Divisions are half of the time of a load by global index (perf/algorithms/bench_global_index).
class EvenBlocks {
public:
    static bool describes(const AxisLayout& axis) noexcept {
        return axis.is_block() && axis.size() > 0 &&
               axis.as_block().split() != BlockSplit::irregular;
    }

    EvenBlocks() = default;
    /// Requires describes(axis).
    explicit EvenBlocks(const AxisLayout& axis) noexcept
        : m_size(axis.size()), m_last_process(axis.grid_size() - 1) {
        const std::int64_t processes = axis.grid_size();
        const std::int64_t rest = m_size % processes;
        if (axis.as_block().split() == BlockSplit::regular) {
            m_others = Run(0, 0, axis.as_block().interior(0).size());
        } else {
            m_longer = Run(0, 0, m_size / processes + 1);
            m_others = Run(rest * (m_size / processes + 1), rest, m_size / processes);
        }
    }

    /// As AxisLayout::owner(); index is one of the interior or of boundary padding.
    KOKKOS_FUNCTION int owner(std::int64_t index) const noexcept {
        if (index < 0) return 0;
        if (index >= m_size) return m_last_process;
        return index < m_others.begin ? m_longer.process(index) : m_others.process(index);
    }

private:
    /// Blocks of one length.
    struct Run {
        Run() = default;
        Run(std::int64_t from, std::int64_t process, std::int64_t each) noexcept
            : begin(from), first(process), length(each),
              per_element(each > 0 ? 1. / static_cast<double>(each) : 0.) {}

        KOKKOS_FUNCTION int process(std::int64_t index) const noexcept {
            const std::int64_t offset = index - begin;
            // The product is off by less than one: sizes are below 2^53, numbers of processes far below.
            const auto near = static_cast<std::int64_t>(static_cast<double>(offset) * per_element);
            const std::int64_t behind = offset - near * length;
            return static_cast<int>(first + near + (behind >= length ? 1 : 0) -
                                    (behind < 0 ? 1 : 0));
        }

        std::int64_t begin = 0;
        std::int64_t first = 0; ///< process
        std::int64_t length = 0;
        double per_element = 0;
    };

    std::int64_t m_size = 0;
    int m_last_process = 0;
    Run m_longer, m_others;
};

} // namespace distview::impl
