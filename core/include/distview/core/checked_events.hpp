// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/local_box.hpp>

#include <atomic>
#include <cstdint>
#include <span>

namespace distview::impl {

class CheckedSection;

/// Whether any array of this process was ever registered with the checking mode.
extern std::atomic<bool> any_checked;

// Plans report events to the checking mode with these functions: they call CheckedSection, for sources without Kokkos.

void note_filled(CheckedSection& section, std::span<const LocalBox> boxes,
                 std::uint64_t plan) noexcept;
void note_filled_first(CheckedSection& section, std::span<const LocalBox> boxes) noexcept;
void forget(CheckedSection& section) noexcept;
void restore(CheckedSection& section) noexcept;
/// Throws UsageError if an element that no exchange writes holds poison.
void require_no_poison(const char* caller, const CheckedSection& section);
/// Throws UsageError if the program added contributions to poison.
void require_own_contributions(const char* caller, const CheckedSection& section);

} // namespace distview::impl
