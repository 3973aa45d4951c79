// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Limits of a HYPRE_Int, separate from hypre's objects: tests check sizes that exceed the memory.
#pragma once

#include <cstdint>
#include <span>

namespace distview::hypre::impl {

/// Throws UsageError unless a HYPRE_Int counts the numbers of a box of `extents` cells and a layer of ghosts around it,
/// with `entries` numbers in each cell.
void require_box(const char* caller, std::span<const std::int64_t> extents, std::int64_t entries);

/// Throws UsageError unless a HYPRE_Int counts the numbers of gmres' vectors, which hypre allocates as one array:
/// restart + 1 of `rows` numbers on this rank.
void require_restart(const char* caller, int restart, std::int64_t rows);

} // namespace distview::hypre::impl
