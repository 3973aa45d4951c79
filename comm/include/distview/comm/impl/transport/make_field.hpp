// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/transport/field.hpp>
#include <distview/core/any_dist_view.hpp>
#include <distview/core/dist_view.hpp>
#include <distview/core/element_type.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace distview::impl {

/// Code of an element type, from its kind and size: ranks must pass the same one.
constexpr std::uint64_t element_code(const ElementType& type) noexcept {
    return static_cast<std::uint64_t>(type.bytes) * 8 + static_cast<std::uint64_t>(type.kind);
}
template <class T>
constexpr std::uint64_t element_code() noexcept {
    return element_code(element_type<T>());
}

/// A field that is only read.
template <DistViewLike View>
Field make_source_field(const View& view) {
    using Value = typename View::non_const_value_type;
    static_assert(std::is_trivially_copyable_v<Value>,
                  "elements are moved as bytes: they must be trivially copyable");
    Field field;
    field.data = reinterpret_cast<char*>(const_cast<Value*>(view.view().data()));
    field.element_size = sizeof(Value);
    field.element_code = element_code<Value>();
    for (std::size_t d = 0; d < static_cast<std::size_t>(View::rank()); ++d)
        field.strides[d] = static_cast<std::int64_t>(view.view().stride(d) * sizeof(Value));
    field.process = view.process();
    field.identity = view.identity();
    field.layout = &view.layout();
    field.state = &state_of(view);
    field.read_only = std::is_const_v<typename View::value_type>;
    return field;
}

template <DistViewLike View>
Field make_field(const View& view) {
    static_assert(!std::is_const_v<typename View::value_type>,
                  "elements are written, but they are const");
    return make_source_field(view);
}

inline Field make_field(const AnyDistView& view) {
    const AnySection& section = view.section();
    Field field;
    field.data = static_cast<char*>(section.data);
    field.element_size = section.element.bytes;
    field.element_code = element_code(section.element);
    for (std::size_t d = 0; d < section.strides.size(); ++d) field.strides[d] = section.strides[d];
    field.process = view.process();
    field.identity = view.identity();
    field.layout = &view.layout();
    field.state = &state_of(view);
    field.read_only = section.read_only;
    field.host_accessible = section.device.host_accessible();
    // A RawElement, or a Kokkos::complex.
    const std::int64_t bytes = section.element.bytes;
    const std::int64_t most = section.element.kind == ElementKind::complex ? 16 : 8;
    field.alignment = std::clamp<std::int64_t>(bytes & -bytes, 1, most);
    return field;
}

/// Placeholder for an array that this rank does not have, or for lists that each execution gets
/// anew. Its identity is made from the element type, and is higher than that of any array.
inline Field missing_field(const ElementType& element) {
    Field field;
    field.element_size = element.bytes;
    field.element_code = element_code(element);
    field.identity = std::uint64_t{1} << 63 | field.element_code;
    return field;
}

} // namespace distview::impl
