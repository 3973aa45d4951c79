// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/transport/transport.hpp>

#include "memory/huge_pages.hpp"

#include <distview/comm/impl/kernels/device_layer.hpp>
#include <distview/core/error.hpp>
#include <distview/core/text.hpp>

#include <array>
#include <cstdlib>
#include <utility>

namespace distview::impl {

namespace {

constexpr std::array<std::pair<Transport, std::string_view>, 6> names{{
    {Transport::self, "self"},
    {Transport::direct, "direct"},
    {Transport::ipc, "ipc"},
    {Transport::message, "message"},
    {Transport::gpu_message, "gpu_message"},
    {Transport::staged, "staged"},
}};

} // namespace

std::string_view to_string(Transport transport) noexcept {
    for (const auto& [value, name] : names)
        if (value == transport) return name;
    return "unknown";
}

std::optional<Transport> required_transport() {
    const char* value = std::getenv("DISTVIEW_TRANSPORT");
    if (value == nullptr || *value == '\0') return std::nullopt;
    for (const auto& [transport, name] : names)
        if (name == value && transport != Transport::self) return transport;
    throw UsageError(text("DISTVIEW_TRANSPORT: expected direct, ipc, message, gpu_message or "
                          "staged, got '",
                          shortened(value), '\''));
}

void check_available(std::optional<Transport> required) {
    check_huge_pages_choice();
#ifdef KOKKOS_ENABLE_CUDA
    cuda_layer(); // from here on it exists
#endif
    require<UsageError>(!required || DeviceLayer::any_exists() || *required == Transport::direct ||
                            *required == Transport::message,
                        [&] {
                            return text("DISTVIEW_TRANSPORT: '", to_string(*required),
                                        "' is not available here, only 'direct' and 'message' are");
                        });
}

std::string allowed_transports(std::optional<Transport> required) {
    if (required) return std::string(to_string(*required));
    return DeviceLayer::any_exists() ? "direct, message; of device memory ipc, gpu_message, staged"
                                     : "direct, message";
}

} // namespace distview::impl
