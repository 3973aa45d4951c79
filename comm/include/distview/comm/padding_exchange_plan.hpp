// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/combine.hpp>
#include <distview/comm/communicator.hpp>
#include <distview/comm/exchange_handle.hpp>
#include <distview/comm/impl/plan/call_arguments.hpp>
#include <distview/comm/impl/plan/padding_exchange_core.hpp>
#include <distview/comm/impl/plan/padding_runners.hpp>
#include <distview/comm/impl/plan/plan_base.hpp>
#include <distview/comm/impl/transport/make_field.hpp>
#include <distview/comm/padding_exchange_schedule.hpp>
#include <distview/core/any_dist_view.hpp>

#include <concepts>
#include <source_location>
#include <span>
#include <tuple>
#include <vector>

namespace distview {

/// Layout and options of one field among several.
struct FieldExchange {
    ArrayLayout layout;
    PaddingExchangeOptions options{};
};

/// Arrays of a call whose types are known at run time: a range of AnyDistViews, or of pointers to them, none null. Valid
/// as long as that range.
///
/// Collective: no (local)
class AnyFields {
public:
    template <std::convertible_to<std::span<const AnyDistView>> Range>
    AnyFields(const Range& fields) : m_fields(fields) {}
    template <std::convertible_to<std::span<const AnyDistView* const>> Range>
    AnyFields(const Range& fields) : m_pointers(fields) {}

    template <class Function>
    void for_each(Function&& function) const {
        for (const AnyDistView& field : m_fields) function(field);
        for (const AnyDistView* field : m_pointers) function(*field);
    }

private:
    std::span<const AnyDistView> m_fields{};
    std::span<const AnyDistView* const> m_pointers{};
};

/// Fills the padding of distributed arrays from the sections of their owners, again and again.
///
/// Built once from the geometry, executed with any arrays of that geometry:
///
///     PaddingExchangePlan plan(comm, layout);
///     plan.execute(exec, h, u, v);              // three fields, one message a neighbour
///
///     auto exchange = plan.start(exec, h);      // or overlap:
///     compute_interior(exec, h);
///     exchange.finish();
///
/// All directions move in one phase, corners included; periodic axes within one process are plain
/// copies. Arrays of make_dist_view() are read straight from the memory of the processes of the same
/// node. Other arrays of the host (wrapped or borrowed memory) are packed by their owner into shared memory and
/// read there. Every other neighbouring process gets one message with the regions of all fields, as do all
/// where /dev/shm has no room. Which it is, the ranks find out when arrays are bound; describe() tells.
///
/// The first time a set of arrays comes, the plan binds it: ranks agree that they pass the same, and
/// buffers and persistent requests are made. From the second time on nothing is allocated. Arrays
/// are known by DistView::identity(), so passing a copy of a DistView is free, while a DistView
/// made anew every time binds every time. The last 32 sets are kept.
///
/// One exchange at a time is in flight per plan; different plans may be in flight together if all
/// ranks start, and finish, them in the same order. A plan is used by one thread at a time. Every call of a plan
/// that has been moved from is a UsageError, on that rank alone.
///
/// Collective: construction, and every call that takes arrays, in the same order on all ranks of the communicator
/// Indices:    the padding that options name; see PaddingExchangeSchedule
/// Space:      memory that kernels of the given instance reach, which is fenced, no other. In a device's
///             memory all regions are copied by one kernel and packed by another; processes of the same
///             node are read through CUDA IPC where they can be, and messages lie in device memory where
///             MPI takes that (DISTVIEW_GPU_AWARE overrides what is believed of it), else in pinned host
///             memory
/// Source:     decisions 0004, 0006, 0009, 0018, 0023, 0026, 0037
/// Example:    examples/02_heat_2d
class PaddingExchangePlan : public impl::PlanBase<impl::PaddingExchangeCore> {
public:
    /// A plan for any number of fields that share a layout. A DeadlineError tells `where` it was made.
    ///
    /// Cost:   two agreements, of axes of unstructured_local() two more each and a message to another process; no
    ///         messages are set up yet
    /// Errors: LayoutError if the options' widths do not fit the layout, or labels that each process knows for itself alone
    ///         are another process's or differ between processes side by side, UsageError if the
    ///         layout's grid is not the communicator's or ranks pass different arguments, or if
    ///         DISTVIEW_TRANSPORT asks for what is not there (thrown on all ranks)
    PaddingExchangePlan(const Communicator& comm, const ArrayLayout& layout,
                        const PaddingExchangeOptions& options = {},
                        const std::source_location& where = std::source_location::current());
    /// A plan for as many fields as are given here, each with its own layout and options.
    PaddingExchangePlan(const Communicator& comm, const std::vector<FieldExchange>& fields,
                        const std::source_location& where = std::source_location::current());

    /// Prepares for a set of arrays ahead of the first execute(); see above. Touches no element.
    ///
    /// Errors: ShapeError if an array's layout or process is not the plan's, UsageError if the
    ///         number of fields is not, or if element types differ between ranks (on all ranks)
    template <ExecutionSpace Exec, DistViewLike... Fields>
    void bind(const Exec&, const Fields&... fields) {
        bind_described<Exec>(impl::fields_of<Exec, true>(std::tie(fields...)));
    }
    /// The same for arrays whose types are known at run time.
    ///
    /// Errors: also ShapeError if one is read-only or `exec` cannot access it (on all ranks)
    template <ExecutionSpace Exec>
    void bind(const Exec&, const AnyFields& fields) {
        bind_described<Exec>(described(fields));
    }

    /// Fills the padding of the fields; see start() and ExchangeHandle::finish().
    ///
    /// Space: on `exec`; on return all work has finished
    template <ExecutionSpace Exec, DistViewLike... Fields>
    void execute(const Exec& exec, const Fields&... fields) {
        start(exec, fields...).finish();
    }
    template <ExecutionSpace Exec>
    void execute(const Exec& exec, const AnyFields& fields) {
        start_described(exec, described(fields)).finish();
    }

    /// Fills the padding of those fields where it is not valid `depth` deep, as far as this plan fills it: decided
    /// without communication from DistView::valid_padding(), which is what exchanges have filled since elements were
    /// last written. Returns whether there were any. docs/valid_padding.md says which writes the library sees;
    /// DistView::mark_written() tells it of others.
    ///
    ///     plan.require(exec, 1, h, u);    // the first time both; later those that were written meanwhile
    ///
    /// Of fields that have a layout each (FieldExchange), all are exchanged if one has to be.
    ///
    /// Collective: over the plan's communicator; an error on all ranks that wait for others if ranks do not find the
    ///             same fields, as after mark_written() on some ranks only
    /// Units:      `depth`: elements, Widths(2, 1) on low and high sides, of all axes; a side that the plan fills less
    ///             deep has to be valid as deep as the plan fills it
    /// Cost:       that of execute() with these fields, or a few dozen instructions
    /// Errors:     UsageError if the plan fills no side so deep (on the ranks concerned); those of execute()
    template <ExecutionSpace Exec, DistViewLike... Fields>
    bool require(const Exec& exec, Widths depth, const Fields&... fields) {
        return require_described(exec, depth, impl::fields_of<Exec, true>(std::tie(fields...)));
    }
    template <ExecutionSpace Exec>
    bool require(const Exec& exec, Widths depth, const AnyFields& fields) {
        return require_described(exec, depth, described(fields));
    }

    /// Begins to fill the padding of the fields and returns what finish() ends.
    ///
    /// Space:   waits for the work on `exec` that writes the fields, copies within the section, packs and
    ///          sends; on return no work of its own is running
    /// Touches: reads owned elements near the section's border; fills the padding that is filled from
    ///          the section itself
    /// Cost:    a kernel for copies within the section, one for packing (what goes in messages, borrowed arrays, and
    ///          short rows), one fence, a message to each neighbour that cannot read in place; no allocation
    ///          for a bound set
    /// Errors:  UsageError if an exchange of this plan is in flight or was abandoned; those of
    ///          bind() for a new set; MpiError
    template <ExecutionSpace Exec, DistViewLike... Fields>
    ExchangeHandle<Exec> start(const Exec& exec, const Fields&... fields) {
        const auto described = impl::fields_of<Exec, true>(std::tie(fields...));
        ExchangeHandle<Exec> handle(core(), exec, {}, impl::CallWord::Kind::fill,
                                    impl::array_set<Exec>(impl::ExchangeKind::fill, described));
        handle.begin_step();
        return handle;
    }
    template <ExecutionSpace Exec>
    ExchangeHandle<Exec> start(const Exec& exec, const AnyFields& fields) {
        return start_described(exec, described(fields));
    }

    /// Combines the fields' padding with the elements that it copies: the adjoint of execute().
    ///
    ///     plan.combine(exec, Sum{}, f);   // f(owner) = f(owner) + f(copy) for all copies
    ///
    /// As a scatter needs it: contributions that a process has collected in its padding go to their
    /// owners. Every element becomes op(...op(op(element, first copy), second copy)...), the copies
    /// ordered by direction as their holders see it, in one direction the nearest process's first, the
    /// last axis fastest: the same bits however they travel. The padding keeps its values: set it to zero before collecting again.
    ///
    /// Shapes:  op(T here, T incoming) for the element type T of every field: Sum, Minimum, Maximum or
    ///          a function object of the program's
    /// Touches: reads the padding that execute() would fill; writes owned elements near the border
    /// Space:   on `exec`; on return all work has finished
    /// Cost:    one message a neighbour that cannot be read in place; the first call binds
    /// Errors:  those of execute()
    template <ExecutionSpace Exec, class Op, DistViewLike... Fields>
    void combine(const Exec& exec, const Op& op, const Fields&... fields) {
        start_combine(exec, op, fields...).finish();
    }
    /// The same for arrays whose element type the caller has found out: `Value`, that of all of them.
    ///
    /// Errors: those of bind(); ShapeError if `Value` is not the type of one of them, or a device cannot load its
    ///         elements (docs/cuda.md) (on all ranks)
    template <class Value, ExecutionSpace Exec, class Op>
    void combine_as(const Exec& exec, const Op& op, const AnyFields& fields) {
        start_combine_as<Value>(exec, op, fields).finish();
    }
    template <class Value, ExecutionSpace Exec, class Op>
    auto start_combine_as(const Exec& exec, const Op& op, const AnyFields& fields) {
        impl::ArraySet arrays = any_set<Exec>(impl::ExchangeKind::combine, described(fields));
        arrays.element_code = impl::element_code<Value>();
        return start_combine_set<Value>(exec, op, arrays);
    }
    /// Begins combine() and returns what finish() ends; see start().
    template <ExecutionSpace Exec, class Op, DistViewLike... Fields>
    auto start_combine(const Exec& exec, const Op& op, const Fields&... fields) {
        const auto described = impl::fields_of<Exec, true>(std::tie(fields...));
        return start_combine_set<typename Fields::value_type...>(
            exec, op, impl::array_set<Exec>(impl::ExchangeKind::combine, described));
    }

    /// Returns when the neighbours have read what the last exchange let them; needed only after
    /// ExchangeHandle::finish_filling(), where no exchange of this plan follows: before arrays end, and before
    /// MPI_Comm_free() and MPI_Finalize().
    ///
    /// Errors: UsageError if a neighbour has abandoned the exchange; MpiError
    void wait_for_readers() { core()->wait_for_readers(); }

    /// Schedule of field `field` on this process; all fields share schedule(0) if the plan was
    /// made from one layout.
    ///
    /// Errors: UsageError if there is no such field
    const PaddingExchangeSchedule& schedule(int field = 0) const {
        const auto& schedules = core()->schedules();
        distview::require<UsageError>(
            field >= 0 && static_cast<std::size_t>(field) < schedules.size(), [&] {
                return text("PaddingExchangePlan::schedule: expected a field in [0, ",
                            schedules.size(), "), got ", field);
            });
        return schedules[static_cast<std::size_t>(field)];
    }
    /// schedule(0).inner_cells() and outer_cells(), without their cost.
    const LocalBox& inner_cells() const { return core()->inner_cells(); }
    const std::vector<LocalBox>& outer_cells() const { return core()->outer_cells(); }

private:
    template <ExecutionSpace Exec>
    void bind_described(std::span<const impl::Field> fields) {
        core()->bind(impl::CallWord::Kind::bind, any_set<Exec>(impl::ExchangeKind::fill, fields));
    }
    template <ExecutionSpace Exec>
    bool require_described(const Exec& exec, Widths depth, std::span<const impl::Field> fields) {
        const std::span<const impl::Field> stale = core()->before_call(
            [&] { return core()->stale(any_set<Exec>(impl::ExchangeKind::fill, fields), depth); });
        if (stale.empty())
            core()->skip(impl::CallWord::Kind::skip_fill);
        else
            start_described(exec, stale).finish();
        return !stale.empty();
    }
    template <ExecutionSpace Exec>
    ExchangeHandle<Exec> start_described(const Exec& exec, std::span<const impl::Field> fields) {
        ExchangeHandle<Exec> handle(core(), exec, {}, impl::CallWord::Kind::fill,
                                    any_set<Exec>(impl::ExchangeKind::fill, fields));
        handle.begin_step();
        return handle;
    }
    /// Of fields that may be read-only, as is not known when the program is compiled.
    template <ExecutionSpace Exec>
    static impl::ArraySet any_set(impl::ExchangeKind kind, std::span<const impl::Field> fields) {
        impl::ArraySet arrays = impl::array_set<Exec>(kind, fields);
        arrays.writes_sources = true;
        return arrays;
    }
    template <class... Values, ExecutionSpace Exec, class Op>
    auto start_combine_set(const Exec& exec, const Op& op, const impl::ArraySet& arrays) {
        using Runner = impl::CombineRunner<Op, Values...>;
        ExchangeHandle<Exec, Runner> handle(core(), exec, Runner(op), impl::CallWord::Kind::combine,
                                            arrays);
        handle.begin_step();
        return handle;
    }

    /// In room of the plan's own, so that only the first of many calls allocates.
    std::span<const impl::Field> described(const AnyFields& fields) {
        core()->before_call([&] {
            m_described.clear();
            fields.for_each(
                [&](const AnyDistView& field) { m_described.push_back(impl::make_field(field)); });
        });
        return m_described;
    }

    std::vector<impl::Field> m_described;
};

} // namespace distview
