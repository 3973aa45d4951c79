// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An extension module that accepts distributed arrays from Python: heat_stencil.step(now, later, speed)
// computes the interior of `later` from `now`, in place. It uses the C struct of distview/dap.h and
// does not depend on the module that made the arrays.

#include <distview/core/protocol/canonical.hpp>
#include <distview/core/protocol/dap.hpp>

#include <nanobind/nanobind.h>

#include <Kokkos_Core.hpp>

#include <stdexcept>

namespace nb = nanobind;
using namespace distview;

using Exec = Kokkos::DefaultHostExecutionSpace;
using Section =
    Kokkos::View<double**, Kokkos::LayoutRight, Exec::memory_space, Kokkos::MemoryUnmanaged>;

/// One process's section during a step: its owner, its data, its interior.
struct Plate {
    protocol::ExportedSection exported;
    Section data;
    LocalRange rows;
    LocalRange columns;
};

LocalRange interior(const protocol::ExportedSection& exported, std::size_t axis) {
    const std::int64_t extent = exported.section.extents[axis];
    const protocol::CanonicalAxis is =
        protocol::canonical_axis(exported.version, exported.dim_data[axis], extent);
    return {LocalIndex(is.communication.low + is.edges.low),
            LocalIndex(extent - is.communication.high - is.edges.high)};
}

Plate take(nb::handle array) {
    const nb::object capsule = array.attr("__dap_capsule__")();
    void* section = PyCapsule_GetPointer(capsule.ptr(), "distview_dap_section");
    if (!section) throw nb::python_error();
    // from_dap() moves the section out; afterwards the capsule must not be used again.
    protocol::ExportedSection exported =
        protocol::from_dap(static_cast<distview_dap_section*>(section));
    PyCapsule_SetName(capsule.ptr(), "used_distview_dap_section");

    const AnySection& memory = exported.section;
    if (memory.rank() != 2 || !(memory.element == element_type<double>()) ||
        !memory.is_contiguous() || !memory.device.host_accessible() || memory.read_only)
        throw std::invalid_argument("heat_stencil: expected two axes of float64 in C order");
    const Section data(static_cast<double*>(memory.data),
                       static_cast<std::size_t>(memory.extents[0]),
                       static_cast<std::size_t>(memory.extents[1]));
    return {exported, data, interior(exported, 0), interior(exported, 1)};
}

void step(nb::handle now, nb::handle later, double speed) {
    const Plate from = take(now);
    const Plate to = take(later);
    if (!(from.rows == to.rows && from.columns == to.columns))
        throw std::invalid_argument("heat_stencil: expected two arrays of one layout");
    if (from.rows.begin < 1 || from.columns.begin < 1 || from.data.extent_int(0) <= from.rows.end ||
        from.data.extent_int(1) <= from.columns.end)
        throw std::invalid_argument("heat_stencil: expected padding on every side");
    const Section t = from.data;
    const Section next = to.data;
    const Exec exec;
    Kokkos::parallel_for(
        "heat_stencil::step",
        Kokkos::MDRangePolicy<Exec, Kokkos::Rank<2>>(
            exec, {from.rows.begin.value(), from.columns.begin.value()},
            {from.rows.end.value(), from.columns.end.value()}),
        KOKKOS_LAMBDA(int i, int j) {
            const double neighbours = t(i - 1, j) + t(i + 1, j) + t(i, j - 1) + t(i, j + 1);
            next(i, j) = t(i, j) + speed * (neighbours - 4.0 * t(i, j));
        });
    exec.fence("heat_stencil::step: Python reads the result");
}

NB_MODULE(heat_stencil, extension) {
    // Starts Kokkos unless distview, which may share it, has started it.
    if (!Kokkos::is_initialized()) {
        Kokkos::initialize();
        nb::module_::import_("atexit").attr("register")(nb::cpp_function([] {
            if (!Kokkos::is_finalized()) Kokkos::finalize();
        }));
    }
    extension.def("step", &step, nb::arg("now"), nb::arg("later"), nb::arg("speed"),
                  "Computes the interior of `later` from `now`. Local (not collective).");
}
