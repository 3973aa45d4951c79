// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/core/cyclic_layout.hpp>

#include <cstdint>
#include <limits>
#include <type_traits>

namespace distview::testing {

namespace {

static_assert(std::is_trivially_copyable_v<CyclicLayout> &&
              std::is_trivially_destructible_v<CyclicLayout>);
static_assert(std::is_nothrow_default_constructible_v<CyclicLayout>);

// 0 1 8 9 | 2 3 10 11 | 4 5 12 | 6 7: the example of the class comment.
constexpr CyclicLayout layout(13, 4, 2);
static_assert(layout.local_extent(0) == 4 && layout.local_extent(2) == 3 &&
              layout.local_extent(3) == 2);
static_assert(layout.owner(GlobalIndex(12)) == 2);
static_assert(layout.to_local(2, GlobalIndex(12)) == 2);
static_assert(layout.to_global(1, LocalIndex(3)) == 11);
static_assert(layout.owned_local(3) == LocalRange{LocalIndex(0), LocalIndex(2)});
static_assert(layout.interior_local(3) == layout.owned_local(3));
static_assert(layout.with_tables(nullptr, nullptr).block_size() == 2);

// If an expression overflowed, it would not be constant and would not compile.
constexpr CyclicLayout largest(std::numeric_limits<std::int64_t>::max(), 7);
static_assert(largest.local_extent(0) == 1317624576693539401);
static_assert(largest.local_extent(6) == 1317624576693539401);
static_assert(CyclicLayout(9, 4, std::numeric_limits<std::int64_t>::max()).local_extent(0) == 9);

} // namespace

} // namespace distview::testing
