// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/agreement.hpp>
#include <distview/comm/combine.hpp>
#include <distview/comm/communicator.hpp>
#include <distview/comm/gather_plan.hpp>
#include <distview/comm/index_list.hpp>
#include <distview/core/concepts.hpp>
#include <distview/core/error.hpp>
#include <distview/core/text.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace distview {

// Elements of distributed arrays, named by global indices, once. Each call makes a GatherPlan, which finds owners and is
// bound; what is done again with the same elements is faster with a plan that is kept.

namespace impl {

/// The same error on all ranks if one has another number of values than elements, or with gaps.
template <ValueList Values>
void check_values(const Communicator& comm, const char* caller, const Values& values,
                  std::int64_t elements) {
    agree_on(comm, caller, [&] {
        const auto count = static_cast<std::int64_t>(values.extent(0));
        require<ShapeError>(count == elements, [&] {
            return text(caller, ": expected ", elements, " values in '", values.label(), "', got ",
                        count);
        });
        require<ShapeError>(count < 2 || values.stride(0) == 1, [&] {
            return text(caller, ": expected values that follow each other in memory in '",
                        values.label(), "', got a stride of ", values.stride(0));
        });
    });
}

template <ExecutionSpace Exec, class Op, DistViewLike Array, ValueList Values>
void combine_elements(const Exec& exec, const Communicator& comm, const char* caller, const Op& op,
                      const Array& u, const IndexList& list, const Values& values) {
    const CollectiveCall call(comm, caller);
    check_values(comm, caller, values, list.size());
    GatherPlan plan(comm, u.layout(), list);
    plan.combine(exec, op, values, u);
}

} // namespace impl

/// The elements of `u` with the indices in this rank's list, in the list's order.
///
///     const auto values = get_elements(exec, comm, u, IndexList({7, 3, 3}));    // values(0) = element 7
///
/// Collective: over comm, that of `u`; lists may differ, and be empty
/// Indices:    see IndexList
/// Shapes:     a new Kokkos::View with one axis, in the memory space of `u`, of a value for each element of the list
/// Space:      on `exec`; on return all work has finished
/// Cost:       that of a GatherPlan, and of its first execution
/// Errors:     those of a GatherPlan (thrown on all ranks)
template <ExecutionSpace Exec, DistViewLike Array>
auto get_elements(const Exec& exec, const Communicator& comm, const Array& u,
                  const IndexList& list) {
    const CollectiveCall call(comm, "get_elements");
    GatherPlan plan(comm, u.layout(), list);
    const Kokkos::View<typename Array::non_const_value_type*, typename Array::memory_space> values(
        Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "distview::get_elements::values"),
        static_cast<std::size_t>(list.size()));
    plan.execute(exec, u, values);
    return values;
}

/// Writes elements of `u`: values(k) to that with index k of this rank's list, wherever it is.
///
/// Of several values for one element the last one stays: that of the highest rank, and there the last in its list.
///
/// Collective: over comm, that of `u`; lists may differ, and be empty
/// Indices:    see IndexList
/// Shapes:     values with one axis, one for each element of the list, that follow each other in memory; of the element
///             type of `u`
/// Space:      on `exec`; on return all work has finished
/// Cost:       that of a GatherPlan, and of its first combine()
/// Errors:     ShapeError if values are not as many as elements, or have gaps; those of a GatherPlan (thrown on all ranks)
template <ExecutionSpace Exec, DistViewLike Array, ValueList Values>
void put_elements(const Exec& exec, const Communicator& comm, const Array& u, const IndexList& list,
                  const Values& values) {
    impl::combine_elements(exec, comm, "put_elements", Replace{}, u, list, values);
}

/// Combines elements of `u` with values: that with index k of this rank's list = op(itself, values(k)). Every value counts,
/// in the order of GatherPlan::combine(), hence to the same bits however they travel.
///
///     accumulate_elements(exec, comm, Sum{}, u, IndexList({7, 3, 3}), values);
///
/// Collective: over comm, that of `u`; lists may differ, and be empty
/// Indices:    see IndexList
/// Shapes:     those of put_elements(); op(T here, T incoming) for the element type T, as in GatherPlan::combine()
/// Space:      on `exec`; on return all work has finished
/// Cost:       that of a GatherPlan, and of its first combine()
/// Errors:     those of put_elements()
template <ExecutionSpace Exec, class Op, DistViewLike Array, ValueList Values>
void accumulate_elements(const Exec& exec, const Communicator& comm, const Op& op, const Array& u,
                         const IndexList& list, const Values& values) {
    impl::combine_elements(exec, comm, "accumulate_elements", op, u, list, values);
}

} // namespace distview
