// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "errors.hpp"
#include "integer.hpp"
#include "layout_state.hpp"
#include "registers.hpp"
#include "write_export.hpp"

#include <distview/core/array_layout.hpp>
#include <distview/core/draw.hpp>
#include <distview/core/error.hpp>
#include <distview/core/protocol/convert.hpp>
#include <distview/core/protocol/version.hpp>
#include <distview/core/text.hpp>

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace distview::python {

namespace {

int checked_axis(const ArrayLayout& layout, int axis) {
    require<AxisError>(axis >= 0 && axis < layout.rank(), [&] {
        return text("Layout: expected an axis in [0, ", layout.rank(), "), got ", axis);
    });
    return axis;
}

int checked_process(const ArrayLayout& layout, int process) {
    require<UsageError>(process >= 0 && process < layout.process_count(), [&] {
        return text("Layout: expected a process in [0, ", layout.process_count(), "), got ",
                    process);
    });
    return process;
}

int coordinate(const ArrayLayout& layout, int axis, int process) {
    checked_axis(layout, axis);
    checked_process(layout, process);
    const int r = layout.coordinates(process)[static_cast<std::size_t>(axis)];
    const AxisLayout& from = layout.axis(axis);
    const int known =
        from.type() == DistType::unstructured ? from.as_unstructured().known_process() : -1;
    require<UsageError>(known < 0 || r == known, [&] {
        return text("Layout: axis ", axis, " has the indices of process ", known,
                    " of the axis only: expected a process there, got process ", process);
    });
    return r;
}

IntPair range_tuple(const LocalRange& range) {
    return IntPair(nb::make_tuple(range.begin.value(), range.end.value()));
}

std::vector<std::int64_t> global_indices(const ArrayLayout& layout, int axis, int process) {
    const int r = coordinate(layout, axis, process);
    const AxisLayout& from = layout.axis(axis);
    std::vector<std::int64_t> result(static_cast<std::size_t>(from.local_extent(r)));
    for (std::size_t l = 0; l < result.size(); ++l)
        result[l] = from.to_global(r, LocalIndex(static_cast<std::int64_t>(l))).value();
    return result;
}

/// An index, or indices. Accepts integers only: nanobind's own conversion would truncate other numbers.
std::vector<std::int64_t> index_from(nb::handle given) {
    std::vector<std::int64_t> result;
    const auto add = [&](nb::handle number) {
        const nb::object integer = nb::steal(PyNumber_Index(number.ptr()));
        if (!integer) throw nb::python_error();
        const long long value = PyLong_AsLongLong(integer.ptr());
        if (value == -1 && PyErr_Occurred()) throw nb::python_error();
        result.push_back(value);
    };
    if (PyIndex_Check(given.ptr()) && !PySequence_Check(given.ptr())) // arrays are sequences
        add(given);
    else
        for (const nb::handle number : nb::iter(given)) add(number);
    return result;
}

int owner(const ArrayLayout& layout, nb::handle given) {
    const std::vector<std::int64_t> index = index_from(given);
    require<UsageError>(static_cast<int>(index.size()) == layout.rank(), [&] {
        return text("Layout.owner: expected ", layout.rank(), " indices, got ", index.size());
    });
    std::vector<GlobalIndex> at;
    for (std::size_t d = 0; d < index.size(); ++d) {
        const AxisLayout& axis = layout.axis(static_cast<int>(d));
        at.emplace_back(index[d]);
        require<UsageError>(axis.type() != DistType::unstructured ||
                                axis.as_unstructured().known_process() < 0,
                            [&] {
                                return text("Layout.owner: expected the indices of all processes "
                                            "along axis ",
                                            d, ", got a layout with the indices of one");
                            });
        const GlobalRange all = axis.global_range();
        require<UsageError>(axis.type() == DistType::unstructured || all.contains(at.back()), [&] {
            return text("Layout.owner: expected an index in [", all.begin.value(), ", ",
                        all.end.value(), ") along axis ", d, ", got ", index[d]);
        });
    }
    return layout.owner(at);
}

std::string types(const ArrayLayout& layout) {
    std::string result;
    for (int d = 0; d < layout.rank(); ++d) result += static_cast<char>(layout.axis(d).type());
    return result;
}

template <class Tuple, class Function>
Tuple per_axis(const ArrayLayout& layout, Function&& function) {
    nb::list result;
    for (int d = 0; d < layout.rank(); ++d) result.append(function(d));
    return Tuple(result);
}

/// Lets error texts that begin with a class of core begin with `caller` instead.
template <class Action>
ArrayLayout named(const char* caller, Action&& action) {
    try {
        return action();
    } catch (const LayoutError& error) {
        const std::string_view words = error.what();
        const std::size_t colon = words.find(": ");
        const std::string_view name = words.substr(0, colon);
        if (name != "ArrayLayout" && name != "ProcessGrid" && name != "permute_axes") throw;
        throw LayoutError(text(caller, words.substr(colon)));
    }
}

} // namespace

void register_layout(nb::module_& package) {
    using namespace nb::literals;
    nb::class_<ArrayLayout>(
        package, "Layout",
        "The distribution of a whole array over a process grid. A value: equal layouts compare "
        "equal.\n\n"
        "Sizes and global indices count the interior, from 0: boundary padding has negative\n"
        "indices and indices from the size on. Processes are numbered in C order over the grid,\n"
        "the last axis fastest.\n"
        "Local (not collective): no method communicates.")
        .def(
            "__init__",
            [](ArrayLayout* self, nb::handle grid, nb::handle axes) {
                new (self)
                    ArrayLayout(named("Layout", [&] { return layout_of_state(grid, axes); }));
            },
            "grid"_a.none(), "axes"_a.none(),
            nb::sig("def __init__(self, grid: collections.abc.Sequence[int], "
                    "axes: collections.abc.Sequence[dict]) -> None"),
            "A layout from the plain values in a pickle; programs use distview.make_layout().\n\n"
            "Raises LayoutError.")
        .def(
            "__reduce__",
            [](nb::handle self) {
                ArrayLayout const* layout = nullptr;
                if (!nb::try_cast<ArrayLayout const*>(self, layout) || !layout)
                    throw nb::type_error("Layout.__reduce__: this layout was never made");
                return nb::make_tuple(self.type(), state_of_layout(*layout));
            },
            "The constructor and its arguments: layouts can be pickled, and sent to other ranks.")
        .def_prop_ro("rank", &ArrayLayout::rank, "Number of axes.")
        .def_prop_ro(
            "grid",
            [](const ArrayLayout& self) {
                return per_axis<IntTuple>(self,
                                          [&](int d) { return nb::int_(self.grid().extent(d)); });
            },
            "Number of processes along each axis.")
        .def_prop_ro("process_count", &ArrayLayout::process_count, "Number of processes.")
        .def_prop_ro(
            "shape",
            [](const ArrayLayout& self) {
                return per_axis<IntTuple>(self, [&](int d) { return nb::int_(self.extent(d)); });
            },
            "Number of elements along each axis, without boundary padding.")
        .def_prop_ro(
            "protocol_shape",
            [](const ArrayLayout& self) {
                return per_axis<IntTuple>(self,
                                          [&](int d) { return nb::int_(self.protocol_size(d)); });
            },
            "Number of elements along each axis with boundary padding: the protocol's size.")
        .def_prop_ro("types", &types, "The axes' dist_types, one letter each: 'b', 'c' or 'u'.")
        .def_prop_ro(
            "periodic",
            [](const ArrayLayout& self) {
                return per_axis<BoolTuple>(
                    self, [&](int d) { return nb::bool_(self.axis(d).periodic()); });
            },
            "Whether each axis is periodic.")
        .def_prop_ro("fingerprint", &ArrayLayout::fingerprint,
                     "A 64-bit number that equal layouts share.")
        .def(
            "boundary",
            [](const ArrayLayout& self, Integer<int> axis) {
                const AxisLayout& from = self.axis(checked_axis(self, axis));
                return IntPair(nb::make_tuple(from.boundary_padding(0).low,
                                              from.boundary_padding(from.grid_size() - 1).high));
            },
            "axis"_a, "(low, high) widths of the boundary padding at the two ends of an axis.")
        .def(
            "coordinates",
            [](const ArrayLayout& self, Integer<int> process) {
                const GridCoordinates at = self.coordinates(checked_process(self, process));
                return per_axis<IntTuple>(
                    self, [&](int d) { return nb::int_(at[static_cast<std::size_t>(d)]); });
            },
            "process"_a, "Coordinates of a process in the grid.")
        .def(
            "local_shape",
            [](const ArrayLayout& self, Integer<int> process) {
                for (int d = 0; d < self.rank(); ++d) coordinate(self, d, process);
                const Extents extents = self.local_extents(checked_process(self, process));
                return per_axis<IntTuple>(
                    self, [&](int d) { return nb::int_(extents[static_cast<std::size_t>(d)]); });
            },
            "process"_a, "Extents of a process's section, all padding included.")
        .def(
            "owned_range",
            [](const ArrayLayout& self, Integer<int> axis, Integer<int> process) {
                return range_tuple(self.axis(axis).owned_local(coordinate(self, axis, process)));
            },
            "axis"_a, "process"_a,
            "(begin, end) of the positions in a section without communication padding.")
        .def(
            "interior_range",
            [](const ArrayLayout& self, Integer<int> axis, Integer<int> process) {
                return range_tuple(self.axis(axis).interior_local(coordinate(self, axis, process)));
            },
            "axis"_a, "process"_a,
            "(begin, end) of the positions in a section without any padding.")
        .def(
            "global_indices",
            [](const ArrayLayout& self, Integer<int> axis, Integer<int> process) {
                return int64_array(global_indices(self, axis, process));
            },
            "axis"_a, "process"_a,
            nb::sig("def global_indices(self, axis: int, process: int) -> "
                    "numpy.typing.NDArray[numpy.int64]"),
            "The global index of every position of a section along an axis, padding included.\n"
            "Boundary padding has negative indices and indices from the size on.")
        .def(
            "permuted",
            [](const ArrayLayout& self, const std::vector<Integer<int>>& axes) {
                return named("Layout.permuted", [&] {
                    return permute_axes(self, std::vector<int>(axes.begin(), axes.end()));
                });
            },
            "axes"_a,
            "The layout whose axis d is axis axes[d] of this layout, with the processes along it.")
        .def("owner", &owner, "index"_a,
             "The process that owns an element, given by one index for each axis; -1 for an "
             "unstructured\n"
             "index without an owner.")
        .def(
            "dim_data",
            [](const ArrayLayout& self, Integer<int> process, const std::string& version) {
                return dim_data_tuple(protocol::export_dim_data(
                    self, checked_process(self, process), protocol::writable_version(version)));
            },
            "process"_a, "version"_a = "0.10.0",
            "The protocol's dimension dictionaries of a process.")
        .def("__str__", [](const ArrayLayout& self) { return self.describe(); })
        .def("__repr__",
             [](const ArrayLayout& self) {
                 const auto name = [](DistType type) {
                     return type == DistType::block    ? "block"
                            : type == DistType::cyclic ? "cyclic"
                                                       : "unstructured";
                 };
                 std::string result = "<Layout";
                 for (int d = 0; d < self.rank(); ++d)
                     result += text(d == 0 ? " " : " x ", name(self.axis(d).type()), ' ',
                                    self.extent(d), " over ", self.grid().extent(d));
                 return result + '>';
             })
        .def(
            "describe", [](const ArrayLayout& self) { return draw(self); },
            "The layout in words and, for small arrays, a text picture of the owners.")
        .def(
            "__eq__",
            [](const ArrayLayout& self, nb::handle other) {
                ArrayLayout const* layout = nullptr;
                return nb::try_cast<ArrayLayout const*>(other, layout) && layout && self == *layout;
            },
            nb::arg("other").none())
        .def(
            "__hash__",
            [](const ArrayLayout& self) { return static_cast<Py_hash_t>(self.fingerprint() >> 1); })
        // A layout is immutable: it is its own copy.
        .def("__copy__", [](nb::handle self) { return nb::borrow(self); })
        .def(
            "__deepcopy__", [](nb::handle self, nb::handle) { return nb::borrow(self); }, "memo"_a);
    package.def(
        "describe_layout", [](const ArrayLayout& layout) { return draw(layout); }, "layout"_a,
        "Layout.describe().");
}

} // namespace distview::python
