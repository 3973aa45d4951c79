// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device_work.hpp"

#include <distview/core/device_runtime.hpp>
#include <distview/core/error.hpp>
#include <distview/core/text.hpp>

#include <nanobind/nanobind.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>

namespace distview::python {

namespace nb = nanobind;

namespace {

std::string name_of(const Device& device) {
    return text("memory of device (", static_cast<int>(device.type), ", ", device.id, ")");
}

DeviceRuntime& runtime_for(const char* caller) {
    DeviceRuntime* const runtime = device_runtime();
    require<UsageError>(runtime != nullptr, [&] {
        return text(caller, ": this build of distview has no support for device memory");
    });
    return *runtime;
}

} // namespace

Kernels kernels_for(const char* caller, std::span<const AnySection* const> sections,
                    bool has_communicator) {
    const auto all = [&](auto&& holds) {
        return std::ranges::all_of(sections, [&](const AnySection* s) { return holds(s->device); });
    };
    const bool on_host = all([](const Device& d) { return d.host_accessible(); });
    if (device_runtime() == nullptr ||
        (on_host && !all([](const Device& d) { return d.type == DeviceType::cuda_managed; }))) {
        for (const AnySection* section : sections)
            require<ShapeError>(section->device.host_accessible(), [&] {
                return text(caller, ": the array is in ", name_of(section->device),
                            ", which the host cannot access, and this build of "
                            "distview has no kernels for devices: copy_to_host() copies the array");
            });
        return Kernels::host;
    }
    for (const AnySection* section : sections)
        require<ShapeError>(section->device.cuda_accessible(), [&] {
            return text(
                caller, ": the array is in ", name_of(section->device),
                ": expected memory that a CUDA device can read, because not all arrays are in "
                "memory that the host can read");
        });
    require<UsageError>(has_communicator, [&] {
        return text(caller, ": expected a communicator for arrays in device memory, got None: pass "
                            "comm=MPI.COMM_SELF where they are made");
    });
    return Kernels::device;
}

void begin_work(const char* caller, Kernels kernels, std::span<const AnySection* const> sections) {
    if (kernels == Kernels::host) {
        for (const AnySection* section : sections)
            if (section->stream != no_stream) {
                DeviceRuntime& runtime = runtime_for(caller);
                const nb::gil_scoped_release release; // other threads may run meanwhile
                runtime.synchronize(section->stream, section->device);
            }
        return;
    }
    with_exec(kernels, [&](const auto& exec) {
        DeviceRuntime& runtime = runtime_for(caller);
        const Device device{DeviceType::cuda, Kokkos::device_id()};
        const StreamNumber own = stream_number(exec);
        if (own != legacy_default_stream) runtime.wait(own, legacy_default_stream, device);
        for (const AnySection* section : sections) {
            if (section->count() == 0) continue; // its device is unknown
            require<ShapeError>(
                section->device.type != DeviceType::cuda || section->device == device, [&] {
                    return text(caller, ": the array is in ", name_of(section->device),
                                ", Kokkos uses device ", device.id);
                });
            if (section->stream > legacy_default_stream && section->stream != own)
                runtime.wait(own, section->stream, section->device);
        }
    });
}

AnySection allocate_on_device(const Device& device, const ElementType& element,
                              const std::vector<std::int64_t>& extents) {
    DeviceRuntime& runtime = runtime_for("DistView");
    require<UsageError>(
        device.type != DeviceType::cuda || device.id < 0 || device.id == Kokkos::device_id(), [&] {
            return text("DistView: expected device ", Kokkos::device_id(),
                        ", which Kokkos uses on this process, got ", device.id);
        });
    AnySection section;
    section.element = element;
    section.extents = extents;
    section.strides = AnySection::contiguous_strides(extents, element.bytes);
    section.device = {device.type, device.type == DeviceType::cuda ? Kokkos::device_id() : 0};
    const std::int64_t count = section.count();
    if (count == 0) return section;
    require<Error>(count <= std::numeric_limits<std::int64_t>::max() / element.bytes, [&] {
        return text("DistView: out of memory for a section of ", tuple_text(extents),
                    " elements of ", element.bytes, " bytes");
    });
    auto data = runtime.allocate(device.type, static_cast<std::size_t>(count * element.bytes));
    section.data = data.get();
    section.owner = std::move(data);
    return section;
}

} // namespace distview::python
