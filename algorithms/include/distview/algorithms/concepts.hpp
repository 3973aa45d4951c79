// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/algorithms/cells.hpp>
#include <distview/core/concepts.hpp>
#include <distview/core/index_types.hpp>
#include <distview/core/local_box.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

// Algorithms state their requirements on arrays and functors as concepts, so that the compiler reports a wrong argument
// at the call and not deep in a kernel. Functors whose call operator is a template or overloaded are not checked: the
// check could compile their bodies.

namespace distview {

namespace impl {

/// Whether a functor can be called with arguments of all types of these tuples; true if its call operator is a template
/// or overloaded.
template <class Functor, class... Tuples>
constexpr bool can_take() {
    if constexpr (requires { &Functor::operator(); })
        return []<class... Arguments>(std::type_identity<std::tuple<Arguments...>>) {
            return std::is_invocable_v<const Functor&, Arguments...>;
        }(std::type_identity<decltype(std::tuple_cat(std::declval<Tuples>()...))>());
    else
        return true;
}
template <class Index, int Rank>
using EachAxis = std::array<Index, static_cast<std::size_t>(Rank)>;

} // namespace impl

/// A functor of a cell's indices in view.view(): functor(i, j, ...).
template <class Functor, class View>
concept CellFunctor = impl::can_take<Functor, impl::EachAxis<std::int64_t, View::rank()>>();

/// A functor of a cell's indices in the whole array: functor(gi, gj, ...).
template <class Functor, class View>
concept GlobalFunctor = impl::can_take<Functor, impl::EachAxis<GlobalIndex, View::rank()>>();

/// A functor of local and global indices: functor(i, j, ..., gi, gj, ...).
template <class Functor, class View>
concept CellAndGlobalFunctor = impl::can_take<Functor, impl::EachAxis<std::int64_t, View::rank()>,
                                              impl::EachAxis<GlobalIndex, View::rank()>>();

/// A functor of the values that arrays have in a cell: functor(a, b, ...).
template <class Functor, class... Arrays>
concept ValueFunctor =
    impl::can_take<Functor, std::tuple<typename Arrays::view_type::reference_type...>>();

/// Arrays with equal numbers of axes.
template <class Source, class Destination>
concept SameRank = (Source::rank() == Destination::rank());

/// Arrays whose elements static_cast converts to the destination's element type.
template <class Source, class Destination>
concept ElementsConvertTo = requires(const typename Source::value_type& element) {
    static_cast<typename Destination::value_type>(element);
};

/// Cells of a section: Cells or a LocalBox.
template <class T>
concept ChoiceOfCells = std::same_as<T, Cells> || std::same_as<T, LocalBox>;

} // namespace distview
