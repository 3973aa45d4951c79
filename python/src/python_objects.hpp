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

    /// The memory. Elements without an ElementType are opaque bytes.
    AnySection section() const;
    /// The struct format of an element. The caller holds the GIL.
    std::string format() const;

private:
    std::shared_ptr<Py_buffer> m_buffer;
};

/// An owner that keeps a Python object alive; it may be dropped on any thread, with the GIL or without.
std::shared_ptr<const void> keep_alive(nb::handle object);

/// One owner that holds both.
std::shared_ptr<const void> keep_both(std::shared_ptr<const void> first,
                                      std::shared_ptr<const void> second);

/// The Python objects that `owner`, made by the functions above, keeps alive; null if it is shared.
/// For the garbage collector, which must count each reference once.
std::array<PyObject*, 2> sole_objects(const std::shared_ptr<const void>& owner) noexcept;

/// The element type of a struct format of one native element, such as "d" (not "<i4");
/// empty for other formats.
std::optional<ElementType> parse_format(std::string_view format, std::int64_t bytes);
/// The struct format of elements of a type; "8x" for 8 opaque bytes.
std::string format_of(const ElementType& type);
/// A text that is the same for equal element types only: NumPy's type string; for opaque elements also their format in a
/// normal form, since NumPy's spelling depends on an array's address and number of elements.
std::string element_text(const ElementType& type, std::string_view format);

/// repr(object), shortened; never throws.
std::string short_repr(nb::handle object);
/// The name of an object's type: "numpy.ndarray", "list".
std::string name_of_type(nb::handle object);

} // namespace distview::python
