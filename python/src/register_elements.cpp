// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device_work.hpp"
#include "elements.hpp"
#include "errors.hpp"
#include "registers.hpp"

#include <distview/comm/gather_plan.hpp>
#include <distview/comm/index_list.hpp>
#include <distview/core/any_dist_view.hpp>
#include <distview/core/array_layout.hpp>
#include <distview/core/error.hpp>
#include <distview/core/text.hpp>

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <vector>

namespace distview::python {

namespace {

/// (begin, count, step) by axis.
using IndexBox = std::vector<std::tuple<std::int64_t, std::int64_t, std::int64_t>>;

IndexList list_of(int rank, nb::handle indices, const IndexBox& box) {
    IndexList list(rank);
    if (box.empty()) {
        list.add_elements(integers_in(PythonBuffer(indices)));
        return list;
    }
    std::vector<IndexRange> ranges;
    for (const auto& [begin, count, step] : box)
        ranges.push_back({begin, begin + count * step, step});
    list.add_box(ranges);
    return list;
}

std::span<std::byte> bytes_of(const PythonBuffer& buffer) {
    return {static_cast<std::byte*>(buffer->buf), static_cast<std::size_t>(buffer->len)};
}

// Python calls these functions after it has checked the arguments on all ranks.

using Gathers = ElementsPlan<GatherPlan>;

Gathers gather_plan(const Communicator& comm, const ArrayLayout& layout, nb::handle indices,
                    const IndexBox& box) {
    IndexList list(layout.rank());
    Failure failure;
    try {
        list = list_of(layout.rank(), indices, box);
    } catch (...) {
        failure = current_failure();
    }
    agree(comm, "GatherPlan", failure, 0);
    const nb::gil_scoped_release release;
    return {GatherPlan(comm, layout, list)};
}

void gather_elements(Gathers& plan, const Array& array, nb::handle values) {
    const PythonBuffer list(values);
    const AnyDistView view = array.state->view("GatherPlan.execute");
    const nb::gil_scoped_release release;
    plan.plan.execute(ElementsExec(), view, bytes_of(list));
}

std::shared_ptr<ExchangeInFlight> start_gathering(Gathers& plan, const Array& array,
                                                  nb::handle values) {
    const PythonBuffer list(values);
    const AnyDistView view = array.state->view("GatherPlan.start");
    std::unique_ptr<ExchangeInFlight::Work> work;
    {
        const nb::gil_scoped_release release;
        work = work_of(plan.plan.start(ElementsExec(), view, bytes_of(list)), {view}, list.owner());
    }
    auto started = ExchangeInFlight::begin(std::move(work));
    plan.last = started;
    return started;
}

void replace_elements(Gathers& plan, nb::handle values, const Array& array) {
    const PythonBuffer list(values);
    const AnyDistView view = array.state->view("GatherPlan.put");
    const nb::gil_scoped_release release;
    plan.plan.put(ElementsExec(), bytes_of(list), view);
}

void combine_elements(Gathers& plan, const Combination& combination, nb::handle values,
                      const Array& array) {
    const PythonBuffer list(values);
    const AnyDistView view = array.state->view("GatherPlan.combine");
    const nb::gil_scoped_release release;
    execute_combination(plan.plan, combination.update, bytes_of(list), view);
}

} // namespace

void check_elements(const Communicator& comm, const ArrayLayout& layout, bool is_usable,
                    const std::weak_ptr<ExchangeInFlight>& last, const Array& array,
                    const std::string& caller) {
    require<UsageError>(is_usable, [&] {
        return text(caller, ": an earlier execution was abandoned or failed; this plan cannot be "
                            "used again, build a new one");
    });
    const std::shared_ptr<ExchangeInFlight> started = last.lock();
    require<UsageError>(!started || !started->is_in_flight(), [&] {
        return text(caller, ": an execution is in flight; first call finish() on the object that "
                            "start() returned");
    });
    const AnyDistView& view = array.state->view(caller.c_str());
    require<UsageError>(array.state->communicator() == comm, [&] {
        return text(caller, ": expected an array of the plan's communicator, got an array of "
                            "another one");
    });
    require<ShapeError>(view.layout() == layout, [&] {
        return text(caller, ": expected an array of the plan's layout, got a ",
                    view.layout().describe(), "\nthe plan is for a ", layout.describe(),
                    distview::impl::difference_of(view.layout(), layout));
    });
    require<ShapeError>(!array.state->holds_objects(), [&] {
        return text(caller, ": the elements are Python objects or addresses, which mean nothing to "
                            "other processes");
    });
    const AnySection section = array.state->pending_section();
    require<ShapeError>(section.device.host_accessible(), [&] {
        return text(caller, ": expected an array in memory that the host can access, got one in "
                            "the memory of a device");
    });
    const std::array sections{&section};
    begin_work(caller.c_str(), Kernels::host, sections);
}

void register_elements(nb::module_& package) {
    using namespace nb::literals;
    nb::class_<Combination>(package, "Combination",
                            "An operation that combines elements of a type.")
        .def(
            "__init__",
            [](Combination* self, const Array& array, nb::handle operation,
               const std::string& caller) {
                require<UsageError>(!operation.is_none(), [&] {
                    return text(caller,
                                ": expected operation to be 'sum', 'min' or 'max', got None");
                });
                new (self) Combination{read_update(nb::int_(1), nb::int_(0), operation, false,
                                                   array.state->section().element, caller.c_str(),
                                                   "operation")};
            },
            "array"_a, "operation"_a.none(), "caller"_a,
            "operation: 'sum', 'min' or 'max'. Local. Raises UsageError for others, and ShapeError "
            "if the array's elements do not support it.");
    nb::class_<Gathers>(package, "Gather", "The compiled part of distview.GatherPlan.")
        .def(
            "__init__",
            [](Gathers* self, const Communicator& comm, const ArrayLayout& layout,
               nb::handle indices, const IndexBox& box) {
                new (self) Gathers(gather_plan(comm, layout, indices, box));
            },
            "comm"_a, "layout"_a, "indices"_a, "box"_a,
            "indices: a buffer of int64, one number per axis for each element; box: instead "
            "(begin, count, step) by axis, or empty. Collective.")
        .def("check", &check_elements_of<GatherPlan>, "array"_a, "caller"_a,
             "Raises unless the array fits the plan; waits for work on its memory. Local.")
        .def("execute", &gather_elements, "array"_a, "values"_a,
             "Copies the elements to a writable buffer. Collective.")
        .def("start", &start_gathering, "array"_a, "values"_a, "Begins execute(). Collective.")
        .def("put", &replace_elements, "values"_a, "array"_a, "Writes the elements. Collective.")
        .def("combine", &combine_elements, "combination"_a, "values"_a, "array"_a,
             "Combines the elements with values. Collective.")
        .def_prop_ro(
            "size", [](const Gathers& self) { return self.plan.size(); },
            "Number of elements of this rank's list.")
        .def(
            "describe", [](const Gathers& self) { return self.plan.describe(); },
            "See distview.GatherPlan.describe().");
}

} // namespace distview::python
