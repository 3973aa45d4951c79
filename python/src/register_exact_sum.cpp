// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "python_objects.hpp"
#include "registers.hpp"

#include <distview/algorithms/exact_sum.hpp>
#include <distview/comm/communicator.hpp>
#include <distview/core/error.hpp>

#include <nanobind/stl/vector.h>

#include <cstddef>
#include <span>
#include <vector>

namespace distview::python {

namespace {

/// The numbers of a contiguous buffer of float64.
std::span<const double> numbers_of(const PythonBuffer& buffer) {
    require<ShapeError>(buffer.format() == "d" && PyBuffer_IsContiguous(&*buffer, 'C') != 0,
                        "ExactSum: expected a contiguous buffer of float64");
    return {static_cast<const double*>(buffer->buf),
            static_cast<std::size_t>(buffer->len) / sizeof(double)};
}

void add_numbers(ExactSum& sum, nb::handle numbers) {
    const PythonBuffer buffer(numbers);
    const std::span<const double> all = numbers_of(buffer);
    const nb::gil_scoped_release release;
    sum.add(all);
}

void add_products(ExactSum& sum, nb::handle x, nb::handle y) {
    const PythonBuffer first(x);
    const PythonBuffer second(y);
    const std::span<const double> all_x = numbers_of(first);
    const std::span<const double> all_y = numbers_of(second);
    const nb::gil_scoped_release release;
    sum.add_products(all_x, all_y);
}

std::vector<ExactSum> reduced_sums(const Communicator& comm, std::vector<ExactSum> sums) {
    const nb::gil_scoped_release release;
    all_reduce(comm, std::span<ExactSum>(sums));
    return sums;
}

} // namespace

void register_exact_sum(nb::module_& package) {
    using namespace nb::literals;
    nb::class_<ExactSum>(package, "ExactSum",
                         "The exact sum of numbers and of products of two, rounded once.")
        .def(nb::init<>())
        .def("add", &add_numbers, "numbers"_a,
             "Adds the numbers of a contiguous buffer of float64.")
        .def("add_products", &add_products, "x"_a, "y"_a,
             "Adds the unrounded products of the numbers of two contiguous buffers of float64.")
        .def("rounded", &ExactSum::rounded, "The sum, rounded to the nearest float64.")
        .def("rounded_root", &ExactSum::rounded_root,
             "The square root of the sum, rounded to the nearest float64.");
    package.def("all_reduce_exact", &reduced_sums, "comm"_a, "sums"_a,
                "The total over all ranks of each sum. Collective.");
}

} // namespace distview::python
