// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/core/block_layout.hpp>

#include <cstdint>
#include <type_traits>

namespace distview::testing {

namespace {

static_assert(std::is_trivially_copyable_v<BlockLayout> &&
              std::is_trivially_destructible_v<BlockLayout>);
static_assert(std::is_nothrow_default_constructible_v<BlockLayout>);

// 16 interior elements on 2 processes, all widths 1: the example of the class comment.
constexpr BlockLayout padded(16, 2, BlockSplit::balanced, 1, 1);
static_assert(padded.size() == 16 && padded.protocol_size() == 18 && padded.grid_size() == 2);
static_assert(padded.owned(1) == GlobalRange{GlobalIndex(8), GlobalIndex(17)});
static_assert(padded.held(1) == GlobalRange{GlobalIndex(7), GlobalIndex(17)});
static_assert(padded.interior(0) == GlobalRange{GlobalIndex(0), GlobalIndex(8)});
static_assert(padded.owned_local(0) == LocalRange{LocalIndex(0), LocalIndex(9)});
static_assert(padded.interior_local(1) == LocalRange{LocalIndex(1), LocalIndex(9)});
static_assert(padded.owner(GlobalIndex(7)) == 0 && padded.owner(GlobalIndex(8)) == 1);
static_assert(padded.to_local(1, padded.to_global(1, LocalIndex(4))) == 4);
static_assert(padded.protocol_index(GlobalIndex(-1)) == 0);
static_assert(padded.global_index(ProtocolIndex(17)) == 16);
static_assert(padded.communication_padding(0) == Widths(0, 1));
static_assert(padded.boundary_padding(0) == Widths(1, 0));
static_assert(padded.widest_padding() == Widths(1));

constexpr BlockLayout regular(11, 3, BlockSplit::regular, {}, {}, true);
static_assert(regular.owner(GlobalIndex(8)) == 2 && regular.local_extent(2) == 3);
static_assert(regular.periodic() && regular.split() == BlockSplit::regular);

// Tables can be read in constant expressions too.
constexpr std::int64_t bounds[] = {0, 5, 5, 12, 20};
constexpr std::int64_t widths[] = {0, 0, 0, 0, 0, 2, 2, 0};
constexpr BlockLayout irregular(bounds, 4, widths);
static_assert(irregular.has_tables() && irregular.size() == 20);
static_assert(irregular.owner(GlobalIndex(5)) == 2 && irregular.owned(1).empty());
static_assert(irregular.held(2) == GlobalRange{GlobalIndex(5), GlobalIndex(14)});

} // namespace

} // namespace distview::testing
