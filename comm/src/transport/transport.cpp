// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/transport/transport.hpp>

#include "memory/huge_pages.hpp"

#include <distview/core/error.hpp>
#include <distview/core/text.hpp>

#include <array>
#include <atomic>
#include <cstdlib>
#include <map>
#include <mutex>
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
    cuda_layer(); // creates the layer
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
    return DeviceLayer::any_exists() ? "direct, message; for device memory ipc, gpu_message, staged"
                                     : "direct, message";
}

namespace {

/// Mappings of all layers. Never destroyed: mappings may be closed during static destruction.
struct Mappings {
    std::mutex mutex;
    std::map<std::pair<DeviceLayer*, IpcHandle>, std::weak_ptr<void>> opened;
};

Mappings& mappings() {
    static auto& instance = *new Mappings;
    return instance;
}

bool sends_from_device(DeviceLayer& layer) {
    const char* const value = std::getenv("DISTVIEW_GPU_AWARE");
    const std::string_view wish = value ? value : "";
    require<UsageError>(wish.empty() || wish == "0" || wish == "1", [&] {
        return text("DISTVIEW_GPU_AWARE: expected 0 or 1, got '", wish, '\'');
    });
    return wish.empty() ? layer.mpi_takes_device_memory() : wish == "1";
}

} // namespace

std::atomic<bool>& DeviceLayer::any_exists() noexcept {
    static std::atomic<bool> exists{false};
    return exists;
}

DeviceSetting device_setting(DeviceLayer* layer, std::optional<Transport> required,
                             const char* caller) {
    const auto refuse = [&](const char* memory) {
        throw UsageError(text(caller, ": DISTVIEW_TRANSPORT: '", to_string(*required),
                              "' is not available for arrays in ", memory));
    };
    const bool of_device =
        required && (*required == Transport::ipc || *required == Transport::gpu_message ||
                     *required == Transport::staged);
    if (!layer) {
        if (of_device) refuse("host memory");
        return {};
    }
    if (required && !of_device) refuse("device memory");
    const bool takes = sends_from_device(*layer);
    if (required == Transport::gpu_message && !takes) refuse("device memory: MPI cannot use it");
    const bool staged = required == Transport::staged || !takes;
    return {layer, staged ? Transport::staged : Transport::gpu_message};
}

std::shared_ptr<void> open_shared(DeviceLayer& layer, const IpcHandle& handle) {
    Mappings& all = mappings();
    const std::pair key(&layer, handle);
    const std::scoped_lock lock(all.mutex);
    if (const auto found = all.opened.find(key); found != all.opened.end())
        if (std::shared_ptr<void> mapping = found->second.lock()) return mapping;
    void* const address = layer.open(handle);
    if (!address) return nullptr;
    std::shared_ptr<void> mapping(address, [&layer](void* opened) { layer.close(opened); });
    all.opened[key] = mapping;
    std::erase_if(all.opened, [](const auto& entry) { return entry.second.expired(); });
    return mapping;
}

} // namespace distview::impl
