// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/agreement.hpp>
#include <distview/comm/combine.hpp>
#include <distview/comm/communicator.hpp>
#include <distview/comm/gather_plan.hpp>
#include <distview/comm/index_list.hpp>
#include <distview/core/concepts.hpp>
#include <distview/core/hash.hpp>
#include <distview/core/text.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

namespace distview {

// One-time access to elements of distributed arrays by global indices: of one array, or of several arrays with the same
// layout, std::tie(u, v), whose elements move together, in one message per rank. Each call makes a GatherPlan, finds
// owners and binds; to access the same elements repeatedly, keep a GatherPlan.

namespace impl {

template <ExecutionSpace Exec, class Op, class... Arrays, class... Values>
void combine_elements(const Exec& exec, const Communicator& comm, const char* caller, const Op& op,
                      const std::tuple<Arrays...>& arrays, const IndexList& list,
                      const std::tuple<Values...>& values) {
    const CollectiveCall call(comm, caller);
    // All ranks throw the same error if a rank's values are not as many as its elements, have gaps or lie in an array.
    const auto check = [&] {
        std::apply(
            [&](const auto&... each) { (check_list(caller, "values", each, list.size()), ...); },
            values);
        check_apart(caller, fields_of<Exec, false>(arrays), bytes_of_lists(values), false);
    };
    agree_on(comm, caller, check, hash_of(operation_name<Op>),
             [] { return std::vector<Argument>{{"operation", operation_name<Op>}}; });
    GatherPlan plan(comm, std::get<0>(arrays).layout(), list);
    plan.combine(exec, op, values, arrays);
}

template <ExecutionSpace Exec, DistViewLike Array>
auto list_for(const Exec& exec, const Array&, std::int64_t size) {
    return Kokkos::View<typename Array::non_const_value_type*, typename Array::memory_space>(
        Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "distview::get_elements::values"),
        static_cast<std::size_t>(size));
}

} // namespace impl

/// Returns the elements of `arrays` with the indices in this rank's list, in the list's order.
///
///     const auto values = get_elements(exec, comm, u, IndexList({7, 3, 3}));    // values(0) = element 7
///     const auto [x, v] = get_elements(exec, comm, std::tie(u, w), list);       // of both at once
///
/// Collective: over comm, the arrays' communicator; lists may differ, and be empty
/// Indices:    see IndexList
/// Shapes:     a new Kokkos::View with one axis, in the memory space of the array, with one value for each element of
///             the list; for std::tie() of arrays with the same layout a tuple of such Views
/// Space:      on `exec`; on return all work has finished
/// Cost:       that of a GatherPlan and of its first execution: one message per rank for all arrays
/// Errors:     those of a GatherPlan (thrown on all ranks)
template <ExecutionSpace Exec, DistViews Arrays>
auto get_elements(const Exec& exec, const Communicator& comm, const Arrays& arrays,
                  const IndexList& list) {
    const CollectiveCall call(comm, "get_elements");
    const auto& all = impl::as_tuple(arrays);
    GatherPlan plan(comm, std::get<0>(all).layout(), list);
    const auto values = std::apply(
        [&](const auto&... each) {
            return std::make_tuple(impl::list_for(exec, each, list.size())...);
        },
        all);
    plan.execute(exec, all, values);
    if constexpr (DistViewLike<Arrays>)
        return std::get<0>(values);
    else
        return values;
}

/// Writes elements of `arrays`: values(k) to the element with index k of this rank's list, on any rank.
///
///     put_elements(exec, comm, u, IndexList({7, 3}), values);
///     put_elements(exec, comm, std::tie(u, w), positions, std::tie(x, v));     // particles with known positions
///
/// If several values are for one element, the value of the highest rank that lists it remains, the last one in its
/// list; this holds for all arrays of a call alike. Elements that are in no list keep their values.
///
/// Collective: over comm, as get_elements(); indices and space likewise
/// Shapes:     values with one axis, one for each element of the list, contiguous in memory, of the array's element
///             type; for std::tie() of arrays with the same layout std::tie() of as many lists of values
/// Cost:       that of a GatherPlan and of its first combine(): one message per rank for all arrays
/// Errors:     ShapeError if values are not as many as elements, or have gaps; UsageError if they share memory with an
///             array; those of a GatherPlan (thrown on all ranks)
template <ExecutionSpace Exec, DistViews Arrays, ValueLists Values>
void put_elements(const Exec& exec, const Communicator& comm, const Arrays& arrays,
                  const IndexList& list, const Values& values) {
    impl::combine_elements(exec, comm, "put_elements", Replace{}, impl::as_tuple(arrays), list,
                           impl::as_tuple(values));
}

/// Combines elements of `arrays` with values: element k of this rank's list = op(element, values(k)). Every value
/// counts, in the order of GatherPlan::combine(): the result has the same bits with every transport.
///
///     accumulate_elements(exec, comm, Sum{}, u, IndexList({7, 3, 3}), values);
///
/// Collective: over comm, as put_elements(); indices, space, cost and errors likewise
/// Shapes:     those of put_elements(); op(T here, T incoming) for each element type T, as in GatherPlan::combine()
template <ExecutionSpace Exec, class Op, DistViews Arrays, ValueLists Values>
void accumulate_elements(const Exec& exec, const Communicator& comm, const Op& op,
                         const Arrays& arrays, const IndexList& list, const Values& values) {
    impl::combine_elements(exec, comm, "accumulate_elements", op, impl::as_tuple(arrays), list,
                           impl::as_tuple(values));
}

} // namespace distview
