// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "python_objects.hpp"
#include "registers.hpp"

#include <distview/comm/agreement.hpp>
#include <distview/comm/migration_plan.hpp>
#include <distview/core/error.hpp>

#include <Kokkos_Core.hpp>

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace distview::python {

namespace {

MigrationPlan make_plan(const Communicator& comm, nb::handle targets) {
    const PythonBuffer items(targets);
    const std::span<const int> numbers(static_cast<const int*>(items->buf),
                                       static_cast<std::size_t>(items->len) / sizeof(int));
    const nb::gil_scoped_release release;
    return MigrationPlan(comm, numbers);
}

/// Moves elements of `bytes[i]` bytes from source i to target i. The caller has checked them, and that Kokkos runs.
void execute(MigrationPlan& plan, const nb::list& sources, const nb::list& targets,
             const std::vector<int>& bytes) {
    std::vector<PythonBuffer> kept;
    std::vector<MigratingField> fields;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        const PythonBuffer& from = kept.emplace_back(sources[i]);
        const void* const begin = from->buf;
        const PythonBuffer& to = kept.emplace_back(targets[i]);
        fields.push_back({begin, to->buf, {ElementKind::opaque, bytes[i]}});
    }
    const nb::gil_scoped_release release;
    plan.execute(Kokkos::DefaultHostExecutionSpace(), std::span<const MigratingField>(fields));
}

} // namespace

void register_migration(nb::module_& package) {
    using namespace nb::literals;
    nb::class_<MigrationPlan>(package, "Migration", "The compiled part of distview.MigrationPlan.")
        .def(
            "__init__",
            [](MigrationPlan* self, const Communicator& comm, nb::handle targets) {
                new (self) MigrationPlan(make_plan(comm, targets));
            },
            "comm"_a, "targets"_a, "A plan for the target ranks in a buffer of C ints. Collective.")
        .def("execute", &execute, "sources"_a, "targets"_a, "bytes"_a,
             "Moves elements between buffers; bytes: size of an element, by buffer. Collective.")
        .def_prop_ro("size", &MigrationPlan::size,
                     "Number of elements of this rank after an execution.")
        .def_prop_ro("source_size", &MigrationPlan::source_size,
                     "Number of elements of this rank before an execution.")
        .def_prop_ro("kept", &MigrationPlan::kept, "Number of elements that stay on this rank.")
        .def("describe", &MigrationPlan::describe, "See distview.MigrationPlan.describe().");
}

} // namespace distview::python
