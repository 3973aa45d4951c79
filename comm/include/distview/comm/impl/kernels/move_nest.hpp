// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/process_grid.hpp>

#include <algorithm>
#include <cstdint>

namespace distview::impl {

/// A loop over elements that move from one place to another: so far apart on either side, or as far
/// from the first one as a table says. All in bytes.
struct MoveLoop {
    std::int64_t count = 1;
    std::int64_t from_stride = 0;
    std::int64_t to_stride = 0;
    const std::int64_t* from_table = nullptr; ///< both or none; strides do not count then
    const std::int64_t* to_table = nullptr;

    bool has_tables() const noexcept { return from_table != nullptr; }
    std::int64_t from(std::int64_t i) const noexcept {
        return from_table ? from_table[i] : i * from_stride;
    }
    std::int64_t to(std::int64_t i) const noexcept {
        return to_table ? to_table[i] : i * to_stride;
    }
};

/// Two loops one in the other over a few thousand elements, the unit in which nests are run.
struct MoveBlock {
    const char* from = nullptr;
    char* to = nullptr;
    MoveLoop outer{};
    MoveLoop inner{};
    /// Whether elements next to each other where they come from are so along `outer`, and where they
    /// go to along `inner`.
    bool transposes = false;
    const char* next_from = nullptr; ///< where the next block begins, or this one
    const char* next_to = nullptr;
};

/// Loops one in the other, arranged for speed: of the two innermost, `inner` runs along the target's
/// memory, and `outer` along the source's if that is another loop.
class MoveNest {
public:
    /// Two for each axis: repeats and elements.
    static constexpr int most_loops = 2 * max_rank;

    MoveNest(const char* from, char* to) : m_from(from), m_to(to) {}

    /// Puts a loop around; of no elements, all of the nest is empty.
    void add(MoveLoop loop);
    /// To be called once, after all loops have been added.
    void arrange(std::int64_t element_size);

    std::int64_t elements() const noexcept;
    /// Blocks that the nest is cut into, 0 if it is empty.
    std::int64_t block_count() const noexcept;
    std::int64_t block_elements() const noexcept { return m_outer_per_block * m_inner_per_block; }

    /// Calls visit(MoveBlock) for blocks [begin, begin + count).
    template <class Visit>
    void for_each_block(std::int64_t begin, std::int64_t count, Visit&& visit) const {
        const MoveLoop& outer = m_loops[m_depth - 2];
        const MoveLoop& inner = m_loops[m_depth - 1];
        const std::int64_t inner_blocks = ceil_div(inner.count, m_inner_per_block);
        const std::int64_t outer_blocks = ceil_div(outer.count, m_outer_per_block);
        std::int64_t inner_block = begin % inner_blocks;
        std::int64_t outer_block = begin / inner_blocks % outer_blocks;
        std::int64_t index[most_loops];
        std::int64_t rest = begin / inner_blocks / outer_blocks;
        for (int d = m_depth - 3; d >= 0; --d) {
            index[d] = rest % m_loops[d].count;
            rest /= m_loops[d].count;
        }
        const auto at_index = [&] {
            MoveBlock result{m_from, m_to, {}, {}, m_transposes, nullptr, nullptr};
            for (int d = 0; d < m_depth - 2; ++d) {
                result.from += m_loops[d].from(index[d]);
                result.to += m_loops[d].to(index[d]);
            }
            result.outer = part(outer, outer_block * m_outer_per_block, m_outer_per_block, result);
            result.inner = part(inner, inner_block * m_inner_per_block, m_inner_per_block, result);
            result.next_from = result.from;
            result.next_to = result.to;
            return result;
        };
        const auto advance = [&] {
            if (++inner_block < inner_blocks) return;
            inner_block = 0;
            if (++outer_block < outer_blocks) return;
            outer_block = 0;
            for (int d = m_depth - 3; d >= 0 && ++index[d] == m_loops[d].count; --d) index[d] = 0;
        };
        if (count == 0) return;
        MoveBlock block = at_index();
        for (std::int64_t left = count - 1; left > 0; --left) {
            advance();
            const MoveBlock next = at_index();
            block.next_from = next.from;
            block.next_to = next.to;
            visit(block);
            block = next;
        }
        visit(block);
    }

private:
    static constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
        return (a + b - 1) / b;
    }
    /// A loop over some of another one's elements; moves the block to the first of them.
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
