// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/core/unstructured_layout.hpp>

#include <cstdint>
#include <type_traits>

namespace distview::testing {

namespace {

static_assert(std::is_trivially_copyable_v<UnstructuredLayout> &&
              std::is_trivially_destructible_v<UnstructuredLayout>);

// [7, -3, 100] | [] | [9, 8, 5]: the example of the class comment.
constexpr std::int64_t offsets[] = {0, 3, 3, 6};
constexpr std::int64_t labels[] = {7, -3, 100, 9, 8, 5};
constexpr std::int64_t sorted_labels[] = {-3, 7, 100, 5, 8, 9};
constexpr std::int64_t sorted_positions[] = {1, 0, 2, 2, 1, 0};
constexpr std::int64_t directory_labels[] = {-3, 5, 7, 8, 9, 100};
constexpr std::int64_t directory_owners[] = {0, 2, 0, 2, 2, 0};
constexpr UnstructuredLayout::Tables tables{
    offsets, labels, sorted_labels, sorted_positions, directory_labels, directory_owners, 6};
constexpr UnstructuredLayout layout(6, 3, true, tables);

static_assert(layout.owner(GlobalIndex(-3)) == 0 && layout.owner(GlobalIndex(5)) == 2);
static_assert(layout.owner(GlobalIndex(0)) == -1);
static_assert(layout.to_local(0, GlobalIndex(-3)) == 1);
static_assert(layout.to_local(1, GlobalIndex(-3)) == -1);
static_assert(layout.to_global(2, LocalIndex(1)) == 8);
static_assert(layout.local_extent(1) == 0 && layout.local_extent(2) == 3);
static_assert(layout.labels(2)[2] == 5);
static_assert(layout.one_to_one() && layout.known_process() == -1);

} // namespace

} // namespace distview::testing
