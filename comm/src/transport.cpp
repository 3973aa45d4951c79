// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/transport.hpp>

#include <distview/comm/impl/device_layer.hpp>
#include <distview/core/error.hpp>
#include <distview/core/text.hpp>

#include <array>
#include <charconv>
#include <cstdlib>
#include <system_error>
#include <utility>

namespace distview {

namespace {

constexpr std::array<std::pair<Transport, std::string_view>, 7> names{{
    {Transport::self, "self"},
    {Transport::direct, "direct"},
    {Transport::ipc, "ipc"},
    {Transport::cma, "cma"},
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
    throw UsageError(text("DISTVIEW_TRANSPORT: expected direct, ipc, cma, message, gpu_message or "
                          "staged, got '",
                          shortened(value), '\''));
}

std::int64_t long_run_bytes() {
    // Shorter ones go together by a datatype, which saves messages.
    constexpr std::int64_t measured = 32768;
    const char* value = std::getenv("DISTVIEW_LONG_RUN");
    if (value == nullptr || *value == '\0') return measured;
    const std::string_view digits(value);
    std::int64_t bytes = 0;
    const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), bytes);
    require<UsageError>(
        parsed.ec == std::errc() && parsed.ptr == digits.data() + digits.size() && bytes > 0, [&] {
            return text("DISTVIEW_LONG_RUN: expected a positive number of bytes, got '", value,
                        '\'');
        });
    return bytes;
}

std::optional<bool> messages_by_datatype() {
    const char* value = std::getenv("DISTVIEW_MESSAGE_DATATYPES");
    if (value == nullptr || *value == '\0') return std::nullopt;
    const std::string_view choice(value);
    require<UsageError>(choice == "0" || choice == "1", [&] {
        return text("DISTVIEW_MESSAGE_DATATYPES: expected 0 or 1, got '", value, '\'');
    });
    return choice == "1";
}

void check_available(std::optional<Transport> required) {
#ifdef KOKKOS_ENABLE_CUDA
    impl::cuda_layer(); // from here on it exists
#endif
    require<UsageError>(!required || impl::DeviceLayer::any_exists() ||
                            *required == Transport::direct || *required == Transport::cma ||
                            *required == Transport::message,
                        [&] {
                            return text("DISTVIEW_TRANSPORT: '", to_string(*required),
                                        "' is not available here, only 'direct', 'cma' and "
                                        "'message' are");
                        });
}

} // namespace distview
