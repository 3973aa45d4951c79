// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "plan/exchange_elements.hpp"

#include <cstddef>
#include <vector>

namespace distview::impl {

/// Appends what a device packs of one part that is given to another process.
///
/// What goes to others may be padding that is filled from within the section, by those of `taken` that come
/// from this `process`. It is packed from where it is filled from, so that one kernel can do both.
void append_device_packing(std::vector<CopyBox>& pack, const ExchangePart& part, const Field& field,
                           const Elements& to, const std::vector<ExchangePart>& taken, int process);

/// By part: in which of several kernels, one after the other, a device combines it. Each goes into the first kernel
/// behind those of all earlier parts that it overlaps: every element is combined in the same order as with one
/// kernel a part.
std::vector<std::size_t> combination_steps(const std::vector<ExchangePart>& taken);

} // namespace distview::impl
