// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "array.hpp"
#include "array_slots.hpp"
#include "integer.hpp"
#include "registers.hpp"
#include "write_export.hpp"

#include <distview/core/error.hpp>
#include <distview/core/text.hpp>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace distview::python {

namespace {

const AxisOfSection& axis_of(const Array& self, const char* caller, int axis) {
    const auto& axes = self.state->axes();
    require<AxisError>(axis >= 0 && axis < self.state->rank(), [&] {
        return text(caller, ": expected an axis in [0, ", axes.size(), "), got ", axis);
    });
    return axes[static_cast<std::size_t>(axis)];
}

template <class Tuple, class Function>
Tuple per_axis(const Array& self, Function&& function) {
    nb::list result;
    for (const AxisOfSection& axis : self.state->axes()) result.append(function(axis));
    return Tuple(result);
}

IntTuple numbers_tuple(const std::vector<std::int64_t>& values) {
    nb::list result;
    for (const std::int64_t value : values) result.append(nb::int_(value));
    return IntTuple(result);
}

IntPair pair(std::int64_t first, std::int64_t second) {
    return IntPair(nb::make_tuple(first, second));
}

Dictionary export_dictionary(nb::handle self, const Array& array,
                             const protocol::Version& version) {
    const AnySection& section = array.state->section();
    if (!section.device.host_accessible()) {
        PyErr_SetString(PyExc_BufferError,
                        "__distarray__: this view is in device memory, which the protocol does not "
                        "support: copy it to the host, or use __cuda_array_interface__ or "
                        "__dlpack__ for the section and dim_data for its place in the whole");
        throw nb::python_error();
    }
    if (array.state->stream() != no_stream) // an export cannot name a stream
        nb::module_::import_("distview._device")
            .attr("settle")(self, "__distarray__", nb::handle(PyExc_BufferError));
    nb::dict result;
    result["__version__"] = to_string(version);
    result["buffer"] = nb::getattr(self, "view");
    result["dim_data"] = dim_data_tuple(array.state->dim_data(version));
    return nb::borrow<Dictionary>(result);
}

/// The number, in C order, of the process at these coordinates. A Python integer: the grid of an export may have any
/// number of processes.
template <class Coordinate>
nb::int_ number_in_grid(const Array& array, Coordinate&& coordinate) {
    nb::object number = nb::int_(0);
    for (const AxisOfSection& axis : array.state->axes())
        number = number * nb::int_(axis.grid_size) + nb::int_(coordinate(axis));
    return nb::int_(number);
}

void add_shape_properties(nb::class_<Array>& type) {
    using Axis = const AxisOfSection&;
    type.def_prop_ro(
        "ndim", [](const Array& self) { return self.state->rank(); }, "Number of axes.");
    type.def_prop_ro(
        "shape",
        [](const Array& self) {
            const ArrayLayout& layout = self.state->view("shape").layout();
            nb::list result;
            for (int d = 0; d < layout.rank(); ++d) result.append(nb::int_(layout.extent(d)));
            return IntTuple(result);
        },
        "Number of elements of the whole array along each axis, without boundary padding.");
    type.def_prop_ro(
        "protocol_shape",
        [](const Array& self) {
            return per_axis<IntTuple>(self, [](Axis a) { return nb::int_(a.protocol_size); });
        },
        "Number of elements of the whole array along each axis with boundary padding: the "
        "protocol's\n"
        "size in version 0.10, or in the version of the import if the section is not attached.");
    type.def_prop_ro(
        "local_shape",
        [](const Array& self) { return numbers_tuple(self.state->section().extents); },
        "Extents of this process's section, all padding included.");
    type.def_prop_ro(
        "strides", [](const Array& self) { return numbers_tuple(self.state->section().strides); },
        "Strides of the section in bytes.");
    type.def_prop_ro(
        "grid",
        [](const Array& self) {
            return per_axis<IntTuple>(self, [](Axis a) { return nb::int_(a.grid_size); });
        },
        "Number of processes along each axis.");
    type.def_prop_ro(
        "coordinates",
        [](const Array& self) {
            return per_axis<IntTuple>(self, [](Axis a) { return nb::int_(a.grid_rank); });
        },
        "Coordinates of this process in the grid.");
    type.def_prop_ro(
        "process",
        [](const Array& self) { return number_in_grid(self, [](Axis a) { return a.grid_rank; }); },
        "This process's number in the grid, which is its rank in the communicator.");
    type.def_prop_ro(
        "process_count",
        [](const Array& self) {
            const nb::int_ last = number_in_grid(self, [](Axis a) { return a.grid_size - 1; });
            return nb::int_(last + nb::int_(1));
        },
        "Number of processes that share the array.");
    type.def_prop_ro(
        "padding",
        [](const Array& self) {
            return per_axis<IntPairs>(self, [](Axis a) {
                return pair(a.communication.low + a.boundary.low,
                            a.communication.high + a.boundary.high);
            });
        },
        "(low, high) widths of this section's boundary or communication padding along each axis.");
    type.def_prop_ro(
        "periodic",
        [](const Array& self) {
            return per_axis<BoolTuple>(self, [](Axis a) { return nb::bool_(a.periodic); });
        },
        "Whether each axis is periodic.");
    type.def_prop_ro(
        "types",
        [](const Array& self) {
            std::string result;
            for (const AxisOfSection& axis : self.state->axes())
                result += static_cast<char>(axis.type);
            return result;
        },
        "The axes' dist_types, one letter each.");
    type.def(
        "owned_range",
        [](const Array& self, Integer<int> axis) {
            const LocalRange range = axis_of(self, "owned_range", axis).owned();
            return pair(range.begin.value(), range.end.value());
        },
        nb::arg("axis"), "(begin, end) of the positions in the section that are owned. Local.");
    type.def(
        "interior_range",
        [](const Array& self, Integer<int> axis) {
            const LocalRange range = axis_of(self, "interior_range", axis).interior();
            return pair(range.begin.value(), range.end.value());
        },
        nb::arg("axis"),
        "(begin, end) of the positions in the section without any padding. Local.");
    type.def(
        "section_indices",
        [](const Array& self, Integer<int> axis) {
            return int64_array(self.state->global_indices(axis));
        },
        nb::arg("axis"),
        nb::sig("def section_indices(self, axis: int) -> numpy.typing.NDArray[numpy.int64]"),
        "The global index of every position of the section along an axis, padding included.\n"
        "Boundary padding has negative indices and indices from the size on. Local.");
    type.def(
        "section_protocol_indices",
        [](const Array& self, Integer<int> axis) {
            return int64_array(self.state->protocol_indices(axis));
        },
        nb::arg("axis"),
        nb::sig("def section_protocol_indices(self, axis: int) -> "
                "numpy.typing.NDArray[numpy.int64]"),
        "The same indices as the protocol counts them: from the first element of the boundary\n"
        "padding. Local.");
}

void add_memory_properties(nb::class_<Array>& type) {
    type.def_prop_ro(
        "typestr", [](const Array& self) { return typestr_of(self.state->section().element); },
        "NumPy's type string of an element.");
    type.def_prop_ro(
        "format", [](const Array& self) { return self.state->format(); },
        "struct format of an element.");
    type.def_prop_ro(
        "itemsize", [](const Array& self) { return self.state->section().element.bytes; },
        "Bytes of an element.");
    type.def_prop_ro(
        "readonly", [](const Array& self) { return self.state->section().read_only; },
        "Whether the section must not be written.");
    type.def_prop_ro(
        "device",
        [](const Array& self) {
            const Device device = self.state->section().device;
            return IntPair(nb::make_tuple(static_cast<int>(device.type), device.id));
        },
        "(type, id) of the memory's device, DLPack's numbers: (1, 0) is the host.");
    type.def_prop_ro(
        "data_pointer",
        [](const Array& self) {
            return reinterpret_cast<std::uintptr_t>(self.state->section().data);
        },
        "Address of the section's first element.");
    type.def_prop_rw(
        "stream", [](const Array& self) { return self.state->stream(); },
        [](const Array& self, std::optional<StreamNumber> stream) {
            self.state->set_stream(stream.value_or(no_stream));
        },
        nb::for_setter(nb::arg("stream").none().noconvert()),
        "Stream on which the memory may still be read or written; 0 if none.\n\n"
        "Numbered as in the CUDA Array Interface: 1 legacy default, 2 per-thread default, else a\n"
        "handle. Exports make consumers wait for it, and calls of this package wait for it. Set "
        "it\n"
        "if other libraries work on the array on their own streams.");
    type.def_prop_ro(
        "is_contiguous", [](const Array& self) { return self.state->section().is_contiguous(); },
        "Whether the section is without gaps in C order.");
}

std::shared_ptr<ArrayState> state_of(const std::string& caller, nb::handle object) {
    Array* array = nullptr;
    require<UsageError>(nb::try_cast(object, array) && array, [&] {
        return text(caller, ": expected DistViews, got ", name_of_type(object));
    });
    return array->state;
}

/// The states of other arrays, and the error if one of them is not an array.
std::pair<std::vector<std::shared_ptr<ArrayState>>, Failure> states_of(const std::string& caller,
                                                                       const nb::list& arrays) {
    std::pair<std::vector<std::shared_ptr<ArrayState>>, Failure> result;
    try {
        for (const nb::handle array : arrays) result.first.push_back(state_of(caller, array));
    } catch (...) {
        result.second = current_failure();
    }
    return result;
}

void add_validity(nb::class_<Array>& type) {
    type.def_prop_ro(
        "valid_padding",
        [](const Array& self) {
            const ValidPadding valid = self.state->view("valid_padding").valid_padding();
            nb::list result;
            for (int axis = 0; axis < self.state->rank(); ++axis)
                result.append(pair(valid.depth(axis).low, valid.depth(axis).high));
            return IntPairs(result);
        },
        "(low, high) depths along each axis to which padding equals the elements of its owners, as "
        "far\n"
        "as the library knows: since elements were last written. The same on all ranks.");
    type.def_prop_ro(
        "has_valid_corners",
        [](const Array& self) {
            return self.state->view("has_valid_corners").valid_padding().has_corners();
        },
        "Whether valid_padding also holds for elements that are padding along several axes.");
    type.def(
        "mark_written", [](const Array& self) { self.state->view("mark_written").mark_written(); },
        "Reports that elements were written in a way that the library does not see, through view,\n"
        "owned, interior or another library: no padding is valid. All ranks must call it.\n\n"
        "Local; if only some ranks call it, the next require_padding() raises an error.");
    type.def(
        "set_label",
        [](const Array& self, const std::string& label) {
            self.state->view("set_label").set_label(label);
        },
        nb::arg("label"),
        "Sets the name of the array in messages of check_padding(), which else show a number.\n"
        "Has no effect on an array that was made while check_padding() was off. Local.");
    type.def(
        "_mark_padding_valid",
        [](const Array& self, const std::vector<std::pair<std::int64_t, std::int64_t>>& depths,
           bool corners) {
            ValidPadding valid;
            for (std::size_t d = 0; d < depths.size(); ++d)
                valid.set_depth(static_cast<int>(d), {depths[d].first, depths[d].second});
            valid.set_corners(corners);
            self.state->view("mark_padding_valid").mark_padding_valid(valid);
        },
        nb::arg("depths"), nb::arg("corners"), "Local; see DistView.mark_padding_valid().");
}

void add_protocol(nb::class_<Array>& type) {
    type.def_prop_ro(
        "attached", [](const Array& self) { return self.state->attached(); },
        "Whether all processes have agreed on the layout.");
    type.def_prop_ro(
        "layout",
        [](const Array& self) -> std::optional<ArrayLayout> {
            if (!self.state->attached()) return {};
            return self.state->view("layout").layout();
        },
        "The layout of the whole array; None if only this process's section is known.");
    type.def_prop_ro(
        "dim_data",
        [](const Array& self) { return dim_data_tuple(self.state->dim_data(protocol::v0_10_0)); },
        "The protocol's dimension dictionaries of this process, version 0.10.0.");
    type.def(
        "dap",
        [](nb::handle self, const std::string& version) {
            return export_dictionary(self, *nb::cast<Array*>(self),
                                     protocol::writable_version(version));
        },
        nb::arg("version") = "0.10.0",
        "The result of __distarray__() in a version of the protocol: \"0.10.0\" or \"0.9.0\".\n\n"
        "Local (not collective); no copy.");
    type.def(
        "__distarray__",
        [](nb::handle self) {
            return export_dictionary(self, *nb::cast<Array*>(self), protocol::v0_10_0);
        },
        "The Distributed Array Protocol's export, version 0.10.0. Local (not collective); no "
        "copy.");
    type.def_prop_ro(
        "_number", [](const Array& self) { return self.state->number(); },
        "The number of the array, the same on all ranks if they made, attached and sliced their\n"
        "arrays in the same order; 0 without a communicator.");
    type.def(
        "_attach", [](const Array& self, const Communicator& comm) { self.state->attach(comm); },
        nb::arg("comm"), "Collective; see DistView.attach().");
    type.def(
        "_start_exchange",
        [](const Array& self, const std::string& caller, const nb::list& others,
           nb::handle stencil) {
            auto [states, failure] = states_of(caller, others);
            const std::shared_ptr<ArrayState> held = self.state;
            return held->start_exchange(caller.c_str(), states, stencil, std::move(failure));
        },
        nb::arg("caller"), nb::arg("others"), nb::arg("stencil").none(),
        "Collective; see DistView.start_exchange().");
    type.def(
        "_exchange_padding",
        [](const Array& self, const nb::list& others, nb::handle stencil) {
            auto [states, failure] = states_of("exchange_padding", others);
            const std::shared_ptr<ArrayState> held = self.state;
            held->exchange_padding(states, stencil, std::move(failure));
        },
        nb::arg("others"), nb::arg("stencil").none(),
        "Collective; see DistView.exchange_padding().");
    type.def(
        "_require_padding",
        [](const Array& self, nb::handle depth, const nb::list& others, nb::handle stencil) {
            auto [states, failure] = states_of("require_padding", others);
            const std::shared_ptr<ArrayState> held = self.state;
            return held->require_padding(depth, states, stencil, std::move(failure));
        },
        nb::arg("depth").none(), nb::arg("others"), nb::arg("stencil").none(),
        "Collective; see DistView.require_padding().");
    type.def(
        "_combine_padding",
        [](const Array& self, const nb::list& others, nb::handle operation, nb::handle stencil) {
            auto [states, failure] = states_of("combine_padding", others);
            const std::shared_ptr<ArrayState> held = self.state;
            held->combine_padding(states, operation, stencil, std::move(failure));
        },
        nb::arg("others"), nb::arg("operation").none(), nb::arg("stencil").none(),
        "Collective; see DistView.combine_padding().");
}

} // namespace

void register_array(nb::module_& package) {
    nb::class_<ExchangeInFlight>(
        package, "ExchangeInFlight",
        "The work that start_exchange() and RedistributionPlan.start() leave to finish().")
        .def("finish", &ExchangeInFlight::finish, nb::call_guard<nb::gil_scoped_release>(),
             "Collective; see PaddingExchange.finish() and Redistribution.finish().")
        .def("abandon", &ExchangeInFlight::abandon,
             "Abandons the exchange without waiting for other ranks. Local.")
        .def_prop_ro("is_in_flight", &ExchangeInFlight::is_in_flight, "Local.");
    nb::class_<Array> type(package, "Array", nb::type_slots(array_slots),
                           nb::is_weak_referenceable(),
                           "One process's section of a distributed array; base of DistView.");
    type.def(
        "__init__", [](Array* self, const Array& other) { new (self) Array{other.state}; },
        nb::arg("other"), "Another name for the same section.");
    add_shape_properties(type);
    add_memory_properties(type);
    add_validity(type);
    add_protocol(type);
}

} // namespace distview::python
