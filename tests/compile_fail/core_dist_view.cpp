// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/core/dist_view.hpp>
#include <distview/core/mirror.hpp>

using distview::ArrayLayout;
using distview::DistView;

void use(const Kokkos::DefaultExecutionSpace& exec, const ArrayLayout& layout) {
#if DISTVIEW_CASE == 0
    DistView<double*> a(exec, "a", layout, 0);
    const DistView<const double*> b = a;
    distview::deep_copy(exec, a, b);
#elif DISTVIEW_CASE == 1
    // expected: no matching function|constraints not satisfied|no matching constructor
    // 0 is not an execution space instance.
    DistView<double*> a(0, "a", layout, 0);
#elif DISTVIEW_CASE == 2 // expected: conversion from|no viable conversion
    // A DistView of const elements does not convert to one of mutable elements.
    DistView<const double*> b(exec, "b", layout, 0);
    const DistView<double*> a = b;
#elif DISTVIEW_CASE == 3 // expected: no matching function
    // The execution space instance is the first argument, without a default.
    DistView<double*> a(exec, "a", layout, 0);
    distview::deep_copy(a, a);
#elif DISTVIEW_CASE == 4 // expected: no matching function|constraints not satisfied
    // A plain Kokkos View has no layout.
    Kokkos::View<double*> a("a", 8);
    distview::deep_copy(exec, a, a);
#elif DISTVIEW_CASE == 5 // expected: deleted
    // The View would outlive the DistView that owns its memory.
    const auto view = DistView<double*>(exec, "a", layout, 0).view();
#elif DISTVIEW_CASE == 6 // expected: deleted
    const auto owned = DistView<double*>(exec, "a", layout, 0).owned();
#endif
}
