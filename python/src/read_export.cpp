// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "read_export.hpp"

#include "read_dim_data.hpp"
#include "refuse.hpp"

#include <distview/core/protocol/rules.hpp>
#include <distview/core/protocol/validate.hpp>
#include <distview/core/text.hpp>

#include <array>
#include <cstddef>
#include <utility>

namespace distview::python {

namespace {

/// E1: the producer's __distarray__() returns a dictionary.
nb::dict envelope_of(nb::handle object, int process) {
    if (nb::isinstance<nb::dict>(object)) return nb::borrow<nb::dict>(object);
    const nb::object method = nb::getattr(object, "__distarray__", nb::none());
    if (!PyCallable_Check(method.ptr()))
        refuse("env_not_dict", process, -1, "", "object of type ", name_of_type(object),
               " has no method __distarray__() and is no dictionary");
    nb::object result = method();
    if (!nb::isinstance<nb::dict>(result))
        refuse("env_not_dict", process, -1, "", "__distarray__() returned ", name_of_type(result),
               ", expected dict");
    return nb::borrow<nb::dict>(result);
}

constexpr std::array envelope_keys{"__version__", "buffer", "dim_data"};

/// E2: exactly the three keys.
void check_keys(const nb::dict& envelope, int process) {
    for (const char* key : envelope_keys)
        if (!envelope.contains(key))
            refuse("env_missing_key", process, -1, key, "missing key '", key, '\'');
    for (auto [key, value] : envelope) {
        bool known = false;
        for (const char* name : envelope_keys)
            known = known || (nb::isinstance<nb::str>(key) && key.equal(nb::str(name)));
        if (!known)
            refuse("env_extra_key", process, -1, text_of(key), "unexpected key ", short_repr(key));
    }
}

/// E3, E4.
protocol::Version read_version(nb::handle value, int process) {
    if (!nb::isinstance<nb::str>(value))
        refuse("version_format", process, -1, "__version__", "'__version__' is ", short_repr(value),
               ", expected a string of three dotted numbers");
    return protocol::supported_version(text_of(value), process);
}

/// E5.
PythonBuffer read_buffer(nb::handle object, int process) {
    try {
        return PythonBuffer(object);
    } catch (nb::python_error&) {
        const bool on_device = nb::hasattr(object, "__cuda_array_interface__");
        refuse("buffer_protocol", process, -1, "buffer", "'buffer' of type ", name_of_type(object),
               " does not export the buffer protocol",
               on_device ? " (it is device memory, which the protocol does not support)" : "");
    }
}

} // namespace

ReadExport read_export(nb::handle object, int process) {
    const nb::dict envelope = envelope_of(object, process);
    check_keys(envelope, process);
    ReadExport result;
    protocol::ExportedSection& exported = result.exported;
    exported.version = read_version(envelope["__version__"], process);
    const PythonBuffer buffer = read_buffer(envelope["buffer"], process);
    exported.section = buffer.section();
    exported.process = process;
    result.format = buffer.format();

    const nb::object dim_data = envelope["dim_data"]; // E6
    if (!nb::isinstance<nb::tuple>(dim_data))
        refuse("dim_data_type", process, -1, "dim_data", "'dim_data' is of type ",
               name_of_type(dim_data), ", expected a tuple of dictionaries",
               nb::isinstance<nb::list>(dim_data) ? ": convert it to a tuple" : "");
    const auto dims = nb::borrow<nb::tuple>(dim_data);
    for (std::size_t i = 0; i < dims.size(); ++i)
        if (!nb::isinstance<nb::dict>(dims[i]))
            refuse("dim_dict_type", process, static_cast<int>(i), "dim_data", "dim_data[", i,
                   "] is of type ", name_of_type(dims[i]), ", expected a dictionary");
    // E7 is checked before any axis.
    exported.dim_data.resize(dims.size());
    protocol::throw_if_violated(
        protocol::rules::one_dictionary_per_axis(exported.description(), process));
    for (std::size_t i = 0; i < dims.size(); ++i)
        exported.dim_data[i] = read_dim_data(nb::borrow<nb::dict>(dims[i]), exported.version,
                                             static_cast<int>(i), process);
    protocol::require_conforming(exported.version, exported.description(), process);

    // Keep the producer alive as well: some producers free the memory when they die, even if a buffer exists.
    exported.section.owner = keep_both(std::move(exported.section.owner), keep_alive(object));
    return result;
}

} // namespace distview::python
