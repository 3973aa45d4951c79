// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "array.hpp"
#include "device_work.hpp"
#include "errors.hpp"
#include "integer.hpp"
#include "read_export.hpp"
#include "registers.hpp"
#include "runtime.hpp"

#include <distview/comm/import_dist_view.hpp>
#include <distview/comm/make_dist_view.hpp>
#include <distview/core/device_runtime.hpp>
#include <distview/core/error.hpp>
#include <distview/core/protocol/convert.hpp>
#include <distview/core/protocol/rules.hpp>
#include <distview/core/protocol/validate.hpp>
#include <distview/core/text.hpp>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace distview::python {

namespace {

using protocol::SectionDescription;

void check_all(const nb::sequence& objects) {
    std::vector<SectionDescription> sections;
    std::vector<protocol::Version> versions;
    // Kept until the end: buffers must stay until all sections are checked.
    std::vector<ReadExport> exports;
    for (const nb::handle object : objects) {
        exports.push_back(read_export(object, static_cast<int>(exports.size())));
        versions.push_back(exports.back().exported.version);
        sections.push_back(exports.back().exported.description());
    }
    require<UsageError>(!sections.empty(), "check_all: expected the objects of all processes, got "
                                           "none");
    protocol::throw_if_violated(protocol::rules::versions_agree(versions));
    protocol::require_conforming(versions.front(), sections);
}

Array alone(ReadExport read) {
    const std::vector<SectionDescription> sections{read.exported.description()};
    ArrayLayout layout = protocol::layout_from_dim_data(read.exported.version, sections);
    AnyDistView view(std::move(read.exported.section), std::move(layout), 0);
    return {std::make_shared<ArrayState>(std::move(view), std::move(read.format))};
}

Array import_alone(nb::handle object) {
    ReadExport read = read_export(object, 0);
    constexpr std::int64_t most = 1'000'000'000; // larger numbers are not counted
    std::int64_t processes = 1;
    bool are_more = false;
    for (const protocol::DimData& dim : read.exported.dim_data)
        if (const std::int64_t along = std::max<std::int64_t>(dim.proc_grid_size.value_or(1), 1);
            along > most / processes) {
            are_more = true;
            processes = most;
        } else {
            processes *= along;
        }
    if (processes != 1)
        throw ProtocolError(text("DAP import: this is the section of one of ",
                                 are_more ? "more than " : "", processes,
                                 " processes, and no communicator was given: pass comm, or "
                                 "validate=\"local\" for this section alone"),
                            "grid_product", -1, "proc_grid_size", -1);
    return alone(std::move(read));
}

Array import_local(nb::handle object) {
    ReadExport read = read_export(object, -1);
    for (const protocol::DimData& dim : read.exported.dim_data)
        if (dim.proc_grid_size.value_or(1) != 1)
            return {std::make_shared<ArrayState>(std::move(read.exported), std::move(read.format))};
    return alone(std::move(read));
}

Array import_together(nb::handle object, const Communicator& comm) {
    std::optional<ReadExport> read;
    Failure failure;
    try {
        read = read_export(object, comm.rank());
    } catch (...) {
        failure = current_failure();
    }
    agree(comm, "from_distarray", failure);
    std::optional<AnyDistView> view;
    {
        const nb::gil_scoped_release release;
        view = import_dist_view(comm, read->exported);
    }
    agree_on_elements(comm, "from_distarray", view->section().element, read->format);
    Array result{std::make_shared<ArrayState>(std::move(*view), std::move(read->format))};
    result.state->join(comm);
    return result;
}

/// Zeroed memory aligned to cache lines, which the system provides page by page on first access; null if
/// out of memory.
std::shared_ptr<void> allocate_zeroed(std::size_t bytes) {
    constexpr std::size_t alignment = 64;
    if (bytes > std::numeric_limits<std::size_t>::max() - alignment) return nullptr;
    char* const data = static_cast<char*>(std::calloc(bytes + alignment, 1));
    if (!data) return nullptr;
    const auto address = reinterpret_cast<std::uintptr_t>(data);
    const std::shared_ptr<void> whole(data, [](void* held) { std::free(held); });
    return {whole, data + (alignment - address % alignment) % alignment};
}

/// A section of zeros, in memory that other ranks of the node can read in place if possible. Not
/// Kokkos's memory: arrays may outlive Kokkos.
AnySection allocate(const ElementType& element, const std::vector<std::int64_t>& extents,
                    const std::optional<Communicator>& comm) {
    AnySection section;
    section.element = element;
    section.extents = extents;
    section.strides = AnySection::contiguous_strides(extents, element.bytes);
    // Layouts check that a whole array's elements can be counted, not that their bytes can.
    const std::int64_t count = section.count();
    std::shared_ptr<void> data;
    if (count <= std::numeric_limits<std::int64_t>::max() / element.bytes) {
        const auto bytes = static_cast<std::size_t>(count * element.bytes);
        if (comm && comm->size() > 1) data = allocate_shared(*comm, bytes);
        if (data)
            std::memset(data.get(), 0, bytes);
        else
            data = allocate_zeroed(bytes);
    }
    require<Error>(data != nullptr, [&] {
        return text("DistView: out of memory for a section of ", tuple_text(extents),
                    " elements of ", element.bytes, element.bytes == 1 ? " byte" : " bytes");
    });
    section.data = data.get();
    section.owner = std::move(data);
    return section;
}

/// The section that a layout gives to `process`, in new memory or in `memory`.
Array make_section(const ArrayLayout& layout, int process, const std::string& typestr,
                   const Array* memory, const Device& device,
                   const std::optional<Communicator>& comm) {
    if (memory) {
        return {std::make_shared<ArrayState>(
            AnyDistView(memory->state->pending_section(), layout, process),
            memory->state->format())};
    }
    const std::optional<ElementType> element = parse_typestr(typestr);
    // Opaque bytes and types that NumPy lacks are refused.
    const bool is_number = element && typestr.find('V') == std::string::npos;
    require<UsageError>(is_number, [&] {
        return text("DistView: elements of type '", shortened(typestr), "' are not supported");
    });
    const Extents extents = layout.local_extents(process);
    const std::vector<std::int64_t> own(extents.begin(), extents.begin() + layout.rank());
    AnySection section;
    if (device.type == DeviceType::cpu) {
        section = allocate(*element, own, comm);
    } else {
        if (device_runtime()) require_kokkos("DistView", comm ? &*comm : nullptr);
        section = allocate_on_device(device, *element, own);
    }
    return {std::make_shared<ArrayState>(AnyDistView(std::move(section), layout, process),
                                         format_of(*element))};
}

/// `build()` returns (layout, typestr, Array or None, device). All ranks must describe the same array.
Array make_array(const std::string& caller, nb::handle build, std::optional<Communicator> comm) {
    std::vector<Argument> arguments;
    const auto make = [&](int process, std::uint64_t& digest) {
        const auto parts = nb::cast<nb::tuple>(build());
        const auto layout = nb::cast<ArrayLayout>(parts[0]);
        const auto typestr = nb::cast<std::string>(parts[1]);
        const Array* memory = nullptr;
        if (!parts[2].is_none()) memory = nb::cast<Array*>(parts[2]);
        const int expected = comm ? comm->size() : 1;
        require<UsageError>(layout.process_count() == expected, [&] {
            return text(caller, ": expected a grid of ", expected,
                        expected == 1 ? " process" : " processes", comm ? "" : " (comm is None)",
                        ", got ", layout.process_count());
        });
        const auto [type, id] = nb::cast<std::pair<int, int>>(parts[3]);
        Array made = make_section(layout, process, typestr, memory,
                                  {static_cast<DeviceType>(type), id}, comm);
        const std::string element =
            element_text(made.state->section().element, made.state->format());
        digest = layout.fingerprint() * 31 + std::hash<std::string>()(element);
        arguments = {{"layout", impl::describe_fully(layout)}, {"element type", element}};
        return made;
    };
    std::uint64_t digest = 0;
    if (!comm) return make(0, digest);
    Array result;
    Failure failure;
    try {
        result = make(comm->rank(), digest);
    } catch (...) {
        failure = current_failure();
    }
    agree(*comm, caller.c_str(), failure, digest, [&] { return arguments; });
    result.state->join(*comm);
    return result;
}

} // namespace

void register_protocol(nb::module_& package) {
    using namespace nb::literals;
    package.def(
        "check",
        [](nb::handle object, std::optional<Integer<int>> process) {
            read_export(object, process ? process->value : -1);
        },
        "object"_a.none(), "process"_a = nb::none(),
        "Raises ProtocolError unless an export conforms to the Distributed Array Protocol, as far "
        "as\n"
        "one process can see.\n\n"
        "object: has __distarray__(), or is the result of such a call. process: named in the "
        "error.\n"
        "Versions 0.9.z and 0.10.z. Local (not collective); no copy.");
    package.def(
        "check_all", &check_all, "objects"_a,
        "Raises ProtocolError unless the exports of all processes conform, each and together.\n\n"
        "objects: the exports of all processes in rank order, held by this one process.\n"
        "Local (not collective); no copy.");
    package.def("import_alone", &import_alone, "object"_a.none(), "An array on one process.");
    package.def("import_local", &import_local, "object"_a.none(),
                "One section, without communication.");
    package.def("import_together", &import_together, "object"_a.none(), "comm"_a,
                "An array of all ranks. Collective.");
    package.def(
        "make_array", &make_array, "caller"_a, "build"_a, "comm"_a = nb::none(),
        "A new array of the (layout, typestr, memory or None, device) that build() returns, in\n"
        "that memory or in new memory of the device, whose number may be -1. Collective\n"
        "if comm is given.");
}

} // namespace distview::python
