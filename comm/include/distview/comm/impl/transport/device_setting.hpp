// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/kernels/device_layer.hpp>
#include <distview/comm/impl/transport/transport.hpp>

#include <memory>
#include <optional>

namespace distview::impl {

/// How a set of arrays is moved: by kernels of a device, or none; and what messages lie in.
struct DeviceSetting {
    DeviceLayer* layer = nullptr;
    Transport messages = Transport::message;
};

/// With a layer, messages lie in the device's memory where MPI takes that, else they are staged.
///
/// Throws UsageError, beginning with `caller`, if the transport that is `required` is one of the other kind
/// of memory.
DeviceSetting device_setting(DeviceLayer* layer, std::optional<Transport> required,
                             const char* caller);

/// Whether messages may lie in device memory: the environment variable DISTVIEW_GPU_AWARE, 0 or 1, else what
/// the layer has found out.
///
/// Throws UsageError if the variable is something else.
bool sends_from_device(DeviceLayer& layer);

/// Another process's allocation, opened once however many ask for it, and closed when none of them is left;
/// null if it cannot be reached. Thread-safe.
std::shared_ptr<void> open_shared(DeviceLayer& layer, const IpcHandle& handle);

} // namespace distview::impl
