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
/// Throws ShapeError unless the array is this process's section of the plan's (first) layout.
template <DistViewLike To>
void check_stencil_cells(const PaddingExchangeSchedule& schedule, const To& to) {
    require<ShapeError>(to.layout() == schedule.layout(), [&] {
        return text("apply_stencil: the cells are those of a ", to.layout().describe(),
                    "\nthe plan is for a ", schedule.layout().describe());
    });
    require<ShapeError>(to.process() == schedule.process(), [&] {
        return text("apply_stencil: the cells are those of process ", to.process(),
                    ", expected those of process ", schedule.process());
    });
}

/// The kernel of apply_stencil() in the checking mode: throws on all ranks if it reads padding that is not valid on any.
template <ExecutionSpace Exec, DistViewLike To, class Functor, class Which, DistViewLike... From>
void check_stencil(const Exec& exec, const std::string& label, const PaddingExchangePlan& plan,
                   const To& to, const Functor& functor, const Which& cells, const From&... from) {
    static constexpr Caller caller("apply_stencil");
    agree_on(plan.communicator(), caller.name, [&] {
        check_stencil_cells(plan.schedule(), to);
        for_each_checked(caller, true, exec, label, to, functor, reading(from...), cells);
    });
}
/// The padding of `to` is valid `depth` deep: its interior and `cells` were computed as all ranks have done.
template <DistViewLike To>
void note_computed(const To& to, const ValidPadding& depth, const LocalBox& cells) {
    const auto& state = state_of(to);
    if (!state || !state->checked) {
        to.mark_padding_valid(depth);
        return;
    }
    state->valid_padding = depth;
    state->checked->note_computed(cells);
}
} // namespace impl

/// Fills the padding of `from` and calls functor(i, j, ...) for every interior cell of `to`, while
/// elements of other processes are still on their way.
///
///     PaddingExchangePlan plan(comm, layout);
///     auto u = a.view(), v = b.view();
///     apply_stencil(exec, plan, b, KOKKOS_LAMBDA(int i, int j) {
///         v(i, j) = 0.25 * (u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1));
///     }, a);
///
/// If the neighbours' elements are there at once, this is an exchange and one kernel. Otherwise the
/// cells that need none of them come first, and the others, a strip along every side that has a
/// neighbour, after the exchange: the same cells, computed once each.
///
/// Collective: over the plan's communicator
/// Shapes:     `to` has the layout of the plan's (first) field; the functor reads around a cell no
///             further than the plan's widths and writes only cells of its own index, not of `from`
/// Indices:    local, as those of for_each()
/// Space:      kernels on `exec`; on return they may still run. `from` may be written by work that
///             follows on `exec`: neighbours have read it
/// Cost:       one exchange; one kernel, or one and one for each of plan.outer_cells(); no allocation
///             for a bound set
/// Errors:     ShapeError, on the ranks concerned, if `to` has another layout or is another process's; the
///             plan is unusable then, and neighbours fare as with an ExchangeHandle that is not finished.
///             Those of PaddingExchangePlan::execute(). In the checking mode (set_check()), on all ranks, also UsageError if
///             what is computed depends on padding that is not valid: the functor is called several times for each cell
///             there and changes nothing but `to`
///
/// `label` names the kernels, for profilers; without it they are "distview::for_each".
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
    // Begun first: then a rank that is refused gives up, and does not keep its neighbours waiting.
    auto exchange = plan.start(exec, from...);
    impl::check_stencil_cells(plan.schedule(), to);
    if (exchange.can_finish()) {
        exchange.finish_filling();
        for_each(exec, label, to, functor);
    } else {
        for_each(exec, label, to, functor, plan.inner_cells());
        exchange.finish_filling();
        for (const LocalBox& cells : plan.outer_cells()) for_each(exec, label, to, functor, cells);
    }
    // They read while this computed: mostly there is nothing to wait for.
    plan.wait_for_readers();
}
template <ExecutionSpace Exec, DistViewLike To, CellFunctor<To> Functor, DistViewLike... From>
    requires AccessibleFrom<To, Exec>
void apply_stencil(const Exec& exec, PaddingExchangePlan& plan, const To& to,
                   const Functor& functor, const From&... from) {
    apply_stencil(exec, impl::label_of("distview::for_each"), plan, to, functor, from...);
}

/// How far around a cell a functor reads, along every axis.
///
/// Units: elements
struct Reach {
    Widths cells = 1; ///< Widths(2, 1): two below, one above
};

/// The same where padding is deeper than the functor reads: fills it only when it is used up, and computes the cells
/// between, which other processes own and compute as well, to the same bits (compile the functor with
/// -ffp-contract=off: compilers fuse multiplications and additions here and not there). One exchange serves `k` calls if
/// the padding is `k` times as wide as `reach`.
///
///     const ArrayLayout layout(grid, {block(n, {.padding = 3}), block(n, {.padding = 3})});
///     PaddingExchangePlan plan(comm, layout);
///     plan.execute(exec, a, b);                       // once: the walls' boundary padding, too
///     for (int step = 0; step < steps; ++step) {      // exchanges in the steps 0, 3, 6, ...
///         apply_stencil(exec, "diffuse", plan, Reach{1}, b, functor, a);
///         std::swap(a, b);
///     }
///
/// The cells are those of the interior and, around them, those whose neighbours within `reach` are valid in all of
/// `from` (DistView::valid_padding()); afterwards the padding of `to` is valid as far as they go. Boundary padding of
/// walls is left alone: where it is to follow the cells beside it, for_each_boundary() writes it, in the padding too.
///
/// Collective: over the plan's communicator
/// Shapes:     the functor reads around a cell no further than `reach` and writes only `to`, at its own index. Of another
///             array that it writes, mark_padding_valid(to.valid_padding()) says that it was written alike
/// Space:      one kernel on `exec`; on return it may still run
/// Cost:       that of PaddingExchangePlan::require(), and one kernel
/// Errors:     those of apply_stencil() and PaddingExchangePlan::require()
template <ExecutionSpace Exec, DistViewLike To, CellFunctor<To> Functor, DistViewLike... From>
    requires(AccessibleFrom<To, Exec> && sizeof...(From) > 0)
void apply_stencil(const Exec& exec, const std::string& label, PaddingExchangePlan& plan,
                   Reach reach, const To& to, const Functor& functor, const From&... from) {
    // Checks make several calls of what is one execution without them.
    std::optional<CollectiveCall> call;
    if (impl::is_checking()) call.emplace(plan.communicator(), "apply_stencil");
    plan.require(exec, reach.cells, from...);
    const auto check_cells = [&] { impl::check_stencil_cells(plan.schedule(), to); };
    if (impl::is_checking())
        agree_on(plan.communicator(), "apply_stencil", check_cells);
    else
        check_cells();
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

/// Calls functor(i, j, ...) for every position of boundary padding at the walls, as for_each() does: those that the
/// process owns, and those in its valid padding, so that neighbours do not have to send them. What follows a stencil
/// over deep padding, for walls that follow the cells beside them. Valid padding stays valid.
///
///     for_each_boundary(exec, "walls", u, KOKKOS_LAMBDA(int i, int j) { v(i, j) = v(clamp(i), clamp(j)); });
///
/// Padding that reaches across the process at a wall holds copies of its boundary padding: there, too, clamp() is to go
/// by the wall. global_index(d, LocalIndex(0)) tells where global indices 0 and extent(d) are.
///
/// Collective: no (local)
/// Shapes:     the functor writes only elements of `view` at its own index, and reads no boundary padding. What the
///             process at a wall reads is its own, or in its valid padding
/// Indices:    local, all padding included: what view.view() takes
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
        // Corners belong to the first of their axes.
        left = {std::max(left.begin, between.begin), std::min(left.end, between.end)};
    }
    const auto& state = state_of(view);
    if (state && state->checked) state->checked->note_boundary(valid_cells(view));
}

} // namespace distview
