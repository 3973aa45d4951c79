// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/combine.hpp>
#include <distview/comm/communicator.hpp>
#include <distview/comm/exchange_handle.hpp>
#include <distview/comm/impl/plan/call_arguments.hpp>
#include <distview/comm/impl/plan/move_runner.hpp>
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

/// Moves elements from one layout to any other, again and again: transposition, block to block-cyclic,
/// one process grid to another, slices to slices.
///
/// Built once from two layouts, executed with any arrays of these:
///
///     RedistributionPlan transpose(comm, a.layout(), c.layout(), {.permutation = {1, 0}});
///     transpose.execute(exec, a, c);                // c = a^T
///     transpose.execute(exec, 2.0, a, 1.0, c);      // c = 1.0 * c + 2.0 * a^T
///     transpose.combine(exec, Maximum{}, a, c);     // c = max(c, a^T)
///
/// Every element moves once: from arrays of make_dist_view() of the node's processes it is read straight
/// from their memory (or written there, where rows are dealt out in short runs), permuted, converted and
/// combined on the way. Other arrays of the host (wrapped or borrowed memory) are packed by their owner into
/// shared memory and read there, in rounds of at most 4 MiB a rank. To and from other processes goes one
/// message each, with the elements of all arrays, as do all where /dev/shm has no room. Which it
/// is, the ranks find out when arrays are bound; describe() tells. Elements that this process sends
/// to itself are moved without either.
///
/// The first time a set of arrays comes, the plan binds it, as a PaddingExchangePlan does; from the
/// second time on nothing is allocated. The last 32 sets are kept. One execution at a time is in flight
/// per plan; a plan is used by one thread at a time.
///
/// Grids may have fewer processes than the communicator has ranks, and be made of any ranks (see
/// RedistributionOptions): a rank that is no process of a grid passes a null pointer for its section. All
/// ranks then ask each other in every execution whether arrays are new, which costs two collective calls.
///
/// Sources and targets may share memory if the plan was built with `in_place`; see RedistributionOptions.
///
/// Layouts may say of unstructured axes this process's labels only (unstructured_local()), on either side:
/// the plan then asks the other processes, and its schedule() answers for this process and for totals.
/// No process gets to hold all labels. Ranks outside a grid pass a layout with no labels.
///
/// Collective: construction, and every call that takes arrays, in the same order on all ranks of the communicator
/// Indices:    interior cells: equal global indices, or by order those of slices; see RedistributionOptions
/// Space:      memory that kernels of the given instance reach, which is fenced, no other; of a device as
///             with a PaddingExchangePlan
/// Source:     decisions 0006, 0011, 0012, 0014 to 0016, 0018, 0026, 0045; in the field: ScaLAPACK's pdtran and pdgemr2d,
///             COSTA
class RedistributionPlan : public impl::PlanBase<impl::RedistributionCore> {
public:
    /// A DeadlineError tells `where` the plan was made.
    ///
    /// Cost:   two agreements, and the runs of this process; no messages are set up yet. Where labels are
    ///         known in part: memory, messages and time (but for sorting) as own labels, own partners and
    ///         a fair share of all labels to look after for others
    /// Errors: those of RedistributionSchedule, but labels may be known in part: then LayoutError unless
    ///         all processes together list as many different ones as the axis' size, one to one if that is
    ///         promised, and alike on processes side by side; UsageError if a grid has more processes than the
    ///         communicator ranks, if ranks pass different arguments, or if DISTVIEW_TRANSPORT asks for
    ///         what is not there (thrown on all ranks)
    RedistributionPlan(const Communicator& comm, const ArrayLayout& from, const ArrayLayout& to,
                       const RedistributionOptions& options = {},
                       const std::source_location& where = std::source_location::current())
        : PlanBase("RedistributionPlan", impl::make_redistribution_core(comm, from, to, options),
                   where) {}

    /// target = source. Element types may differ: they are converted as static_cast does. Of an index that
    /// several processes of the source hold, the lowest process's element is taken.
    ///
    /// Shapes: sections of the plan's layouts; or std::tie() of several sources, and of as many targets,
    ///         which travel together. Pointers to them where they may be missing
    /// Space:  on `exec`; on return all work has finished
    /// Errors: ShapeError if an array's layout or process is not the plan's, UsageError if a source and a
    ///         target share memory (unless the plan has nothing to move, or is in place: then if they do
    ///         and buffer_bytes is too small, or the target is to be read) or if element types differ between
    ///         ranks (on all ranks); those of start() and ExchangeHandle::finish()
    template <ExecutionSpace Exec, Sections Source, Sections Target>
    void execute(const Exec& exec, const Source& source, const Target& target) {
        start_tuples(exec, impl::Insert{}, impl::as_tuple(source), impl::as_tuple(target)).finish();
    }
    /// target = beta * target + alpha * source. With beta = 0 the target is not read.
    /// Source elements are converted to the target's type first; products are of the types that C++ gives them, and their
    /// sum is converted to the target's.
    template <ExecutionSpace Exec, class Alpha, class Beta, Sections Source, Sections Target>
    void execute(const Exec& exec, const Alpha& alpha, const Source& source, const Beta& beta,
                 const Target& target) {
        start(exec, alpha, source, beta, target).finish();
    }
    /// target = op(target, source) for Sum, Minimum, Maximum or a function object T(T here, T incoming)
    /// of the program's, T being the target's element type.
    ///
    /// Where an index of an unstructured axis is on several processes of the source, each of them
    /// contributes: op is applied once for each, by ascending process coordinate along that axis (of several
    /// such axes, the last axis of the target changes fastest), whatever the transport. With Sum this is the
    /// transpose of the same between exchanged layouts, permutation and slices. execute(), whatever alpha and
    /// beta, takes the element of the lowest such process only.
    ///
    /// Cost: as execute(), once for each copy of the index that has the most; the second and further copies
    ///       move on their own, one after the other. Such a set of arrays is bound apart from that of execute()
    template <ExecutionSpace Exec, class Op, Sections Source, Sections Target>
    void combine(const Exec& exec, const Op& op, const Source& source, const Target& target) {
        start_combine(exec, op, source, target).finish();
    }

    /// Begins execute() and returns what finish() ends.
    ///
    /// Space:  waits for the work on `exec` that writes the source; on return kernels that move what stays on
    ///         this process may still run on `exec`
    /// Cost:   a kernel for what stays on this process, one for packing messages, one fence; no allocation
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

    /// Prepares for a set of arrays ahead of the first execution (of the first execute() where combine() reads
    /// several copies).
    template <ExecutionSpace Exec, Sections Source, Sections Target>
    void bind(const Exec&, const Source& source, const Target& target) {
        bind_set<Exec>(impl::fields_of<Exec, false>(impl::as_tuple(source)),
                       impl::fields_of<Exec, true>(impl::as_tuple(target)));
    }

    /// The same for arrays whose element types are known at run time only, null on ranks without a section; all ranks pass
    /// the element type.
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

    /// target = source for arrays whose element types are known at run time only; they must be alike.
    ///
    /// Shapes: elements of 1, 2, 4, 8 or 16 bytes
    /// Errors: also ShapeError if element types differ or are of another size, or the target is read-only or
    ///         `exec` cannot access one of them, or a device load its elements (docs/cuda.md); UsageError if the
    ///         plan conjugates (on all ranks)
    template <ExecutionSpace Exec>
    void execute(const Exec& exec, const AnyDistView& source, const AnyDistView& target) {
        execute(exec, source.section().element, &source, &target);
    }
    /// The same for sections that may be missing on some ranks, null there; all ranks pass the element type.
    template <ExecutionSpace Exec>
    void execute(const Exec& exec, const ElementType& element, const AnyDistView* source,
                 const AnyDistView* target) {
        start(exec, element, source, target, [](auto handle) { handle.finish(); });
    }
    /// Begins the same, and calls keep(handle) with what finish() ends: a handle of one type for each size of elements.
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

    /// target = beta * target + alpha * source, or target = op(target, source), for such arrays of elements
    /// whose type the caller has found out: `Value`. Plans that conjugate may be used.
    ///
    /// Errors: as of other AnyDistViews; ShapeError if `Value` is not their type
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
    /// Begin these, and return what finish() ends.
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
    /// Process of this rank in the source's grid, and in the target's; -1 if it is none.
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
                                "RedistributionPlan: elements of types known at run time only are "
                                "not conjugated; expected execute_as()");
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
                .reads_target = impl::reads_target(op)};
    }

    template <class Op>
    static impl::CallWord::Kind call_of(const Op& op) {
        return impl::reads_target(op) ? impl::CallWord::Kind::redistribute_combine
                                      : impl::CallWord::Kind::redistribute;
    }
};

} // namespace distview
