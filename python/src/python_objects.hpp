// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/any_dist_view.hpp>
#include <distview/core/element_type.hpp>

#include <nanobind/nanobind.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace distview::python {

namespace nb = nanobind;

/// A PEP 3118 buffer of a Python object, released with the last copy; thread-safe.
class PythonBuffer {
public:
    /// Asks for a writable buffer, then for a read-only one. Throws nb::python_error.
    explicit PythonBuffer(nb::handle object);

    const Py_buffer& operator*() const noexcept { return *m_buffer; }
    const Py_buffer* operator->() const noexcept { return m_buffer.get(); }
    std::shared_ptr<const void> owner() const noexcept { return m_buffer; }

    /// The memory as it is. Elements that no ElementType names are opaque bytes.
    AnySection section() const;
    /// The struct format of an element, with the GIL.
    std::string format() const;

private:
    std::shared_ptr<Py_buffer> m_buffer;
};

/// Keeps a Python object alive; may be dropped on any thread, with the GIL or without.
std::shared_ptr<const void> keep_alive(nb::handle object);

/// One owner in place of two.
std::shared_ptr<const void> keep_both(std::shared_ptr<const void> first,
                                      std::shared_ptr<const void> second);

/// The Python objects that `owner`, one of those above, keeps alive; null where others share in it.
/// For the garbage collector, who must count each reference once.
std::array<PyObject*, 2> sole_objects(const std::shared_ptr<const void>& owner) noexcept;

/// The element type of a struct format of one native element ("d", "<i4" is no such format);
/// empty for anything else.
std::optional<ElementType> parse_format(std::string_view format, std::int64_t bytes);
/// The struct format of elements of a type; "8x" for 8 opaque bytes.
std::string format_of(const ElementType& type);
/// The same text for elements of one type, and only for these: NumPy's type string, and of opaque elements their format, which
/// NumPy spells in several ways, by where an array lies and whether it has more than one element.
std::string element_text(const ElementType& type, std::string_view format);

/// repr(object), shortened, and never an exception.
std::string short_repr(nb::handle object);
/// The name of an object's type: "numpy.ndarray", "list".
std::string name_of_type(nb::handle object);

} // namespace distview::python
