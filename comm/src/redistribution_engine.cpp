// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/redistribution_engine.hpp>

#include <distview/comm/agreement.hpp>
#include <distview/comm/impl/writes_in_place.hpp>
#include <distview/comm/mpi_error.hpp>
#include <distview/core/text.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <exception>
#include <sstream>

namespace distview::impl {

namespace {

constexpr const char* name = "RedistributionPlan";
/// Sets of arrays that a plan remembers; at most 64.
constexpr std::size_t most_bindings = 32;

/// From the first byte of a section to the last, whatever the signs of its strides; equal if it has
/// no element.
std::pair<const char*, const char*> bytes_of(const Field& field) {
    const char* begin = field.data;
    const char* end = field.data + field.element_size;
    const Extents extents = field.layout->local_extents(field.process);
    for (int d = 0; d < field.layout->rank(); ++d) {
        const auto i = static_cast<std::size_t>(d);
        if (extents[i] == 0) return {field.data, field.data};
        const std::int64_t last = (extents[i] - 1) * field.strides[i];
        (last < 0 ? begin : end) += last;
    }
    return {begin, end};
}

/// Whether two sections whose bytes lie between each other's, as slices of one array do, have no byte in
/// common. For equal, positive strides; else it is not known, and false.
bool interleave(const Field& a, const Field& b) {
    if (b.data < a.data) return interleave(b, a);
    const int rank = a.layout->rank();
    if (b.layout->rank() != rank || b.element_size != a.element_size) return false;
    const Extents a_extents = a.layout->local_extents(a.process);
    const Extents b_extents = b.layout->local_extents(b.process);
    std::vector<std::size_t> axes; // by descending strides
    for (std::size_t d = 0; d < static_cast<std::size_t>(rank); ++d) {
        if (a_extents[d] == 1 && b_extents[d] == 1) continue;
        if (a.strides[d] != b.strides[d] || a.strides[d] <= 0) return false;
        axes.push_back(d);
    }
    std::sort(axes.begin(), axes.end(),
              [&](std::size_t i, std::size_t j) { return a.strides[i] > a.strides[j]; });
    // How far b begins behind a, in elements along each axis.
    std::array<std::int64_t, max_rank> shifts{};
    std::int64_t rest = b.data - a.data;
    for (const std::size_t d : axes) {
        shifts[d] = rest / a.strides[d];
        rest %= a.strides[d];
    }
    if (rest != 0) return false;
    // Along each axis both stay within a step of the next longer stride: then elements that are one are so
    // along every axis.
    std::int64_t reach = a.element_size;
    bool apart = false;
    for (std::size_t i = axes.size(); i-- > 0;) {
        const std::size_t d = axes[i];
        if (a.strides[d] < reach) return false;
        reach += (std::max(a_extents[d], shifts[d] + b_extents[d]) - 1) * a.strides[d];
        apart = apart || shifts[d] >= a_extents[d];
    }
    return apart;
}

bool overlap(const Field& a, const Field& b) {
    if (!a.layout || !b.layout || !a.data || !b.data) return false;
    const auto [a_begin, a_end] = bytes_of(a);
    const auto [b_begin, b_end] = bytes_of(b);
    if (a_begin == a_end || b_begin == b_end) return false;
    const std::less<> before;
    return before(a_begin, b_end) && before(b_begin, a_end) && !interleave(a, b);
}

/// Whether elements of this size are moved without knowing their type.
bool moves_as_bytes(std::int64_t size) {
    return size == 1 || size == 2 || size == 4 || size == 8 || size == 16;
}

} // namespace

RedistributionEngine::RedistributionEngine(const Communicator& comm,
                                           RedistributionSchedule schedule, bool conjugate,
                                           std::optional<Transport> required)
    : m_comm(comm), m_schedule(std::move(schedule)),
      m_from_process(m_schedule.from_process(comm.rank())),
      m_to_process(m_schedule.to_process(comm.rank())), m_conjugate(conjugate),
      m_has_outsiders(m_schedule.from_layout().process_count() < comm.size() ||
                      m_schedule.to_layout().process_count() < comm.size()),
      m_required(required),
      m_writes_in_place(required != Transport::cma && writes_in_place(m_schedule)),
      m_crowded(comm.state()->crowded()) {
    m_role.rank = comm.rank();
    find_peers();
}

void RedistributionEngine::find_peers() {
    const auto peers = [&](const RedistributionRuns& runs) {
        std::vector<RedistributionRole::Peer> result;
        for (const RedistributionSchedule::Message& message : m_schedule.messages(runs))
            if (message.elements > 0)
                result.push_back({runs.receives ? m_schedule.from_rank(message.peer)
                                                : m_schedule.to_rank(message.peer),
                                  message.peer, message.elements});
        std::sort(result.begin(), result.end(),
                  [](const auto& a, const auto& b) { return a.rank < b.rank; });
        return result;
    };
    if (m_to_process >= 0) {
        m_role.runs_to = m_schedule.runs_to(m_to_process);
        m_role.receives = peers(m_role.runs_to);
    }
    if (m_from_process >= 0) {
        m_role.runs_from = m_schedule.runs_from(m_from_process);
        m_role.sends = peers(m_role.runs_from);
    }
}

RedistributionEngine::~RedistributionEngine() {
    // Others may still read what is packed, and write how far they are.
    if (m_unread) keep(m_unread);
    for (const std::optional<PlanLines>& lines : m_lines)
        if ((m_unusable || m_unread) && lines && lines->memory() && m_comm.is_open())
            m_comm.state()->keep_memory(lines->memory());
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
    require<ShapeError>(fields.are_of_that_type(), [&] {
        return text(name, ": source or target is not of the element type that was asked for");
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
        require<ShapeError>(fields.layer || field.host_accessible, [&] {
            return text(name, ": ", what, " ", i, " is in memory that the host cannot access");
        });
        require<ShapeError>(!fields.layer || !field.data || fields.layer->reaches(field.data), [&] {
            return text(name, ": ", what, " ", i, " is in memory that the device cannot access");
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
        require<ShapeError>(!fields.as_bytes || moves_as_bytes(source.element_size), [&] {
            return text(name,
                        ": of types known at run time only, expected elements of 1, 2, 4, 8 or 16 "
                        "bytes, got ",
                        source.element_size);
        });
        require<UsageError>(!fields.as_bytes || !m_conjugate, [&] {
            return text(name, ": elements of types known at run time only are not conjugated");
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
    DeviceSetting device;
    std::exception_ptr failure;
    std::uint64_t digest = fields.sources.size() * 2 + (fields.layer ? 1 : 0);
    try {
        check_ready(to_begin);
        check(fields);
        device = device_setting(fields.layer, m_required, name);
        if (m_required == Transport::cma)
            offered =
                PackedPlaces(m_role.sends, m_role.send_ranks(), fields.sources, device, false);
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
    const bool writes = can_write_in_place(fields);
    std::shared_ptr<RedistributionBinding> binding;
    try {
        binding = make_binding(fields, std::move(offered), device, writes, tag);
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

/// Whether targets are written in place: with all arrays in shared memory. Where some are not, it depends on
/// the sources alone who can be reached.
bool RedistributionEngine::can_write_in_place(const Fields& fields) const {
    if (!m_writes_in_place || fields.layer) return false;
    const Arena& arena = *m_comm.state()->arena();
    int can = 1;
    for (const auto& side : {fields.sources, fields.targets})
        for (const Field& field : side)
            if (field.data && !arena.find(field.data)) can = 0;
    check_mpi(MPI_Allreduce(MPI_IN_PLACE, &can, 1, MPI_INT, MPI_LAND, m_comm.mpi()),
              "MPI_Allreduce");
    return can != 0;
}

/// Collective among partners.
std::shared_ptr<RedistributionBinding>
RedistributionEngine::make_binding(const Fields& fields, PackedPlaces offered,
                                   const DeviceSetting& device, bool writes, int tag) {
    CommunicatorState& state = *m_comm.state();
    // Whoever touches another's elements is told where they are, and says when it has done so.
    const auto owned = writes ? fields.targets : fields.sources;
    const std::vector<int> touched = writes ? m_role.send_ranks() : m_role.receive_ranks();
    std::optional<PlanLines>& lines = m_lines[writes ? 1 : 0];
    if (!lines) lines.emplace(state, writes ? m_role.receive_ranks() : m_role.send_ranks());
    OfferedPacks packs;
    for (const int reader : lines->readers()) {
        const PackedPlaces::Place* const place = offered.of(reader);
        packs.packs.push_back(place ? offered.buffer().data() + place->offset : nullptr);
    }
    PeerTransports transports =
        find_transports(state, name, tag, owned, packs, touched, *lines, m_required, fields.layer);
    auto binding = std::make_shared<RedistributionBinding>(
        m_schedule, m_role, fields, std::move(transports), std::move(offered), lines->ready(),
        writes, m_crowded, device);
    if (writes) binding->hold_targets(*state.arena(), fields.targets);
    return binding;
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

} // namespace distview::impl
