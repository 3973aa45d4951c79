// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/dist_view.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace distview::impl {

/// Tells element types apart that ranks must not mix: by kind and size.
template <class T>
constexpr std::uint64_t element_code() noexcept {
    const std::uint64_t kind = std::is_floating_point_v<T> ? 0
                               : !std::is_integral_v<T>    ? 1
                               : std::is_signed_v<T>       ? 2
                                                           : 3;
    return sizeof(T) * 4 + kind;
}

/// A DistView without its types: all that moving its elements needs.
struct Field {
    char* data = nullptr;
    std::int64_t element_size = 0; ///< bytes
    std::uint64_t element_code = 0;
    std::array<std::int64_t, max_rank> strides{}; ///< bytes
    int process = 0;
    std::uint64_t identity = 0;
    const ArrayLayout* layout = nullptr; ///< of the DistView, which outlives this
};

template <DistViewLike View>
Field make_field(const View& view) {
    using Value = typename View::value_type;
    static_assert(!std::is_const_v<Value>, "an exchange writes padding: the elements are const");
    static_assert(std::is_trivially_copyable_v<Value>,
                  "an exchange moves bytes: elements must be trivially copyable");
    Field field;
    field.data = reinterpret_cast<char*>(view.view().data());
    field.element_size = sizeof(Value);
    field.element_code = element_code<Value>();
    for (std::size_t d = 0; d < static_cast<std::size_t>(View::rank()); ++d)
        field.strides[d] = static_cast<std::int64_t>(view.view().stride(d) * sizeof(Value));
    field.process = view.process();
    field.identity = view.identity();
    field.layout = &view.layout();
    return field;
}

} // namespace distview::impl
