// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/padding_exchange_schedule.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace distview::perf {

/// The sectors, the units in which a device accesses memory, that reads or writes touch.
///
/// Indices: bytes from an address that is a multiple of a sector's size
class Sectors {
public:
    static constexpr std::int64_t bytes = 32;

    /// Adds `count` contiguous bytes from `first` on.
    void add(std::int64_t first, std::int64_t count) {
        if (count > 0) m_runs.emplace_back(first / bytes, (first + count - 1) / bytes + 1);
    }

    /// The number of sectors touched, each counted once, however many runs touch it.
    std::int64_t count() {
        std::sort(m_runs.begin(), m_runs.end());
        std::int64_t result = 0;
        std::int64_t seen = 0;
        for (const auto& [begin, end] : m_runs) {
            result += std::max<std::int64_t>(0, end - std::max(begin, seen));
            seen = std::max(seen, end);
        }
        return result;
    }

private:
    std::vector<std::pair<std::int64_t, std::int64_t>> m_runs;
};

/// The bytes that an operation moves from or to memory, and the bytes of all sectors that it touches.
struct Traffic {
    std::int64_t useful_bytes = 0;
    std::int64_t sector_bytes = 0;
};

/// The memory layout of a section's elements: its strides in elements (1 along the last axis).
struct SectionMemory {
    std::vector<std::int64_t> strides;
    std::int64_t element_bytes = 8;

    /// Axes in row-major order without gaps, as LayoutRight has them.
    static SectionMemory of(const Extents& extents, int rank, std::int64_t element_bytes) {
        SectionMemory memory{std::vector<std::int64_t>(static_cast<std::size_t>(rank), 1),
                             element_bytes};
        for (int d = rank - 2; d >= 0; --d) {
            const auto axis = static_cast<std::size_t>(d);
            memory.strides[axis] = memory.strides[axis + 1] * extents[axis + 1];
        }
        return memory;
    }

    /// Adds the elements of a box.
    void add_to(Sectors& sectors, const std::array<LocalIndex, max_rank>& begin,
                const Extents& extents) const {
        const std::size_t last = strides.size() - 1;
        std::int64_t rows = 1;
        for (std::size_t d = 0; d < last; ++d) rows *= extents[d];
        for (std::int64_t row = 0; row < rows; ++row) {
            std::int64_t at = begin[last].value();
            std::int64_t rest = row;
            for (std::size_t d = last; d-- > 0;) {
                at += (begin[d].value() + rest % extents[d]) * strides[d];
                rest /= extents[d];
            }
            sectors.add(at * element_bytes, extents[last] * element_bytes);
        }
    }
};

/// The model of an exchange's copies within a section: every element is read and written once.
inline Traffic local_traffic(const PaddingExchangeSchedule& schedule, const SectionMemory& memory) {
    Sectors read, written;
    std::int64_t elements = 0;
    schedule.for_each_local([&](const PaddingRegion& region) {
        memory.add_to(read, region.peer_begin, region.extents);
        memory.add_to(written, region.begin, region.extents);
        elements += region.elements;
    });
    return {2 * elements * memory.element_bytes, (read.count() + written.count()) * Sectors::bytes};
}

} // namespace distview::perf
