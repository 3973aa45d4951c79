// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/combine.hpp>
#include <distview/comm/communicator.hpp>
#include <distview/comm/exchange_handle.hpp>
#include <distview/comm/impl/plan/call_arguments.hpp>
#include <distview/comm/impl/plan/operation_code.hpp>
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

/// Arrays of a call with types known at run time: a range of AnyDistViews, or of pointers to AnyDistViews, none null.
/// Valid as long as that range.
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

/// Fills the padding of distributed arrays from the owners' sections, any number of times.
///
/// A plan is built once from a layout and executed with any arrays of that layout:
///
///     PaddingExchangePlan plan(comm, layout);
///     plan.execute(exec, h, u, v);              // three fields, one message per neighbour
///
///     auto exchange = plan.start(exec, h);      // or overlap:
///     compute_interior(exec, h);
///     exchange.finish();
///
/// All directions, corners included, move in one phase; along a periodic axis with one process elements are copied
/// within the section. On the same node neighbours read arrays of make_dist_view() in place. The owner of any other
/// host array (wrapped or borrowed memory) packs elements into shared memory, and neighbours read them there. A
/// neighbour on another node gets one message with the regions of all fields; so does every neighbour if /dev/shm has
/// no room. The ranks choose the transport when arrays are bound; describe() reports it.
///
/// When a plan meets a set of arrays for the first time, it binds the set: the ranks agree that they pass the same
/// arrays, and make buffers and persistent requests. Later executions allocate nothing. DistView::identity()
/// identifies an array: a copy of a DistView is the same array, but a DistView made anew for each call is
/// bound in each call. A plan keeps the last 32 sets.
///
/// A plan has at most one exchange in flight; several plans may have one each if all ranks start them, and finish
/// them, in the same order. One thread at a time may use a plan. Every call of a moved-from plan is a UsageError,
/// on that rank alone.
///
/// Collective: construction, and every call that takes arrays, in the same order on all ranks of the communicator
/// Indices:    the padding that the options select; see PaddingExchangeSchedule
/// Space:      memory that kernels of the given instance can access; only this instance is fenced. In a device's
///             memory one kernel copies all regions and another packs them; processes of the same node are
///             read through CUDA IPC where possible. Messages lie in device memory if MPI accepts it
///             (DISTVIEW_GPU_AWARE overrides the library's assumption), else in pinned host memory
/// Source:     decisions 0004, 0006, 0009, 0018, 0023, 0026, 0037
/// Example:    examples/02_heat_2d
class PaddingExchangePlan : public impl::PlanBase<impl::PaddingExchangeCore> {
public:
    /// Makes a plan for any number of fields that share a layout. A DeadlineError shows `where` it was made.
    ///
    /// Cost:   two agreements; each unstructured_local() axis adds two agreements and one message to another process.
    ///         Sets up no messages yet
    /// Errors: LayoutError if the options' widths do not fit the layout, or if an unstructured_local() axis has the
    ///         labels of another process or labels that differ between processes with the same coordinate along it;
    ///         UsageError if the layout's grid does not match the communicator, if ranks pass different arguments, or
    ///         if DISTVIEW_TRANSPORT requires an unavailable transport (thrown on all ranks)
    PaddingExchangePlan(const Communicator& comm, const ArrayLayout& layout,
                        const PaddingExchangeOptions& options = {},
                        const std::source_location& where = std::source_location::current());
    /// Makes a plan for the given number of fields, each with its own layout and options.
    PaddingExchangePlan(const Communicator& comm, const std::vector<FieldExchange>& fields,
                        const std::source_location& where = std::source_location::current());

    /// Binds a set of arrays ahead of the first execute(); see above. Accesses no element.
    ///
    /// Errors: ShapeError if an array's layout or process is not the plan's, UsageError if the number of
    ///         fields is not the plan's, or if element types differ between ranks (on all ranks)
    template <ExecutionSpace Exec, DistViewLike... Fields>
    void bind(const Exec&, const Fields&... fields) {
        bind_described<Exec>(impl::fields_of<Exec, true>(std::tie(fields...)));
    }
    /// The same for arrays whose types are known at run time.
    ///
    /// Errors: also ShapeError if an array is read-only or `exec` cannot access it (on all ranks)
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

    /// Fills the padding of each field whose padding is not valid to depth `depth`, as far as this plan fills it. Each
    /// rank decides without communication from DistView::valid_padding(): the padding that exchanges filled since the
    /// last write of elements. Returns whether it filled any field. docs/valid_padding.md lists the writes that the
    /// library detects; report other writes by DistView::mark_written().
    ///
    ///     plan.require(exec, 1, h, u);    // the first call fills both; a later call only fields written meanwhile
    ///
    /// If fields have separate layouts (FieldExchange), one outdated field causes all of them to be exchanged.
    ///
    /// Collective: over the plan's communicator; if ranks select different fields, as after mark_written() on some
    ///             ranks only, all ranks that wait for others get an error
    /// Units:      `depth`: elements, Widths(2, 1) on low and high sides, for all axes; if the plan fills a side less
    ///             deep, that side has to be valid to the plan's depth
    /// Cost:       as execute() with these fields, or a few dozen instructions
    /// Errors:     UsageError if the plan fills no side to `depth` (on the ranks concerned); those of execute()
    template <ExecutionSpace Exec, DistViewLike... Fields>
    bool require(const Exec& exec, Widths depth, const Fields&... fields) {
        return require_described(exec, depth, impl::fields_of<Exec, true>(std::tie(fields...)));
    }
    template <ExecutionSpace Exec>
    bool require(const Exec& exec, Widths depth, const AnyFields& fields) {
        return require_described(exec, depth, described(fields));
    }

    /// Begins to fill the padding of the fields and returns a handle; its finish() completes the exchange.
    ///
    /// Space:   waits for the work on `exec` that writes the fields, copies within the section, packs and
    ///          sends; on return no kernel of start() is running
    /// Touches: reads owned elements near the section's border; writes the padding that the section
    ///          fills from itself
    /// Cost:    a kernel for copies within the section, one for packing (messages, borrowed arrays and short
    ///          rows), one fence, a message to each neighbour that cannot read in place; no allocation
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

    /// Combines owned elements with their copies in the fields' padding: the adjoint of execute().
    ///
    ///     plan.combine(exec, Sum{}, f);   // f(owner) = f(owner) + f(copy) for all copies
    ///
    /// A scatter collects contributions in the padding; combine() brings them to the owners. Every element becomes
    /// op(...op(op(element, first copy), second copy)...). Copies are ordered by direction as seen from their holders,
    /// within a direction the nearest process first, the last axis fastest: the result has the same bits with every
    /// transport. The padding keeps its values: set it to zero before collecting again.
    ///
    /// Shapes:  op(T here, T incoming) for the element type T of every field: Sum, Minimum, Maximum or
    ///          a function object of the program's
    /// Touches: reads the padding that execute() would fill; writes owned elements near the border
    /// Space:   on `exec`; on return all work has finished
    /// Cost:    one message for each neighbour that cannot be read in place; the first call binds
    /// Errors:  those of execute()
    template <ExecutionSpace Exec, class Op, DistViewLike... Fields>
    void combine(const Exec& exec, const Op& op, const Fields&... fields) {
        start_combine(exec, op, fields...).finish();
    }
    /// The same for arrays whose common element type, `Value`, the caller found out at run time.
    ///
    /// Errors: those of bind(); ShapeError if an array's element type is not `Value`, or if a device cannot load its
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
    /// Begins combine() and returns a handle to finish(); see start().
    template <ExecutionSpace Exec, class Op, DistViewLike... Fields>
    auto start_combine(const Exec& exec, const Op& op, const Fields&... fields) {
        const auto described = impl::fields_of<Exec, true>(std::tie(fields...));
        return start_combine_set<typename Fields::value_type...>(
            exec, op, impl::array_set<Exec>(impl::ExchangeKind::combine, described));
    }

    /// Returns when the neighbours have read this section's elements of the last exchange. Needed only after
    /// ExchangeHandle::finish_filling() if no exchange of this plan follows: before the arrays are destroyed, and
    /// before MPI_Comm_free() and MPI_Finalize().
    ///
    /// Errors: UsageError if a neighbour has abandoned the exchange; MpiError
    void wait_for_readers() { core()->wait_for_readers(); }

    /// Schedule of field `field` on this process; if the plan was made from one layout, all fields share
    /// schedule(0).
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
    /// Stored results of schedule(0).inner_cells() and schedule(0).outer_cells().
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
    /// Set of arrays whose types are known at run time only: an array may be read-only, which the binding checks.
    template <ExecutionSpace Exec>
    static impl::ArraySet any_set(impl::ExchangeKind kind, std::span<const impl::Field> fields) {
        impl::ArraySet arrays = impl::array_set<Exec>(kind, fields);
        arrays.writes_sources = true;
        return arrays;
    }
    template <class... Values, ExecutionSpace Exec, class Op>
    auto start_combine_set(const Exec& exec, const Op& op, impl::ArraySet arrays) {
        arrays.operation = impl::operation_code(op);
        using Runner = impl::CombineRunner<Op, Values...>;
        ExchangeHandle<Exec, Runner> handle(core(), exec, Runner(op), impl::CallWord::Kind::combine,
                                            arrays);
        handle.begin_step();
        return handle;
    }

    /// Stores the fields in the plan, so that later calls need no allocation.
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
