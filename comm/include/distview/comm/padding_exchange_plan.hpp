// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/combine.hpp>
#include <distview/comm/communicator.hpp>
#include <distview/comm/exchange_handle.hpp>
#include <distview/comm/impl/kernels/device_of.hpp>
#include <distview/comm/impl/plan/padding_exchange_core.hpp>
#include <distview/comm/impl/plan/padding_runners.hpp>
#include <distview/comm/impl/plan/plan_in_flight.hpp>
#include <distview/comm/impl/transport/make_field.hpp>
#include <distview/comm/padding_exchange_schedule.hpp>
#include <distview/core/any_dist_view.hpp>

#include <array>
#include <memory>
#include <source_location>
#include <span>
#include <string>
#include <vector>

namespace distview {

/// Layout and options of one field among several.
struct FieldExchange {
    ArrayLayout layout;
    PaddingExchangeOptions options{};
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
/// Collective: every call that takes arrays, in the same order on all ranks of the communicator
/// Indices:    the padding that options name; see PaddingExchangeSchedule
/// Space:      memory that kernels of the given instance reach, which is fenced, no other. In a device's
///             memory all regions are copied by one kernel and packed by another; processes of the same
///             node are read through CUDA IPC where they can be, and messages lie in device memory where
///             MPI takes that (DISTVIEW_GPU_AWARE overrides what is believed of it), else in pinned host
///             memory
/// Source:     decisions 0004, 0006, 0009, 0018, 0023, 0026, 0037
/// Example:    examples/02_heat_2d
class PaddingExchangePlan {
public:
    /// A plan for any number of fields that share a layout. A DeadlineError tells `where` it was made.
    ///
    /// Cost:   one agreement; no messages are set up yet
    /// Errors: LayoutError if the options' widths do not fit the layout, UsageError if the
    ///         layout's grid is not the communicator's or ranks pass different arguments, or if
    ///         DISTVIEW_TRANSPORT asks for what is not there (thrown on all ranks)
    PaddingExchangePlan(const Communicator& comm, const ArrayLayout& layout,
                        const PaddingExchangeOptions& options = {},
                        const std::source_location& where = std::source_location::current());
    /// A plan for as many fields as are given here, each with its own layout and options.
    PaddingExchangePlan(const Communicator& comm, const std::vector<FieldExchange>& fields,
                        const std::source_location& where = std::source_location::current());
    PaddingExchangePlan(PaddingExchangePlan&&) noexcept = default;
    PaddingExchangePlan& operator=(PaddingExchangePlan&&) noexcept = default;

    /// Prepares for a set of arrays ahead of the first execute(); see above. Touches no element.
    ///
    /// Errors: ShapeError if an array's layout or process is not the plan's, UsageError if the
    ///         number of fields is not, or if element types differ between ranks (on all ranks)
    template <ExecutionSpace Exec, DistViewLike... Fields>
    void bind(const Exec&, const Fields&... fields) {
        bind_fields<Exec>(fields...);
    }
    /// The same for the execution space that the first field's memory space prefers.
    template <DistViewLike Field, DistViewLike... Fields>
    void bind(const Field& field, const Fields&... fields) {
        bind_fields<typename Field::execution_space>(field, fields...);
    }
    /// No fields: an error on all ranks, as no number of fields but the plan's is right.
    void bind() { bind_fields<Kokkos::DefaultHostExecutionSpace>(); }
    /// The same for arrays whose types are known at run time.
    ///
    /// Errors: also ShapeError if one is read-only or `exec` cannot access it (on all ranks)
    template <ExecutionSpace Exec>
    void bind(const Exec&, std::span<const AnyDistView> fields) {
        bind_described<Exec>(described(fields));
    }
    /// The same for kernels of the host.
    void bind(std::span<const AnyDistView> fields) {
        bind_described<Kokkos::DefaultHostExecutionSpace>(described(fields));
    }

    /// Fills the padding of the fields; see start() and ExchangeHandle::finish().
    ///
    /// Space: on `exec`; on return all work has finished
    template <ExecutionSpace Exec, DistViewLike... Fields>
    void execute(const Exec& exec, const Fields&... fields) {
        start(exec, fields...).finish();
    }
    template <ExecutionSpace Exec>
    void execute(const Exec& exec, std::span<const AnyDistView> fields) {
        start(exec, fields).finish();
    }
    /// The same for arrays that lie apart, none of them null; as of the other calls that take a span.
    template <ExecutionSpace Exec>
    void execute(const Exec& exec, std::span<const AnyDistView* const> fields) {
        start(exec, fields).finish();
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
        (check_memory<Exec, Fields>(), ...);
        const std::array<impl::Field, sizeof...(Fields)> described{impl::make_field(fields)...};
        return require_described(exec, depth, described);
    }
    template <ExecutionSpace Exec>
    bool require(const Exec& exec, Widths depth, std::span<const AnyDistView> fields) {
        return require_described(exec, depth, described(fields));
    }
    template <ExecutionSpace Exec>
    bool require(const Exec& exec, Widths depth, std::span<const AnyDistView* const> fields) {
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
        (check_memory<Exec, Fields>(), ...);
        const std::array<impl::Field, sizeof...(Fields)> described{impl::make_field(fields)...};
        return {m_core.shared(),
                exec,
                {},
                m_core->rank(),
                impl::CallWord::Kind::fill,
                array_set<Exec>(impl::ExchangeKind::fill, described)};
    }
    template <ExecutionSpace Exec>
    ExchangeHandle<Exec> start(const Exec& exec, std::span<const AnyDistView> fields) {
        return start_described(exec, described(fields));
    }
    template <ExecutionSpace Exec>
    ExchangeHandle<Exec> start(const Exec& exec, std::span<const AnyDistView* const> fields) {
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
    /// Errors: also ShapeError if `Value` is not the type of one of them, or if one is read-only or `exec` cannot
    ///         access it (on all ranks)
    template <class Value, ExecutionSpace Exec, class Op>
    void combine_as(const Exec& exec, const Op& op, std::span<const AnyDistView> fields) {
        start_combine_as<Value>(exec, op, fields).finish();
    }
    template <class Value, ExecutionSpace Exec, class Op>
    void combine_as(const Exec& exec, const Op& op, std::span<const AnyDistView* const> fields) {
        start_combine_as<Value>(exec, op, fields).finish();
    }
    template <class Value, ExecutionSpace Exec, class Op>
    auto start_combine_as(const Exec& exec, const Op& op, std::span<const AnyDistView> fields) {
        return start_combine_described<Value>(exec, op, described(fields));
    }
    template <class Value, ExecutionSpace Exec, class Op>
    auto start_combine_as(const Exec& exec, const Op& op,
                          std::span<const AnyDistView* const> fields) {
        return start_combine_described<Value>(exec, op, described(fields));
    }
    /// Begins combine() and returns what finish() ends; see start().
    template <ExecutionSpace Exec, class Op, DistViewLike... Fields>
    auto start_combine(const Exec& exec, const Op& op, const Fields&... fields) {
        (check_memory<Exec, Fields>(), ...);
        const std::array<impl::Field, sizeof...(Fields)> described{impl::make_field(fields)...};
        using Runner = impl::CombineRunner<Op, typename Fields::value_type...>;
        return ExchangeHandle<Exec, Runner>(
            m_core.shared(), exec, Runner(op), m_core->rank(), impl::CallWord::Kind::combine,
            array_set<Exec>(impl::ExchangeKind::combine, described));
    }

    /// Returns when the neighbours have read what the last exchange let them; needed only after
    /// ExchangeHandle::finish_filling(), and then only if no exchange of this plan follows.
    ///
    /// Errors: UsageError if a neighbour has abandoned the exchange; MpiError
    void wait_for_readers() { m_core->wait_for_readers(); }

    /// Schedule of field `field` on this process; all fields share schedule(0) if the plan was
    /// made from one layout.
    ///
    /// Errors: UsageError if there is no such field
    const PaddingExchangeSchedule& schedule(int field = 0) const {
        const auto& schedules = m_core->schedules();
        distview::require<UsageError>(
            field >= 0 && static_cast<std::size_t>(field) < schedules.size(), [&] {
                return text("PaddingExchangePlan::schedule: expected a field in [0, ",
                            schedules.size(), "), got ", field);
            });
        return schedules[static_cast<std::size_t>(field)];
    }
    const Communicator& communicator() const { return m_core->communicator(); }
    /// schedule(0).inner_cells() and outer_cells(), without their cost.
    const LocalBox& inner_cells() const { return m_core->inner_cells(); }
    const std::vector<LocalBox>& outer_cells() const { return m_core->outer_cells(); }

    /// Processes that get elements of this one in every execute, ascending.
    std::vector<int> send_peers() const { return m_core->send_peers(); }
    /// Processes whose elements this one gets in every execute, ascending.
    std::vector<int> receive_peers() const { return m_core->receive_peers(); }

    /// Whether the plan can still be used: no execution has been abandoned or has failed, as far as this rank knows.
    /// Neighbours learn of it in their finish() or their next execution.
    ///
    /// Collective: no (local)
    bool is_usable() const { return m_core->is_usable(); }
    /// Bytes of the buffers of the sets bound so far: of messages, and of what is packed for others in shared memory.
    std::size_t workspace_bytes() const { return m_core->workspace_bytes(); }
    /// Geometry, partners and transports of this process, for people.
    std::string describe() const { return m_core->describe(); }

private:
    template <ExecutionSpace Exec, DistViewLike... Fields>
    void bind_fields(const Fields&... fields) {
        (check_memory<Exec, Fields>(), ...);
        const std::array<impl::Field, sizeof...(Fields)> described{impl::make_field(fields)...};
        bind_described<Exec>(described);
    }
    template <ExecutionSpace Exec>
    void bind_described(std::span<const impl::Field> fields) {
        m_core->bind(impl::CallWord::Kind::bind, array_set<Exec>(impl::ExchangeKind::fill, fields));
    }
    template <ExecutionSpace Exec>
    static impl::ArraySet array_set(impl::ExchangeKind kind, std::span<const impl::Field> fields) {
        return impl::PaddingExchangeCore::arrays(kind, fields, impl::DeviceOf<Exec>::layer());
    }

    template <ExecutionSpace Exec>
    bool require_described(const Exec& exec, Widths depth, std::span<const impl::Field> fields) {
        const std::span<const impl::Field> stale = m_core->before_call([&] {
            return m_core->stale(array_set<Exec>(impl::ExchangeKind::fill, fields), depth);
        });
        if (stale.empty())
            m_core->skip(impl::CallWord::Kind::skip_fill);
        else
            start_described(exec, stale).finish();
        return !stale.empty();
    }
    template <ExecutionSpace Exec>
    ExchangeHandle<Exec> start_described(const Exec& exec, std::span<const impl::Field> fields) {
        return {m_core.shared(),
                exec,
                {},
                m_core->rank(),
                impl::CallWord::Kind::fill,
                array_set<Exec>(impl::ExchangeKind::fill, fields)};
    }
    template <class Value, ExecutionSpace Exec, class Op>
    auto start_combine_described(const Exec& exec, const Op& op,
                                 std::span<const impl::Field> fields) {
        using Runner = impl::CombineRunner<Op, Value>;
        impl::ArraySet arrays = array_set<Exec>(impl::ExchangeKind::combine, fields);
        arrays.element_code = impl::element_code<Value>();
        return ExchangeHandle<Exec, Runner>(m_core.shared(), exec, Runner(op), m_core->rank(),
                                            impl::CallWord::Kind::combine, arrays);
    }

    /// In room of the plan's own, so that only the first of many calls allocates.
    std::span<const impl::Field> described(std::span<const AnyDistView> fields) {
        m_described.clear();
        for (const AnyDistView& field : fields) m_described.push_back(impl::make_field(field));
        return m_described;
    }
    std::span<const impl::Field> described(std::span<const AnyDistView* const> fields) {
        m_described.clear();
        for (const AnyDistView* field : fields) m_described.push_back(impl::make_field(*field));
        return m_described;
    }

    template <class Exec, class View>
    static constexpr void check_memory() {
        static_assert(AccessibleFrom<View, Exec>,
                      "PaddingExchangePlan: fields must be in memory that the execution space can "
                      "access");
    }

    impl::CoreHolder<impl::PaddingExchangeCore> m_core;
    std::vector<impl::Field> m_described;
};

} // namespace distview
