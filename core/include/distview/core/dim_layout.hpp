// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/index_types.hpp>

#include <concepts>
#include <cstdint>
#include <type_traits>

namespace distview {

/// The requirements on a class that distributes one axis over a row of processes.
///
/// A layout is a small, trivially copyable value that describes every process of its axis; all of its
/// queries are constexpr, do not throw and work on device. size() counts interior elements, and global
/// indices start at the first of them; protocol_size() also counts boundary padding. With p a process, g a
/// global and l a local index:
///
///     from        to                    query
///     g           owning process        owner(g)
///     p, g        local index           to_local(p, g)
///     p, l        global index          to_global(p, l)
///     p           extent of a section   local_extent(p)     all padding included
///     p           owned elements        owned_local(p)      without communication padding, ghosts
///     p           interior elements     interior_local(p)   without any padding
///
/// If process p holds g, to_global(p, to_local(p, g)) == g. Every global index has an owner that holds
/// it. tests/unit/core/test_dim_layout.cpp checks both for every layout, and for a layout that only the
/// test defines.
template <class Layout>
concept DimLayout = std::is_trivially_copyable_v<Layout> &&
                    requires(const Layout& layout, int p, GlobalIndex g, LocalIndex l) {
                        { layout.size() } noexcept -> std::same_as<std::int64_t>;
                        { layout.protocol_size() } noexcept -> std::same_as<std::int64_t>;
                        { layout.grid_size() } noexcept -> std::same_as<int>;
                        { layout.local_extent(p) } noexcept -> std::same_as<std::int64_t>;
                        { layout.owned_local(p) } noexcept -> std::same_as<LocalRange>;
                        { layout.interior_local(p) } noexcept -> std::same_as<LocalRange>;
                        { layout.owner(g) } noexcept -> std::same_as<int>;
                        { layout.to_local(p, g) } noexcept -> std::same_as<LocalIndex>;
                        { layout.to_global(p, l) } noexcept -> std::same_as<GlobalIndex>;
                    };

} // namespace distview
