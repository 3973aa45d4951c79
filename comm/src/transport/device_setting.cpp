// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/transport/device_setting.hpp>

#include <distview/core/error.hpp>
#include <distview/core/text.hpp>

#include <atomic>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string_view>
#include <utility>

namespace distview::impl {

namespace {

/// Of all layers. Never destroyed: mappings may be closed as late as the program's static objects are.
struct Mappings {
    std::mutex mutex;
    std::map<std::pair<DeviceLayer*, IpcHandle>, std::weak_ptr<void>> opened;
};

Mappings& mappings() {
    static auto& instance = *new Mappings;
    return instance;
}

} // namespace

std::atomic<bool>& DeviceLayer::any_exists() noexcept {
    static std::atomic<bool> exists{false};
    return exists;
}

bool sends_from_device(DeviceLayer& layer) {
    const char* const value = std::getenv("DISTVIEW_GPU_AWARE");
    const std::string_view wish = value ? value : "";
    require<UsageError>(wish.empty() || wish == "0" || wish == "1", [&] {
        return text("DISTVIEW_GPU_AWARE: expected 0 or 1, got '", wish, '\'');
    });
    return wish.empty() ? layer.mpi_takes_device_memory() : wish == "1";
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
    if (required == Transport::gpu_message && !takes) refuse("device memory: MPI does not take it");
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
