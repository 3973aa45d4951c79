// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ghosts.hpp"
#include "axes.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

using namespace distview::c;
using distview::require;
using distview::text;

namespace distview::c {

void check_ghosted_array(const distview_ghost_plan& plan, const distview_array* array,
                         const char* function) {
    const distview_array& used = checked(array, function, "an array");
    require<ShapeError>(used.view.layout() == plan.layout, [&] {
        return text(function, ": expected an array of the plan's layout, got a ",
                    used.view.layout().describe(), "\nthe plan is for a ", plan.layout.describe());
    });
    require<ShapeError>(!used.view.section().read_only, [&] {
        return text(function, ": expected an array that may be written, got a read-only one");
    });
}

} // namespace distview::c

int distview_ghosted_layout_create(const distview_communicator* comm, int64_t owned_count,
                                   const int64_t* owned, int64_t needed_count,
                                   const int64_t* needed, int more_axes_count,
                                   const distview_axis* more_axes,
                                   distview_ghosted_layout** result) {
    return guard(__func__, [&](const char* function) {
        const distview::Communicator& all = communicator_of(comm, function);
        std::vector<std::int64_t> own;
        std::vector<std::int64_t> all_needed;
        std::vector<distview::AxisSpec> axes;
        together(all, function, [&] {
            checked(result, function, "a place for the result");
            require<distview::UsageError>(owned_count >= 0 && needed_count >= 0, [&] {
                return text(function, ": expected at least 0 indices, got ", owned_count, " and ",
                            needed_count);
            });
            require<distview::UsageError>(
                more_axes_count >= 0 && more_axes_count < distview::max_rank, [&] {
                    return text(function, ": expected from 0 to ", distview::max_rank - 1,
                                " more axes, got ", more_axes_count);
                });
            if (owned_count > 0) checked(owned, function, "owned indices");
            if (needed_count > 0) checked(needed, function, "needed indices");
            if (more_axes_count > 0) checked(more_axes, function, "more axes");
            own.assign(owned, owned + owned_count);
            all_needed.assign(needed, needed + needed_count);
            for (int d = 0; d < more_axes_count; ++d)
                axes.push_back(axis_of_program(more_axes[d], 1, function));
        });
        give(result, function, distview::make_ghosted_layout(all, own, all_needed, axes));
    });
}

distview_ghosted_layout* distview_ghosted_layout_retain(distview_ghosted_layout* ghosted) {
    return retain(ghosted);
}
void distview_ghosted_layout_release(distview_ghosted_layout* ghosted) { release(ghosted); }

int distview_ghosted_layout_layout(const distview_ghosted_layout* ghosted,
                                   distview_layout** layout) {
    return guard(__func__, [&](const char* function) {
        give(layout, function, checked(ghosted, function, "a ghosted layout").value.layout);
    });
}

int distview_ghosted_layout_counts(const distview_ghosted_layout* ghosted, int64_t* owned,
                                   int64_t* ghosts) {
    return guard(__func__, [&](const char* function) {
        const auto& value = checked(ghosted, function, "a ghosted layout").value;
        checked(ghosts, function, "a place for the number of ghosts");
        checked(owned, function, "a place for the number of owned indices") = value.owned;
        *ghosts = value.ghosts;
    });
}

int distview_ghosted_layout_positions(const distview_ghosted_layout* ghosted, int64_t count,
                                      int64_t* positions) {
    return guard(__func__, [&](const char* function) {
        const auto& all = checked(ghosted, function, "a ghosted layout").value.positions;
        require<distview::ShapeError>(count == std::ssize(all), [&] {
            return text(function, ": expected room for ", all.size(), " positions, got ", count);
        });
        if (count > 0) checked(positions, function, "a place for positions");
        std::copy(all.begin(), all.end(), positions);
    });
}

int distview_ghost_plan_create(const distview_communicator* comm,
                               const distview_ghosted_layout* ghosted,
                               distview_ghost_plan** result) {
    return guard(__func__, [&](const char* function) {
        const distview::Communicator& all = communicator_of(comm, function);
        distview::GhostedLayout widest;
        together(all, function, [&] {
            checked(result, function, "a place for the result");
            widest = checked(ghosted, function, "a ghosted layout").value;
            widest.layout = widened(widest.layout, Added::behind);
            require_kokkos(function);
        });
        give(result, function, all, ghosted->value.layout,
             distview::GhostExchangePlan(all, widest));
    });
}

distview_ghost_plan* distview_ghost_plan_retain(distview_ghost_plan* plan) { return retain(plan); }
void distview_ghost_plan_release(distview_ghost_plan* plan) { release(plan); }

int distview_ghost_plan_describe(const distview_ghost_plan* plan, char* buffer, int64_t capacity,
                                 int64_t* length) {
    return guard(__func__, [&](const char* function) {
        give_text(checked(plan, function, "a plan").plan.describe(), buffer, capacity, length,
                  function);
    });
}

int distview_ghost_plan_execute(distview_ghost_plan* plan, distview_array* array) {
    return guard_plan(__func__, plan, [&](distview_ghost_plan& used, const char* function) {
        host(function);
        together(used.comm, function,
                 [&] {
                     check_ghosted_array(used, array, function);
                     check_may_write(*array, function);
                     with_raw(array->view.section().element, function,
                              [&]<class T>(OfType<T>) { wide<T>(*array, Added::behind); });
                 },
                 {}, {array});
        with_raw(array->view.section().element, function, [&]<class T>(OfType<T>) {
            used.plan.execute(host(function), wide<T>(*array, Added::behind));
        });
    });
}
