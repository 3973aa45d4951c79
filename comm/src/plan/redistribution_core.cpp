// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/plan/redistribution_core.hpp>

#include <distview/comm/collectives.hpp>
#include <distview/comm/impl/plan/in_place.hpp>
#include <distview/comm/impl/schedule/redistribution_stages.hpp>
#include <distview/comm/impl/tuning.hpp>
#include <distview/core/hash.hpp>

#include <algorithm>
#include <array>
#include <sstream>
#include <utility>

namespace distview::impl {

namespace {

bool has_copies_in(const RedistributionSchedule& schedule) {
    for (int d = 0; d < schedule.rank(); ++d)
        if (schedule.axis(d).most_copies() > 1) return true;
    return false;
}

bool has_outsiders(const RedistributionSchedule& schedule, int size) {
    return schedule.from_layout().process_count() < size ||
           schedule.to_layout().process_count() < size;
}

/// Whether runs of an axis go to several processes, and are short.
bool is_dealt_out(const std::vector<AxisRun>& runs) {
    std::int64_t elements = 0;
    std::int64_t pieces = 0;
    for (const AxisRun& run : runs) {
        elements += run.elements();
        pieces += run.my_step == 1 ? run.repeats : run.elements();
    }
    return !runs.empty() && runs.front().peer != runs.back().peer &&
           elements < pieces * tuning::long_read_run;
}

/// Whether processes that share memory write each other's targets, instead of reading each other's
/// sources; the same on all of them.
///
/// Reading is the rule: who needs elements fetches them when they are ready. But where a row of a source
/// is dealt out in short runs, each reader meets runs and gaps in turn, and processors fetch the gaps as
/// well: all of the source passes the memory bus once for each reader. Then the source's own process
/// does better, which goes through its rows once; what it writes goes past the caches, where gaps cost
/// nothing.
bool pushes(const RedistributionSchedule& schedule) {
    const int last = schedule.rank() - 1;
    // Where axes are permuted, whole lines of both sides are met once as it is.
    if (last < 0 || schedule.permutation(last) != last) return false;
    const AxisLayout& from = schedule.from_layout().axis(last);
    const AxisLayout& to = schedule.to_layout().axis(last);
    // Runs of unstructured axes are found in tables, and all processes would have to look at the same ones.
    if (from.type() == DistType::unstructured || to.type() == DistType::unstructured) return false;
    for (int c = 0; c < from.grid_size(); ++c)
        if (const auto runs = schedule.axis_runs_from(last, c); !runs.empty())
            return is_dealt_out(runs);
    return false;
}

} // namespace

RedistributionCore::RedistributionCore(const Communicator& comm, std::uint64_t number,
                                       RedistributionSchedule schedule,
                                       std::vector<RedistributionSchedule> stages,
                                       const RedistributionOptions& options,
                                       std::optional<Transport> required_transport)
    : PlanCore(comm, plan_names::redistribution, number,
               Labels(plan_names::redistribution, "move_local", "move"), required_transport,
               has_outsiders(schedule, comm.size())),
      m_schedule(std::move(schedule)), m_has_copies(has_copies_in(m_schedule)),
      m_from_process(m_schedule.from_process(comm.rank())),
      m_to_process(m_schedule.to_process(comm.rank())), m_conjugate(options.conjugate),
      m_in_place(options.in_place), m_buffer_bytes(options.buffer_bytes) {
    record(hash_of(m_schedule.from_layout().fingerprint(), m_schedule.to_layout().fingerprint()),
           [this] {
               return text(m_schedule.from_layout().describe(), " to ",
                           m_schedule.to_layout().describe());
           });
    if (stages.empty()) stages.push_back(m_schedule);
    for (RedistributionSchedule& stage : stages)
        m_stages.push_back(make_stage(std::move(stage), m_stages.size()));
}

RedistributionCore::Stage RedistributionCore::make_stage(RedistributionSchedule schedule,
                                                         std::size_t number) const {
    RedistributionRole role = role_in(schedule, communicator().rank());
    const bool writes = pushes(schedule);
    return {std::move(schedule), std::move(role), writes, number};
}

RedistributionRole RedistributionCore::role_in(const RedistributionSchedule& schedule, int rank) {
    const auto peers = [&](const RedistributionRuns& runs) {
        std::vector<RedistributionRole::Peer> result;
        for (const RedistributionSchedule::Message& message : schedule.messages(runs))
            if (message.elements > 0)
                result.push_back({runs.receives ? schedule.from_rank(message.peer)
                                                : schedule.to_rank(message.peer),
                                  message.peer, message.elements});
        std::sort(result.begin(), result.end(),
                  [](const auto& a, const auto& b) { return a.rank < b.rank; });
        return result;
    };
    RedistributionRole role;
    role.rank = rank;
    if (const int process = schedule.to_process(rank); process >= 0) {
        role.runs_to = schedule.runs_to(process);
        role.receives = peers(role.runs_to);
    }
    if (const int process = schedule.from_process(rank); process >= 0) {
        role.runs_from = schedule.runs_from(process);
        role.sends = peers(role.runs_from);
    }
    return role;
}

PlanCore::Maker RedistributionCore::prepare(const ArraySet& arrays) {
    const Sharing sharing = check(arrays);
    const DeviceSetting device = device_setting(arrays.layer, required(), name());
    if (arrays.variant != 0 && m_copy_stages.empty()) {
        std::vector<Stage> made;
        for (RedistributionSchedule& schedule : m_schedule.of_further_copies())
            made.push_back(make_stage(std::move(schedule), m_stages.size() + made.size()));
        m_copy_stages = std::move(made);
    }
    if (m_in_place) lines_of(m_stages.front(), false); // where a lack of memory is still agreed on
    return [this, &arrays, device, sharing](int tag) { return make(arrays, device, sharing, tag); };
}

std::uint64_t RedistributionCore::digest_of(const ArraySet& arrays) const {
    return PlanCore::digest_of(arrays) + (m_in_place && arrays.reads_target ? 2 : 0);
}

/// Runs of the last axis, in rows of the target; of transposed arrays nothing is said.
std::vector<ExchangeShape> RedistributionCore::shapes_of(const ArraySet& arrays) const {
    const int last = m_schedule.rank() - 1;
    if (last < 0 || m_to_process < 0 || m_schedule.permutation(last) != last) return {};
    const int coordinate =
        m_schedule.to_layout().coordinates(m_to_process)[static_cast<std::size_t>(last)];
    std::int64_t elements = 0;
    std::int64_t runs = 0;
    for (const AxisRun& run : m_schedule.axis_runs_to(last, coordinate)) {
        elements += run.elements();
        runs += run.my_step == 1 && run.their_step == 1 ? run.repeats : run.elements();
    }
    if (runs == 0) return {};
    std::int64_t rows = std::ssize(arrays.sources);
    const Extents extents = m_schedule.to_layout().local_extents(m_to_process);
    for (int d = 0; d < last; ++d) rows *= extents[static_cast<std::size_t>(d)];
    ExchangeShape shape;
    shape.nests.push_back(
        {elements / runs * arrays.sources.front().element_size, {{rows, 0}, {runs, 0}}, false});
    return {shape};
}

/// Combines the flag of all ranks. Collective.
RedistributionCore::Sharing RedistributionCore::agreed(Sharing sharing) const {
    std::array<std::int64_t, 2> flags{sharing.any ? 1 : 0, sharing.is_same ? 0 : 1};
    all_reduce(communicator(), ReduceOperation::max, std::span<std::int64_t>(flags));
    return {flags[0] != 0, flags[1] == 0};
}

std::shared_ptr<ExchangeBinding> RedistributionCore::make(const ArraySet& arrays,
                                                          const DeviceSetting& device,
                                                          Sharing sharing, int tag) {
    sharing = m_in_place ? agreed(sharing) : Sharing{};
    check_overwriting(sharing.any, arrays);
    if (!sharing.any) return bind_stages(arrays, device, tag);
    const Stage& first = m_stages.front();
    auto binding =
        bind_in_place({communicator(), first.schedule, first.role, arrays, lines_of(first, false),
                       required(), m_buffer_bytes, tag, oversubscribed()},
                      sharing.is_same);
    binding->overwrites_sources = true;
    return binding;
}

std::size_t RedistributionCore::own_workspace_bytes() const noexcept {
    std::size_t bytes = 0;
    for (const Between& between : m_between) bytes += between.bytes;
    return bytes;
}

std::string RedistributionCore::describe() const {
    std::ostringstream out;
    out << "redistribution; transports allowed: " << allowed_transports(required()) << "\nfrom "
        << m_schedule.from_layout().describe() << "\nto " << m_schedule.to_layout().describe()
        << '\n'
        << m_schedule.describe();
    if (m_stages.size() > 1) {
        out << "\nby dimension, in " << m_stages.size() << " stages of at most";
        for (const Stage& stage : m_stages)
            out << (&stage == &m_stages.front() ? " " : " and ") << most_partners(stage.schedule);
        out << " partners, instead of " << most_partners(m_schedule);
    }
    return out.str() + describe_bound_sets();
}

} // namespace distview::impl
