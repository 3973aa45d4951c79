// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "read_dim_data.hpp"

#include "read_indices.hpp"
#include "refuse.hpp"

#include <distview/core/protocol/rules.hpp>
#include <distview/core/protocol/violation.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace distview::python {

namespace {

using protocol::DimData;
using protocol::PaddingValue;
using protocol::Version;

/// Reads the values of one dictionary.
class Reader {
public:
    Reader(const nb::dict& dictionary, int axis, int process)
        : m_dictionary(dictionary), m_axis(axis), m_process(process) {}

    bool has(const char* key) const { return m_dictionary.contains(key); }

    /// K4.
    void integer(const char* key, std::optional<std::int64_t>& value) const {
        if (has(key)) value = to_integer(m_dictionary[key], key, "bad_type");
    }

    /// K5.
    void boolean(const char* key, std::optional<bool>& value) const {
        if (!has(key)) return;
        const nb::object given = m_dictionary[key];
        if (!PyBool_Check(given.ptr()))
            refuse("bad_type", m_process, m_axis, key, entry(key), " is ", short_repr(given), " (",
                   name_of_type(given), "), expected bool");
        value = given.is(nb::handle(Py_True));
    }

    /// The types of B7: a tuple or list of integers. Core's rules check for widths below 0.
    void padding(std::optional<PaddingValue>& value) const {
        if (!has("padding")) return;
        const nb::object given = m_dictionary["padding"];
        value = pair(given);
        if (!value)
            refuse("padding_form", m_process, m_axis, "padding", entry("padding"), " is ",
                   short_repr(given), ", expected a pair of integers >= 0");
    }

    /// K6: on an axis that cannot have padding, only zero padding is allowed.
    void foreign_padding(std::string_view kind) const {
        if (!has("padding")) return;
        const nb::object given = m_dictionary["padding"];
        const std::optional<PaddingValue> value = pair(given);
        if (!value || *value != PaddingValue{})
            refuse("key_not_applicable", m_process, m_axis, "padding", "'padding' ",
                   short_repr(given), " on ", kind, " dimension, dim_data[", m_axis, ']');
    }

    void indices(const Version& version, DimData& dim) const {
        dim.indices = read_indices(m_dictionary["indices"], version, m_axis, m_process);
    }

private:
    std::string entry(const char* key) const { return text("dim_data[", m_axis, "]['", key, "']"); }

    std::int64_t to_integer(nb::handle given, const char* key, const char* code) const {
        const ReadInteger read = read_integer(given);
        if (read.what == ReadInteger::no_integer)
            refuse(code, m_process, m_axis, key, entry(key), " is ", short_repr(given), " (",
                   name_of_type(given), "), expected an integer");
        if (read.what == ReadInteger::too_large)
            refuse("overflow", m_process, m_axis, key, entry(key), " is ", short_repr(given),
                   ", which does not fit 64 bits");
        return read.value;
    }

    /// Empty unless it is a tuple or list of two integers.
    std::optional<PaddingValue> pair(nb::handle given) const {
        if (!nb::isinstance<nb::tuple>(given) && !nb::isinstance<nb::list>(given)) return {};
        if (nb::len(given) != 2) return {};
        std::array<std::int64_t, 2> widths{};
        for (std::size_t i = 0; i < 2; ++i) {
            const nb::object item = given[i];
            const ReadInteger read = read_integer(item);
            if (read.what == ReadInteger::no_integer) return {};
            if (read.what == ReadInteger::too_large)
                refuse("overflow", m_process, m_axis, "padding", entry("padding"), " is ",
                       short_repr(given), ", which does not fit 64 bits");
            widths[i] = read.value;
        }
        return PaddingValue{widths[0], widths[1]};
    }

    const nb::dict& m_dictionary;
    int m_axis;
    int m_process;
};

/// K3: dist_type is a string with one of the letters.
void read_dist_type(const nb::dict& dictionary, const Version& version, int axis, int process,
                    DimData& dim) {
    if (dictionary.contains("dist_type")) {
        const nb::object given = dictionary["dist_type"];
        if (!nb::isinstance<nb::str>(given))
            refuse("bad_dist_type", process, axis, "dist_type", "dim_data[", axis,
                   "]['dist_type'] is ", short_repr(given), " (", name_of_type(given),
                   "), version ", version.major, '.', version.minor, " knows ",
                   version.is_0_9() ? "'n', " : "", "'b', 'c', 'u'");
        dim.dist_type = text_of(given);
    }
    protocol::throw_if_violated(protocol::rules::dist_type_is_known(version, dim, axis, process));
}

/// K1, K2, checked before any value.
void check_required_keys(const Reader& reader, const Version& version, int axis, int process,
                         const DimData& dim) {
    DimData present = dim;
    const auto mark = [&](const char* key, std::optional<std::int64_t>& value) {
        if (reader.has(key)) value = 0;
    };
    mark("size", present.size);
    mark("proc_grid_size", present.proc_grid_size);
    mark("proc_grid_rank", present.proc_grid_rank);
    mark("start", present.start);
    mark("stop", present.stop);
    if (reader.has("indices")) present.indices.emplace();
    protocol::throw_if_violated(
        protocol::rules::required_keys_are_present(version, present, axis, process));
}

} // namespace

std::string text_of(nb::handle string) {
    if (!nb::isinstance<nb::str>(string)) return short_repr(string);
    PyObject* bytes = PyUnicode_AsEncodedString(string.ptr(), "utf-8", "replace");
    if (!bytes) {
        PyErr_Clear();
        return short_repr(string);
    }
    const nb::object held = nb::steal(bytes);
    char* data = nullptr;
    Py_ssize_t size = 0;
    PyBytes_AsStringAndSize(bytes, &data, &size);
    return {data, static_cast<std::size_t>(size)};
}

DimData read_dim_data(const nb::dict& dictionary, const Version& version, int axis, int process) {
    DimData dim;
    dim.has_other_keys = nb::len(dictionary) > 0;
    read_dist_type(dictionary, version, axis, process, dim);
    const Reader reader(dictionary, axis, process);
    if (!dim.dist_type) return dim; // the empty dictionary
    dim.has_other_keys = false;
    check_required_keys(reader, version, axis, process, dim);

    const char type = dim.dist_type->front();
    reader.integer("size", dim.size);
    reader.integer("proc_grid_size", dim.proc_grid_size);
    reader.integer("proc_grid_rank", dim.proc_grid_rank);
    if (type != 'u') reader.integer("start", dim.start);
    if (type == 'b' || type == 'n') reader.integer("stop", dim.stop);
    reader.boolean("periodic", dim.periodic);
    if (type == 'c') reader.integer("block_size", dim.block_size);
    if (type == 'u') {
        reader.indices(version, dim);
        reader.boolean("one_to_one", dim.one_to_one);
    }
    if (type == 'b' || type == 'n')
        reader.padding(dim.padding);
    else
        reader.foreign_padding(type == 'c' ? "a cyclic" : "an unstructured");
    return dim;
}

} // namespace distview::python
