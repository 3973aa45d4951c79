// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/device_layer.hpp>
#include <distview/comm/impl/device_regions.hpp>
#include <distview/comm/impl/padding_exchange_engine.hpp>
#include <distview/core/concepts.hpp>

namespace distview::impl {

// A padding exchange of arrays in a device's memory. All is enqueued on one execution-space instance, and
// only that is fenced: before others may read or get what it packs, and before the call returns.

/// Lets others have this section's elements, and copies those that stay.
template <ExecutionSpace Exec>
void begin_on_device(const Exec& exec, const PaddingExchangeEngine& engine,
                     PaddingExchangeBinding& binding) {
    const ExchangeCopies& copies = binding.copies();
    const ExchangeCopies::OnDevice& device = copies.on_device;
    binding.post_receives();
    copy_regions(exec, copies.sends.empty() ? engine.labels.copy_local : engine.labels.pack,
                 device.pack);
    exec.fence(engine.labels.fence_ready);
    binding.start_sends(engine.epoch());
}

/// Waits for what others have, copying staged messages to the device as they come; whether anything has
/// come since the last call.
template <ExecutionSpace Exec>
bool wait_on_device(const Exec& exec, PaddingExchangeBinding& binding) {
    bool any = false;
    while (const auto arrived = binding.wait_for_elements()) {
        binding.stage(DeviceOf<Exec>::queue(exec), *arrived);
        any = true;
    }
    return any;
}

/// Fills the padding, in one kernel.
template <ExecutionSpace Exec>
void fill_on_device(const Exec& exec, const PaddingExchangeEngine& engine,
                    PaddingExchangeBinding& binding) {
    if (wait_on_device(exec, binding))
        copy_regions(exec, engine.labels.unpack, binding.copies().on_device.unpack);
}

} // namespace distview::impl
