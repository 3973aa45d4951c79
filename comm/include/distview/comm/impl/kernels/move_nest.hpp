// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/process_grid.hpp>

#include <Kokkos_Macros.hpp>

#include <algorithm>
#include <cstdint>

namespace distview::impl {

/// A loop over elements that move from one place to another. The offsets from the first element
/// are multiples of a stride, or come from a table. All in bytes.
struct MoveLoop {
    std::int64_t count = 1;
    std::int64_t from_stride = 0;
    std::int64_t to_stride = 0;
    const std::int64_t* from_table = nullptr; ///< null, or used with to_table instead of strides
    const std::int64_t* to_table = nullptr;

    KOKKOS_INLINE_FUNCTION bool has_tables() const noexcept { return from_table != nullptr; }
    KOKKOS_INLINE_FUNCTION std::int64_t from(std::int64_t i) const noexcept {
        return from_table ? from_table[i] : i * from_stride;
    }
    KOKKOS_INLINE_FUNCTION std::int64_t to(std::int64_t i) const noexcept {
        return to_table ? to_table[i] : i * to_stride;
    }
};

/// Two nested loops over a few thousand elements: the unit in which nests are run.
struct MoveBlock {
    const char* from = nullptr;
    char* to = nullptr;
    MoveLoop outer{};
    MoveLoop inner{};
    /// Whether adjacent elements follow each other along `outer` in the source, and along
    /// `inner` in the target.
    bool transposes = false;
    const char* next_from = nullptr; ///< begin of the next block, or of this one
    const char* next_to = nullptr;
};

/// Nested loops, arranged for speed: of the two innermost, `inner` runs along the target's
/// memory, and `outer` along the source's if that is another loop.
class MoveNest {
public:
    /// Two for each axis: repeats and elements.
    static constexpr int most_loops = 2 * max_rank;

    MoveNest(const char* from, char* to) : m_from(from), m_to(to) {}

    /// Adds an enclosing loop; if it has no elements, the whole nest is empty.
    void add(MoveLoop loop);
    /// To be called once, after all loops have been added.
    void arrange(std::int64_t element_size);

    std::int64_t elements() const noexcept;
    /// Number of blocks of the nest, 0 if it is empty.
    std::int64_t block_count() const noexcept;
    std::int64_t block_elements() const noexcept { return m_outer_per_block * m_inner_per_block; }

    /// Some blocks of a nest, one after the other.
    class Blocks {
    public:
        /// Blocks [begin, begin + count) of a nest that outlives this.
        Blocks(const MoveNest& nest, std::int64_t begin, std::int64_t count)
            : m_nest(nest), m_left(count), m_inner_blocks(nest.inner_blocks()),
              m_outer_blocks(nest.outer_blocks()), m_inner(begin % m_inner_blocks),
              m_outer(begin / m_inner_blocks % m_outer_blocks) {
            std::int64_t rest = begin / m_inner_blocks / m_outer_blocks;
            for (int d = nest.m_depth - 3; d >= 0; --d) {
                m_index[d] = rest % nest.m_loops[d].count;
                rest /= nest.m_loops[d].count;
            }
            if (count > 0) look();
        }
        /// Returns the next block; false if there is none.
        bool next(MoveBlock& block) {
            if (m_left == 0) return false;
            block = m_ahead;
            if (--m_left > 0) advance();
            block.next_from = m_ahead.from;
            block.next_to = m_ahead.to;
            return true;
        }

    private:
        void advance() {
            if (++m_inner == m_inner_blocks) {
                m_inner = 0;
                if (++m_outer == m_outer_blocks) {
                    m_outer = 0;
                    for (int d = m_nest.m_depth - 3;
                         d >= 0 && ++m_index[d] == m_nest.m_loops[d].count; --d)
                        m_index[d] = 0;
                }
            }
            look();
        }
        /// Makes the block for the current indices.
        void look() {
            const MoveNest& nest = m_nest;
            m_ahead = {nest.m_from, nest.m_to, {}, {}, nest.m_transposes, nullptr, nullptr};
            for (int d = 0; d < nest.m_depth - 2; ++d) {
                m_ahead.from += nest.m_loops[d].from(m_index[d]);
                m_ahead.to += nest.m_loops[d].to(m_index[d]);
            }
            m_ahead.outer = part(nest.m_loops[nest.m_depth - 2], m_outer * nest.m_outer_per_block,
                                 nest.m_outer_per_block, m_ahead);
            m_ahead.inner = part(nest.m_loops[nest.m_depth - 1], m_inner * nest.m_inner_per_block,
                                 nest.m_inner_per_block, m_ahead);
        }

        const MoveNest& m_nest;
        std::int64_t m_left;
        std::int64_t m_inner_blocks;
        std::int64_t m_outer_blocks;
        std::int64_t m_inner;
        std::int64_t m_outer;
        std::int64_t m_index[most_loops];
        MoveBlock m_ahead{};
    };

private:
    static constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
        return (a + b - 1) / b;
    }
    std::int64_t inner_blocks() const noexcept {
        return ceil_div(m_loops[m_depth - 1].count, m_inner_per_block);
    }
    std::int64_t outer_blocks() const noexcept {
        return ceil_div(m_loops[m_depth - 2].count, m_outer_per_block);
    }
    /// A loop over some elements of another loop; moves the block to the first of them.
    static MoveLoop part(const MoveLoop& loop, std::int64_t begin, std::int64_t count,
                         MoveBlock& block) {
        MoveLoop result = loop;
        result.count = std::min(count, loop.count - begin);
        if (loop.has_tables()) {
            result.from_table += begin;
            result.to_table += begin;
        } else {
            block.from += begin * loop.from_stride;
            block.to += begin * loop.to_stride;
        }
        return result;
    }
    void merge();
    void choose_blocks(std::int64_t element_size);

    const char* m_from;
    char* m_to;
    int m_depth = 0;
    bool m_empty = false;
    bool m_transposes = false;
    std::int64_t m_outer_per_block = 1;
    std::int64_t m_inner_per_block = 1;
    MoveLoop m_loops[most_loops + 2]; ///< outermost first
};

} // namespace distview::impl
