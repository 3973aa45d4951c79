// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/agreement.hpp>
#include <distview/comm/combine.hpp>
#include <distview/comm/communicator.hpp>
#include <distview/comm/gather_plan.hpp>
#include <distview/comm/index_list.hpp>
#include <distview/core/concepts.hpp>
#include <distview/core/text.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <tuple>

namespace distview {

// Elements of distributed arrays, named by global indices, once: of one array, or of several with the same layout,
// std::tie(u, v), whose elements travel together, in one message a rank. Each call makes a GatherPlan, which finds owners
// and is bound; what is done again with the same elements is faster with a plan that is kept.

namespace impl {

template <ExecutionSpace Exec, class Op, class... Arrays, class... Values>
void combine_elements(const Exec& exec, const Communicator& comm, const char* caller, const Op& op,
                      const std::tuple<Arrays...>& arrays, const IndexList& list,
                      const std::tuple<Values...>& values) {
    const CollectiveCall call(comm, caller);
    // The same error on all ranks if one has another number of values than elements, with gaps, or in an array's memory.
    agree_on(comm, caller, [&] {
        std::apply(
            [&](const auto&... each) { (check_list(caller, "values", each, list.size()), ...); },
            values);
        check_apart(caller, fields_of<Exec, false>(arrays), bytes_of_lists(values), false);
    });
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

/// The elements of `arrays` with the indices in this rank's list, in the list's order.
///
///     const auto values = get_elements(exec, comm, u, IndexList({7, 3, 3}));    // values(0) = element 7
///     const auto [x, v] = get_elements(exec, comm, std::tie(u, w), list);       // of both at once
///
/// Collective: over comm, that of the arrays; lists may differ, and be empty
/// Indices:    see IndexList
/// Shapes:     a new Kokkos::View with one axis, in the memory space of the array, of a value for each element of the
///             list; of std::tie() of arrays, which have one layout, a tuple of these
/// Space:      on `exec`; on return all work has finished
/// Cost:       that of a GatherPlan, and of its first execution: one message a rank for all arrays
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

/// Writes elements of `arrays`: values(k) to that with index k of this rank's list, wherever it is.
///
///     put_elements(exec, comm, u, IndexList({7, 3}), values);
///     put_elements(exec, comm, std::tie(u, w), positions, std::tie(x, v));     // particles that name their place
///
/// Of several values for one element the last one stays: that of the highest rank, and there the last in its list; in all
/// arrays of a call alike. Elements that the lists do not name keep their values.
///
/// Collective: over comm, as get_elements(); indices and space likewise
/// Shapes:     values with one axis, one for each element of the list, that follow each other in memory; of the element
///             type of the array. std::tie() of arrays, which have one layout, takes std::tie() of as many lists of values
/// Cost:       that of a GatherPlan, and of its first combine(): one message a rank for all arrays
/// Errors:     ShapeError if values are not as many as elements, or have gaps; UsageError if they share memory with an
///             array; those of a GatherPlan (thrown on all ranks)
template <ExecutionSpace Exec, DistViews Arrays, ValueLists Values>
void put_elements(const Exec& exec, const Communicator& comm, const Arrays& arrays,
                  const IndexList& list, const Values& values) {
    impl::combine_elements(exec, comm, "put_elements", Replace{}, impl::as_tuple(arrays), list,
                           impl::as_tuple(values));
}

/// Combines elements of `arrays` with values: that with index k of this rank's list = op(itself, values(k)). Every value
/// counts, in the order of GatherPlan::combine(), hence to the same bits however they travel.
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
