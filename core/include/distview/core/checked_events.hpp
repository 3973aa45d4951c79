// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/local_box.hpp>

#include <atomic>
#include <cstdint>
#include <span>

namespace distview::impl {

class CheckedSection;

/// Whether the checking mode has known any array of this process.
extern std::atomic<bool> any_checked;

// What plans tell the checking mode of an array: calls of CheckedSection, for sources without Kokkos.

void note_filled(CheckedSection& section, std::span<const LocalBox> boxes,
                 std::uint64_t plan) noexcept;
void note_filled_first(CheckedSection& section, std::span<const LocalBox> boxes) noexcept;
void forget(CheckedSection& section) noexcept;
void restore(CheckedSection& section) noexcept;
/// Throws UsageError if any of the elements that no exchange writes are poison.
void require_no_poison(const char* caller, const CheckedSection& section);
/// Throws UsageError if contributions were added to poison.
void require_own_contributions(const char* caller, const CheckedSection& section);

} // namespace distview::impl
