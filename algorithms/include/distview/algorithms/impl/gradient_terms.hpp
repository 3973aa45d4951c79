// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/algorithms/impl/fused_sums.hpp>
#include <distview/core/concepts.hpp>

#include <type_traits>

namespace distview::impl {

// The kernels of a conjugate gradient iteration. All arrays have the same layout and so the same indices.

/// Ways to get an element of z = M^-1 r: it equals r's element, is computed from it, or is stored by a preconditioner.
struct SameElement {
    static constexpr bool is_identity = true;
    static constexpr bool takes_narrow_indices = false;
    template <class T, class... Indices>
    KOKKOS_FORCEINLINE_FUNCTION T operator()(T r, Indices...) const {
        return r;
    }
};
template <class Functor>
struct ElementOfFunctor {
    static constexpr bool is_identity = false;
    static constexpr bool takes_narrow_indices = declares_narrow_indices_after_one<Functor>();
    Functor functor;
    template <class T, class... Indices>
    KOKKOS_FORCEINLINE_FUNCTION T operator()(T r, Indices... at) const {
        static_assert(std::is_invocable_v<const Functor&, T, Indices...>,
                      "PointPreconditioner: expected a functor that is called as functor(r, i, j, "
                      "...), where r is an element of the residual");
        return static_cast<T>(functor(r, at...));
    }
};
template <ViewLike View>
struct ElementOfArray {
    static constexpr bool is_identity = false;
    static constexpr bool takes_narrow_indices = false;
    View z;
    template <class T, class... Indices>
    KOKKOS_FORCEINLINE_FUNCTION T operator()(T, Indices... at) const {
        return z(at...);
    }
};

template <int Streams>
struct GradientTerms {
    static constexpr int sums = Streams;
    static constexpr int streams = Streams;
    static constexpr bool wide = true;
    static constexpr bool direct = false;
    KOKKOS_FUNCTION static constexpr int sum_of(int stream) { return stream; }
};

/// q = A p for an operator given by its elements; p * q.
template <ViewLike View, class Functor>
struct ApplyTerms : GradientTerms<1> {
    static constexpr bool takes_narrow_indices = impl::takes_narrow_indices<Functor>();
    ApplyTerms(const View& from, const View& to, const Functor& element)
        : p(from), q(to), functor(element) {}
    View p;
    View q;
    Functor functor;

    template <class Slot, class... Indices>
    KOKKOS_FORCEINLINE_FUNCTION void operator()(Slot& slot, Indices... at) const {
        const auto value = static_cast<typename View::value_type>(functor(p, at...));
        q(at...) = value;
        slot.template product<0>(static_cast<double>(p(at...)), static_cast<double>(value));
    }
};

/// p * q
template <ViewLike View>
struct ProductTerms : GradientTerms<1> {
    ProductTerms(const View& first, const View& second) : p(first), q(second) {}
    View p;
    View q;

    template <class Slot, class... Indices>
    KOKKOS_FORCEINLINE_FUNCTION void operator()(Slot& slot, Indices... at) const {
        slot.template product<0>(static_cast<double>(p(at...)), static_cast<double>(q(at...)));
    }
};

/// r = b - q, the first residual; b * b.
template <ViewLike View, ViewLike RightSide>
struct ResidualTerms : GradientTerms<1> {
    ResidualTerms(const RightSide& right, const View& product, const View& residual)
        : b(right), q(product), r(residual) {}
    RightSide b;
    View q;
    View r;

    template <class Slot, class... Indices>
    KOKKOS_FORCEINLINE_FUNCTION void operator()(Slot& slot, Indices... at) const {
        const auto right = b(at...);
        r(at...) = right - q(at...);
        slot.template product<0>(static_cast<double>(right), static_cast<double>(right));
    }
};

/// The number of elements that are not zero.
template <ViewLike View>
struct NonZeroTerms : GradientTerms<1> {
    explicit NonZeroTerms(const View& elements) : view(elements) {}
    View view;

    template <class Slot, class... Indices>
    KOKKOS_FORCEINLINE_FUNCTION void operator()(Slot& slot, Indices... at) const {
        slot.template product<0>(view(at...) != 0 ? 1.0 : 0.0, 1.0);
    }
};

/// r = r - alpha q; r * r, and r * z unless z is r.
template <ViewLike View, class Element>
struct UpdateTerms : GradientTerms<Element::is_identity ? 1 : 2> {
    using T = typename View::value_type;
    static constexpr bool takes_narrow_indices = Element::takes_narrow_indices;
    UpdateTerms(T step, const View& product, const View& residual, const Element& z_of)
        : alpha(step), q(product), r(residual), element(z_of) {}
    T alpha;
    View q;
    View r;
    Element element;

    template <class Slot, class... Indices>
    KOKKOS_FORCEINLINE_FUNCTION void operator()(Slot& slot, Indices... at) const {
        const T value = multiply_add(-alpha, static_cast<T>(q(at...)), static_cast<T>(r(at...)));
        r(at...) = value;
        const auto number = static_cast<double>(value);
        slot.template product<0>(number, number);
        if constexpr (!Element::is_identity)
            slot.template product<1>(number, static_cast<double>(element(value, at...)));
    }
};

/// x = x + alpha p, p = z + beta p
template <ViewLike View, class Element>
struct DirectionBody {
    using T = typename View::value_type;
    static constexpr bool takes_narrow_indices = Element::takes_narrow_indices;
    T alpha;
    T beta;
    View x;
    View p;
    View r;
    Element element;

    template <class... Indices>
    KOKKOS_FORCEINLINE_FUNCTION void operator()(Indices... at) const {
        const T direction = p(at...);
        x(at...) = multiply_add(alpha, direction, static_cast<T>(x(at...)));
        p(at...) = multiply_add(beta, direction, element(static_cast<T>(r(at...)), at...));
    }
};

/// p = z
template <ViewLike View, class Element>
struct FirstDirectionBody {
    static constexpr bool takes_narrow_indices = Element::takes_narrow_indices;
    View p;
    View r;
    Element element;

    template <class... Indices>
    KOKKOS_FORCEINLINE_FUNCTION void operator()(Indices... at) const {
        p(at...) = element(static_cast<typename View::value_type>(r(at...)), at...);
    }
};

} // namespace distview::impl
