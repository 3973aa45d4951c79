// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>

#include <type_traits>

namespace distview {

/// A Kokkos execution space; an instance is the first argument of every function that launches work.
template <class T>
concept ExecutionSpace = Kokkos::is_execution_space_v<T>;

/// A Kokkos::View.
template <class T>
concept ViewLike = Kokkos::is_view_v<T>;

/// A View (or DistView) whose elements kernels on `Exec` may access.
template <class View, class Exec>
concept AccessibleFrom =
    bool(Kokkos::SpaceAccessibility<Exec, typename View::memory_space>::accessible);

/// A DistView of any element type, rank and space.
template <class T>
concept DistViewLike = requires(const T& view) {
    typename T::view_type;
    requires ViewLike<typename T::view_type>;
    view.layout();
    view.process();
};

} // namespace distview
