// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/migration_plan.hpp>

#include "plan/agree_on_plan.hpp"

#include <distview/comm/collectives.hpp>
#include <distview/comm/impl/mpi/sparse_exchange.hpp>
#include <distview/core/memory_overlap.hpp>

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>

namespace distview {

namespace {

void check(const Communicator& comm, std::span<const int> targets) {
    for (std::size_t k = 0; k < targets.size(); ++k)
        require<UsageError>(0 <= targets[k] && targets[k] < comm.size(), [&] {
            return text(plan_names::migration, ": expected targets in [0, ", comm.size(), "), got ",
                        targets[k], " for element ", k, " of rank ", comm.rank());
        });
}

/// The numbers of the elements for each target rank, in order; by ascending rank, without ranks that get no element.
std::vector<impl::GatherRole::Given> sorted(std::span<const int> targets, int ranks) {
    std::vector<std::int64_t> counts(static_cast<std::size_t>(ranks), 0);
    for (const int target : targets) ++counts[static_cast<std::size_t>(target)];
    std::vector<impl::GatherRole::Given> result;
    std::vector<std::int64_t*> next(counts.size(), nullptr);
    for (std::size_t rank = 0; rank < counts.size(); ++rank) {
        if (counts[rank] == 0) continue;
        result.push_back({static_cast<int>(rank), {}});
        result.back().positions.resize(static_cast<std::size_t>(counts[rank]));
        next[rank] = result.back().positions.data(); // stays there when `result` grows
    }
    for (std::size_t k = 0; k < targets.size(); ++k)
        *next[static_cast<std::size_t>(targets[k])]++ = static_cast<std::int64_t>(k);
    return result;
}

/// Elements that arrive from one rank, at the places from `begin` on.
impl::GatherRole::Wanted wanted_from(int rank, std::vector<std::int64_t> positions,
                                     std::int64_t begin) {
    impl::GatherRole::Wanted from{rank, std::move(positions), {}};
    from.places.resize(from.positions.size());
    std::iota(from.places.begin(), from.places.end(), begin);
    return from;
}

/// Finds this rank's role. Receivers learn the number of elements only: senders pack them. Collective.
impl::GatherRole find_role(const Communicator& comm, std::span<const int> targets) {
    impl::GatherRole role;
    role.extents.fill(1);
    role.extents[0] = static_cast<std::int64_t>(targets.size());
    std::vector<std::int64_t> leaving; // numbers of elements, by element of role.given
    std::map<int, std::int64_t> arriving;
    impl::exchange_records<std::int64_t>(
        comm, plan_names::migration,
        [&] {
            role.given = sorted(targets, comm.size());
            for (const impl::GatherRole::Given& to : role.given)
                leaving.push_back(static_cast<std::int64_t>(to.positions.size()));
            std::vector<impl::Parcel<std::int64_t>> parcels;
            for (std::size_t i = 0; i < leaving.size(); ++i)
                parcels.push_back({role.given[i].rank, std::span(&leaving[i], 1)});
            return parcels;
        },
        [&](int rank, std::int64_t count) { arriving[rank] = count; });
    agree_on(comm, plan_names::migration, [&] {
        for (const auto& [rank, count] : arriving) {
            std::vector<std::int64_t> positions;
            if (rank == comm.rank()) {
                const auto own =
                    std::find_if(role.given.begin(), role.given.end(),
                                 [&](const auto& to) { return to.rank == comm.rank(); });
                positions = std::move(own->positions);
                role.given.erase(own);
            } else {
                positions.resize(static_cast<std::size_t>(count)); // only their number is used
            }
            role.wanted.push_back(wanted_from(rank, std::move(positions), role.size));
            role.size += count;
        }
    });
    return role;
}

std::shared_ptr<impl::GatherCore> make_core(const Communicator& comm,
                                            std::span<const int> targets) {
    const CollectiveCall call(comm, plan_names::migration);
    std::vector<std::int64_t> bounds; // numbers of elements before each rank's, and of all
    const auto required = impl::agree_on_plan(
        comm, plan_names::migration,
        [&] {
            check(comm, targets);
            bounds.assign(static_cast<std::size_t>(comm.size()) + 1, 0);
        },
        [](auto&) {});
    const std::uint64_t number = impl::state_of(comm)->next_plan();
    const std::int64_t count = std::ssize(targets);
    impl::all_gather(comm, &count, bounds.data() + 1, sizeof(count));
    std::partial_sum(bounds.begin(), bounds.end(), bounds.begin());
    impl::GatherRole role = find_role(comm, targets);
    return agree_on(comm, plan_names::migration, [&] {
        const ArrayLayout layout(ProcessGrid{comm.size()}, {block_bounds(std::move(bounds))});
        return std::make_shared<impl::GatherCore>(comm, plan_names::migration, number, layout,
                                                  std::move(role), impl::GatherCore::Side::list,
                                                  required);
    });
}

} // namespace

MigrationPlan::MigrationPlan(const Communicator& comm, std::span<const int> targets,
                             const std::source_location& where)
    : PlanBase(plan_names::migration, make_core(comm, targets), where),
      m_source_size(static_cast<std::int64_t>(targets.size())),
      m_kept(std::count(targets.begin(), targets.end(), comm.rank())) {}

void MigrationPlan::check_fields(std::span<const MigratingField> fields) const {
    require<UsageError>(!fields.empty() && fields.size() <= most_fields, [&] {
        return text(plan_names::migration, ": expected from 1 to ", most_fields, " fields, got ",
                    fields.size());
    });
    for (std::size_t i = 0; i < fields.size(); ++i) {
        const auto& [from, to, element] = fields[i];
        require<UsageError>(element.bytes > 0, [&] {
            return text(plan_names::migration, ": expected the element type of field ", i);
        });
        const std::int64_t missing = from ? 0 : source_size();
        require<UsageError>(missing == 0 && (to || size() == 0), [&] {
            return text(plan_names::migration, ": expected memory of ",
                        missing > 0 ? missing : size(), " elements to ",
                        missing > 0 ? "move" : "write", " for field ", i, ", got null");
        });
    }
}

void MigrationPlan::check_apart(std::span<const impl::Field> fields,
                                std::span<const impl::PointLists> lists) const {
    const auto meet = [](const char* a, std::int64_t a_bytes, const char* b, std::int64_t b_bytes) {
        return memory_overlaps(ElementPlaces{a, a_bytes}, ElementPlaces{b, b_bytes});
    };
    for (std::size_t i = 0; i < fields.size(); ++i) {
        const std::int64_t bytes = size() * fields[i].element_size;
        for (std::size_t j = 0; j < fields.size(); ++j) {
            const std::int64_t element_size = fields[j].element_size;
            require<UsageError>(
                !meet(lists[i].to, bytes, lists[j].from, m_source_size * element_size), [&] {
                    return text(plan_names::migration, ": the target of field ", i,
                                " shares memory with the source of field ", j);
                });
            require<UsageError>(
                j >= i || !meet(lists[i].to, bytes, lists[j].to, size() * element_size), [&] {
                    return text(plan_names::migration, ": the targets of fields ", j, " and ", i,
                                " share memory");
                });
        }
    }
}

} // namespace distview
