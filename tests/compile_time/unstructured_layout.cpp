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
static_assert(!layout.has_ghosts() && layout.ghosts(2) == 0 && layout.owned_local(2).size() == 3);

// The same axis, where process 0 owns 7 and -3, and has a ghost of 9.
constexpr std::int64_t ghosted_labels[] = {7, -3, 9, 9, 8, 5};
constexpr std::int64_t ghosted_sorted[] = {-3, 7, 9, 5, 8, 9};
constexpr std::int64_t owned_labels[] = {-3, 5, 7, 8, 9};
constexpr std::int64_t owned_owners[] = {0, 2, 0, 2, 2};
constexpr std::int64_t ghosts[] = {1, 0, 0};
constexpr UnstructuredLayout ghosted(5, 3, false,
                                     {offsets, ghosted_labels, ghosted_sorted, sorted_positions,
                                      owned_labels, owned_owners, 5, ghosts});

static_assert(ghosted.has_ghosts() && ghosted.local_extent(0) == 3);
static_assert(ghosted.owned_local(0).size() == 2 && ghosted.interior_local(2).size() == 3);
static_assert(ghosted.owner(GlobalIndex(9)) == 2 && ghosted.owner(GlobalIndex(7)) == 0);
static_assert(ghosted.to_local(0, GlobalIndex(9)) == 2 && ghosted.to_local(2, GlobalIndex(9)) == 0);

} // namespace

} // namespace distview::testing
