// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/combine.hpp>
#include <distview/comm/communicator.hpp>
#include <distview/comm/exchange_handle.hpp>
#include <distview/comm/impl/plan/call_arguments.hpp>
#include <distview/comm/impl/plan/move_runner.hpp>
#include <distview/comm/impl/plan/operation_code.hpp>
#include <distview/comm/impl/plan/plan_base.hpp>
#include <distview/comm/impl/plan/redistribution_core.hpp>
#include <distview/comm/impl/transport/make_field.hpp>
#include <distview/comm/redistribution_schedule.hpp>
#include <distview/core/any_dist_view.hpp>

#include <array>
#include <cstddef>
#include <source_location>
#include <span>
#include <tuple>
#include <type_traits>

namespace distview {

/// Moves elements from one layout to any other, any number of times: transposition, block to block-cyclic,
/// one process grid to another, slices to slices.
///
/// A plan is built once from two layouts and executed with any arrays of these layouts:
///
///     RedistributionPlan transpose(comm, a.layout(), c.layout(), {.permutation = {1, 0}});
///     transpose.execute(exec, a, c);                // c = a^T
///     transpose.execute(exec, 2.0, a, 1.0, c);      // c = 1.0 * c + 2.0 * a^T
///     transpose.combine(exec, Maximum{}, a, c);     // c = max(c, a^T)
///
/// Every element moves once, and is permuted, converted and combined as it moves. On the same node ranks read arrays
/// of make_dist_view() in place (or the source's rank writes the target in place, where rows are dealt out in short
/// runs). The owner of any other host array (wrapped or borrowed memory) packs elements into shared memory, and
/// readers copy them from there, in rounds of at most 4 MiB per rank. A rank on another node gets one message with the
/// elements of all arrays; so does every rank if /dev/shm has no room. The ranks choose the transport when arrays are
/// bound; describe() reports it. Elements that stay on their rank move within its memory.
///
/// When a plan meets a set of arrays for the first time, it binds the set, as a PaddingExchangePlan does; later
/// executions allocate nothing. A plan keeps the last 32 sets and has at most one execution in flight. One thread at
/// a time may use a plan.
///
/// A grid may have fewer processes than the communicator has ranks, and consist of any ranks (see
/// RedistributionOptions): a rank outside a grid passes a null pointer for its section. All ranks then agree
/// in every execution on whether arrays are new, which costs two collective calls.
///
/// Sources and targets may share memory if the plan was built with `in_place`; see RedistributionOptions.
///
/// A layout on either side may have only this process's labels of unstructured axes (unstructured_local()): the plan
/// then asks the other processes, and schedule() answers for this process and for totals. No process holds all
/// labels. Ranks outside a grid pass a layout without labels.
///
/// Collective: construction, and every call that takes arrays, in the same order on all ranks of the communicator
/// Indices:    interior cells: equal global indices, or slices by order; see RedistributionOptions
/// Space:      memory that kernels of the given instance can access; only this instance is fenced; on a
///             device as with a PaddingExchangePlan
/// Source:     decisions 0006, 0011, 0012, 0014 to 0016, 0018, 0026, 0045; in the field: ScaLAPACK's pdtran and pdgemr2d,
///             COSTA
class RedistributionPlan : public impl::PlanBase<impl::RedistributionCore> {
public:
    /// Makes a plan. A DeadlineError shows `where` it was made.
    ///
    /// Cost:   two agreements, and the runs of this process; sets up no messages yet. If labels are known in part:
    ///         memory, messages and time (except sorting) in proportion to own labels, own partners and a fair
    ///         share of all labels, which this process looks up for others
    /// Errors: those of RedistributionSchedule, but labels may be known in part: then LayoutError unless all
    ///         processes together list as many different labels as the axis' size, each once if the axis is
    ///         one_to_one(), and the same labels on processes with the same coordinate; UsageError if a grid has
    ///         more processes than the communicator has ranks, if ranks pass different arguments, or if
    ///         DISTVIEW_TRANSPORT requires an unavailable transport (thrown on all ranks)
    RedistributionPlan(const Communicator& comm, const ArrayLayout& from, const ArrayLayout& to,
                       const RedistributionOptions& options = {},
                       const std::source_location& where = std::source_location::current())
        : PlanBase("RedistributionPlan", impl::make_redistribution_core(comm, from, to, options),
                   where) {}

    /// target = source. Element types may differ: conversion is that of static_cast. If several processes of
    /// the source hold an index, the lowest process's element is used.
    ///
    /// Shapes: sections of the plan's layouts; or std::tie() of several sources, and of as many targets,
    ///         which move together. Pass pointers to sections if some ranks have none
    /// Space:  on `exec`; on return all work has finished
    /// Errors: ShapeError if an array's layout or process is not the plan's, UsageError if a source and a
    ///         target share memory (allowed if the plan moves nothing; in place an error only if buffer_bytes is
    ///         too small, or if the target would be read) or if element types differ between ranks (on all
    ///         ranks); those of start() and ExchangeHandle::finish()
    template <ExecutionSpace Exec, Sections Source, Sections Target>
    void execute(const Exec& exec, const Source& source, const Target& target) {
        start_tuples(exec, impl::Insert{}, impl::as_tuple(source), impl::as_tuple(target)).finish();
    }
    /// target = beta * target + alpha * source, with the same factors on all ranks. With beta = 0 target is not read.
    /// Source elements are converted to the target's type first; the products have the types of the C++ expressions,
    /// and their sum is converted to the target's type.
    template <ExecutionSpace Exec, class Alpha, class Beta, Sections Source, Sections Target>
    void execute(const Exec& exec, const Alpha& alpha, const Source& source, const Beta& beta,
                 const Target& target) {
        start(exec, alpha, source, beta, target).finish();
    }
    /// target = op(target, source) for Sum, Minimum, Maximum or the program's own function object
    /// T(T here, T incoming), with T the target's element type; all ranks pass the same operation.
    ///
    /// If several processes of the source hold an index of an unstructured axis, each process contributes: op is
    /// applied once for each, by ascending process coordinate along that axis (with several such axes, the last
    /// axis of the target changes fastest), with every transport. With Sum, combine() is the transpose of combine()
    /// with exchanged layouts, permutation and slices. execute(), with any alpha and beta, uses the element of the
    /// lowest such process only.
    ///
    /// Cost: one execute() for each copy of the index with the most copies; the second and further copies move
    ///       separately, one after the other. The set of arrays is bound separately from that of execute()
    template <ExecutionSpace Exec, class Op, Sections Source, Sections Target>
    void combine(const Exec& exec, const Op& op, const Source& source, const Target& target) {
        start_combine(exec, op, source, target).finish();
    }

    /// Begins execute() and returns a handle; its finish() completes the execution.
    ///
    /// Space:  waits for the work on `exec` that writes the source; on return kernels that move elements which
    ///         stay on this process may still run on `exec`
    /// Cost:   a kernel for elements that stay on this process, one for packing messages, one fence; no allocation
    ///         for a bound set
    /// Errors: UsageError if an execution of this plan is in flight or was abandoned; MpiError
    template <ExecutionSpace Exec, Sections Source, Sections Target>
    auto start(const Exec& exec, const Source& source, const Target& target) {
        return start_tuples(exec, impl::Insert{}, impl::as_tuple(source), impl::as_tuple(target));
    }
    template <ExecutionSpace Exec, class Alpha, class Beta, Sections Source, Sections Target>
    auto start(const Exec& exec, const Alpha& alpha, const Source& source, const Beta& beta,
               const Target& target) {
        return start_tuples(exec, impl::LinearUpdate<Alpha, Beta>{alpha, beta},
                            impl::as_tuple(source), impl::as_tuple(target));
    }
    template <ExecutionSpace Exec, class Op, Sections Source, Sections Target>
    auto start_combine(const Exec& exec, const Op& op, const Source& source, const Target& target) {
        return start_tuples(exec, op, impl::as_tuple(source), impl::as_tuple(target));
    }

    /// Binds a set of arrays ahead of the first execution. If combine() reads several copies, binds for execute() only.
    template <ExecutionSpace Exec, Sections Source, Sections Target>
    void bind(const Exec&, const Source& source, const Target& target) {
        bind_set<Exec>(impl::fields_of<Exec, false>(impl::as_tuple(source)),
                       impl::fields_of<Exec, true>(impl::as_tuple(target)));
    }

    /// The same for arrays whose element types are known at run time only. Ranks without a section pass null; all ranks
    /// pass the element type.
    template <ExecutionSpace Exec>
    void bind(const Exec& exec, const AnyDistView& source, const AnyDistView& target) {
        bind(exec, source.section().element, &source, &target);
    }
    template <ExecutionSpace Exec>
    void bind(const Exec&, const ElementType& element, const AnyDistView* source,
              const AnyDistView* target) {
        const std::array from{field_or_missing(source, element)};
        const std::array to{field_or_missing(target, element)};
        bind_set<Exec>(from, to);
    }

    /// target = source for arrays whose element types are known at run time only; both types must be equal.
    ///
    /// Shapes: elements of 1, 2, 4, 8 or 16 bytes
    /// Errors: also ShapeError if element types differ or have another size, if the target is read-only, if `exec`
    ///         cannot access an array, or if a device cannot load its elements (docs/cuda.md); UsageError if
    ///         the plan conjugates (on all ranks)
    template <ExecutionSpace Exec>
    void execute(const Exec& exec, const AnyDistView& source, const AnyDistView& target) {
        execute(exec, source.section().element, &source, &target);
    }
    /// The same if some ranks have no section and pass null; all ranks pass the element type.
    template <ExecutionSpace Exec>
    void execute(const Exec& exec, const ElementType& element, const AnyDistView* source,
                 const AnyDistView* target) {
        start(exec, element, source, target, [](auto handle) { handle.finish(); });
    }
    /// Begins the same and calls keep(handle) with the handle to finish(), whose type depends on the element size.
    template <ExecutionSpace Exec, class Keep>
    void start(const Exec& exec, const ElementType& element, const AnyDistView* source,
               const AnyDistView* target, Keep&& keep) {
        const std::array from{field_or_missing(source, element)};
        const std::array to{field_or_missing(target, element)};
        switch (from[0].element_size) {
        case 1: return keep(start_raw<1>(exec, from, to));
        case 2: return keep(start_raw<2>(exec, from, to));
        case 4: return keep(start_raw<4>(exec, from, to));
        case 8: return keep(start_raw<8>(exec, from, to));
        default: return keep(start_raw<16>(exec, from, to));
        }
    }

    /// target = beta * target + alpha * source, or target = op(target, source), for AnyDistViews whose element type,
    /// `Value`, the caller found out at run time. The plan may conjugate.
    ///
    /// Errors: as with other AnyDistViews; ShapeError if the element type is not `Value`
    template <class Value, ExecutionSpace Exec>
    void execute_as(const Exec& exec, const Value& alpha, const AnyDistView* source,
                    const Value& beta, const AnyDistView* target) {
        combine_as<Value>(exec, impl::LinearUpdate<Value>{alpha, beta}, source, target);
    }
    template <class Value, ExecutionSpace Exec, class Op>
    void combine_as(const Exec& exec, const Op& op, const AnyDistView* source,
                    const AnyDistView* target) {
        start_combine_as<Value>(exec, op, source, target).finish();
    }
    /// Begins execute_as() or combine_as() and returns a handle to finish().
    template <class Value, ExecutionSpace Exec>
    auto start_as(const Exec& exec, const Value& alpha, const AnyDistView* source,
                  const Value& beta, const AnyDistView* target) {
        return start_combine_as<Value>(exec, impl::LinearUpdate<Value>{alpha, beta}, source,
                                       target);
    }
    template <class Value, ExecutionSpace Exec, class Op>
    auto start_combine_as(const Exec& exec, const Op& op, const AnyDistView* source,
                          const AnyDistView* target) {
        const std::array from{field_or_missing(source, element_type<Value>())};
        const std::array to{field_or_missing(target, element_type<Value>())};
        impl::ArraySet arrays = array_set<Exec>(op, from, to);
        arrays.element_code = impl::element_code<Value>();
        Handle<Exec, Op, impl::Moved<Value, Value>> handle(core(), exec, {op, core()->conjugate()},
                                                           call_of(op), arrays);
        handle.begin_step();
        return handle;
    }

    const RedistributionSchedule& schedule() const { return core()->schedule(); }
    /// Process of this rank in the source's grid, and in the target's; -1 if the rank is in none.
    int from_process() const { return core()->from_process(); }
    int to_process() const { return core()->to_process(); }

private:
    template <ExecutionSpace Exec>
    void bind_set(std::span<const impl::Field> from, std::span<const impl::Field> to) {
        core()->bind(impl::CallWord::Kind::bind_redistribution,
                     array_set<Exec>(impl::Insert{}, from, to));
    }

    static impl::Field field_or_missing(const AnyDistView* view, const ElementType& element) {
        return view ? impl::make_field(*view) : impl::missing_field(element);
    }
    template <ExecutionSpace Exec, class Op, class... Pairs>
    using Handle = ExchangeHandle<Exec, impl::MoveRunner<Op, Pairs...>>;
    template <class Source, class Target>
    using MovedBetween = impl::Moved<typename impl::ViewOf<Source>::non_const_value_type,
                                     typename impl::ViewOf<Target>::value_type>;

    template <ExecutionSpace Exec, class Op, class... Sources, class... Targets>
    auto start_tuples(const Exec& exec, const Op& op, const std::tuple<Sources...>& sources,
                      const std::tuple<Targets...>& targets) {
        static_assert(sizeof...(Sources) == sizeof...(Targets),
                      "RedistributionPlan: expected as many sources as targets");
        const auto from = impl::fields_of<Exec, false>(sources);
        const auto to = impl::fields_of<Exec, true>(targets);
        Handle<Exec, Op, MovedBetween<Sources, Targets>...> handle(
            core(), exec, {op, core()->conjugate()}, call_of(op), array_set<Exec>(op, from, to));
        handle.begin_step();
        return handle;
    }

    template <std::size_t Bytes, ExecutionSpace Exec>
    auto start_raw(const Exec& exec, std::span<const impl::Field> from,
                   std::span<const impl::Field> to) {
        using Raw = impl::RawElement<Bytes>;
        core()->before_call([&] {
            require<UsageError>(!core()->conjugate(),
                                "RedistributionPlan: elements whose type is known at run time only "
                                "cannot be conjugated; call execute_as()");
        });
        impl::ArraySet arrays = array_set<Exec>(impl::Insert{}, from, to);
        arrays.as_bytes = true;
        Handle<Exec, impl::Insert, impl::Moved<Raw, Raw>> handle(
            core(), exec, {{}, core()->conjugate()}, call_of(impl::Insert{}), arrays);
        handle.begin_step();
        return handle;
    }

    template <ExecutionSpace Exec, class Op>
    impl::ArraySet array_set(const Op& op, std::span<const impl::Field> from,
                             std::span<const impl::Field> to) const {
        return {.sources = from,
                .targets = to,
                .layer = impl::DeviceOf<Exec>::layer(),
                .variant = impl::combines_copies<Op> && core()->has_copies() ? 1 : 0,
                .reads_target = impl::reads_target(op),
                .operation = impl::operation_code(op)};
    }

    template <class Op>
    static impl::CallWord::Kind call_of(const Op& op) {
        return impl::reads_target(op) ? impl::CallWord::Kind::redistribute_combine
                                      : impl::CallWord::Kind::redistribute;
    }
};

} // namespace distview
