// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "array.hpp"
#include "redistribution.hpp"
#include "registers.hpp"

#include <distview/core/axis_slice.hpp>
#include <distview/core/error.hpp>
#include <distview/core/text.hpp>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace distview::python {

namespace {

/// (begin, count, step) by axis.
using Slices = std::vector<std::tuple<std::int64_t, std::int64_t, std::int64_t>>;

std::vector<AxisSlice> axis_slices(const Slices& slices) {
    std::vector<AxisSlice> result;
    for (const auto& [begin, count, step] : slices) result.push_back({begin, count, step});
    return result;
}

std::shared_ptr<ArrayState> state_of(const char* caller, nb::handle object, const char* which) {
    Array* array = nullptr;
    require<UsageError>(nb::try_cast(object, array) && array, [&] {
        return text(caller, ": expected the ", which, " to be a DistView, got ",
                    name_of_type(object));
    });
    return array->state;
}

/// Calls `method`, start() or execute(), with Python's arguments.
template <class Method>
auto redistribute(const char* caller, Method method, Redistribution& self, nb::handle source,
                  nb::handle target, nb::handle alpha, nb::handle beta, nb::handle combine,
                  const nb::callable& convert) {
    std::shared_ptr<ArrayState> from;
    std::shared_ptr<ArrayState> to;
    Failure failure;
    try {
        from = state_of(caller, source, "source");
        to = state_of(caller, target, "target");
    } catch (...) {
        failure = current_failure();
    }
    return (self.*method)(
        caller, from, to, std::move(failure),
        [&](const ElementType& element) {
            return read_update(alpha, beta, combine, self.conjugates(), element, caller);
        },
        [&] { return state_of(caller, convert(), "source"); });
}

} // namespace

void register_redistribution(nb::module_& package) {
    using namespace nb::literals;
    nb::class_<Redistribution>(package, "Redistribution",
                               "The compiled part of distview.RedistributionPlan.")
        .def(
            "__init__",
            [](Redistribution* self, const std::optional<Communicator>& comm,
               const ArrayLayout& source, const ArrayLayout& target,
               const std::vector<int>& permutation, const Slices& from_slice,
               const Slices& to_slice, bool fill_padding, bool conjugate, bool in_place,
               std::int64_t buffer_bytes, bool allow_missing_indices) {
                new (self) Redistribution(comm, source, target,
                                          {.permutation = permutation,
                                           .from_slice = axis_slices(from_slice),
                                           .to_slice = axis_slices(to_slice),
                                           .allow_missing_indices = allow_missing_indices,
                                           .fill_padding = fill_padding,
                                           .conjugate = conjugate,
                                           .in_place = in_place,
                                           .buffer_bytes = buffer_bytes});
            },
            "comm"_a.none(), "source"_a, "target"_a, "permutation"_a, "from_slice"_a, "to_slice"_a,
            "fill_padding"_a, "conjugate"_a, "in_place"_a, "buffer_bytes"_a,
            "allow_missing_indices"_a,
            "Slices are (begin, count, step) by axis, (0, -1, 1) for none. Collective if comm is "
            "given.")
        .def(
            "start",
            [](Redistribution& self, nb::handle source, nb::handle target, nb::handle alpha,
               nb::handle beta, nb::handle combine, const nb::callable& convert) {
                return redistribute("RedistributionPlan.start", &Redistribution::start, self,
                                    source, target, alpha, beta, combine, convert);
            },
            "source"_a.none(), "target"_a.none(), "alpha"_a.none(), "beta"_a.none(),
            "combine"_a.none(), "convert"_a,
            "Collective; see RedistributionPlan.start(). convert: copies the source to a DistView "
            "with the target's element type.")
        .def(
            "execute",
            [](Redistribution& self, nb::handle source, nb::handle target, nb::handle alpha,
               nb::handle beta, nb::handle combine, const nb::callable& convert) {
                redistribute("RedistributionPlan.execute", &Redistribution::execute, self, source,
                             target, alpha, beta, combine, convert);
            },
            "source"_a.none(), "target"_a.none(), "alpha"_a.none(), "beta"_a.none(),
            "combine"_a.none(), "convert"_a, "start() and finish(). Collective.")
        .def("describe", &Redistribution::describe, "See RedistributionPlan.describe().")
        .def_prop_ro(
            "source_layout",
            [](const Redistribution& self) { return self.schedule().from_layout(); },
            "The layout of the source.")
        .def_prop_ro(
            "target_layout", [](const Redistribution& self) { return self.schedule().to_layout(); },
            "The layout of the target.")
        .def_prop_ro(
            "elements", [](const Redistribution& self) { return self.schedule().elements(); },
            "Number of elements that an execution moves, those that stay on their process "
            "included.")
        .def_prop_ro(
            "wire_elements",
            [](const Redistribution& self) { return self.schedule().wire_elements(); },
            "Number of these elements that change their process.");
    package.def(
        "slice_array",
        [](const Array& array, const Slices& slices) {
            return Array{array.state->sliced(axis_slices(slices))};
        },
        "array"_a, "slices"_a,
        "A slice of an array, (begin, count, step) by axis, over the same memory. Local.");
}

} // namespace distview::python
