// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/kernels/device_layer.hpp>
#include <distview/comm/impl/transport/transport.hpp>

#include <optional>
#include <string>

namespace distview::impl {

/// The transports that a plan may choose from, for describe(): "direct, message", or the required one.
inline std::string allowed_transports(std::optional<Transport> required) {
    if (required) return std::string(to_string(*required));
    return DeviceLayer::any_exists() ? "direct, message; of device memory ipc, gpu_message, staged"
                                     : "direct, message";
}

} // namespace distview::impl
