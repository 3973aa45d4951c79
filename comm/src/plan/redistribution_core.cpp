// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/plan/redistribution_core.hpp>

#include <distview/comm/agreement.hpp>
#include <distview/comm/collectives.hpp>
#include <distview/comm/impl/plan/redistribution_program.hpp>
#include <distview/comm/impl/tuning.hpp>
#include <distview/comm/mpi_error.hpp>
#include <distview/core/hash.hpp>
#include <distview/core/text.hpp>

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

/// Whether the runs of an axis are short and belong to several processes.
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
/// sources; the same on all these processes.
///
/// Reading is the rule: the target's process reads elements when they are ready. But if the rows of a source
/// are dealt out in short runs, each reader alternates between runs and gaps, and processors fetch the gaps,
/// too: the whole source crosses the memory bus once for each reader. It is then faster if the source's process
/// reads its rows once and writes to the targets; its stores bypass the caches, where gaps cost nothing.
bool pushes(const RedistributionSchedule& schedule) {
    const int last = schedule.rank() - 1;
    // If the last axis is permuted, readers already fetch each cache line of both sides only once.
    if (last < 0 || schedule.permutation(last) != last) return false;
    const AxisLayout& from = schedule.from_layout().axis(last);
    const AxisLayout& to = schedule.to_layout().axis(last);
    // Runs of unstructured axes are in tables, and all processes would have to evaluate the same tables.
    if (from.type() == DistType::unstructured || to.type() == DistType::unstructured) return false;
    for (int c = 0; c < from.grid_size(); ++c)
        if (const auto runs = schedule.axis(last).runs_from(c); !runs.empty())
            return is_dealt_out(runs);
    return false;
}

/// Whether this process has no element of the field.
bool is_empty(const Field& field) {
    return !field.layout || is_empty_section(*field.layout, field.process);
}

} // namespace

RedistributionCore::RedistributionCore(const Communicator& comm, std::uint64_t number,
                                       RedistributionSchedule schedule,
                                       const RedistributionOptions& options,
                                       std::optional<Transport> required_transport)
    : PlanCore(comm, plan_names::redistribution, number,
               Labels(plan_names::redistribution, "move_local", "move"), required_transport,
               has_outsiders(schedule, comm.size())),
      m_first(make_pass(std::move(schedule), 0)), m_has_copies(has_copies_in(m_first.schedule)),
      m_from_process(m_first.schedule.from_process(comm.rank())),
      m_to_process(m_first.schedule.to_process(comm.rank())), m_conjugate(options.conjugate),
      m_in_place(options.in_place), m_buffer_bytes(options.buffer_bytes) {
    const ArrayLayout& from = m_first.schedule.from_layout();
    const ArrayLayout& to = m_first.schedule.to_layout();
    record(hash_of(from.fingerprint(), to.fingerprint()),
           [&] { return text(from.describe(), " to ", to.describe()); });
}

RedistributionCore::Pass RedistributionCore::make_pass(RedistributionSchedule schedule,
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

/// Whether sources and targets of a set of arrays share memory on this rank, and how.
RedistributionCore::Sharing RedistributionCore::check(const ArraySet& arrays) const {
    Sharing sharing;
    require<UsageError>(
        !arrays.sources.empty() && arrays.sources.size() == arrays.targets.size(), [&] {
            return text(name(), ": expected as many sources as targets, at least 1, got ",
                        arrays.sources.size(), " and ", arrays.targets.size());
        });
    require<ShapeError>(arrays.are_of_that_type(), [&] {
        return text(name(), ": expected sources and targets with the call's element type");
    });
    const auto check_field = [&](const Field& field, std::size_t i, const char* what,
                                 const ArrayLayout& layout, int process) {
        require<ShapeError>(field.layout != nullptr || process < 0, [&] {
            return text(name(), ": expected ", what, " ", i, " on a rank that is process ", process,
                        " of its grid, got null");
        });
        if (!field.layout) return;
        require<ShapeError>(process >= 0, [&] {
            return text(name(), ": expected null for ", what, " ", i,
                        " on a rank outside its grid, got an array");
        });
        check_array(what, i, field, layout, process, arrays.layer);
    };
    for (std::size_t i = 0; i < arrays.sources.size(); ++i) {
        const Field& source = arrays.sources[i];
        const Field& target = arrays.targets[i];
        check_field(source, i, "source", schedule().from_layout(), m_from_process);
        check_field(target, i, "target", schedule().to_layout(), m_to_process);
        require<ShapeError>(!arrays.as_bytes || source.element_code == target.element_code, [&] {
            return text(name(), ": source ", i, " and target ", i, " differ in element type");
        });
        require<ShapeError>(!arrays.as_bytes || ArraySet::moves_as_bytes(source.element_size), [&] {
            return text(name(),
                        ": for element types known at run time only, expected elements of 1, 2, "
                        "4, 8 or 16 bytes, got ",
                        source.element_size);
        });
        require<ShapeError>(!target.read_only,
                            [&] { return text(name(), ": target ", i, " is read-only"); });
        for (std::size_t j = 0; j < arrays.sources.size(); ++j) {
            const bool is_same = i == j && source.data == target.data &&
                                 source.strides == target.strides &&
                                 source.element_size == target.element_size;
            const bool shares = overlap(arrays.sources[j], target);
            const bool is_harmless = is_same && schedule().is_identity();
            require<UsageError>(!arrays.layer || !m_in_place || is_harmless || !shares, [&] {
                return text(name(), ": source ", j, " and target ", i,
                            " share device memory: expected host memory to redistribute in place");
            });
            require<UsageError>(m_in_place || is_harmless || !shares, [&] {
                return text(name(), ": source ", j, " and target ", i,
                            " share memory: elements could be overwritten before they are read; to "
                            "redistribute in place, build the plan with in_place");
            });
            sharing.any = sharing.any || (shares && !is_harmless);
            sharing.is_same =
                sharing.is_same && (is_same || (i != j && !shares) || is_empty(target));
            require<UsageError>(i == j || !overlap(arrays.targets[j], target), [&] {
                return text(name(), ": targets ", i, " and ", j, " share memory");
            });
        }
    }
    return sharing;
}

PlanCore::Maker RedistributionCore::prepare(const ArraySet& arrays) {
    const Sharing sharing = check(arrays);
    const DeviceSetting device = device_setting(arrays.layer, required(), name());
    if (arrays.variant != 0 && m_further.empty()) {
        std::vector<Pass> made;
        for (RedistributionSchedule& schedule : m_first.schedule.of_further_copies())
            made.push_back(make_pass(std::move(schedule), 1 + made.size()));
        m_further = std::move(made);
    }
    if (m_in_place) lines_of(m_first, false); // a failed allocation is still agreed on here
    return [this, &arrays, device, sharing](const Tags& tags) {
        return make({arrays, device, tags}, sharing);
    };
}

std::uint64_t RedistributionCore::digest_of(const ArraySet& arrays) const {
    return PlanCore::digest_of(arrays) + (m_in_place && arrays.reads_target ? 2 : 0);
}

/// Runs of the last axis in the target's rows; empty for transposed arrays.
std::vector<ExchangeShape> RedistributionCore::shapes_of(const ArraySet& arrays) const {
    const int last = schedule().rank() - 1;
    if (last < 0 || m_to_process < 0 || schedule().permutation(last) != last) return {};
    const int coordinate =
        schedule().to_layout().coordinates(m_to_process)[static_cast<std::size_t>(last)];
    std::int64_t elements = 0;
    std::int64_t runs = 0;
    for (const AxisRun& run : schedule().axis(last).runs_to(coordinate)) {
        elements += run.elements();
        runs += run.my_step == 1 && run.their_step == 1 ? run.repeats : run.elements();
    }
    if (runs == 0) return {};
    std::int64_t rows = std::ssize(arrays.sources);
    const Extents extents = schedule().to_layout().local_extents(m_to_process);
    for (int d = 0; d < last; ++d) rows *= extents[static_cast<std::size_t>(d)];
    ExchangeShape shape;
    shape.nests.push_back(
        {elements / runs * arrays.sources.front().element_size, {{rows, 0}, {runs, 0}}, false});
    return {shape};
}

std::shared_ptr<ExchangeBinding> RedistributionCore::make(const NewSet& set, Sharing sharing) {
    const ArraySet& arrays = set.arrays;
    std::array<std::int64_t, 3> flags{sharing.any ? 1 : 0, sharing.is_same ? 0 : 1,
                                      arrays.layer ? 1 : 0}; // of all ranks
    if (m_in_place)
        all_reduce(communicator(), ReduceOperation::max, std::span<std::int64_t>(flags));
    const bool overwrites_sources = m_in_place && flags[0] != 0;
    check_overwriting(overwrites_sources, arrays);
    require<UsageError>(!overwrites_sources || flags[2] == 0, [&] {
        return text(name(), ": expected host memory on all ranks to redistribute in place");
    });
    if (overwrites_sources) return bind_in_place(set, flags[1] == 0);
    std::span<const Pass> further;
    if (arrays.variant != 0) further = m_further;
    std::shared_ptr<ExchangeBinding> binding;
    bind_pass(m_first, further.empty(), set, binding);
    for (const Pass& pass : further) bind_pass(pass, &pass == &further.back(), set, binding);
    return binding;
}

/// Whether targets are written in place: only if all arrays are in shared memory. Otherwise processes read in place,
/// which depends on the sources alone.
bool RedistributionCore::can_write_in_place(const Pass& pass, const ArraySet& arrays) const {
    if (!pass.pushes) return false;
    const Arena& arena = *state().arena();
    int can = arrays.layer ? 0 : 1;
    for (const auto& side : {arrays.sources, arrays.targets})
        for (const Field& field : side)
            if (field.data && !arena.find(field.data)) can = 0;
    check_mpi(MPI_Allreduce(MPI_IN_PLACE, &can, 1, MPI_INT, MPI_LAND, communicator().mpi()),
              "MPI_Allreduce");
    return can != 0;
}

/// Appends a step for each round of a pass; the last pass completes the binding. Collective.
void RedistributionCore::bind_pass(const Pass& pass, bool is_last, const NewSet& set,
                                   std::shared_ptr<ExchangeBinding>& binding) {
    const ArraySet& arrays = set.arrays;
    const bool writes = can_write_in_place(pass, arrays);
    SharedRounds rounds;
    if (!writes && required() != Transport::message)
        rounds = SharedRounds(communicator(), pass.schedule, pass.role, arrays);
    // Processes that access another's elements receive their addresses, and report when they have finished.
    const PlanLines* lines = nullptr;
    TransportSearch search = agree_on(communicator(), name(), [&] {
        lines = &lines_of(pass, writes);
        rounds.allocate(state());
        return TransportSearch(
            state(),
            {.caller = name(),
             .fields = writes ? arrays.targets : arrays.sources,
             .sources = writes ? pass.role.send_ranks() : pass.role.receive_ranks(),
             .lines = lines,
             .required = required(),
             .layer = arrays.layer,
             .access = writes ? Access::write : Access::read},
            rounds.packs().offer(lines->readers()));
    });
    agree_on(communicator(), name(), [&] {
        const PeerTransports transports = search.run(set.tags.messages);
        std::shared_ptr<ExchangeBinding> first;
        for (ExchangeProgram& program : redistribution_programs(
                 pass.schedule, pass.role, arrays, transports, rounds, writes, set.device)) {
            auto step = std::make_shared<ExchangeBinding>(
                ExchangeBinding::Setting{name(), lines->ready(), oversubscribed(), set.device},
                PeerTransports(transports), std::move(program));
            step->is_later_round = first != nullptr;
            ExchangeBinding::append(first, std::move(step));
        }
        if (writes) first->hold_written(*state().arena(), arrays.targets);
        ExchangeBinding::append(binding, std::move(first));
        if (is_last) complete(binding, arrays, set.tags);
    });
}

std::string RedistributionCore::describe() const {
    std::ostringstream out;
    out << "redistribution; transports allowed: " << allowed_transports(required()) << "\nfrom "
        << schedule().from_layout().describe() << "\nto " << schedule().to_layout().describe()
        << '\n'
        << schedule().describe();
    return out.str() + describe_bound_sets();
}

} // namespace distview::impl
