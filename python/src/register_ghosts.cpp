// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "elements.hpp"
#include "errors.hpp"
#include "registers.hpp"
#include "write_export.hpp"

#include <distview/comm/ghost_exchange_plan.hpp>
#include <distview/core/array_layout.hpp>

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace distview::python {

namespace {

using Ghosts = ElementsPlan<GhostExchangePlan>;

std::vector<std::int64_t> indices_in(nb::handle indices) {
    const PythonBuffer items(indices);
    const std::span<const std::int64_t> all = integers_in(items);
    return {all.begin(), all.end()};
}

GhostedLayout layout_with_ghosts(const Communicator& comm, nb::handle owned, nb::handle needed,
                                 const std::vector<std::int64_t>& more_axes) {
    std::vector<std::int64_t> own, others;
    std::vector<AxisSpec> axes;
    Failure failure;
    try {
        own = indices_in(owned);
        others = indices_in(needed);
        for (const std::int64_t extent : more_axes) axes.push_back(block(extent));
    } catch (...) {
        failure = current_failure();
    }
    agree(comm, "make_ghosted_layout", failure, 0);
    const nb::gil_scoped_release release;
    return make_ghosted_layout(comm, own, others, axes);
}

// Python calls these functions after it has checked the arguments on all ranks.

void fill_ghosts(Ghosts& plan, const Array& array) {
    const AnyDistView view = array.state->view("GhostExchangePlan.execute");
    const nb::gil_scoped_release release;
    plan.plan.execute(ElementsExec(), view);
}

std::shared_ptr<ExchangeInFlight> start_filling(Ghosts& plan, const Array& array) {
    const AnyDistView view = array.state->view("GhostExchangePlan.start");
    std::unique_ptr<ExchangeInFlight::Work> work;
    {
        const nb::gil_scoped_release release;
        work = work_of(plan.plan.start(ElementsExec(), view), {view});
    }
    auto started = ExchangeInFlight::begin(std::move(work));
    plan.last = started;
    return started;
}

void combine_ghosts(Ghosts& plan, const Combination& combination, const Array& array) {
    const AnyDistView view = array.state->view("GhostExchangePlan.combine");
    const nb::gil_scoped_release release;
    execute_combination(plan.plan, combination.update, view);
}

} // namespace

void register_ghosts(nb::module_& package) {
    using namespace nb::literals;
    nb::class_<GhostedLayout>(package, "GhostedLayout",
                              "Owned indices, followed by ghosts: copies of other processes' "
                              "elements. Made by make_ghosted_layout().\n\n"
                              "Local (not collective): no method communicates.")
        .def_ro("layout", &GhostedLayout::layout, "The layout of arrays.")
        .def_ro("owned", &GhostedLayout::owned, "Positions [0, owned) of the section are owned.")
        .def_ro("ghosts", &GhostedLayout::ghosts,
                "Positions [owned, owned + ghosts) are ghosts, by ascending index.")
        .def_prop_ro(
            "positions", [](const GhostedLayout& self) { return int64_array(self.positions); },
            nb::sig("def positions(self) -> numpy.typing.NDArray[numpy.int64]"),
            "The position of each needed index in the section.");
    package.def("ghosted_layout", &layout_with_ghosts, "comm"_a, "owned"_a, "needed"_a,
                "more_axes"_a, "owned, needed: buffers of int64. Collective.");
    nb::class_<Ghosts>(package, "Ghosts", "The compiled part of distview.GhostExchangePlan.")
        .def(
            "__init__",
            [](Ghosts* self, const Communicator& comm, const GhostedLayout& layout) {
                const nb::gil_scoped_release release;
                new (self) Ghosts{GhostExchangePlan(comm, layout)};
            },
            "comm"_a, "layout"_a, "Collective.")
        .def("check", &check_elements_of<GhostExchangePlan>, "array"_a, "caller"_a,
             "Raises unless the array fits the plan; waits for work on its memory. Local.")
        .def("execute", &fill_ghosts, "array"_a, "Fills the ghosts. Collective.")
        .def("start", &start_filling, "array"_a, "Begins execute(). Collective.")
        .def("combine", &combine_ghosts, "combination"_a, "array"_a,
             "Combines owners' elements with their ghosts. Collective.")
        .def(
            "describe", [](const Ghosts& self) { return self.plan.describe(); },
            "See distview.GhostExchangePlan.describe().");
}

} // namespace distview::python
