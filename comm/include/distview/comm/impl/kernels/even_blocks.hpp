// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/axis_layout.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace distview::impl {

/// The owners along an axis whose blocks are equally long, or whose first blocks are one
/// element longer: found by integer multiplications. The less a load by global index computes,
/// the more loads the processor has in flight (perf/algorithms/bench_global_index).
class EvenBlocks {
public:
    static bool describes(const AxisLayout& axis) noexcept {
        return axis.is_block() && axis.size() > 0 && axis.size() < most_elements &&
               axis.as_block().split() != BlockSplit::irregular;
    }

    EvenBlocks() = default;
    /// Requires describes(axis).
    explicit EvenBlocks(const AxisLayout& axis) noexcept
        : m_size(axis.size()), m_begin(axis.global_range().begin.value()),
          m_end(axis.global_range().end.value()), m_last_process(axis.grid_size() - 1) {
        const std::int64_t processes = axis.grid_size();
        const std::int64_t rest = m_size % processes;
        if (axis.as_block().split() == BlockSplit::regular) {
            m_others = Run(0, 0, axis.as_block().interior(0).size());
        } else {
            m_longer = Run(0, 0, m_size / processes + 1);
            m_others =
                Run(rest * (m_size / processes + 1), static_cast<int>(rest), m_size / processes);
        }
    }

    /// As AxisLayout::owner() for elements of the interior and of boundary padding; negative for others.
    KOKKOS_FUNCTION int owner(std::int64_t index) const noexcept {
        // One comparison for both ends of the interior.
        if (static_cast<std::uint64_t>(index) < static_cast<std::uint64_t>(m_size)) [[likely]]
            return index < m_others.begin ? m_longer.process(index) : m_others.process(index);
        if (index < m_begin || index >= m_end) return -1;
        return index < 0 ? 0 : m_last_process;
    }

private:
    static constexpr int bits = 31;
    static constexpr std::int64_t most_elements = std::int64_t{1} << bits;

    /// Blocks of one length.
    struct Run {
        Run() = default;
        /// A run of empty blocks holds no index.
        Run(std::int64_t from, int process, std::int64_t each) noexcept
            : begin(from), first(process) {
            if (each == 0) return;
            int digits = 0; // of each - 1
            while (std::int64_t{1} << digits < each) ++digits;
            shift = bits + digits;
            per_element = ((std::uint64_t{1} << shift) - 1) / static_cast<std::uint64_t>(each) + 1;
        }

        /// Exact for offsets of at most 31 bits, whose product has at most 63 bits: T. Granlund and
        /// P. L. Montgomery, Division by Invariant Integers using Multiplication (1994), theorem 4.2.
        KOKKOS_FUNCTION int process(std::int64_t index) const noexcept {
            return first + static_cast<int>(
                               static_cast<std::uint64_t>(index - begin) * per_element >> shift);
        }

        std::int64_t begin = 0;
        std::uint64_t per_element = 0; ///< 2^shift / length, rounded up
        int first = 0;                 ///< process
        int shift = 0;
    };

    std::int64_t m_size = 0;
    std::int64_t m_begin = 0; ///< with boundary padding
    std::int64_t m_end = 0;
    int m_last_process = 0;
    Run m_longer, m_others;
};

} // namespace distview::impl
