// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/algorithms/for_each.hpp>
#include <distview/comm/agreement.hpp>
#include <distview/comm/padding_exchange_plan.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace distview {

namespace impl {
/// Throws ShapeError unless the array is this process's section of the layout of the plan's (first) field, and
/// UsageError if it is one of `from`.
template <DistViewLike To, DistViewLike... From>
void check_stencil_arrays(const PaddingExchangeSchedule& schedule, const To& to,
                          const From&... from) {
    require<ShapeError>(to.layout() == schedule.layout(), [&] {
        return text("apply_stencil: expected an array of the plan's layout, got a ",
                    to.layout().describe(), "\nthe plan is for a ", schedule.layout().describe(),
                    difference_of(to.layout(), schedule.layout()));
    });
    require<ShapeError>(to.process() == schedule.process(), [&] {
        return text("apply_stencil: expected the section of process ", schedule.process(),
                    ", got the section of process ", to.process());
    });
    require<UsageError>(((to.identity() != from.identity()) && ...), [&] {
        return text("apply_stencil: expected an array to write that is none of those to exchange, "
                    "got '",
                    to.label(), "' as both: cells would read neighbours that are already written");
    });
}

/// The kernel of apply_stencil() in the checking mode: throws on all ranks if it reads invalid padding on any rank.
template <ExecutionSpace Exec, DistViewLike To, class Functor, class Which, DistViewLike... From>
void check_stencil(const Exec& exec, const std::string& label, const PaddingExchangePlan& plan,
                   const To& to, const Functor& functor, const Which& cells, const From&... from) {
    static constexpr Caller caller("apply_stencil");
    agree_on(plan.communicator(), caller.name, [&] {
        check_stencil_arrays(plan.schedule(), to, from...);
        for_each_checked(caller, true, exec, label, to, functor, reading(from...), cells);
    });
}
/// Marks the padding of `to` as valid to `depth`: all ranks have computed its interior and `cells` alike.
template <DistViewLike To>
void note_computed(const To& to, const ValidPadding& depth, const LocalBox& cells) {
    const auto& state = state_of(to);
    if (!state || !state->checked) {
        to.note_padding_valid(depth);
        return;
    }
    state->valid_padding = depth;
    state->checked->note_computed(cells);
}
} // namespace impl

/// Exchanges the padding of `from` and calls functor(i, j, ...) for every interior cell of `to`, while elements of
/// other processes are still on their way.
///
///     PaddingExchangePlan plan(comm, layout);
///     auto u = a.view(), v = b.view();
///     apply_stencil(exec, plan, b, KOKKOS_LAMBDA(int i, int j) {
///         v(i, j) = 0.25 * (u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1));
///     }, a);
///
/// If the neighbours' elements have already arrived, the call is an exchange and one kernel. Otherwise a first kernel
/// computes the cells that need none of these elements. After the exchange, further kernels compute the other cells: a
/// strip along every side that has a neighbour. Every cell is computed exactly once in either case.
///
/// Collective: over the plan's communicator
/// Shapes:     `to` has the layout of the plan's (first) field; around a cell the functor reads no further than the
///             plan's widths, and it writes only elements at its own index, none of them in `from`
/// Indices:    local, as in for_each()
/// Space:      kernels on `exec`, which may still run on return. Work that follows on `exec` may write `from`: the
///             neighbours have finished reading it
/// Cost:       one exchange; one kernel, or one for the inner cells and one for each of plan.outer_cells(); no
///             allocation for a bound set
/// Errors:     on the ranks concerned, ShapeError if `to` has another layout or is another process's section, UsageError
///             if `to` is one of `from` (another array over the same memory is not detected); the plan is then
///             unusable, and neighbours get the errors of an ExchangeHandle that is never finished. Those of
///             PaddingExchangePlan::execute(). In the checking mode (set_check()) also UsageError, on all ranks, if
///             results depend on padding that is not valid; the functor is then called several times for each cell and
///             must change nothing but `to`
///
/// `label` names the kernels in profilers; the default is "distview::for_each".
template <ExecutionSpace Exec, DistViewLike To, CellFunctor<To> Functor, DistViewLike... From>
    requires AccessibleFrom<To, Exec>
void apply_stencil(const Exec& exec, const std::string& label, PaddingExchangePlan& plan,
                   const To& to, const Functor& functor, const From&... from) {
    if (impl::is_checking()) {
        const CollectiveCall call(plan.communicator(), "apply_stencil");
        plan.execute(exec, from...);
        impl::check_stencil(exec, label, plan, to, functor, Cells::interior, from...);
        impl::note_written(to, Cells::interior);
        return;
    }
    // Started before the check: a rank that fails the check then abandons the exchange, and its neighbours do not wait.
    auto exchange = plan.start(exec, from...);
    impl::check_stencil_arrays(plan.schedule(), to, from...);
    if (exchange.can_finish()) {
        exchange.finish_filling();
        for_each(exec, label, to, functor);
    } else {
        for_each(exec, label, to, functor, plan.inner_cells());
        exchange.finish_filling();
        for (const LocalBox& cells : plan.outer_cells()) for_each(exec, label, to, functor, cells);
    }
    // Neighbours read during the computation, so that this mostly does not wait.
    plan.wait_for_readers();
}
template <ExecutionSpace Exec, DistViewLike To, CellFunctor<To> Functor, DistViewLike... From>
    requires AccessibleFrom<To, Exec>
void apply_stencil(const Exec& exec, PaddingExchangePlan& plan, const To& to,
                   const Functor& functor, const From&... from) {
    apply_stencil(exec, impl::label_of("distview::for_each"), plan, to, functor, from...);
}

/// How far around a cell a functor reads along every axis.
///
/// Units: elements
struct Reach {
    Widths cells = 1; ///< Widths(2, 1): two below, one above
};

/// Same, for padding that is deeper than the functor reads. The call exchanges padding only when less than `reach` of
/// it is valid. If more is valid, it also computes padding cells, which other processes own and compute, to the same
/// bits (compile the functor with -ffp-contract=off: otherwise compilers may fuse multiplications and additions in one
/// kernel and not in another). One exchange serves `k` calls if the padding is `k` times as wide as `reach`.
///
///     const ArrayLayout layout(grid, {block(n, {.padding = 3}), block(n, {.padding = 3})});
///     PaddingExchangePlan plan(comm, layout);
///     plan.execute(exec, a, b);                       // once: the walls' boundary padding, too
///     for (int step = 0; step < steps; ++step) {      // exchanges in the steps 0, 3, 6, ...
///         apply_stencil(exec, "diffuse", plan, Reach{1}, b, functor, a);
///         std::swap(a, b);
///     }
///
/// The call computes the interior cells and, around them, the padding cells whose neighbours within `reach` are valid
/// in all of `from` (DistView::valid_padding()); afterwards the padding of `to` is valid to that depth. Boundary
/// padding at walls is not changed. If it depends on the cells beside it, update it with for_each_boundary(), which
/// also updates its copies in the padding.
///
/// Collective: over the plan's communicator
/// Shapes:     around a cell the functor reads no further than `reach`, and it writes only `to`, at its own index. If
///             it writes another array in the same way, call mark_padding_valid(to.valid_padding()) on that array
/// Space:      one kernel on `exec`, which may still run on return
/// Cost:       that of PaddingExchangePlan::require(), and one kernel
/// Errors:     those of apply_stencil() and PaddingExchangePlan::require()
template <ExecutionSpace Exec, DistViewLike To, CellFunctor<To> Functor, DistViewLike... From>
    requires(AccessibleFrom<To, Exec> && sizeof...(From) > 0)
void apply_stencil(const Exec& exec, const std::string& label, PaddingExchangePlan& plan,
                   Reach reach, const To& to, const Functor& functor, const From&... from) {
    // Checks make several collective calls where an execution without checks makes one.
    std::optional<CollectiveCall> call;
    if (impl::is_checking()) call.emplace(plan.communicator(), "apply_stencil");
    plan.require(exec, reach.cells, from...);
    const auto check_arrays = [&] { impl::check_stencil_arrays(plan.schedule(), to, from...); };
    if (impl::is_checking())
        agree_on(plan.communicator(), "apply_stencil", check_arrays);
    else
        check_arrays();
    const ValidPadding filled = plan.schedule().filled();
    const bool has_corners = (from.valid_padding().has_corners() && ...);
    ValidPadding after;
    LocalBox cells{};
    for (int d = 0; d < To::rank(); ++d) {
        const auto left = [&](std::int64_t Widths::* side) -> std::int64_t {
            if (filled.depth(d).*side == 0 || !has_corners) return 0;
            const std::int64_t valid = std::min({(from.valid_padding().depth(d).*side)...});
            return std::max(valid - reach.cells.*side, std::int64_t{0});
        };
        const Widths around(left(&Widths::low), left(&Widths::high));
        const LocalRange interior = to.interior_range(d);
        LocalRange& range = cells[static_cast<std::size_t>(d)];
        range = {interior.begin - around.low, interior.end + around.high};
        after.set_depth(d, around);
        const AxisLayout& axis = to.layout().axis(d);
        if (!impl::has_walls(axis)) continue;
        const LocalRange between =
            impl::positions_of(to, d, {GlobalIndex(0), GlobalIndex(axis.size())});
        range = {std::max(range.begin, between.begin), std::min(range.end, between.end)};
    }
    after.set_corners(has_corners);
    if (impl::is_checking())
        impl::check_stencil(exec, label, plan, to, functor, cells, from...);
    else
        for_each(exec, label, to, functor, cells);
    impl::note_computed(to, after, cells);
}

/// Calls functor(i, j, ...), as for_each() does, for every position of boundary padding at the walls: positions that
/// the process owns, and copies in its valid padding, so that neighbours do not have to send them. Call it after a
/// stencil over deep padding if the walls' values depend on the cells beside them. Valid padding stays valid.
///
///     for_each_boundary(exec, "walls", u, KOKKOS_LAMBDA(int i, int j) { v(i, j) = v(clamp(i), clamp(j)); });
///
/// Padding that reaches past the process at a wall holds copies of that process's boundary padding: clamp() must refer
/// to the wall there, too. global_index(d, LocalIndex(0)) shows where global indices 0 and extent(d) are.
///
/// Collective: no (local)
/// Shapes:     the functor writes only elements of `view` at its own index, and reads no boundary padding. All elements
///             that the process at a wall reads are its own or in its valid padding
/// Indices:    local, all padding included: the indices of view.view()
/// Space:      one kernel for each wall on `exec`; on return work may still run there
/// Cost:       no allocation, no fence
template <ExecutionSpace Exec, DistViewLike View, CellFunctor<View> Functor>
    requires AccessibleFrom<View, Exec>
void for_each_boundary(const Exec& exec, const std::string& label, const View& view,
                       const Functor& functor) {
    static constexpr impl::Caller caller("for_each_boundary");
    LocalBox rest = valid_cells(view);
    for (int d = 0; d < View::rank(); ++d) {
        const AxisLayout& axis = view.layout().axis(d);
        if (!impl::has_walls(axis)) continue;
        LocalRange& left = rest[static_cast<std::size_t>(d)];
        const LocalRange between =
            impl::positions_of(view, d, {GlobalIndex(0), GlobalIndex(axis.size())});
        const auto wall = [&](LocalRange range) {
            LocalBox box = rest;
            box[static_cast<std::size_t>(d)] = range;
            if (!is_empty(box, View::rank()))
                impl::launch_for(caller, label, exec, view, box, functor);
        };
        wall({left.begin, std::min(left.end, between.begin)});
        wall({std::max(left.begin, between.end), left.end});
        // A corner belongs to the first of its axes, so that it is visited once.
        left = {std::max(left.begin, between.begin), std::min(left.end, between.end)};
    }
    const auto& state = state_of(view);
    if (state && state->checked) state->checked->note_boundary(valid_cells(view));
}

} // namespace distview
