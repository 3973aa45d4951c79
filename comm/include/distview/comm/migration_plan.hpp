// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/communicator.hpp>
#include <distview/comm/exchange_handle.hpp>
#include <distview/comm/impl/plan/call_arguments.hpp>
#include <distview/comm/impl/plan/gather_core.hpp>
#include <distview/comm/impl/plan/gather_runner.hpp>
#include <distview/comm/impl/plan/plan_base.hpp>
#include <distview/comm/impl/transport/make_field.hpp>
#include <distview/core/element_type.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <source_location>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

namespace distview {

/// A list of elements to migrate whose type is known at run time only: as many elements to move, and as many to write, as
/// the plan has, one after the other in host memory. Either may be null where there are none.
struct MigratingField {
    const void* from = nullptr;
    void* to = nullptr;
    ElementType element{}; ///< opaque elements of any size, too
};

/// Moves elements of lists to other processes, each to the rank that it names: particles, or whatever changes its owner.
///
///     std::vector<int> targets(n);                      // of this rank's elements: element k goes to rank targets[k]
///     MigrationPlan plan(comm, targets);
///     auto [x2, v2, id2] = plan.moved(exec, x, v, id);  // Views of plan.size() elements
///     plan.execute(exec, std::tie(x, v, id), std::tie(x3, v3, id3));   // the same, into memory that there is
///
/// Elements arrive by ascending rank that they come from, those of one rank in the order that they had there; a rank's own
/// are among them in its place. All fields of a call travel together: in shared memory, packed by their owner, between
/// processes of a node, and in one message a rank to others. Where an element belongs is mostly the owner of a cell:
/// targets[k] = layout.owner(cell). Elements that name a position in a layout instead move by put_elements(), several
/// fields together, too: put_elements(exec, comm, std::tie(u, w), positions, std::tie(x, v)).
///
/// Lists are no part of what a plan is bound to: it is bound once for a sequence of element types, and executed with any
/// fields of these. Lifetimes, threads and errors of executions are those of a PaddingExchangePlan.
///
/// Collective: construction, and every call that takes fields, in the same order and with the same element types on all
///             ranks of the communicator; all others are local
/// Shapes:     fields are Kokkos::Views with one axis, whose elements are trivially copyable and follow each other in memory
///             (Kokkos::Array<double, 3> for several components): source_size() elements to move, size() that arrive
/// Space:      memory that kernels of the given instance reach, which is fenced, no other
/// Cost:       memory: 8 bytes for each element to move, 16 for each that arrives, and for each process 8; buffers for what
///             moves to or from other ranks
/// Source:     decision 0028; in the field: Tpetra's Distributor, Cabana's migrate(), PETSc's DMSwarmMigrate
/// Example:    examples/08_particles
class MigrationPlan : public impl::PlanBase<impl::GatherCore> {
public:
    /// `targets` of this rank's elements; any number, none too. A DeadlineError tells `where` the plan was made.
    ///
    /// Cost:   MPI_Allgather of a number, and an acknowledged message of one number to each target; at the first execution
    ///         with new types two messages to each rank that elements go to or come from, on any node, and two agreements.
    ///         Of few elements between 2 ranks of a node some 20 us, and 10 us more for the first execution, or 50 us where
    ///         no other bound plan of the communicator keeps the node's shared memory mapped
    /// Errors: UsageError if a target is no rank: names element, target and rank; or if DISTVIEW_TRANSPORT asks for what
    ///         is not there (thrown on all ranks)
    MigrationPlan(const Communicator& comm, std::span<const int> targets,
                  const std::source_location& where = std::source_location::current());

    /// Moves the elements of `from` to `to`, on whatever rank they belong: Views, or std::tie() of as many. What is moved
    /// stays in `from` too.
    ///
    /// Space:  on `exec`; on return all work has finished
    /// Cost:   kernels that pack, copy what stays and unpack; no allocation but in the first execution with these types
    /// Errors: ShapeError if a field has another size than the plan's or gaps in memory, UsageError if fields that are
    ///         written share memory with others (on this rank alone); UsageError if ranks pass other element types, or
    ///         DISTVIEW_TRANSPORT is `ipc` (on all ranks); those of ExchangeHandle::finish()
    template <ExecutionSpace Exec, ValueLists From, ValueLists To>
    void execute(const Exec& exec, const From& from, const To& to) {
        start(exec, from, to).finish();
    }
    /// Begins execute() and returns what finish() ends.
    template <ExecutionSpace Exec, ValueLists From, ValueLists To>
    auto start(const Exec& exec, const From& from, const To& to) {
        const auto& targets = impl::as_tuple(to);
        constexpr std::size_t count = std::tuple_size_v<std::remove_cvref_t<decltype(targets)>>;
        const auto fields = core()->before_call([&] {
            return fields_of<Exec>(impl::as_tuple(from), targets,
                                   std::make_index_sequence<count>());
        });
        return start_lists(exec, fields, std::make_index_sequence<count>());
    }

    /// The same for lists whose element types are known at run time only.
    ///
    /// Shapes: at most `most_fields` lists of source_size() elements to move and of size() to write: nobody counts them
    /// Errors: UsageError for other numbers of lists, elements of no bytes, and null where there are elements (on this rank;
    ///         others get one where they wait for it); those of execute()
    static constexpr std::size_t most_fields = 16;
    template <ExecutionSpace Exec>
    void execute(const Exec& exec, std::span<const MigratingField> fields) {
        start(exec, fields).finish();
    }
    template <ExecutionSpace Exec>
    auto start(const Exec& exec, std::span<const MigratingField> fields) {
        core()->before_call([&] { check_fields(fields); });
        return start_lists(exec, fields, std::make_index_sequence<most_fields>());
    }

    /// execute() into new Views, which it returns in a tuple: of size() elements, in the fields' memory spaces and with
    /// their labels.
    template <ExecutionSpace Exec, ValueList... Fields>
    auto moved(const Exec& exec, const Fields&... fields) {
        std::tuple to = core()->before_call([&] {
            return std::tuple{
                Kokkos::View<typename Fields::non_const_value_type*, typename Fields::memory_space>(
                    Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, fields.label()),
                    static_cast<std::size_t>(size()))...};
        });
        execute(exec, std::tie(fields...), to);
        return to;
    }

    /// Number of elements that this rank has in the end, those that it keeps included.
    std::int64_t size() const { return core()->size(); }
    /// Number of elements that this rank has in the beginning.
    std::int64_t source_size() const { return core(), m_source_size; }
    /// Number of elements that stay on this rank.
    std::int64_t kept() const { return core(), m_kept; }

private:
    impl::Field described(const ElementType& element) const {
        impl::Field field = impl::missing_field(element);
        field.strides[0] = element.bytes;
        field.process = communicator().rank();
        field.layout = &core()->layout();
        return field;
    }

    template <ExecutionSpace Exec, ValueList From, ValueList To>
    MigratingField field_of(const From& from, const To& to) const {
        using Value = typename From::non_const_value_type;
        static_assert(
            std::is_same_v<Value, typename To::value_type>,
            "MigrationPlan: expected to write fields, not const, of the same element types");
        static_assert(std::is_trivially_copyable_v<Value>,
                      "elements are moved as bytes: they must be trivially copyable");
        static_assert(
            AccessibleFrom<From, Exec> && AccessibleFrom<To, Exec>,
            "MigrationPlan: fields must be in memory that the execution space can access");
        impl::check_list("MigrationPlan", "elements", from, m_source_size);
        impl::check_list("MigrationPlan", "elements", to, size());
        return {from.data(), to.data(), element_type<Value>()};
    }

    template <ExecutionSpace Exec, class... From, class... To, std::size_t... I>
    std::array<MigratingField, sizeof...(I)> fields_of(const std::tuple<From...>& from,
                                                       const std::tuple<To...>& to,
                                                       std::index_sequence<I...>) const {
        static_assert(sizeof...(From) > 0, "MigrationPlan: expected at least 1 field");
        static_assert(sizeof...(From) == sizeof...(To),
                      "MigrationPlan: expected as many fields to write as to move");
        return {field_of<Exec>(std::get<I>(from), std::get<I>(to))...};
    }

    /// No alias: nvcc hands its result to the host's compiler, without the pack.
    template <std::size_t>
    struct Byte {
        using type = char;
    };
    /// Lists are moved as bytes: a runner for more than there are does, too.
    template <ExecutionSpace Exec, std::size_t... I>
    auto start_lists(const Exec& exec, std::span<const MigratingField> lists,
                     std::index_sequence<I...>) {
        using Runner = impl::GatherRunner<impl::NoOperation, typename Byte<I>::type...>;
        Runner runner;
        std::array<impl::Field, sizeof...(I)> described_lists{};
        for (std::size_t i = 0; i < lists.size(); ++i) {
            runner.lists[i] = {static_cast<char*>(const_cast<void*>(lists[i].from)),
                               static_cast<char*>(lists[i].to)};
            described_lists[i] = described(lists[i].element);
        }
        const std::span<const impl::Field> fields(described_lists.data(), lists.size());
        core()->before_call([&] { check_apart(fields, runner.lists); });
        ExchangeHandle<Exec, Runner> handle(
            core(), exec, runner, impl::CallWord::Kind::migrate,
            impl::array_set<Exec>(impl::ExchangeKind::fill, fields));
        handle.begin_step();
        return handle;
    }

    /// Checks what can be known of lists that nobody counts.
    void check_fields(std::span<const MigratingField> fields) const;
    /// Checks that no field to write shares memory with another one.
    void check_apart(std::span<const impl::Field> fields,
                     std::span<const impl::PointLists> lists) const;

    std::int64_t m_source_size = 0;
    std::int64_t m_kept = 0;
};

} // namespace distview
