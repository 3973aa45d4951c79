// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "array.hpp"
#include "registers.hpp"

#include <distview/comm/section_access.hpp>
#include <distview/core/error.hpp>

#include <nanobind/stl/vector.h>

#include <cstdint>
#include <utility>

namespace distview::python {

void register_section_access(nb::module_& package) {
    using namespace nb::literals;
    nb::class_<SectionAccess>(package, "SectionAccess",
                              "Sections of an array that this rank reads in place.")
        .def(
            "__init__",
            [](SectionAccess* self, const Array& array) {
                const AnyDistView& view = array.state->view("SectionAccess");
                require<UsageError>(array.state->communicator().has_value(),
                                    "SectionAccess: the array has no communicator");
                // Without the owner, since the array keeps this object and would keep itself alive. Read-only, so that the
                // checking mode does not touch its padding.
                AnySection section = view.section();
                section.owner = nullptr;
                section.read_only = true;
                const nb::gil_scoped_release release;
                new (self)
                    SectionAccess(*array.state->communicator(),
                                  AnyDistView(std::move(section), view.layout(), view.process()));
            },
            "array"_a, "For an array in host memory. Collective.")
        .def("reaches_all", &SectionAccess::reaches_all, "rank"_a,
             "Whether a rank can read all sections; the same on all ranks. Local.")
        .def(
            "section",
            [](const SectionAccess& self, int process) {
                const AnySection section = self.section(process);
                return nb::make_tuple(reinterpret_cast<std::uintptr_t>(section.data),
                                      nb::cast(section.extents), nb::cast(section.strides));
            },
            "process"_a, "Address, extents and strides in bytes of a process's section. Local.");
}

} // namespace distview::python
