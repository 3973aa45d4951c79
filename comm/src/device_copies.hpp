// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "exchange_elements.hpp"

#include <distview/comm/impl/exchange_copies.hpp>

#include <vector>

namespace distview::impl {

/// Appends what packs one part that is given to another process.
///
/// What goes to others may be padding that is filled from within the section, by those of `taken` that come
/// from this `process`. It is packed from where it is filled from, so that one kernel can do both.
void append_packing(std::vector<CopyBox>& pack, const ExchangePart& part, const Field& field,
                    const Elements& to, const std::vector<ExchangePart>& taken, int process);

/// Makes of the boxes the kernels of a device, as few as the order of things allows.
void give_to_device(ExchangeCopies& copies, const std::vector<ExchangePart>& taken,
                    DeviceLayer& layer);

} // namespace distview::impl
