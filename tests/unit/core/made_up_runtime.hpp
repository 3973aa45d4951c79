// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/any_dist_view.hpp>
#include <distview/core/device_runtime.hpp>
#include <distview/core/text.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace distview::testing {

/// A device that does not exist: all addresses belong to `place`, and calls are recorded.
class MadeUpRuntime final : public DeviceRuntime {
public:
    Device place{DeviceType::cuda, 0};
    std::vector<std::string> calls;

    Device query_pointer(const void*) override {
        calls.emplace_back("query");
        return place;
    }
    void synchronize(StreamNumber stream, const Device& device) override {
        calls.push_back(text("synchronize ", stream, " of ", device.id));
    }
    void wait(StreamNumber waiting, StreamNumber stream, const Device& device) override {
        calls.push_back(text(waiting, " waits for ", stream, " of ", device.id));
    }
    std::shared_ptr<void> allocate(DeviceType, std::size_t bytes) override {
        return std::make_unique<char[]>(bytes);
    }
    void copy(void* to, const void* from, std::size_t bytes) override {
        std::memcpy(to, from, bytes);
    }
};

/// A section over memory that is never read.
inline AnySection made_up_section(const std::vector<std::int64_t>& extents,
                                  Device device = {DeviceType::cuda, 1}) {
    AnySection section;
    section.data = reinterpret_cast<void*>(0x7f3000001000);
    section.element = element_type<double>();
    section.extents = extents;
    section.strides = AnySection::contiguous_strides(extents, 8);
    section.device = device;
    return section;
}

} // namespace distview::testing
