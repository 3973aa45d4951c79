// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/kernels/move_nest.hpp>
#include <distview/comm/impl/kernels/stream_copy.hpp>

#include <cstdint>

namespace distview::impl {

/// Asks for the lines of some rows, a few at each step. Along the rows, which memory likes best; into the second
/// cache, since in the first rows that lie a power of two apart drive each other out.
class RowPrefetch {
public:
    /// To be fetched in so many steps; `row` in bytes.
    RowPrefetch(const char* begin, std::int64_t rows, std::int64_t stride, std::int64_t row,
                std::int64_t steps)
        : m_at(begin), m_rows(rows), m_stride(stride),
          m_lines(row / static_cast<std::int64_t>(line_size) + 1),
          m_step((rows * m_lines + steps - 1) / steps) {}

    void step() {
        for (std::int64_t k = 0; k < m_step && m_rows > 0; ++k) {
            prefetch_far(m_at + m_line * static_cast<std::int64_t>(line_size));
            if (++m_line < m_lines) continue;
            m_line = 0;
            m_at += m_stride;
            --m_rows;
        }
    }

private:
    const char* m_at;
    std::int64_t m_rows;
    std::int64_t m_stride;
    std::int64_t m_lines;
    std::int64_t m_step;
    std::int64_t m_line = 0;
};

/// Fetches both sides of the part of a block that comes next, step by step while another one is moved.
class PartPrefetch {
public:
    /// Elements are as many bytes as given here.
    PartPrefetch(const MoveBlock& part, std::int64_t from_size, std::int64_t to_size,
                 std::int64_t steps)
        : m_sources(part.from, part.inner.count, part.inner.from_stride,
                    part.outer.count * from_size, steps),
          m_targets(part.to, part.outer.count, part.outer.to_stride, part.inner.count * to_size,
                    steps) {}

    void step() {
        m_sources.step();
        m_targets.step();
    }

private:
    RowPrefetch m_sources;
    RowPrefetch m_targets;
};

} // namespace distview::impl
