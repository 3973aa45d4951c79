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
#include <distview/core/any_dist_view.hpp>

#include <array>
#include <cstdint>
#include <source_location>
#include <span>
#include <tuple>
#include <type_traits>
#include <vector>

namespace distview {

/// An array layout with an unstructured axis on which each process has the indices that it owns, followed by ghosts:
/// copies of indices that other processes own (UnstructuredLayout).
///
///     process 0 owns 0 1 2, process 1 owns 3 4 5; each needs one of the other's:   0 1 2 | 3      3 4 5 | 2
struct GhostedLayout {
    /// Layout of the arrays: along `axis` unstructured_local() with `ghosts` ghosts.
    ArrayLayout layout{};
    int axis = 0;
    std::int64_t owned = 0;  ///< positions [0, owned) of this process's section along that axis
    std::int64_t ghosts = 0; ///< positions [owned, owned + ghosts)
    /// The position of each needed index.
    std::vector<std::int64_t> positions{};
};

/// Makes a layout in which this process has the indices that it owns, and, as ghosts, the `needed` indices that it does
/// not own. Needed indices are, for example, the columns of its matrix rows, or the vertices of its mesh cells.
///
///     // row r of this process has the columns [row_begin[r], row_begin[r + 1]) of `columns`: global indices
///     auto x = make_ghosted_layout(comm, my_rows, columns);
///     auto u = make_dist_view<double*>(exec, "u", comm, x.layout);
///     GhostExchangePlan ghosts(comm, x);
///     ghosts.execute(exec, u);
///     for (...) y(r) += values[k] * u.view()(x.positions[k]);
///
/// Ghosts are in ascending order, each once. Only view() includes them: algorithms, gathers and redistributions read
/// and write owned indices only, so that ghosts are outdated afterwards. Exports include ghosts like other indices.
///
/// Collective: over comm
/// Indices:    global: any integers, each owned by one process; positions are local, from 0
/// Shapes:     `more_axes`: further axes of the array, each on one process, such as the components of a value
/// Cost:       sorting the needed indices; one reduction; memory: 16 bytes for each process beside the indices
/// Errors:     LayoutError if an index occurs twice in `owned`, UsageError if this process has and needs more indices
///             than exist (on all ranks); a plan's constructor detects an index with two owners, or none
GhostedLayout make_ghosted_layout(const Communicator& comm, const std::vector<std::int64_t>& owned,
                                  const std::vector<std::int64_t>& needed,
                                  const std::vector<AxisSpec>& more_axes = {});

/// Fills the ghosts of distributed arrays from their owners, or combines values in ghosts with the owners' elements,
/// any number of times. Tpetra calls this Import and Export, PETSc the update of a ghosted vector. Calls,
/// binding, lifetimes, transports and errors are those of a PaddingExchangePlan.
///
///     ghosts.execute(exec, u);                 // ghosts of u = their owners' elements
///     ghosts.combine(exec, Sum{}, u);          // owners' elements += all their ghosts; ghosts keep their values
///
/// Collective: construction, and every call that takes arrays, in the same order on all ranks of the communicator
/// Shapes:     arrays of the layout
/// Space:      memory that kernels of the given instance can access; only this instance is fenced
/// Cost:       memory: some 16 bytes per ghost, and 8 on its owner, and at most as much again for each bound set; to
///             combine, 24 more on the owner
/// Source:     decision 0028
/// Example:    examples/06_sparse_matrix
class GhostExchangePlan : public impl::PlanBase<impl::GatherCore> {
public:
    /// Makes a plan. A DeadlineError shows `where` it was made.
    ///
    /// Cost:   finding owners: messages in proportion to own indices and ghosts
    /// Errors: UsageError if the layout's grid does not match the communicator, a ghost has no owner, or an index has
    ///         several; LayoutError if processes with the same coordinate list different indices (thrown on all ranks)
    GhostExchangePlan(const Communicator& comm, const GhostedLayout& layout,
                      const std::source_location& where = std::source_location::current());

    /// Binds arrays ahead of the first execute().
    template <ExecutionSpace Exec, DistViewLike... Arrays>
    void bind(const Exec&, const Arrays&... arrays) {
        const auto fields = impl::fields_of<Exec, true>(std::tie(arrays...));
        core()->bind(impl::CallWord::Kind::bind_ghosts,
                     impl::array_set<Exec>(impl::ExchangeKind::fill, fields));
    }

    /// Fills the ghosts of the arrays, as PaddingExchangePlan::execute() fills padding.
    template <ExecutionSpace Exec, DistViewLike... Arrays>
    void execute(const Exec& exec, const Arrays&... arrays) {
        start(exec, arrays...).finish();
    }
    /// Begins execute() and returns a handle to finish(). Until then owned elements must not be written, and ghosts
    /// must be neither read nor written.
    template <ExecutionSpace Exec, DistViewLike... Arrays>
    auto start(const Exec& exec, const Arrays&... arrays) {
        return start_kind(exec, impl::CallWord::Kind::fill_ghosts, impl::ExchangeKind::fill,
                          impl::NoOperation{}, arrays...);
    }

    /// Combines each owner's element with all its ghosts: op(...op(element, ghost), ghost...), with ghosts in ascending
    /// order of rank: the result has the same bits with every transport. Ghosts keep their values: set them to the
    /// neutral element before collecting again.
    ///
    /// Shapes: op(T here, T incoming) for the element type T of every array
    template <ExecutionSpace Exec, class Op, DistViewLike... Arrays>
    void combine(const Exec& exec, const Op& op, const Arrays&... arrays) {
        start_combine(exec, op, arrays...).finish();
    }
    template <ExecutionSpace Exec, class Op, DistViewLike... Arrays>
    auto start_combine(const Exec& exec, const Op& op, const Arrays&... arrays) {
        return start_kind(exec, impl::CallWord::Kind::combine_ghosts, impl::ExchangeKind::combine,
                          op, arrays...);
    }

    // The same calls for an array whose types are known at run time.
    //
    // Errors: also ShapeError if the array is read-only, or `exec` cannot access it (on all ranks)

    template <ExecutionSpace Exec>
    void bind(const Exec&, const AnyDistView& array) {
        const std::array fields{impl::make_field(array)};
        core()->bind(impl::CallWord::Kind::bind_ghosts,
                     any_set<Exec>(impl::ExchangeKind::fill, fields));
    }
    template <ExecutionSpace Exec>
    void execute(const Exec& exec, const AnyDistView& array) {
        start(exec, array).finish();
    }
    template <ExecutionSpace Exec>
    auto start(const Exec& exec, const AnyDistView& array) {
        return start_any<impl::ExchangeKind::fill, impl::AnyElement>(exec, impl::NoOperation{},
                                                                     array);
    }
    /// combine() for an array whose element type, `Value`, the caller found out at run time.
    ///
    /// Errors: also ShapeError if the array's element type is not `Value` (on all ranks)
    template <class Value, ExecutionSpace Exec, class Op>
    void combine_as(const Exec& exec, const Op& op, const AnyDistView& array) {
        start_combine_as<Value>(exec, op, array).finish();
    }
    template <class Value, ExecutionSpace Exec, class Op>
    auto start_combine_as(const Exec& exec, const Op& op, const AnyDistView& array) {
        return start_any<impl::ExchangeKind::combine, Value>(exec, op, array);
    }

    const ArrayLayout& layout() const { return core()->layout(); }

private:
    template <ExecutionSpace Exec>
    static impl::ArraySet any_set(impl::ExchangeKind kind, std::span<const impl::Field> fields) {
        impl::ArraySet arrays = impl::array_set<Exec>(kind, fields);
        arrays.writes_sources = true;
        return arrays;
    }
    template <ExecutionSpace Exec, class Op, DistViewLike... Arrays>
    auto start_kind(const Exec& exec, impl::CallWord::Kind call, impl::ExchangeKind kind,
                    const Op& op, const Arrays&... arrays) {
        using Runner = impl::GatherRunner<Op, typename Arrays::value_type...>;
        const auto fields = impl::fields_of<Exec, true>(std::tie(arrays...));
        impl::ArraySet set = impl::array_set<Exec>(kind, fields);
        set.operation = impl::operation_code(op);
        ExchangeHandle<Exec, Runner> handle(core(), exec, Runner{op, {}}, call, set);
        handle.begin_step();
        return handle;
    }
    template <impl::ExchangeKind Kind, class Value, ExecutionSpace Exec, class Op>
    auto start_any(const Exec& exec, const Op& op, const AnyDistView& array) {
        using Runner = impl::GatherRunner<Op, Value>;
        const std::array fields{impl::make_field(array)};
        impl::ArraySet set = any_set<Exec>(Kind, fields);
        set.operation = impl::operation_code(op);
        if constexpr (!std::is_same_v<Value, impl::AnyElement>)
            set.element_code = impl::element_code<Value>();
        constexpr auto call = Kind == impl::ExchangeKind::fill
                                  ? impl::CallWord::Kind::fill_ghosts
                                  : impl::CallWord::Kind::combine_ghosts;
        ExchangeHandle<Exec, Runner> handle(core(), exec, Runner{op, {}}, call, set);
        handle.begin_step();
        return handle;
    }
};

} // namespace distview
