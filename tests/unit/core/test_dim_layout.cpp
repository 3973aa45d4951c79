// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "layout_checks.hpp"
#include "random_layouts.hpp"

#include <distview/core/array_layout.hpp>
#include <distview/core/axis_layout.hpp>
#include <distview/core/dim_layout.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace distview::testing {

namespace {

/// A layout that the library lacks: 2^k processes get the elements one by one in bit-reversed
/// order. Every section is filled from its end, and followed by a copy of element 0 on all
/// processes but its owner.
class BitReversedLayout {
public:
    constexpr BitReversedLayout(std::int64_t size, int bits) noexcept
        : m_size(size), m_bits(bits) {}

    constexpr std::int64_t size() const noexcept { return m_size; }
    constexpr std::int64_t protocol_size() const noexcept { return m_size; }
    constexpr int grid_size() const noexcept { return 1 << m_bits; }

    constexpr std::int64_t owned_count(int p) const noexcept {
        const std::int64_t turn = reversed(p);
        return turn < m_size ? (m_size - 1 - turn) / grid_size() + 1 : 0;
    }
    constexpr std::int64_t local_extent(int p) const noexcept {
        return owned_count(p) + (p != 0 && m_size > 0 ? 1 : 0);
    }
    constexpr LocalRange owned_local(int p) const noexcept {
        return {LocalIndex(0), LocalIndex(owned_count(p))};
    }
    constexpr LocalRange interior_local(int p) const noexcept { return owned_local(p); }

    constexpr int owner(GlobalIndex g) const noexcept {
        return reversed(static_cast<int>(g % grid_size()));
    }
    constexpr LocalIndex to_local(int p, GlobalIndex g) const noexcept {
        if (g == 0 && p != 0) return LocalIndex(owned_count(p));
        return LocalIndex(owned_count(p) - 1 - g / grid_size());
    }
    constexpr GlobalIndex to_global(int p, LocalIndex l) const noexcept {
        if (l == owned_count(p)) return GlobalIndex(0);
        return GlobalIndex((owned_count(p) - 1 - l) * grid_size() + reversed(p));
    }

private:
    constexpr int reversed(int p) const noexcept {
        int result = 0;
        for (int bit = 0; bit < m_bits; ++bit)
            if (p & (1 << bit)) result |= 1 << (m_bits - 1 - bit);
        return result;
    }

    std::int64_t m_size;
    int m_bits;
};

static_assert(DimLayout<BitReversedLayout>);

/// A cyclic layout with one fault.
enum class Fault { none, owner, to_local, to_global, extent, size, protocol_size };

class FaultyLayout {
public:
    constexpr FaultyLayout(const CyclicLayout& good, Fault fault) noexcept
        : m_good(good), m_fault(fault) {}

    constexpr std::int64_t size() const noexcept {
        return m_good.size() + (m_fault == Fault::size);
    }
    constexpr std::int64_t protocol_size() const noexcept {
        return m_good.protocol_size() + (m_fault == Fault::protocol_size);
    }
    constexpr int grid_size() const noexcept { return m_good.grid_size(); }
    constexpr std::int64_t local_extent(int p) const noexcept {
        return m_good.local_extent(p) - (m_fault == Fault::extent && p == 1);
    }
    constexpr LocalRange owned_local(int p) const noexcept {
        return {LocalIndex(0), LocalIndex(local_extent(p))};
    }
    constexpr LocalRange interior_local(int p) const noexcept { return owned_local(p); }
    constexpr int owner(GlobalIndex g) const noexcept {
        return m_fault == Fault::owner && g == 3 ? 0 : m_good.owner(g);
    }
    constexpr LocalIndex to_local(int p, GlobalIndex g) const noexcept {
        // A faulty to_global() returns elements that p does not own; the good layout must not be queried for them.
        if (g >= m_good.size() || m_good.owner(g) != p) return LocalIndex(-1);
        return m_good.to_local(p, g) + (m_fault == Fault::to_local && g == 3 ? 1 : 0);
    }
    constexpr GlobalIndex to_global(int p, LocalIndex l) const noexcept {
        return m_good.to_global(p, l) + (m_fault == Fault::to_global && p == 1 ? 1 : 0);
    }

private:
    CyclicLayout m_good;
    Fault m_fault;
};

static_assert(DimLayout<FaultyLayout>);

struct NoLayout {};
static_assert(!DimLayout<NoLayout>);
static_assert(!DimLayout<std::vector<int>>);

std::vector<std::int64_t> joined(const std::vector<std::vector<std::int64_t>>& lists) {
    std::vector<std::int64_t> all;
    for (const auto& list : lists) all.insert(all.end(), list.begin(), list.end());
    return all;
}

} // namespace

TEST(DimLayout, a_layout_of_ones_own_keeps_the_promises) {
    for (int bits = 0; bits <= 4; ++bits)
        for (std::int64_t size = 0; size <= 70; ++size)
            ASSERT_EQ(find_flaw(BitReversedLayout(size, bits), first_indices(size)), "")
                << size << " elements on 2^" << bits << " processes";
}

TEST(DimLayout, the_check_finds_every_planted_fault) {
    const CyclicLayout good(11, 3, 2);
    EXPECT_EQ(find_flaw(FaultyLayout(good, Fault::none), first_indices(11)), "");
    for (const Fault fault : {Fault::owner, Fault::to_local, Fault::to_global, Fault::extent,
                              Fault::size, Fault::protocol_size})
        EXPECT_NE(find_flaw(FaultyLayout(good, fault), first_indices(11)), "")
            << "fault number " << static_cast<int>(fault);
    // An element without an owner, and an element outside the axis.
    EXPECT_NE(find_flaw(good, first_indices(12)), "");
    EXPECT_NE(find_flaw(good, first_indices(10)), "");
}

TEST(DimLayout, the_comparison_finds_every_planted_fault) {
    const CyclicLayout good(11, 3, 2);
    const auto expected = plain_sections({{0, 1, 6, 7}, {2, 3, 8, 9}, {4, 5, 10}});
    EXPECT_EQ(find_difference(FaultyLayout(good, Fault::none), expected), "");
    for (const Fault fault : {Fault::owner, Fault::to_local, Fault::to_global, Fault::extent})
        EXPECT_NE(find_difference(FaultyLayout(good, fault), expected), "")
            << "fault number " << static_cast<int>(fault);
    EXPECT_NE(find_difference(CyclicLayout(11, 2, 2), expected), "");
}

TEST(AxisLayout, says_what_it_holds) {
    const std::vector<std::int64_t> offsets{0, 0};
    UnstructuredLayout::Tables tables;
    tables.offsets = tables.labels = tables.sorted_labels = tables.sorted_positions =
        tables.directory_labels = tables.directory_owners = offsets.data();
    const AxisLayout block(BlockLayout(7, 2, BlockSplit::regular, {1, 2}, {3, 4}, true));
    const AxisLayout cyclic(CyclicLayout(7, 2, 3));
    const AxisLayout lists(UnstructuredLayout(0, 1, true, tables));

    EXPECT_EQ(block.type(), DistType::block);
    EXPECT_TRUE(block.is_block());
    EXPECT_TRUE(block.periodic());
    EXPECT_EQ(block.size(), 7);
    EXPECT_EQ(block.protocol_size(), 14);
    EXPECT_EQ(block.global_range(), (GlobalRange{GlobalIndex(-3), GlobalIndex(11)}));
    EXPECT_EQ(block.protocol_index(GlobalIndex(-3)), 0);
    EXPECT_EQ(block.global_index(ProtocolIndex(13)), 10);
    EXPECT_EQ(block.as_block().split(), BlockSplit::regular);
    EXPECT_EQ(block.communication_padding(0), Widths(0, 2));
    EXPECT_EQ(block.communication_padding(1), Widths(1, 0));
    EXPECT_EQ(block.boundary_padding(0), Widths(3, 0));
    EXPECT_EQ(block.boundary_padding(1), Widths(0, 4));

    EXPECT_EQ(cyclic.type(), DistType::cyclic);
    EXPECT_FALSE(cyclic.is_block());
    EXPECT_FALSE(cyclic.periodic());
    EXPECT_EQ(cyclic.as_cyclic().block_size(), 3);
    EXPECT_EQ(cyclic.communication_padding(0), Widths());
    EXPECT_EQ(cyclic.boundary_padding(1), Widths());

    EXPECT_EQ(lists.type(), DistType::unstructured);
    EXPECT_TRUE(lists.as_unstructured().one_to_one());
    EXPECT_EQ(lists.size(), 0);
    EXPECT_EQ(lists.protocol_index(GlobalIndex(-8)), -8) << "labels are the same in both";

    EXPECT_TRUE(AxisLayout().is_block());
    EXPECT_EQ(AxisLayout().size(), 0);
    EXPECT_EQ(AxisLayout().grid_size(), 1);
}

// The protocol's letters.
TEST(AxisLayout, kinds_are_the_letters_of_the_protocol) {
    EXPECT_EQ(static_cast<char>(DistType::block), 'b');
    EXPECT_EQ(static_cast<char>(DistType::cyclic), 'c');
    EXPECT_EQ(static_cast<char>(DistType::unstructured), 'u');
}

// It gives the same answers as the layout that it holds, with that layout's tables or with a copy.
TEST(AxisLayout, random_layouts_of_all_kinds_keep_the_promises) {
    for_each_case(3000, [](Random& random, std::uint64_t) {
        const int process_count = static_cast<int>(random.integer(1, 10));
        std::vector<std::int64_t> globals;
        Widths boundary;
        AxisSpec spec = block(0);
        const std::int64_t size = random.integer(0, 41);
        switch (random.integer(0, 5)) {
        case 0:
            boundary = {2, 1};
            spec = block(size, {.boundary = boundary});
            break;
        case 1:
            boundary = {0, 3};
            spec = regular_block(size, {.boundary = boundary});
            break;
        case 2: {
            const auto sizes = random_block_sizes(random, process_count, 7);
            boundary = {3, 1};
            spec = block_bounds(bounds_of_sizes(sizes), {.boundary = boundary},
                                random_matched_paddings(random, sizes));
            break;
        }
        case 3: spec = block_cyclic(size, random.integer(1, 10)); break;
        default: {
            auto lists = random_labels(random, process_count, size);
            globals = joined(lists);
            spec = unstructured(lists, true);
            if (random.chance(0.5)) {
                const std::vector<std::int64_t> ghosts = append_random_ghosts(random, lists);
                spec = unstructured(std::move(lists), {.ghosts = ghosts});
            }
            break;
        }
        }
        const ArrayLayout array(ProcessGrid{process_count}, {spec});
        const AxisLayout& layout = array.axis(0);
        if (layout.type() != DistType::unstructured)
            globals = indices_with(boundary, layout.size());
        ASSERT_EQ(find_flaw(layout, globals), "") << array.describe();

        const std::vector<std::int64_t> copy(array.tables().begin(), array.tables().end());
        const AxisLayout moved = layout.with_tables(array.tables().data(), copy.data());
        ASSERT_EQ(find_flaw(moved, globals), "") << array.describe();
    });
}

} // namespace distview::testing
