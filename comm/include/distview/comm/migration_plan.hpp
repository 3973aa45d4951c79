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

/// Elements to migrate of a type known at run time only: source_size() elements to move and room for size() elements to
/// write, contiguous in host memory. A pointer may be null if its number of elements is 0.
struct MigratingField {
    const void* from = nullptr;
    void* to = nullptr;
    ElementType element{}; ///< may be opaque, of any size
};

/// Moves elements of lists to other processes, each to its target rank: particles, or any elements that change owners.
///
///     std::vector<int> targets(n);                      // element k of this rank goes to rank targets[k]
///     MigrationPlan plan(comm, targets);
///     auto [x2, v2, id2] = plan.moved(exec, x, v, id);  // Views of plan.size() elements
///     plan.execute(exec, std::tie(x, v, id), std::tie(x3, v3, id3));   // the same, into existing memory
///
/// Elements arrive in ascending order of their source rank, this rank included; elements of one rank keep their order.
/// All fields of a call move together: between processes of a node in shared memory, packed by their owner, to others
/// in one message per rank. A target is usually the owner of a cell: targets[k] = layout.owner(cell). To move elements
/// to positions in a layout use put_elements() instead, also for several fields together:
/// put_elements(exec, comm, std::tie(u, w), positions, std::tie(x, v)).
///
/// A plan is bound once for a sequence of element types, not to lists, and executed with any fields of these types.
/// Lifetimes, threads and errors of executions are those of a PaddingExchangePlan.
///
/// Collective: construction, and every call that takes fields, in the same order and with the same element types on all
///             ranks of the communicator; all other calls are local
/// Shapes:     fields are Kokkos::Views with one axis, with trivially copyable elements that are contiguous in memory
///             (Kokkos::Array<double, 3> for several components): source_size() elements to move, size() that arrive
/// Space:      memory that kernels of the given instance can access; only this instance is fenced
/// Cost:       memory: 8 bytes for each element to move, 16 for each that arrives, 8 for each process; buffers for
///             elements that move to or from other ranks
/// Source:     decision 0028; in the field: Tpetra's Distributor, Cabana's migrate(), PETSc's DMSwarmMigrate
/// Example:    examples/08_particles
class MigrationPlan : public impl::PlanBase<impl::GatherCore> {
public:
    /// Makes a plan for the `targets` of this rank's elements, if any. A DeadlineError shows `where` it was made.
    ///
    /// Cost:   MPI_Allgather of a number, and an acknowledged message of one number to each target; in the first
    ///         execution with new types two messages to each source and target rank, on any node, and two agreements.
    ///         For few elements between 2 ranks of a node some 20 us; the first execution adds 10 us, or 50 us if no
    ///         other bound plan of the communicator keeps the node's shared memory mapped
    /// Errors: UsageError if a target is not a rank: names element, target and rank; or if DISTVIEW_TRANSPORT
    ///         requires an unavailable transport (thrown on all ranks)
    MigrationPlan(const Communicator& comm, std::span<const int> targets,
                  const std::source_location& where = std::source_location::current());

    /// Moves the elements of `from` to `to` on their target ranks: Views, or std::tie() of as many Views on both
    /// sides. `from` keeps its elements.
    ///
    /// Space:  on `exec`; on return all work has finished
    /// Cost:   kernels that pack, copy kept elements, and unpack; only the first execution with these types allocates
    /// Errors: ShapeError if a field does not have the plan's size or has gaps in memory, UsageError if a field to
    ///         write shares memory with another field (on this rank alone); UsageError if ranks pass different element
    ///         types, or DISTVIEW_TRANSPORT is `ipc` (on all ranks); those of ExchangeHandle::finish()
    template <ExecutionSpace Exec, ValueLists From, ValueLists To>
    void execute(const Exec& exec, const From& from, const To& to) {
        start(exec, from, to).finish();
    }
    /// Begins execute() and returns a handle; its finish() completes the execution.
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
    /// Shapes: at most `most_fields` lists of source_size() elements to move and size() to write; sizes are not checked
    /// Errors: UsageError for no lists or too many, for element types of 0 bytes, and for null pointers to elements (on
    ///         this rank; ranks that wait for it get one, too); those of execute()
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

    /// Executes into new Views and returns them in a tuple: Views of size() elements, in the memory spaces and with the
    /// labels of the fields.
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

    /// Number of elements that this rank has after an execution, kept elements included.
    std::int64_t size() const { return core()->size(); }
    /// Number of elements that this rank has before an execution.
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
            "MigrationPlan: expected non-const targets with the element types of the sources");
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
                      "MigrationPlan: expected as many targets as sources");
        return {field_of<Exec>(std::get<I>(from), std::get<I>(to))...};
    }

    /// Not an alias: nvcc would pass the host compiler its result, without the pack.
    template <std::size_t>
    struct Byte {
        using type = char;
    };
    /// Starts with lists as bytes; the runner may have room for more lists than the call passes.
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

    /// Checks number, element types and null pointers of lists; their sizes are unknown.
    void check_fields(std::span<const MigratingField> fields) const;
    /// Checks that no field to write shares memory with another one.
    void check_apart(std::span<const impl::Field> fields,
                     std::span<const impl::PointLists> lists) const;

    std::int64_t m_source_size = 0;
    std::int64_t m_kept = 0;
};

} // namespace distview
