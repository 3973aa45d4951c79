// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/redistribution_engine.hpp>

#include <distview/comm/agreement.hpp>
#include <distview/comm/mpi_error.hpp>
#include <distview/core/text.hpp>

#include <algorithm>
#include <bit>
#include <exception>
#include <sstream>

namespace distview::impl {

namespace {

constexpr const char* name = "RedistributionPlan";
/// Sets of arrays that a plan remembers; at most 64.
constexpr std::size_t most_bindings = 32;

int process_of(const std::vector<int>& ranks, int rank) {
    const auto found = std::find(ranks.begin(), ranks.end(), rank);
    return found == ranks.end() ? -1 : static_cast<int>(found - ranks.begin());
}

std::int64_t bytes_to_end(const Field& field) {
    std::int64_t last = 0;
    const Extents extents = field.layout->local_extents(field.process);
    for (int d = 0; d < field.layout->rank(); ++d) {
        const auto i = static_cast<std::size_t>(d);
        if (extents[i] == 0) return 0;
        last += (extents[i] - 1) * std::max<std::int64_t>(field.strides[i], 0);
    }
    return last + field.element_size;
}

bool overlap(const Field& a, const Field& b) {
    if (!a.layout || !b.layout || !a.data || !b.data) return false;
    const std::less<> before;
    return before(a.data, b.data + bytes_to_end(b)) && before(b.data, a.data + bytes_to_end(a));
}

} // namespace

RedistributionEngine::RedistributionEngine(const Communicator& comm,
                                           RedistributionSchedule schedule, bool conjugate,
                                           std::optional<Transport> required)
    : m_comm(comm), m_schedule(std::move(schedule)),
      m_from_process(process_of(m_schedule.from_ranks(), comm.rank())),
      m_to_process(process_of(m_schedule.to_ranks(), comm.rank())), m_conjugate(conjugate),
      m_has_outsiders(m_schedule.from_layout().process_count() < comm.size() ||
                      m_schedule.to_layout().process_count() < comm.size()),
      m_required(required), m_crowded(comm.state()->crowded()) {
    m_role.rank = comm.rank();
    find_peers();
}

void RedistributionEngine::find_peers() {
    const auto peers = [&](const RedistributionRuns& runs, const std::vector<int>& ranks) {
        std::vector<RedistributionRole::Peer> result;
        for (const RedistributionSchedule::Message& message : m_schedule.messages(runs))
            if (message.elements > 0)
                result.push_back({ranks[static_cast<std::size_t>(message.peer)], message.peer,
                                  message.elements});
        std::sort(result.begin(), result.end(),
                  [](const auto& a, const auto& b) { return a.rank < b.rank; });
        return result;
    };
    if (m_to_process >= 0) {
        m_role.runs_to = m_schedule.runs_to(m_to_process);
        m_role.receives = peers(m_role.runs_to, m_schedule.from_ranks());
    }
    if (m_from_process >= 0) {
        m_role.runs_from = m_schedule.runs_from(m_from_process);
        m_role.sends = peers(m_role.runs_from, m_schedule.to_ranks());
    }
}

RedistributionEngine::~RedistributionEngine() {
    // Others may still read what is packed, and write how far they are.
    if (m_unread) keep(m_unread);
    if ((m_unusable || m_unread) && m_lines && m_lines->memory() && m_comm.is_open())
        m_comm.state()->keep_memory(m_lines->memory());
}

/// Until the communicator closes.
void RedistributionEngine::keep(const RedistributionBinding* kept) noexcept {
    for (const auto& binding : m_bindings)
        if (binding.get() == kept && m_comm.is_open()) m_comm.state()->keep(binding);
}

void RedistributionEngine::check(const Fields& fields) const {
    require<UsageError>(
        !fields.sources.empty() && fields.sources.size() == fields.targets.size(), [&] {
            return text(name, ": expected as many sources as targets, at least 1, got ",
                        fields.sources.size(), " and ", fields.targets.size());
        });
    const auto check_field = [&](const Field& field, std::size_t i, const char* what,
                                 const ArrayLayout& layout, int process) {
        require<ShapeError>(field.layout != nullptr || process < 0, [&] {
            return text(name, ": ", what, " ", i, " is missing on a rank that is process ", process,
                        " of its grid");
        });
        if (!field.layout) return;
        require<ShapeError>(process >= 0, [&] {
            return text(name, ": ", what, " ", i,
                        " was given on a rank that is no process of its grid; expected a null "
                        "pointer there");
        });
        require<ShapeError>(*field.layout == layout, [&] {
            return text(name, ": ", what, " ", i, " is a ", field.layout->describe(),
                        "\nthe plan is for a ", layout.describe());
        });
        require<ShapeError>(field.process == process, [&] {
            return text(name, ": ", what, " ", i, " is the section of process ", field.process,
                        ", expected that of process ", process);
        });
        require<ShapeError>(field.host_accessible, [&] {
            return text(name, ": ", what, " ", i, " is in memory that the host cannot access");
        });
    };
    for (std::size_t i = 0; i < fields.sources.size(); ++i) {
        const Field& source = fields.sources[i];
        const Field& target = fields.targets[i];
        check_field(source, i, "source", m_schedule.from_layout(), m_from_process);
        check_field(target, i, "target", m_schedule.to_layout(), m_to_process);
        require<ShapeError>(!fields.as_bytes || source.element_code == target.element_code, [&] {
            return text(name, ": source ", i, " and target ", i, " differ in element type");
        });
        require<ShapeError>(!target.read_only,
                            [&] { return text(name, ": target ", i, " is read-only"); });
        for (std::size_t j = 0; j < fields.sources.size(); ++j) {
            const bool in_place = i == j && m_schedule.is_identity() &&
                                  source.data == target.data && source.strides == target.strides;
            require<UsageError>(in_place || !overlap(fields.sources[j], target), [&] {
                return text(name, ": source ", j, " and target ", i,
                            " share memory: elements would be overwritten before they are read");
            });
            require<UsageError>(i == j || !overlap(fields.targets[j], target), [&] {
                return text(name, ": targets ", i, " and ", j, " share memory");
            });
        }
    }
}

void RedistributionEngine::check_ready(bool to_begin) const {
    require<UsageError>(!m_unusable,
                        "RedistributionPlan: an earlier execution was abandoned or failed; this "
                        "plan cannot be used again, build a new one");
    require<UsageError>(!to_begin || m_active == nullptr,
                        "RedistributionPlan: an execution is in flight; call finish() on its "
                        "handle first");
    require<UsageError>(m_comm.is_open(), "RedistributionPlan: the communicator has been closed");
}

/// Those of m_bindings, a bit each, that are of these arrays as far as this rank can tell.
std::uint64_t RedistributionEngine::candidates(const Fields& fields) const {
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < m_bindings.size(); ++i)
        if (m_bindings[i]->is_for(fields)) bits |= std::uint64_t{1} << i;
    return bits;
}

/// The number of the binding of these arrays; none if they are new. A rank without a section does not see
/// that others pass new ones: if there are such ranks, all ask each other.
std::optional<std::size_t> RedistributionEngine::find(const Fields& fields, bool to_begin) const {
    std::uint64_t bits = candidates(fields);
    if (m_has_outsiders) {
        std::exception_ptr failure;
        try {
            check_ready(to_begin);
        } catch (...) {
            failure = std::current_exception();
        }
        agree(m_comm, name, failure);
        check_mpi(MPI_Allreduce(MPI_IN_PLACE, &bits, 1, MPI_UINT64_T, MPI_BAND, m_comm.mpi()),
                  "MPI_Allreduce");
    }
    if (bits == 0) return std::nullopt;
    return static_cast<std::size_t>(std::countr_zero(bits));
}

RedistributionBinding& RedistributionEngine::obtain(const Fields& fields, bool to_begin) {
    if (const auto known = find(fields, to_begin)) {
        check_ready(to_begin);
        RedistributionBinding& binding = *m_bindings[*known];
        binding.last_used = ++m_clock;
        return binding;
    }

    PackedPlaces offered;
    std::exception_ptr failure;
    std::uint64_t digest = fields.sources.size();
    try {
        check_ready(to_begin);
        check(fields);
        if (!m_lines) m_lines.emplace(*m_comm.state(), m_role.send_ranks());
        if (m_required == Transport::cma)
            offered = PackedPlaces(m_role.sends, m_role.send_ranks(), fields.sources);
    } catch (...) {
        failure = std::current_exception();
    }
    // Where a rank has no section, its types still say what the others' are.
    for (const auto& side : {fields.sources, fields.targets})
        for (const Field& field : side) digest = digest * 0x9e3779b97f4a7c15u + field.element_code;
    agree(m_comm, name, failure, digest);

    // Tags are dealt out collectively, hence before anything local can fail.
    CommunicatorState& state = *m_comm.state();
    const int tag = state.next_tag();
    const int notice_tag = state.next_tag();
    std::shared_ptr<RedistributionBinding> binding;
    try {
        OfferedPacks packs;
        for (const int reader : m_lines->readers()) {
            const PackedPlaces::Place* const place = offered.of(reader);
            packs.packs.push_back(place ? offered.buffer().data() + place->offset : nullptr);
        }
        PeerTransports transports = find_transports(state, name, tag, fields.sources, packs,
                                                    m_role.receive_ranks(), *m_lines, m_required);
        binding = std::make_shared<RedistributionBinding>(m_schedule, m_role, fields,
                                                          std::move(transports), std::move(offered),
                                                          m_lines->ready(), m_crowded);
    } catch (...) {
        failure = std::current_exception();
    }
    agree(m_comm, name, failure);
    binding->make_requests(m_comm.mpi(), tag, notice_tag);
    state.add(binding);
    if (m_bindings.size() >= most_bindings) drop_oldest_binding();
    binding->last_used = ++m_clock;
    m_bindings.push_back(binding);
    return *binding;
}

/// Spares those that are in use.
void RedistributionEngine::drop_oldest_binding() {
    const auto age = [&](const std::shared_ptr<RedistributionBinding>& binding) {
        const bool in_use = binding.get() == m_active || binding.get() == m_unread;
        return in_use ? 0 : m_clock - binding->last_used + 1;
    };
    m_bindings.erase(
        std::max_element(m_bindings.begin(), m_bindings.end(),
                         [&](const auto& a, const auto& b) { return age(a) < age(b); }));
}

RedistributionBinding& RedistributionEngine::begin(const Fields& fields) {
    RedistributionBinding& binding = obtain(fields, true);
    if (m_unread) wait_for_readers();
    m_active = &binding;
    ++m_epoch;
    return binding;
}

RedistributionBinding& RedistributionEngine::active() {
    require<UsageError>(m_comm.is_open(),
                        "RedistributionHandle::finish: the communicator has been closed");
    return *m_active;
}

void RedistributionEngine::wait_for_readers() {
    if (!m_unread) return;
    require<UsageError>(m_comm.is_open(), "RedistributionPlan: the communicator has been closed");
    try {
        m_unread->wait_for_readers();
    } catch (...) {
        m_unusable = true;
        m_unread->leave(); // so that others who wait for this process learn of it
        throw;
    }
    m_unread = nullptr;
}

void RedistributionEngine::abandon() noexcept {
    m_unusable = true;
    if (m_active) {
        m_active->leave();
        // MPI may still read and write the buffers: they stay until the communicator closes.
        keep(m_active);
    }
    m_active = nullptr;
}

std::size_t RedistributionEngine::workspace_bytes() const noexcept {
    std::size_t bytes = 0;
    for (const auto& binding : m_bindings) bytes += binding->workspace_bytes();
    return bytes;
}

std::string RedistributionEngine::describe() const {
    std::ostringstream out;
    out << "redistribution; transports allowed: "
        << (m_required ? to_string(*m_required) : "direct, message") << "\nfrom "
        << m_schedule.from_layout().describe() << "\nto " << m_schedule.to_layout().describe()
        << '\n'
        << m_schedule.describe();
    int set = 0;
    for (const auto& binding : m_bindings)
        out << "\nbound set " << set++ << ':' << binding->describe();
    return out.str();
}

namespace {

void check_ranks(const std::vector<int>& ranks, const Communicator& comm, const char* what) {
    for (const int rank : ranks)
        require<UsageError>(rank < comm.size(), [&] {
            return text(name, ": expected ranks in [0, ", comm.size(), ") for the ", what,
                        "'s processes, got ", rank);
        });
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

std::shared_ptr<RedistributionEngine>
make_redistribution_engine(const Communicator& comm, const ArrayLayout& from, const ArrayLayout& to,
                           const RedistributionOptions& options) {
    std::optional<RedistributionSchedule> schedule;
    std::optional<Transport> required;
    std::exception_ptr failure;
    Digest digest;
    try {
        required = required_transport();
        check_available(required);
        schedule.emplace(from, to, options);
        check_ranks(schedule->from_ranks(), comm, "source");
        check_ranks(schedule->to_ranks(), comm, "target");
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
    digest.add((options.fill_padding ? 1u : 0u) + (options.conjugate ? 2u : 0u));
    digest.add(required ? static_cast<std::uint64_t>(*required) + 1 : 0);
    agree(comm, name, failure, digest.value());
    // Its lists may not fit into memory, which is agreed on as well.
    std::shared_ptr<RedistributionEngine> engine;
    try {
        engine = std::make_shared<RedistributionEngine>(comm, std::move(*schedule),
                                                        options.conjugate, required);
    } catch (...) {
        failure = std::current_exception();
    }
    agree(comm, name, failure);
    return engine;
}

} // namespace distview::impl
