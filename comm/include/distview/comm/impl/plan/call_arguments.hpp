// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/kernels/device_of.hpp>
#include <distview/comm/impl/plan/array_set.hpp>
#include <distview/comm/impl/transport/make_field.hpp>
#include <distview/core/concepts.hpp>
#include <distview/core/error.hpp>
#include <distview/core/text.hpp>

#include <array>
#include <cstdint>
#include <span>
#include <tuple>
#include <type_traits>

namespace distview {

namespace impl {

/// Section argument of a plan: a DistView, or a pointer to a DistView, null on ranks outside its grid.
template <class T>
struct SectionArgument {
    using view_type = T;
    static const T* pointer(const T& view) noexcept { return &view; }
};
template <class T>
struct SectionArgument<T*> {
    using view_type = std::remove_const_t<T>;
    static const view_type* pointer(const T* view) noexcept { return view; }
};

} // namespace impl

/// A DistView, or a pointer to a DistView.
template <class T>
concept SectionLike = DistViewLike<typename impl::SectionArgument<T>::view_type>;

/// A Kokkos::View with one axis.
template <class T>
concept ValueList = ViewLike<T> && T::rank() == 1;

namespace impl {

template <class T>
struct AreSections : std::bool_constant<SectionLike<T>> {};
template <class... Each>
struct AreSections<std::tuple<Each...>>
    : std::bool_constant<(SectionLike<std::remove_cvref_t<Each>> && ...)> {};

template <class T>
struct AreDistViews : std::bool_constant<DistViewLike<T>> {};
template <class... Each>
struct AreDistViews<std::tuple<Each...>>
    : std::bool_constant<(DistViewLike<std::remove_cvref_t<Each>> && ...)> {};

template <class T>
struct AreValueLists : std::bool_constant<ValueList<T>> {};
template <class... Each>
struct AreValueLists<std::tuple<Each...>>
    : std::bool_constant<(ValueList<std::remove_cvref_t<Each>> && ...)> {};

} // namespace impl

/// A DistView, a pointer to a DistView, or std::tie() of several of these.
template <class T>
concept Sections = impl::AreSections<T>::value;
/// A DistView, or std::tie() of several DistViews.
template <class T>
concept DistViews = impl::AreDistViews<T>::value;
/// A Kokkos::View with one axis, or std::tie() of several such Views.
template <class T>
concept ValueLists = impl::AreValueLists<T>::value;

namespace impl {

template <class... Each>
const std::tuple<Each...>& as_tuple(const std::tuple<Each...>& each) {
    return each;
}
template <class Argument>
    requires SectionLike<Argument> || ValueList<Argument>
std::tuple<const Argument&> as_tuple(const Argument& argument) {
    return {argument};
}

template <class Section>
using ViewOf = typename SectionArgument<std::remove_cvref_t<Section>>::view_type;

/// Describes a tuple's arrays, which kernels on `Exec` read, or also write, as fields; missing sections, too.
template <ExecutionSpace Exec, bool AreWritten, class... Arrays>
std::array<Field, sizeof...(Arrays)> fields_of(const std::tuple<Arrays...>& arrays) {
    static_assert((AccessibleFrom<ViewOf<Arrays>, Exec> && ...),
                  "arrays must be in memory that the execution space can access");
    const auto field = []<class Section>(const Section& section) {
        using View = ViewOf<Section>;
        const View* const view = SectionArgument<Section>::pointer(section);
        if (!view) return missing_field(element_type<typename View::non_const_value_type>());
        if constexpr (AreWritten)
            return make_field(*view);
        else
            return make_source_field(*view);
    };
    return std::apply(
        [&](const auto&... each) { return std::array<Field, sizeof...(Arrays)>{field(each)...}; },
        arrays);
}

template <ExecutionSpace Exec>
ArraySet array_set(ExchangeKind kind, std::span<const Field> fields) {
    return {.sources = fields, .layer = DeviceOf<Exec>::layer(), .variant = static_cast<int>(kind)};
}

/// Throws ShapeError, which begins with `caller`, unless a list has `expected` elements, contiguous in memory.
template <ValueList List>
void check_list(const char* caller, const char* what, const List& list, std::int64_t expected) {
    const auto count = static_cast<std::int64_t>(list.extent(0));
    require<ShapeError>(count == expected, [&] {
        return text(caller, ": expected ", expected, ' ', what, " in '", list.label(), "', got ",
                    count);
    });
    require<ShapeError>(count < 2 || list.stride(0) == 1, [&] {
        return text(caller, ": expected contiguous ", what, " in '", list.label(),
                    "', got a stride of ", list.stride(0));
    });
}

/// Memory of a list of values.
struct ListBytes {
    const void* data = nullptr;
    std::int64_t bytes = 0;
};
template <class... Lists>
std::array<ListBytes, sizeof...(Lists)> bytes_of_lists(const std::tuple<Lists...>& lists) {
    return std::apply(
        [](const auto&... each) {
            return std::array<ListBytes, sizeof...(Lists)>{ListBytes{
                each.data(), static_cast<std::int64_t>(each.size() * sizeof(*each.data()))}...};
        },
        lists);
}
/// Throws ShapeError, which begins with `caller`, unless a list has the bytes of `expected` elements.
void check_list_bytes(const char* caller, const ListBytes& list, std::int64_t expected,
                      std::int64_t element_bytes);
/// Throws UsageError, which begins with `caller`, if a list shares memory with an array, or, if lists are written, with
/// another list.
void check_apart(const char* caller, std::span<const Field> arrays,
                 std::span<const ListBytes> lists, bool are_written);

} // namespace impl

} // namespace distview
