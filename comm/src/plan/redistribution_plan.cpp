// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/redistribution_plan.hpp>

#include "plan/agree_on_plan.hpp"

#include <distview/comm/impl/directory/find_runs.hpp>
#include <distview/comm/impl/schedule/redistribution_stages.hpp>
#include <distview/core/text.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

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

void check_options(const RedistributionOptions& options, bool is_partly_known) {
    const bool by_dimension = options.strategy == RedistributionStrategy::by_dimension;
    require<UsageError>(!options.in_place || !by_dimension,
                        "RedistributionPlan: in place, expected strategy direct or automatic");
    require<UsageError>(
        !is_partly_known || !by_dimension,
        "RedistributionPlan: by dimension, expected layouts all of whose labels are "
        "known");
    require<UsageError>(options.buffer_bytes >= 0, [&] {
        return text(plan_names::redistribution, ": expected buffer_bytes of at least 0, got ",
                    options.buffer_bytes);
    });
}

/// Whether it is looked at how many messages stages would save: where all ranks share a node, or within one
/// memory, elements move once.
bool chooses(const Communicator& comm, const RedistributionOptions& options) {
    return options.strategy == RedistributionStrategy::automatic && !options.in_place &&
           comm.is_open() && !state_of(comm)->is_one_node();
}

Digest digest_of(const ArrayLayout& from, const ArrayLayout& to,
                 const RedistributionOptions& options) {
    Digest digest;
    digest.add(from.fingerprint()).add(to.fingerprint()).add_all(options.permutation);
    for (const auto* const slices : {&options.from_slice, &options.to_slice}) {
        digest.add(slices->size());
        for (const AxisSlice& slice : *slices)
            digest.add_all(std::array{slice.begin, slice.count, slice.step});
    }
    digest.add_all(options.from_ranks).add_all(options.to_ranks);
    digest.add((options.fill_padding ? 1u : 0u) + (options.conjugate ? 2u : 0u) +
               (options.in_place ? 4u : 0u) + (options.allow_missing_indices ? 8u : 0u));
    return digest.add(static_cast<std::uint64_t>(options.buffer_bytes))
        .add(static_cast<std::uint64_t>(options.strategy));
}

std::vector<Argument> arguments_of(const ArrayLayout& from, const ArrayLayout& to,
                                   const RedistributionOptions& options) {
    return {{"source layout", from.describe()},
            {"target layout", to.describe()},
            {"permutation", tuple_text(options.permutation)},
            {"from_ranks", tuple_text(options.from_ranks)},
            {"to_ranks", tuple_text(options.to_ranks)},
            {"fill_padding", text(options.fill_padding)},
            {"conjugate", text(options.conjugate)},
            {"in_place", text(options.in_place)},
            {"buffer_bytes", text(options.buffer_bytes)},
            {"strategy", text(static_cast<int>(options.strategy))}};
}

} // namespace

std::shared_ptr<RedistributionCore> make_redistribution_core(const Communicator& comm,
                                                             const ArrayLayout& from,
                                                             const ArrayLayout& to,
                                                             const RedistributionOptions& options) {
    const CollectiveCall call(comm, plan_names::redistribution);
    std::optional<RedistributionSchedule> schedule;
    std::vector<RedistributionSchedule> stages; // if there are several
    const bool is_some_unknown = is_partly_known(from) || is_partly_known(to);
    const auto make_schedules = [&] {
        if (is_some_unknown)
            schedule.emplace(from, to, options, unknown_runs(from, to, options.permutation));
        else
            schedule.emplace(from, to, options);
        check_ranks(options.from_ranks, from, comm, "source");
        check_ranks(options.to_ranks, to, comm, "target");
        check_known_labels(from, schedule->from_process(comm.rank()), "source");
        check_known_labels(to, schedule->to_process(comm.rank()), "target");
        check_options(options, is_some_unknown);
        if (options.strategy == RedistributionStrategy::by_dimension ||
            (chooses(comm, options) && !is_some_unknown))
            stages = redistribution_stages(from, to, options);
    };
    const auto required = agree_on_plan(comm, plan_names::redistribution, make_schedules,
                                        digest_of(from, to, options),
                                        [&] { return arguments_of(from, to, options); });
    const std::uint64_t number = state_of(comm)->next_plan();
    if (is_some_unknown) schedule = find_runs(comm, from, to, options, *schedule);
    // The schedule's lists may not fit into memory, which is agreed on as well.
    return agree_on(comm, plan_names::redistribution, [&] {
        return std::make_shared<RedistributionCore>(comm, number, std::move(*schedule),
                                                    std::move(stages), options, required);
    });
}

} // namespace distview::impl
