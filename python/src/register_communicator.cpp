// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "errors.hpp"
#include "layout_state.hpp"
#include "python_objects.hpp"
#include "registers.hpp"

#include <distview/comm/agreement.hpp>
#include <distview/comm/collectives.hpp>
#include <distview/comm/communicator.hpp>
#include <distview/comm/grid_placement.hpp>
#include <distview/comm/mpi_error.hpp>
#include <distview/core/error.hpp>
#include <distview/core/text.hpp>

#include <mpi.h>

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace distview::python {

namespace {

std::string library_version() {
    std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> version{};
    int length = 0;
    check_mpi(MPI_Get_library_version(version.data(), &length), "MPI_Get_library_version");
    return version.data();
}

/// Calls `action` on every rank; an exception on one rank is raised on all ranks. `action` returns the result, a digest of
/// values that must be the same on all ranks, and a dictionary of these values by name, for an error.
nb::object agree_on(const Communicator& comm, const std::string& caller, nb::handle action) {
    nb::object result;
    std::uint64_t digest = 0;
    nb::dict alike;
    Failure failure;
    try {
        const auto returned = nb::cast<nb::tuple>(nb::object(action()));
        result = returned[0];
        digest = nb::cast<std::uint64_t>(returned[1]);
        alike = nb::cast<nb::dict>(returned[2]);
    } catch (...) {
        failure = current_failure();
    }
    agree(comm, caller.c_str(), failure, digest, [&] {
        const nb::gil_scoped_acquire acquire;
        std::vector<Argument> arguments;
        for (const auto [name, value] : alike)
            arguments.push_back({nb::cast<std::string>(name), nb::str(value).c_str()});
        return arguments;
    });
    return result;
}

ReduceOperation operation_named(const std::string& name) {
    if (name == "sum") return ReduceOperation::sum;
    if (name == "min") return ReduceOperation::min;
    if (name == "max") return ReduceOperation::max;
    throw UsageError("all_reduce: expected sum, min or max, got " + name);
}

template <class Number>
std::vector<Number> reduced(const Communicator& comm, const std::string& operation,
                            std::vector<Number> values) {
    const nb::gil_scoped_release release;
    all_reduce(comm, operation_named(operation), std::span<Number>(values));
    return values;
}

/// Gathers the bytes of all ranks, one rank after the other, in `all` on root; other ranks ignore `all`.
void gather_into(const Communicator& comm, nb::handle mine, const std::vector<std::int64_t>& sizes,
                 int root, nb::handle all) {
    const PythonBuffer own(mine);
    std::optional<PythonBuffer> whole;
    std::span<std::byte> bytes;
    if (comm.rank() == root) {
        whole.emplace(all);
        require<UsageError>(!(*whole)->readonly, "gather: expected a buffer that can be written");
        bytes = {static_cast<std::byte*>((*whole)->buf), static_cast<std::size_t>((*whole)->len)};
    }
    const nb::gil_scoped_release release;
    gather_bytes(comm, root,
                 {static_cast<const std::byte*>(own->buf), static_cast<std::size_t>(own->len)},
                 sizes, bytes);
}

/// Scatters them: the reverse of gather_into().
void scatter_from(const Communicator& comm, nb::handle all, const std::vector<std::int64_t>& sizes,
                  int root, nb::handle mine) {
    const PythonBuffer own(mine);
    require<UsageError>(!own->readonly, "scatter: expected a buffer that can be written");
    std::optional<PythonBuffer> whole;
    std::vector<const char*> begins;
    if (comm.rank() == root) {
        whole.emplace(all);
        begins.push_back(static_cast<const char*>((*whole)->buf));
        for (const std::int64_t size : sizes) begins.push_back(begins.back() + size);
    }
    const nb::gil_scoped_release release;
    impl::scatter_pieces(comm, root, sizes, {},
                         [&](int rank, std::int64_t offset, std::span<std::byte> piece) {
                             std::memcpy(piece.data(),
                                         begins[static_cast<std::size_t>(rank)] + offset,
                                         piece.size());
                         },
                         {static_cast<std::byte*>(own->buf), static_cast<std::size_t>(own->len)});
}

/// The bytes of all ranks, on every rank.
nb::list all_gather_bytes(const Communicator& comm, const nb::bytes& mine) {
    const std::span<const char> own(mine.c_str(), mine.size());
    std::vector<std::int64_t> sizes;
    std::string all;
    {
        const nb::gil_scoped_release release;
        sizes = all_gather(comm, static_cast<std::int64_t>(own.size()));
        distview::agree_on(comm, "all_gather_bytes", [&] {
            const std::int64_t total = std::reduce(sizes.begin(), sizes.end());
            all.resize(static_cast<std::size_t>(total));
        });
        const auto bytes = std::as_writable_bytes(std::span(all));
        gather_bytes(comm, 0, std::as_bytes(own), sizes,
                     comm.rank() == 0 ? bytes : std::span<std::byte>());
        broadcast(comm, 0, bytes);
    }
    nb::list result;
    const char* piece = all.data();
    for (const std::int64_t size : sizes) {
        result.append(nb::bytes(piece, static_cast<std::size_t>(size)));
        piece += size;
    }
    return result;
}

/// place_on_nodes() for axes in the form of axes_of_state().
nb::tuple placed(const std::vector<int>& nodes, nb::handle axes, bool faces) {
    const std::vector<AxisSpec> specs = axes_of_state(axes);
    const GridPlacement found = place_on_nodes(nodes, specs, faces ? Stencil::faces : Stencil::box);
    std::vector<int> extents;
    for (int d = 0; d < found.grid.rank(); ++d) extents.push_back(found.grid.extent(d));
    return nb::make_tuple(extents, found.ranks, found.between_nodes,
                          found.between_nodes_of_balanced, found.describe());
}

} // namespace

void register_communicator(nb::module_& package) {
    using namespace nb::literals;
    nb::class_<Communicator>(package, "Communicator",
                             "The library's own duplicate of an MPI communicator.")
        .def_prop_ro("rank", &Communicator::rank, "This process's rank.")
        .def_prop_ro("size", &Communicator::size, "Number of processes.")
        .def_prop_ro("is_open", &Communicator::is_open,
                     "Whether the communicator can still be used.")
        .def("close", &Communicator::close, nb::call_guard<nb::gil_scoped_release>(),
             "Frees the duplicate. Collective.")
        .def("barrier", &barrier, nb::call_guard<nb::gil_scoped_release>(),
             "Waits until all ranks have called it. Collective.")
        .def(
            "set_deadline",
            [](Communicator& self, double seconds) {
                self.set_deadline(std::chrono::duration<double>(seconds));
            },
            "seconds"_a, "See distview.set_deadline(). Local.")
        .def("set_report", &Communicator::set_report, "file"_a, "See distview.set_report(). Local.")
        .def("nodes_of_ranks", &nodes_of_ranks, nb::call_guard<nb::gil_scoped_release>(),
             "The node of every rank. Collective.")
        .def(
            "order_ranks",
            [](const Communicator& self, const std::vector<int>& ranks) {
                return static_cast<int>(MPI_Comm_c2f(order_ranks(self, ranks)));
            },
            "ranks"_a, nb::call_guard<nb::gil_scoped_release>(),
            "The Fortran handle of a communicator whose rank p is ranks[p]. Collective.")
        .def("agree_on", &agree_on, "caller"_a, "action"_a,
             "Calls action(), which returns (result, digest), on every rank and returns its "
             "result.\n"
             "If action() raises, all ranks raise the error of the lowest such rank. Raises "
             "UsageError\n"
             "if the digests, numbers of 64 bits, differ. Collective.")
        .def("all_reduce_float", &reduced<double>, "operation"_a, "values"_a,
             "Combines each value over all ranks: \"sum\", \"min\" or \"max\". Collective.")
        .def("all_reduce_int", &reduced<std::int64_t>, "operation"_a, "values"_a,
             "The same for integers of 64 bits. Collective.")
        .def("gather_bytes", &gather_into, "mine"_a, "sizes"_a, "root"_a, "all"_a.none(),
             "Brings the contiguous bytes of all ranks to root, which has a buffer for all. "
             "Collective.")
        .def("scatter_bytes", &scatter_from, "all"_a.none(), "sizes"_a, "root"_a, "mine"_a,
             "Distributes the contiguous bytes of a buffer on root to all ranks' buffers. "
             "Collective.")
        .def("all_gather_bytes", &all_gather_bytes, "mine"_a,
             "The bytes of all ranks on every rank. Collective.");
    nb::class_<CallSite>(package, "CallSite",
                         "Reports to other ranks at which line of the program the next calls are.")
        .def(nb::init<const Communicator&, const std::string&>(), "comm"_a, "site"_a);
    package.def(
        "communicator_at",
        [](std::uintptr_t address) {
            const nb::gil_scoped_release release;
            require_mpi("distview");
            return Communicator(*reinterpret_cast<const MPI_Comm*>(address));
        },
        "address"_a, "The Communicator of the MPI_Comm at an address. Collective the first time.");
    // For programs without mpi4py.
    package.def(
        "communicator_from_fortran",
        [](int handle) {
            require_mpi("distview");
            MPI_Comm const comm = MPI_Comm_f2c(static_cast<MPI_Fint>(handle));
            // Some MPI libraries return this for an unknown handle; others do not check.
            require<UsageError>(comm != MPI_Comm{}, [&] {
                return text("distview: ", handle, " is no Fortran handle of a communicator");
            });
            const nb::gil_scoped_release release;
            return Communicator(comm);
        },
        "handle"_a, "The Communicator of a Fortran handle. Collective the first time.");
    package.def("place_on_nodes", &placed, "nodes"_a, "axes"_a, "faces"_a,
                "(grid, ranks, elements between nodes, the same of the balanced grid, text); see "
                "distview.place_on_nodes().");
    package.def("mpi_library_version", &library_version, "The version text of the MPI library.");
    package.attr("mpi_comm_bytes") = sizeof(MPI_Comm);
}

} // namespace distview::python
