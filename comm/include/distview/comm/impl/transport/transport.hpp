// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/kernels/device_layer.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace distview::impl {

/// How elements get from one process to another.
enum class Transport {
    self,        ///< a copy within the process
    direct,      ///< load from a shared segment of the node: the peer's section, or the buffer
                 ///< into which the peer packs elements
    ipc,         ///< load from the peer's device memory
    message,     ///< MPI messages from and to host buffers
    gpu_message, ///< MPI messages from and to device buffers
    staged       ///< MPI messages from and to host buffers that stage device memory
};

/// "self", "direct", ... as DISTVIEW_TRANSPORT spells them.
std::string_view to_string(Transport transport) noexcept;

/// The only transport allowed besides self: the value of the environment variable
/// DISTVIEW_TRANSPORT; none if it is not set.
///
/// Errors:     UsageError if the value is not the name of a transport
std::optional<Transport> required_transport();

/// Refuses a transport that this build lacks, and an invalid value of DISTVIEW_HUGE_PAGES. A
/// plan finds out at its binding which peers a transport reaches.
///
/// Errors:     UsageError unless `required` is empty, direct or message (or ipc, gpu_message or staged, if a device
///             with its own memory exists), and unless DISTVIEW_HUGE_PAGES is not set, 0 or 1
void check_available(std::optional<Transport> required);

/// The transports that a plan may choose from, for describe(): "direct, message", or the required one.
std::string allowed_transports(std::optional<Transport> required);

/// How a set of arrays is moved: by kernels of a device, if any, and through messages in which memory.
struct DeviceSetting {
    DeviceLayer* layer = nullptr;
    Transport messages = Transport::message;
};

/// With a layer, messages lie in device memory if MPI accepts it, else they are staged. The environment
/// variable DISTVIEW_GPU_AWARE, 0 or 1, decides whether MPI accepts it; if it is not set, the layer does.
///
/// Throws UsageError if the variable has another value; and, with a text that begins with
/// `caller`, if the `required` transport is not available for this memory.
DeviceSetting device_setting(DeviceLayer* layer, std::optional<Transport> required,
                             const char* caller);

/// Another process's allocation, opened once for all users and closed when the last one
/// releases it; null if it cannot be reached. Thread-safe.
std::shared_ptr<void> open_shared(DeviceLayer& layer, const IpcHandle& handle);

} // namespace distview::impl
