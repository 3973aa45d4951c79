// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/core/axis_layout.hpp>

#include <cstdint>
#include <type_traits>

namespace distview::testing {

// A named namespace: in an unnamed one nvcc would miss uses that only static_assert makes.
namespace axis_layout_types {

// Kernels take an AxisLayout by value.
static_assert(std::is_trivially_copyable_v<AxisLayout> &&
              std::is_trivially_destructible_v<AxisLayout>);
static_assert(sizeof(AxisLayout) <= 128);
static_assert(DimLayout<AxisLayout>);

// A type that lacks one query, or whose queries may throw, is no layout.
struct Incomplete {
    std::int64_t size() const noexcept { return 0; }
};
static_assert(!DimLayout<Incomplete> && !DimLayout<int>);

struct MayThrow : CyclicLayout {
    int owner(GlobalIndex) const { return 0; }
};
static_assert(!DimLayout<MayThrow>);

struct GivesLocalForGlobal : CyclicLayout {
    LocalIndex to_global(int, LocalIndex l) const noexcept { return l; }
};
static_assert(!DimLayout<GivesLocalForGlobal>);

struct NotTriviallyCopyable : CyclicLayout {
    ~NotTriviallyCopyable() {}
};
static_assert(!DimLayout<NotTriviallyCopyable>);

constexpr AxisLayout block(BlockLayout(16, 2, BlockSplit::balanced, 1, 1, true));
static_assert(block.is_block() && block.type() == DistType::block && block.periodic());
static_assert(block.size() == 16 && block.protocol_size() == 18 && block.grid_size() == 2);
static_assert(block.owner(GlobalIndex(8)) == 1 && block.to_local(1, GlobalIndex(8)) == 1);
static_assert(block.global_range() == GlobalRange{GlobalIndex(-1), GlobalIndex(17)});
static_assert(block.as_block().split() == BlockSplit::balanced);
static_assert(block.communication_padding(0) == Widths(0, 1));

constexpr AxisLayout cyclic(CyclicLayout(13, 4, 2));
static_assert(cyclic.type() == DistType::cyclic && cyclic.as_cyclic().block_size() == 2);
static_assert(cyclic.protocol_size() == 13 && cyclic.protocol_index(GlobalIndex(12)) == 12);
static_assert(cyclic.owner(GlobalIndex(12)) == 2 && cyclic.local_extent(2) == 3);
static_assert(cyclic.to_global(1, LocalIndex(3)) == 11 && !cyclic.periodic());
static_assert(cyclic.with_tables(nullptr, nullptr).as_cyclic().size() == 13);

constexpr AxisLayout copied = cyclic;
static_assert(copied.size() == 13);

} // namespace axis_layout_types

} // namespace distview::testing
