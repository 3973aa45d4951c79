// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a HYPRE_Int counts, apart from objects of hypre: tests ask for more than there is memory.
#pragma once

#include <cstdint>
#include <span>

namespace distview::hypre::impl {

/// Throws UsageError unless a HYPRE_Int counts the numbers of a box of `extents` cells, in each of them and in each of a
/// layer of ghosts around them `entries`.
void require_box(const char* caller, std::span<const std::int64_t> extents, std::int64_t entries);

/// Throws UsageError unless a HYPRE_Int counts the numbers of gmres' vectors, which hypre allocates as one array: restart + 1
/// of `rows` numbers on this rank.
void require_restart(const char* caller, int restart, std::int64_t rows);

} // namespace distview::hypre::impl
