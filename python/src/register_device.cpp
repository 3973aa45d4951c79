// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls to a device, for the rules in distview/_device.py.
#include "errors.hpp"
#include "registers.hpp"

#include <distview/core/device_runtime.hpp>

#include <nanobind/stl/pair.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace distview::python {

namespace {

using Pair = std::pair<int, int>;

Device device_of(const Pair& device) {
    return {static_cast<DeviceType>(device.first), device.second};
}

Pair query_pointer(DeviceRuntime& self, std::uintptr_t pointer) {
    const Device device = self.query_pointer(reinterpret_cast<const void*>(pointer));
    return {static_cast<int>(device.type), device.id};
}

/// (address, owner); the owner keeps the memory alive.
nb::tuple allocate(DeviceRuntime& self, int type, std::size_t bytes) {
    auto memory = std::make_unique<std::shared_ptr<void>>(
        self.allocate(static_cast<DeviceType>(type), bytes));
    const auto address = reinterpret_cast<std::uintptr_t>(memory->get());
    const nb::capsule owner(memory.release(), [](void* held) noexcept {
        delete static_cast<std::shared_ptr<void>*>(held);
    });
    return nb::make_tuple(address, owner);
}

} // namespace

void register_device(nb::module_& package) {
    using namespace nb::literals;
    nb::class_<DeviceRuntime>(package, "DeviceRuntime",
                              "The device of this build; see distview._device.DeviceRuntime.")
        .def("query_pointer", &query_pointer, "pointer"_a)
        .def(
            "synchronize",
            [](DeviceRuntime& self, StreamNumber stream, const Pair& device) {
                self.synchronize(stream, device_of(device));
            },
            "stream"_a, "device"_a, nb::call_guard<nb::gil_scoped_release>())
        .def(
            "wait",
            [](DeviceRuntime& self, StreamNumber waiting, StreamNumber stream, const Pair& device) {
                self.wait(waiting, stream, device_of(device));
            },
            "waiting"_a, "stream"_a, "device"_a)
        .def("allocate", &allocate, "kind"_a, "nbytes"_a,
             nb::sig("def allocate(self, kind: int, nbytes: int) -> tuple[int, object]"))
        .def(
            "copy",
            [](DeviceRuntime& self, std::uintptr_t to, std::uintptr_t from, std::size_t bytes) {
                self.copy(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes);
            },
            "to"_a, "source"_a, "nbytes"_a, nb::call_guard<nb::gil_scoped_release>());
    package.def(
        "device_runtime", [] { return device_runtime(); }, nb::rv_policy::reference,
        nb::sig("def device_runtime() -> DeviceRuntime | None"),
        "The DeviceRuntime that this module was built for; None in builds for the host alone.");
}

} // namespace distview::python
