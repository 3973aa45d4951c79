// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/algorithms/for_each.hpp>
#include <distview/comm/padding_exchange_plan.hpp>

#include <string>

namespace distview {

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
///             Those of PaddingExchangePlan::execute()
///
/// `label` names the kernels, for profilers; without it they are "distview::for_each".
template <ExecutionSpace Exec, DistViewLike To, class Functor, DistViewLike... From>
    requires AccessibleFrom<To, Exec>
void apply_stencil(const Exec& exec, const std::string& label, PaddingExchangePlan& plan,
                   const To& to, const Functor& functor, const From&... from) {
    // Begun first: then a rank that is refused gives up, and does not keep its neighbours waiting.
    auto exchange = plan.start(exec, from...);
    const PaddingExchangeSchedule& schedule = plan.schedule();
    require<ShapeError>(to.layout() == schedule.layout(), [&] {
        return text("apply_stencil: the cells are those of a ", to.layout().describe(),
                    "\nthe plan is for a ", schedule.layout().describe());
    });
    require<ShapeError>(to.process() == schedule.process(), [&] {
        return text("apply_stencil: the cells are those of process ", to.process(),
                    ", expected those of process ", schedule.process());
    });
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
template <ExecutionSpace Exec, DistViewLike To, class Functor, DistViewLike... From>
    requires AccessibleFrom<To, Exec>
void apply_stencil(const Exec& exec, PaddingExchangePlan& plan, const To& to,
                   const Functor& functor, const From&... from) {
    static const std::string label = "distview::for_each";
    apply_stencil(exec, label, plan, to, functor, from...);
}

} // namespace distview
