// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/redistribution_plan.hpp>

#include "plan/agree_on_plan.hpp"
#include "plan/rendezvous.hpp"

#include <distview/comm/impl/mpi/known_labels.hpp>
#include <distview/core/text.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

namespace distview::impl {

namespace {

void check_ranks(const std::vector<int>& ranks, const ArrayLayout& layout, const Communicator& comm,
                 const char* what) {
    const int highest =
        ranks.empty() ? layout.process_count() - 1 : *std::max_element(ranks.begin(), ranks.end());
    require<UsageError>(highest < comm.size(), [&] {
        return text(plan_names::redistribution, ": expected ranks in [0, ", comm.size(),
                    ") for the ", what, "'s processes, got ", highest);
    });
}

/// Calls the visitor with the arguments that all ranks must pass alike.
template <class Visitor>
void visit_arguments(Visitor& visitor, const ArrayLayout& from, const ArrayLayout& to,
                     const RedistributionOptions& options) {
    visitor("source layout", from);
    visitor("target layout", to);
    visitor("permutation", options.permutation);
    visitor("from_slice", options.from_slice);
    visitor("to_slice", options.to_slice);
    visitor("from_ranks", options.from_ranks);
    visitor("to_ranks", options.to_ranks);
    visitor("fill_padding", options.fill_padding);
    visitor("conjugate", options.conjugate);
    visitor("in_place", options.in_place);
    visitor("allow_missing_indices", options.allow_missing_indices);
    visitor("buffer_bytes", options.buffer_bytes);
}

} // namespace

std::shared_ptr<RedistributionCore> make_redistribution_core(const Communicator& comm,
                                                             const ArrayLayout& from,
                                                             const ArrayLayout& to,
                                                             const RedistributionOptions& options) {
    const CollectiveCall call(comm, plan_names::redistribution);
    std::optional<RedistributionSchedule> schedule;
    const bool is_some_unknown = is_partly_known(from) || is_partly_known(to);
    const auto make_schedule = [&] {
        if (is_some_unknown)
            schedule.emplace(from, to, options, unknown_runs(from, to, options.permutation));
        else
            schedule.emplace(from, to, options);
        check_ranks(options.from_ranks, from, comm, "source");
        check_ranks(options.to_ranks, to, comm, "target");
        const char* const caller = plan_names::redistribution;
        check_known_labels(caller, from, schedule->from_process(comm.rank()), "source");
        check_known_labels(caller, to, schedule->to_process(comm.rank()), "target");
        require<UsageError>(options.buffer_bytes >= 0, [&] {
            return text(caller, ": expected buffer_bytes of at least 0, got ",
                        options.buffer_bytes);
        });
    };
    const auto required =
        agree_on_plan(comm, plan_names::redistribution, make_schedule,
                      [&](auto& visitor) { visit_arguments(visitor, from, to, options); });
    const std::uint64_t number = state_of(comm)->next_plan();
    if (is_some_unknown) schedule = schedule_by_rendezvous(comm, from, to, options, *schedule);
    // The core's lists may not fit into memory: the ranks agree on this failure, too.
    return agree_on(comm, plan_names::redistribution, [&] {
        return std::make_shared<RedistributionCore>(comm, number, std::move(*schedule), options,
                                                    required);
    });
}

} // namespace distview::impl
