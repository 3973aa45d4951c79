// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/redistribution_plan.hpp>

#include <distview/comm/agreement.hpp>
#include <distview/comm/impl/directory/find_runs.hpp>
#include <distview/comm/impl/schedule/redistribution_stages.hpp>
#include <distview/comm/impl/transport/transport.hpp>
#include <distview/core/text.hpp>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace distview::impl {

namespace {

constexpr const char* name = "RedistributionPlan";

void check_ranks(const std::vector<int>& ranks, const ArrayLayout& layout, const Communicator& comm,
                 const char* what) {
    const int highest =
        ranks.empty() ? layout.process_count() - 1 : *std::max_element(ranks.begin(), ranks.end());
    require<UsageError>(highest < comm.size(), [&] {
        return text(name, ": expected ranks in [0, ", comm.size(), ") for the ", what,
                    "'s processes, got ", highest);
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
        return text(name, ": expected buffer_bytes of at least 0, got ", options.buffer_bytes);
    });
}

/// Whether it is looked at how many messages stages would save: where all ranks share a node, or within one
/// memory, elements move once.
bool chooses(const Communicator& comm, const RedistributionOptions& options) {
    return options.strategy == RedistributionStrategy::automatic && !options.in_place &&
           comm.is_open() && !comm.state()->is_one_node();
}

class Digest {
public:
    void add(std::uint64_t value) { m_hash = m_hash * 0x9e3779b97f4a7c15u + value + 1; }
    template <class Values>
    void add_all(const Values& values) {
        add(values.size());
        for (const auto& value : values) add(static_cast<std::uint64_t>(value));
    }
    void add_slices(const std::vector<AxisSlice>& slices) {
        add(slices.size());
        for (const AxisSlice& slice : slices) {
            add(static_cast<std::uint64_t>(slice.begin));
            add(static_cast<std::uint64_t>(slice.count));
            add(static_cast<std::uint64_t>(slice.step));
        }
    }
    std::uint64_t value() const noexcept { return m_hash; }

private:
    std::uint64_t m_hash = 0;
};

} // namespace

std::shared_ptr<RedistributionCore> make_redistribution_core(const Communicator& comm,
                                                             const ArrayLayout& from,
                                                             const ArrayLayout& to,
                                                             const RedistributionOptions& options) {
    const CollectiveCall call(comm, name);
    std::optional<RedistributionSchedule> schedule;
    std::vector<RedistributionSchedule> stages; // if there are several
    std::optional<Transport> required;
    std::exception_ptr failure;
    Digest digest;
    try {
        required = required_transport();
        check_available(required);
        if (is_partly_known(from) || is_partly_known(to))
            schedule.emplace(from, to, options, unknown_runs(from, to, options.permutation));
        else
            schedule.emplace(from, to, options);
        check_ranks(options.from_ranks, from, comm, "source");
        check_ranks(options.to_ranks, to, comm, "target");
        check_known_labels(from, schedule->from_process(comm.rank()), "source");
        check_known_labels(to, schedule->to_process(comm.rank()), "target");
        check_options(options, is_partly_known(from) || is_partly_known(to));
        if (options.strategy == RedistributionStrategy::by_dimension ||
            (chooses(comm, options) && !is_partly_known(from) && !is_partly_known(to)))
            stages = redistribution_stages(from, to, options);
    } catch (...) {
        failure = std::current_exception();
    }
    digest.add(from.fingerprint());
    digest.add(to.fingerprint());
    digest.add_all(options.permutation);
    digest.add_slices(options.from_slice);
    digest.add_slices(options.to_slice);
    digest.add_all(options.from_ranks);
    digest.add_all(options.to_ranks);
    digest.add((options.fill_padding ? 1u : 0u) + (options.conjugate ? 2u : 0u) +
               (options.in_place ? 4u : 0u) + (options.allow_missing_indices ? 8u : 0u));
    digest.add(static_cast<std::uint64_t>(options.buffer_bytes));
    digest.add(static_cast<std::uint64_t>(options.strategy));
    digest.add(required ? static_cast<std::uint64_t>(*required) + 1 : 0);
    agree(comm, name, failure, digest.value(), [&] {
        return std::vector<Argument>{
            {"source layout", from.describe()},
            {"target layout", to.describe()},
            {"permutation", tuple_text(options.permutation)},
            {"from_ranks", tuple_text(options.from_ranks)},
            {"to_ranks", tuple_text(options.to_ranks)},
            {"fill_padding", text(options.fill_padding)},
            {"conjugate", text(options.conjugate)},
            {"in_place", text(options.in_place)},
            {"buffer_bytes", text(options.buffer_bytes)},
            {"strategy", text(static_cast<int>(options.strategy))},
            {"DISTVIEW_TRANSPORT", required ? std::string(to_string(*required)) : "not set"}};
    });
    const std::uint64_t number = comm.state()->next_plan();
    if (is_partly_known(from) || is_partly_known(to))
        schedule = find_runs(comm, from, to, options, *schedule);
    // The schedule's lists may not fit into memory, which is agreed on as well.
    std::shared_ptr<RedistributionCore> core;
    try {
        core = std::make_shared<RedistributionCore>(comm, number, std::move(*schedule),
                                                    std::move(stages), options, required);
    } catch (...) {
        failure = std::current_exception();
    }
    agree(comm, name, failure);
    return core;
}

} // namespace distview::impl
