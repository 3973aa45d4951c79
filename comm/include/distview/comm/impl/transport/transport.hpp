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
    self,   ///< a copy within the process
    direct, ///< load from a segment that the node's processes share: from the peer's section, or from
            ///< where the peer has packed its elements
    ipc,    ///< load from the peer's device memory
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

/// Refuses a transport that this build does not have, and a value of DISTVIEW_HUGE_PAGES that means nothing; which
/// peers can be reached by the transports that it has is found out when a plan binds.
///
/// Errors:     UsageError unless it is empty, direct or message; or, where there is a device with a memory
///             of its own, ipc, gpu_message or staged; UsageError unless DISTVIEW_HUGE_PAGES is not set, 0 or 1
void check_available(std::optional<Transport> required);

/// The transports that a plan may choose from, for describe(): "direct, message", or the required one.
std::string allowed_transports(std::optional<Transport> required);

/// How a set of arrays is moved: by kernels of a device, or none; and what messages lie in.
struct DeviceSetting {
    DeviceLayer* layer = nullptr;
    Transport messages = Transport::message;
};

/// With a layer, messages lie in the device's memory where MPI takes that, else they are staged: the environment variable
/// DISTVIEW_GPU_AWARE, 0 or 1, else what the layer has found out.
///
/// Throws UsageError if the variable is something else; beginning with `caller`, if the transport that is `required` is
/// one of the other kind of memory.
DeviceSetting device_setting(DeviceLayer* layer, std::optional<Transport> required,
                             const char* caller);

/// Another process's allocation, opened once however many ask for it, and closed when none of them is left;
/// null if it cannot be reached. Thread-safe.
std::shared_ptr<void> open_shared(DeviceLayer& layer, const IpcHandle& handle);

} // namespace distview::impl
