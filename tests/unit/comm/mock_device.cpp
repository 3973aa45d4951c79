// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "impl_mock_device.hpp"

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <new>
#include <sstream>
#include <stdexcept>
#include <utility>

#include <sys/stat.h>
#include <unistd.h>

namespace distview::testing {

namespace {

namespace tools = Kokkos::Tools::Experimental;

void on_kernel(const char* label, std::uint32_t, std::uint64_t*) {
    MockDevice::instance().note(label);
}

/// A segment mapped by this process, as the operating system lists it.
struct Mapping {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    std::uint64_t inode = 0;
};

std::optional<Mapping> mapping_of(std::uintptr_t address) {
    std::ifstream maps("/proc/self/maps");
    const std::string own = "/distview-" + std::to_string(::getpid()) + "-";
    for (std::string line; std::getline(maps, line);) {
        if (line.find(own) == std::string::npos) continue;
        std::istringstream words(line);
        std::string range, ignored;
        Mapping result;
        words >> range >> ignored >> ignored >> ignored >> result.inode;
        const std::size_t dash = range.find('-');
        result.begin = std::stoull(range.substr(0, dash), nullptr, 16);
        result.end = std::stoull(range.substr(dash + 1), nullptr, 16);
        if (result.begin <= address && address < result.end) return result;
    }
    return std::nullopt;
}

int descriptor_of(const Mapping& mapping) {
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
        struct stat status{};
        const int descriptor = std::stoi(entry.path().filename().string());
        if (::fstat(descriptor, &status) == 0 && status.st_ino == mapping.inode &&
            static_cast<std::uintptr_t>(status.st_size) == mapping.end - mapping.begin)
            return descriptor;
    }
    return -1;
}

} // namespace

MockDevice& MockDevice::instance() {
    static auto& device = *new MockDevice;
    return device;
}

MockDevice::MockDevice() { listen(true); }

void MockDevice::listen(bool listens) {
    note("");
    m_listens = listens;
    tools::set_begin_parallel_for_callback(listens ? on_kernel : nullptr);
    tools::set_begin_fence_callback(listens ? on_kernel : nullptr);
}

std::vector<std::string> MockDevice::take_record() { return std::exchange(m_record, {}); }

void MockDevice::note(const char* label) {
    for (const Copy& copy : m_enqueued) std::memcpy(copy.to, copy.from, copy.bytes);
    m_enqueued.clear();
    if (m_listens && std::string_view(label).starts_with("distview::"))
        m_record.emplace_back(label);
}

std::shared_ptr<char> MockDevice::allocate(std::size_t bytes, std::size_t& total) {
    ++m_allocations;
    total += bytes;
    constexpr std::align_val_t alignment{256};
    auto* const data = static_cast<char*>(::operator new(bytes, alignment));
    std::memset(data, 0xcd, bytes);
    return {data, [bytes, &total](char* memory) {
                total -= bytes;
                ::operator delete(memory, alignment);
            }};
}

std::shared_ptr<char> MockDevice::allocate_device(std::size_t bytes) {
    return allocate(bytes, m_device_bytes);
}

std::shared_ptr<char> MockDevice::allocate_pinned(std::size_t bytes) {
    return allocate(bytes, m_pinned_bytes);
}

void MockDevice::upload(char* to, const char* from, std::size_t bytes) {
    std::memcpy(to, from, bytes);
}

void MockDevice::copy(const impl::DeviceQueue&, char* to, const char* from, std::size_t bytes) {
    if (!m_listens) {
        std::memcpy(to, from, bytes);
        return;
    }
    m_enqueued.push_back({to, from, bytes});
    m_record.emplace_back("copy");
}

bool MockDevice::reaches(const void* data) {
    return reaches_all || mapping_of(reinterpret_cast<std::uintptr_t>(data));
}

std::optional<impl::DeviceLayer::Exported> MockDevice::export_memory(const void* data) noexcept {
    const auto address = reinterpret_cast<std::uintptr_t>(data);
    const auto mapping = mapping_of(address);
    const int descriptor = mapping ? descriptor_of(*mapping) : -1;
    if (descriptor < 0) return std::nullopt;
    std::int64_t key = 0;
    std::memcpy(&key, reinterpret_cast<const void*>(mapping->begin), sizeof(key));
    Exported exported;
    exported.handle.opaque = {::getpid(), descriptor,
                              static_cast<std::int64_t>(mapping->end - mapping->begin), key};
    exported.offset = static_cast<std::int64_t>(address - mapping->begin);
    return exported;
}

void* MockDevice::open(const impl::IpcHandle& handle) noexcept {
    const auto segment = impl::SharedSegment::open(
        {handle.opaque[0], handle.opaque[1], handle.opaque[2], handle.opaque[3]},
        impl::Access::write);
    if (!segment) return nullptr;
    ++m_opened;
    m_mappings[segment->data()] = segment;
    return segment->data();
}

void MockDevice::close(void* mapping) noexcept {
    ++m_closed;
    m_mappings.erase(mapping);
}

} // namespace distview::testing
