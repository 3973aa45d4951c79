// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/combine.hpp>
#include <distview/comm/communicator.hpp>
#include <distview/comm/exchange_handle.hpp>
#include <distview/comm/impl/plan/call_arguments.hpp>
#include <distview/comm/impl/plan/gather_core.hpp>
#include <distview/comm/impl/plan/gather_runner.hpp>
#include <distview/comm/impl/plan/operation_code.hpp>
#include <distview/comm/impl/plan/plan_base.hpp>
#include <distview/comm/index_list.hpp>
#include <distview/core/any_dist_view.hpp>
#include <distview/core/text.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <source_location>
#include <span>
#include <tuple>
#include <type_traits>
#include <vector>

namespace distview {

/// Brings elements of distributed arrays, named by global indices, to this rank, or combines values of this rank
/// with these elements, any number of times.
///
///     GatherPlan plan(comm, u.layout(), IndexList({7, 3, 3, 100}));
///     Kokkos::View<double*, Kokkos::HostSpace> values("values", plan.size());
///     plan.execute(exec, u, values);               // values(k) = the element with index k of the list
///     plan.combine(exec, Sum{}, values, u);        // adds values(k) to that element, wherever it is
///
/// Each rank has its own list, which may be empty and may name an element several times. A plan is built once for a
/// layout and executed with any arrays of that layout; std::tie() of several arrays, and of as many lists of values,
/// moves them together. If several processes have an element (unstructured axes), the lowest process's is used.
///
/// Transports, binding, lifetimes, threads and errors of executions are those of a PaddingExchangePlan.
///
/// Collective: construction, and every call that takes arrays except read(), in the same order on all ranks of the
///             communicator; all other calls are local
/// Indices:    see IndexList
/// Shapes:     arrays of the plan's layout; lists of values with one axis and size() elements, contiguous in memory, of
///             the array's element type. Lists are not part of the bound set: each call may pass other lists
/// Space:      memory that kernels of the given instance can access; only this instance is fenced
/// Cost:       memory: 16 bytes per element of the list, 8 on its owner. Each bound set, of at most 32, adds at most
///             16 per element (again for arrays of other strides; 8 per array if the list is filled in its order), 8
///             on owners that pack, and to combine 8 per value on its owner (16 with several threads, 24 on a device)
/// Source:     decision 0028; in the field: Tpetra's Import and Export, PETSc's VecScatter and PetscSF
class GatherPlan : public impl::PlanBase<impl::GatherCore> {
public:
    /// Makes a plan. A DeadlineError shows `where` it was made.
    ///
    /// Cost:   messages to the owners of the list's elements, and a barrier; sets up no messages of elements yet
    /// Errors: UsageError if the layout's grid does not match the communicator, list and layout differ in number of
    ///         axes, an element has no owner, ranks pass different layouts, or the required DISTVIEW_TRANSPORT is not
    ///         available; LayoutError if processes with the same coordinate list different indices (on all ranks)
    GatherPlan(const Communicator& comm, const ArrayLayout& layout, const IndexList& indices,
               const std::source_location& where = std::source_location::current());

    /// Binds arrays ahead of the first execution; without it the first execute() or combine() binds them.
    ///
    /// Errors: ShapeError if an array's layout or process is not the plan's, UsageError if element types or their number
    ///         differ between ranks (on all ranks)
    template <ExecutionSpace Exec, DistViews Arrays>
    void bind(const Exec&, const Arrays& arrays) {
        const auto fields = impl::fields_of<Exec, false>(impl::as_tuple(arrays));
        core()->bind(impl::CallWord::Kind::bind_gather,
                     impl::array_set<Exec>(impl::ExchangeKind::fill, fields));
    }

    /// values(k) = the element with index k of this rank's list.
    ///
    /// Space:  on `exec`; on return all work has finished
    /// Errors: ShapeError if a list does not have the plan's size or has gaps in memory, UsageError if it shares memory
    ///         with an array or another list (on this rank alone); those of start() and ExchangeHandle::finish()
    template <ExecutionSpace Exec, DistViews Arrays, ValueLists Values>
    void execute(const Exec& exec, const Arrays& arrays, const Values& values) {
        start(exec, arrays, values).finish();
    }
    /// Begins execute() and returns a handle; its finish() completes the execution.
    template <ExecutionSpace Exec, DistViews Arrays, ValueLists Values>
    auto start(const Exec& exec, const Arrays& arrays, const Values& values) {
        return start_tuples<impl::ExchangeKind::fill>(exec, impl::CallWord::Kind::gather,
                                                      impl::NoOperation{}, impl::as_tuple(arrays),
                                                      impl::as_tuple(values));
    }

    /// The element with index k of this rank's list = op(element, values(k)): the adjoint of execute().
    ///
    /// The element's owner combines every value once, by ascending rank, and values of one rank in the order of its
    /// list: the result has the same bits with every transport.
    ///
    /// Shapes: op(T here, T incoming) for the element type T: Sum, Minimum, Maximum or the program's function object
    /// Cost:   values are packed, read or sent, and combined in one kernel; the set is bound separately from execute()
    template <ExecutionSpace Exec, class Op, ValueLists Values, DistViews Arrays>
    void combine(const Exec& exec, const Op& op, const Values& values, const Arrays& arrays) {
        start_combine(exec, op, values, arrays).finish();
    }
    template <ExecutionSpace Exec, class Op, ValueLists Values, DistViews Arrays>
    auto start_combine(const Exec& exec, const Op& op, const Values& values, const Arrays& arrays) {
        return start_tuples<impl::ExchangeKind::combine>(exec, impl::CallWord::Kind::gather_combine,
                                                         op, impl::as_tuple(arrays),
                                                         impl::as_tuple(values));
    }

    /// Does the same as execute() without the other ranks: reads their elements with their current values. The arrays
    /// must be bound, and all owners must be on this node and have made them by make_dist_view().
    ///
    /// The program must order accesses: owners must not write these elements meanwhile, and earlier writes are visible
    /// only after a synchronisation such as barrier(). combine() has no local form, because only owners combine values:
    /// to add without the owners use GlobalElements::add(), which is atomic and unordered.
    ///
    /// Collective: no (local)
    /// Errors:     those of execute() for lists; UsageError if the arrays are not bound, or if an owner must take part:
    ///             names the owner and the call to use
    template <ExecutionSpace Exec, DistViews Arrays, ValueLists Values>
    void read(const Exec& exec, const Arrays& arrays, const Values& values) {
        const auto fields = impl::fields_of<Exec, false>(impl::as_tuple(arrays));
        const auto runner = runner_for<Exec, true>(impl::NoOperation{}, impl::as_tuple(arrays),
                                                   impl::as_tuple(values));
        impl::check_apart("GatherPlan::read", fields, impl::bytes_of_lists(impl::as_tuple(values)),
                          true);
        read_fields(exec, runner, fields);
    }

    // The same calls for an array whose types are known at run time. `values` are the size() values of the array's
    // element type as bytes, in memory that kernels on `exec` can access.
    //
    // Errors: also ShapeError if an array that is written is read-only, or `exec` cannot access it (on all ranks)

    template <ExecutionSpace Exec>
    void bind(const Exec&, const AnyDistView& array) {
        const std::array fields{impl::make_field(array)};
        core()->bind(impl::CallWord::Kind::bind_gather,
                     impl::array_set<Exec>(impl::ExchangeKind::fill, fields));
    }
    template <ExecutionSpace Exec>
    void execute(const Exec& exec, const AnyDistView& array, std::span<std::byte> values) {
        start(exec, array, values).finish();
    }
    template <ExecutionSpace Exec>
    auto start(const Exec& exec, const AnyDistView& array, std::span<std::byte> values) {
        return start_any<impl::ExchangeKind::fill, impl::AnyElement>(exec, impl::NoOperation{},
                                                                     array, values);
    }
    /// combine() for an array whose element type, `Value`, the caller found out at run time.
    ///
    /// Errors: also ShapeError if the array's element type is not `Value` (on all ranks)
    template <class Value, ExecutionSpace Exec, class Op>
    void combine_as(const Exec& exec, const Op& op, std::span<const Value> values,
                    const AnyDistView& array) {
        start_combine_as<Value>(exec, op, values, array).finish();
    }
    template <class Value, ExecutionSpace Exec, class Op>
    auto start_combine_as(const Exec& exec, const Op& op, std::span<const Value> values,
                          const AnyDistView& array) {
        return start_any<impl::ExchangeKind::combine, Value>(exec, op, array,
                                                             std::as_bytes(values));
    }
    /// combine() with Replace, for elements of any type.
    template <ExecutionSpace Exec>
    void put(const Exec& exec, std::span<const std::byte> values, const AnyDistView& array) {
        start_any<impl::ExchangeKind::combine, impl::AnyElement>(exec, Replace{}, array, values)
            .finish();
    }
    template <ExecutionSpace Exec>
    void read(const Exec& exec, const AnyDistView& array, std::span<std::byte> values) {
        const std::array fields{impl::make_field(array)};
        const auto runner = any_runner<impl::ExchangeKind::fill, impl::AnyElement>(
            impl::NoOperation{}, fields, values);
        read_fields(exec, runner, fields);
    }

    /// Number of elements in this rank's list.
    std::int64_t size() const { return core()->size(); }
    const ArrayLayout& layout() const { return core()->layout(); }

private:
    template <class T>
    static constexpr bool is_written =
        !std::is_const_v<typename std::remove_cvref_t<T>::value_type>;

    template <ExecutionSpace Exec, bool AreWritten, class Values>
    impl::PointLists list_of(const Values& values) const {
        static_assert(!AreWritten || is_written<Values>,
                      "GatherPlan: values are written, but they are const");
        static_assert(Kokkos::SpaceAccessibility<Exec, typename Values::memory_space>::accessible,
                      "GatherPlan: values must be in memory that the execution space can access");
        impl::check_list("GatherPlan", "values", values, size());
        using Value = typename Values::non_const_value_type;
        char* const list = reinterpret_cast<char*>(const_cast<Value*>(values.data()));
        return {list, list};
    }

    template <ExecutionSpace Exec, bool AreWritten, class Op, class... Arrays, class... Values>
    auto runner_for(const Op& op, const std::tuple<Arrays...>&,
                    const std::tuple<Values...>& values) const {
        static_assert(sizeof...(Arrays) == sizeof...(Values),
                      "GatherPlan: expected as many lists of values as arrays");
        static_assert((std::is_same_v<typename std::remove_cvref_t<Arrays>::non_const_value_type,
                                      typename std::remove_cvref_t<Values>::non_const_value_type> &&
                       ...),
                      "GatherPlan: expected values of the arrays' element types");
        using Runner =
            impl::GatherRunner<Op, typename std::remove_cvref_t<Values>::non_const_value_type...>;
        return std::apply(
            [&](const auto&... each) { return Runner{op, {list_of<Exec, AreWritten>(each)...}}; },
            values);
    }

    template <impl::ExchangeKind Kind, ExecutionSpace Exec, class Op, class... Arrays,
              class... Values>
    auto start_tuples(const Exec& exec, impl::CallWord::Kind call, const Op& op,
                      const std::tuple<Arrays...>& arrays, const std::tuple<Values...>& values) {
        constexpr bool fills = Kind == impl::ExchangeKind::fill;
        static_assert(fills || (is_written<Arrays> && ...),
                      "GatherPlan: elements are written, but they are const");
        const auto fields = impl::fields_of<Exec, false>(arrays);
        const auto runner = core()->before_call([&] {
            impl::check_apart("GatherPlan", fields, impl::bytes_of_lists(values), fills);
            return runner_for<Exec, fills>(op, arrays, values);
        });
        impl::ArraySet set = impl::array_set<Exec>(Kind, fields);
        set.operation = impl::operation_code(op);
        ExchangeHandle<Exec, std::remove_const_t<decltype(runner)>> handle(core(), exec, runner,
                                                                           call, set);
        handle.begin_step();
        return handle;
    }

    template <impl::ExchangeKind Kind, class Value, class Op>
    auto any_runner(const Op& op, const std::array<impl::Field, 1>& fields,
                    std::span<const std::byte> values) const {
        const std::array lists{impl::ListBytes{values.data(), std::ssize(values)}};
        impl::check_list_bytes("GatherPlan", lists[0], size(), fields[0].element_size);
        impl::check_apart("GatherPlan", fields, lists, Kind == impl::ExchangeKind::fill);
        char* const list = reinterpret_cast<char*>(const_cast<std::byte*>(values.data()));
        return impl::GatherRunner<Op, Value>{op, {{list, list}}};
    }

    template <impl::ExchangeKind Kind, class Value, ExecutionSpace Exec, class Op>
    auto start_any(const Exec& exec, const Op& op, const AnyDistView& array,
                   std::span<const std::byte> values) {
        constexpr bool fills = Kind == impl::ExchangeKind::fill;
        const std::array fields{impl::make_field(array)};
        const auto runner =
            core()->before_call([&] { return any_runner<Kind, Value>(op, fields, values); });
        impl::ArraySet set = impl::array_set<Exec>(Kind, fields);
        set.operation = impl::operation_code(op);
        set.writes_sources = !fills;
        if constexpr (!std::is_same_v<Value, impl::AnyElement>)
            set.element_code = impl::element_code<Value>();
        ExchangeHandle<Exec, std::remove_const_t<decltype(runner)>> handle(
            core(), exec, runner,
            fills ? impl::CallWord::Kind::gather : impl::CallWord::Kind::gather_combine, set);
        handle.begin_step();
        return handle;
    }

    template <ExecutionSpace Exec, class Runner>
    void read_fields(const Exec& exec, const Runner& runner, std::span<const impl::Field> fields) {
        const impl::ExchangeProgram& program =
            core()->local_program(impl::array_set<Exec>(impl::ExchangeKind::fill, fields));
        const impl::PlanCore::Labels& labels = core()->labels;
        runner.run(exec, labels, labels.local, program, program.local);
        for (const impl::Incoming& incoming : program.in_place)
            runner.run(exec, labels, labels.incoming, program, incoming.batches);
        runner.run(exec, labels, labels.incoming, program, program.last);
        exec.fence(labels.fence_done);
    }
};

} // namespace distview
