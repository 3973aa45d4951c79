// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/algorithms/impl/reduction.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace distview::impl {

/// A pack of values of different types that can be sent as bytes and used on a device.
template <class First, class... Rest>
struct ValuePack {
    First first;
    ValuePack<Rest...> rest;
};
template <class Last>
struct ValuePack<Last> {
    Last first;
};

template <class First, class... Rest>
ValuePack<First, Rest...> make_pack(const First& first, const Rest&... rest) {
    if constexpr (sizeof...(Rest) == 0)
        return {first};
    else
        return {first, make_pack(rest...)};
}

template <std::size_t Number, class Pack>
KOKKOS_FORCEINLINE_FUNCTION auto& value_at(Pack& pack) {
    if constexpr (Number == 0)
        return pack.first;
    else
        return value_at<Number - 1>(pack.rest);
}

/// Whether a Kokkos reducer's result is in host memory.
template <class Reducer>
constexpr bool gives_to_host() {
    if constexpr (requires { typename std::remove_cvref_t<Reducer>::result_view_type; })
        return Kokkos::SpaceAccessibility<
            Kokkos::HostSpace,
            typename std::remove_cvref_t<Reducer>::result_view_type::memory_space>::accessible;
    else
        return false;
}

/// The Kokkos reducer for an argument: the argument itself, or a sum for a plain variable.
template <class T>
auto as_reducer(T& result) {
    if constexpr (Kokkos::is_reducer<std::remove_const_t<T>>::value)
        return result;
    else
        return Kokkos::Sum<T>(result);
}

/// Adapts a program's functor and its Kokkos reducers to a reduction of this library.
template <int Rank, class Functor, class... Reducers>
struct FunctorReduction {
    using value_type = ValuePack<typename Reducers::value_type...>;
    /// Enough partial results that the latency of an addition does not limit sums.
    static constexpr int lanes = 8;
    static constexpr bool takes_narrow_indices = declares_narrow_indices<Functor, Rank>();

    FunctorReduction(const Functor& body, const Reducers&... all)
        : functor(body), reducers(make_pack(all...)) {}

    KOKKOS_FUNCTION void init(value_type& value) const { init_each(Numbers(), value); }
    KOKKOS_FUNCTION void join(value_type& value, const value_type& other) const {
        join_each(Numbers(), value, other);
    }
    template <class... Indices>
    KOKKOS_FORCEINLINE_FUNCTION void operator()(value_type& value, Indices... at) const {
        call(Numbers(), value, at...);
    }
    /// Assigns the results to the variables for which the reducers were created.
    void assign(const value_type& value) const { assign_each(Numbers(), value); }

private:
    using Numbers = std::index_sequence_for<Reducers...>;

    template <std::size_t... Number>
    KOKKOS_FUNCTION void init_each(std::index_sequence<Number...>, value_type& value) const {
        (value_at<Number>(reducers).init(value_at<Number>(value)), ...);
    }
    template <std::size_t... Number>
    KOKKOS_FUNCTION void join_each(std::index_sequence<Number...>, value_type& value,
                                   const value_type& other) const {
        (value_at<Number>(reducers).join(value_at<Number>(value), value_at<Number>(other)), ...);
    }
    template <std::size_t... Number>
    void assign_each(std::index_sequence<Number...>, const value_type& value) const {
        ((value_at<Number>(reducers).reference() = value_at<Number>(value)), ...);
    }
    template <std::size_t... Number, class... Indices>
    KOKKOS_FORCEINLINE_FUNCTION void call(std::index_sequence<Number...>, value_type& value,
                                          Indices... at) const {
        functor(at..., value_at<Number>(value)...);
    }

    Functor functor;
    ValuePack<Reducers...> reducers;
};

} // namespace distview::impl
