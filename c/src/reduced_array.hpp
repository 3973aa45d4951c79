// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "element_types.hpp"
#include "wide.hpp"

#include <cstdint>

namespace distview::c {

/// Copies the section's integers to a new array of To in the same layout, so that reductions are compiled for fewer
/// types.
template <class To>
Wide<const To> converted(const distview_array& array);

/// Calls use(array) with the array in the type of its reduction: integers of less than 64 bits as std::int64_t. Axes are
/// `added` so that the fastest axis becomes the last or the first one, along which kernels walk.
template <class Use>
void with_reduced(const distview_array& array, Added added, const char* function,
                  bool allows_complex, Use&& use) {
    const ElementType element = array.view.section().element;
    const auto as_it_is = [&]<class T>(OfType<T>) {
        with_walked<const T>(wide<const T>(array, added), added, use);
    };
    const auto as_integers = [&](auto) {
        use(Walked<const std::int64_t, Kokkos::LayoutRight>(converted<std::int64_t>(array)));
    };
    if (element == element_type<double>()) return as_it_is(OfType<double>());
    if (element == element_type<float>()) return as_it_is(OfType<float>());
    if (element == element_type<std::int64_t>()) return as_it_is(OfType<std::int64_t>());
    if (element == element_type<std::uint64_t>()) return as_it_is(OfType<std::uint64_t>());
    if (with_real(element, as_integers)) return;
    if (allows_complex && with_complex(element, as_it_is)) return;
    throw_element(function,
                  allows_complex ? "integers, real or complex numbers" : "integers or real numbers",
                  element);
}

/// The same for norms, which are computed in double: integers become double.
template <class Use>
void with_normed(const distview_array& array, const char* function, Use&& use) {
    const ElementType element = array.view.section().element;
    const Added added = added_for(array);
    const auto as_it_is = [&]<class T>(OfType<T>) {
        with_walked<const T>(wide<const T>(array, added), added, use);
    };
    const auto as_numbers = [&](auto) {
        use(Walked<const double, Kokkos::LayoutRight>(converted<double>(array)));
    };
    if (element == element_type<double>()) return as_it_is(OfType<double>());
    if (element == element_type<float>()) return as_it_is(OfType<float>());
    if (with_real(element, as_numbers)) return;
    if (with_complex(element, as_it_is)) return;
    throw_element(function, "integers, real or complex numbers", element);
}

/// Throws the errors of with_reduced() before anything is computed.
void check_reduced(const distview_array& array, const char* function, bool allows_complex);

} // namespace distview::c
