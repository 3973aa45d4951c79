// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "index_list.hpp"
#include "operations.hpp"
#include "wide.hpp"

#include <distview/comm/gather_plan.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

struct distview_gather_plan : distview::c::Counted {
    distview_gather_plan(const distview::Communicator& communicator,
                         const distview::ArrayLayout& layout_of_arrays, distview::GatherPlan made)
        : comm(communicator), layout(layout_of_arrays), plan(std::move(made)) {}
    distview::Communicator comm;
    distview::ArrayLayout layout; ///< layout of the program's arrays; the plan's is widened
    distview::GatherPlan plan;
};

namespace distview::c {

template <class T>
using Values = Kokkos::View<T*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

/// Calls use(OfType<Raw<N>>()) for elements of 1, 2, 4, 8 or 16 bytes; ShapeError for other sizes.
template <class Use>
void with_raw(const ElementType& element, const char* function, Use&& use) {
    switch (element.bytes) {
    case 1: return use(OfType<Raw<1>>());
    case 2: return use(OfType<Raw<2>>());
    case 4: return use(OfType<Raw<4>>());
    case 8: return use(OfType<Raw<8>>());
    case 16: return use(OfType<Raw<16>>());
    default: break;
    }
    throw_element(function, "of 1, 2, 4, 8 or 16 bytes", element);
}

/// Throws unless the array has this layout and the number of values is as expected.
void check_values(const distview_array* array, const ArrayLayout& layout, std::int64_t expected,
                  std::int64_t count, const void* values, const char* function);

/// Throws unless single elements of the array may be written.
void check_writable(const distview_array& array, const char* function);

/// The work of the public functions, after the arguments were checked on all ranks.
void gather_values(GatherPlan& plan, const Exec& exec, const distview_array& array, void* values,
                   bool alone, const char* function);
void combine_values(GatherPlan& plan, const Exec& exec, const Operation& operation,
                    const void* values, const distview_array& array, const char* function);
void put_values(GatherPlan& plan, const Exec& exec, const void* values, const distview_array& array,
                const char* function);

} // namespace distview::c
