// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/ghost_exchange_plan.hpp>

#include "plan/agree_on_plan.hpp"
#include <distview/comm/impl/plan/gather_role.hpp>

#include <distview/comm/collectives.hpp>
#include <distview/comm/impl/mpi/known_labels.hpp>
#include <distview/comm/make_dist_view.hpp>
#include <distview/core/error.hpp>
#include <distview/core/text.hpp>

#include <algorithm>
#include <memory>
#include <unordered_map>
#include <utility>

namespace distview {

namespace {

/// The ghosts of this process by index, and their positions in the section.
struct Ghosts {
    IndexList list;
    std::vector<std::int64_t> positions{0};
};

Ghosts ghosts_of(const GhostedLayout& ghosted, int process) {
    const ArrayLayout& layout = ghosted.layout;
    const GridCoordinates at = layout.coordinates(process);
    Ghosts ghosts{IndexList(layout.rank())};
    std::vector<std::vector<std::int64_t>> lists;
    for (int d = 0; d < layout.rank(); ++d) {
        const AxisLayout& axis = layout.axis(d);
        const int coordinate = at[static_cast<std::size_t>(d)];
        const std::int64_t extent = axis.local_extent(coordinate);
        // Along the other axes: all cells of this process.
        LocalRange range = axis.interior_local(coordinate);
        if (d == ghosted.axis) range = {range.end, LocalIndex(extent)};
        std::vector<std::int64_t>& indices = lists.emplace_back();
        for (LocalIndex l = range.begin; l < range.end; ++l)
            indices.push_back(axis.to_global(coordinate, l).value());
        std::vector<std::int64_t> longer;
        for (const std::int64_t begun : ghosts.positions)
            for (LocalIndex l = range.begin; l < range.end; ++l)
                longer.push_back(begun * extent + l.value());
        ghosts.positions = std::move(longer);
    }
    ghosts.list.add_product(std::move(lists));
    return ghosts;
}

void check(const Communicator& comm, const GhostedLayout& ghosted) {
    impl::check_grid(plan_names::ghost_exchange, comm, ghosted.layout);
    impl::check_known_labels(plan_names::ghost_exchange, ghosted.layout, comm.rank(), "array");
    const int axis = ghosted.axis;
    require<UsageError>(0 <= axis && axis < ghosted.layout.rank() &&
                            ghosted.layout.axis(axis).type() == DistType::unstructured,
                        [&] {
                            return text(plan_names::ghost_exchange,
                                        ": expected an unstructured axis, got axis ", axis);
                        });
    const int coordinate = ghosted.layout.coordinates(comm.rank())[static_cast<std::size_t>(axis)];
    const UnstructuredLayout& lists = ghosted.layout.axis(axis).as_unstructured();
    const std::int64_t owned = lists.owned_local(coordinate).size();
    const std::int64_t ghosts = lists.ghosts(coordinate);
    require<UsageError>(ghosted.owned == owned && ghosted.ghosts == ghosts, [&] {
        return text(plan_names::ghost_exchange, ": expected ", owned, " owned indices and ", ghosts,
                    " ghosts along axis ", axis, ", as in the layout, got ", ghosted.owned, " and ",
                    ghosted.ghosts);
    });
}

/// The ghosts with their owners; places are positions in the section.
impl::GatherRole find_role(const Communicator& comm, const GhostedLayout& ghosted) {
    const Ghosts ghosts =
        agree_on(comm, plan_names::ghost_exchange, [&] { return ghosts_of(ghosted, comm.rank()); });
    impl::GatherRole role = impl::find_gather_role(comm, plan_names::ghost_exchange, ghosted.layout,
                                                   ghosts.list, ghosted.axis);
    agree_on(comm, plan_names::ghost_exchange, [&] {
        for (impl::GatherRole::Wanted& from : role.wanted) {
            require<UsageError>(from.rank != comm.rank(), [&] {
                return text(plan_names::ghost_exchange, ": an index of rank ", comm.rank(),
                            " is both an owned index and a ghost");
            });
            for (std::int64_t& place : from.places)
                place = ghosts.positions[static_cast<std::size_t>(place)];
        }
    });
    return role;
}

std::shared_ptr<impl::GatherCore> make_core(const Communicator& comm,
                                            const GhostedLayout& ghosted) {
    const CollectiveCall call(comm, plan_names::ghost_exchange);
    const auto required = impl::agree_on_plan(
        comm, plan_names::ghost_exchange, [&] { check(comm, ghosted); },
        [&](auto& visitor) {
            visitor("layout", ghosted.layout);
            visitor("axis", ghosted.axis);
        });
    const std::uint64_t number = impl::state_of(comm)->next_plan();
    impl::GatherRole role = find_role(comm, ghosted);
    return agree_on(comm, plan_names::ghost_exchange, [&] {
        return std::make_shared<impl::GatherCore>(comm, plan_names::ghost_exchange, number,
                                                  ghosted.layout, std::move(role),
                                                  impl::GatherCore::Side::array, required);
    });
}

} // namespace

GhostedLayout make_ghosted_layout(const Communicator& comm, const std::vector<std::int64_t>& owned,
                                  const std::vector<std::int64_t>& needed,
                                  const std::vector<AxisSpec>& more_axes) {
    constexpr const char* caller = "make_ghosted_layout";
    const CollectiveCall call(comm, caller);
    GhostedLayout result;
    std::vector<std::int64_t> indices;
    agree_on(comm, caller, [&] {
        std::unordered_map<std::int64_t, std::int64_t> position;
        for (const std::int64_t index : owned) {
            const bool is_new = position.emplace(index, position.size()).second;
            require<LayoutError>(is_new, [&] {
                return text(caller, ": expected each owned index once, got ", index, " twice");
            });
        }
        indices = owned;
        for (const std::int64_t index : needed)
            if (!position.contains(index)) indices.push_back(index);
        const auto first_ghost = indices.begin() + static_cast<std::ptrdiff_t>(owned.size());
        std::sort(first_ghost, indices.end());
        indices.erase(std::unique(first_ghost, indices.end()), indices.end());
        for (std::size_t i = owned.size(); i < indices.size(); ++i)
            position.emplace(indices[i], static_cast<std::int64_t>(i));
        result.positions.reserve(needed.size());
        for (const std::int64_t index : needed) result.positions.push_back(position.at(index));
        result.owned = static_cast<std::int64_t>(owned.size());
        result.ghosts = static_cast<std::int64_t>(indices.size() - owned.size());
    });
    const std::int64_t size = all_reduce(comm, ReduceOperation::sum, result.owned);
    agree_on(comm, caller, [&] {
        require<UsageError>(static_cast<std::int64_t>(indices.size()) <= size, [&] {
            return text(caller, ": expected an owner for every needed index: all processes own ",
                        size, ", but this process owns and needs ", indices.size());
        });
        std::vector<AxisSpec> axes{
            unstructured_local(size, comm.rank(), std::move(indices), {.ghosts = {result.ghosts}})};
        axes.insert(axes.end(), more_axes.begin(), more_axes.end());
        std::vector<int> grid(axes.size(), 1);
        grid.front() = comm.size();
        result.layout = ArrayLayout(ProcessGrid(grid), axes);
    });
    return result;
}

GhostExchangePlan::GhostExchangePlan(const Communicator& comm, const GhostedLayout& layout,
                                     const std::source_location& where)
    : PlanBase(plan_names::ghost_exchange, make_core(comm, layout), where) {}

} // namespace distview
