// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/element_type.hpp>

#include <Kokkos_Core.hpp>

#include <atomic>
#include <type_traits>

namespace distview::impl {

/// Adds to an element to which other processes may add at the same time.
///
/// If no processor exchanges a type in one piece, Kokkos::atomic_add() takes a lock, which other processes
/// do not see: so complex numbers are added by parts, and other such types are refused. The scope of
/// Kokkos::atomic_add() is this process's device, so desul is called with the node's scope. For floating-point
/// numbers both begin with a plain load, a data race by C++'s rules; std::atomic_ref avoids it on the host.
template <class T>
KOKKOS_FUNCTION void add_to_shared(T* element, const T& value) {
    if constexpr (IsComplex<T>::value) {
        using Part = typename T::value_type;
        Part* const parts = reinterpret_cast<Part*>(element);
        const Part* const values = reinterpret_cast<const Part*>(&value);
        add_to_shared(parts, values[0]);
        add_to_shared(parts + 1, values[1]);
    } else {
        static_assert(sizeof(T) <= 8 && sizeof(T) == alignof(T),
                      "GlobalElements: add() needs a number of at most 8 bytes, or a complex "
                      "number of two: several processes cannot add to others");
        if constexpr (std::is_arithmetic_v<T>) {
            KOKKOS_IF_ON_HOST(
                (std::atomic_ref<T>(*element).fetch_add(value, std::memory_order_relaxed);))
            KOKKOS_IF_ON_DEVICE((desul::atomic_add(element, value, desul::MemoryOrderRelaxed(),
                                                   desul::MemoryScopeNode());))
        } else {
            desul::atomic_add(element, value, desul::MemoryOrderRelaxed(),
                              desul::MemoryScopeNode());
        }
    }
}

} // namespace distview::impl
