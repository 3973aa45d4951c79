// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/plan/gather_core.hpp>

#include "transport/allowed_transports.hpp"

#include <distview/comm/agreement.hpp>
#include <distview/comm/impl/plan/exchange_parts.hpp>
#include <distview/comm/impl/plan/gather_program.hpp>
#include <distview/comm/impl/transport/field_overlap.hpp>
#include <distview/core/text.hpp>

#include <algorithm>
#include <sstream>
#include <utility>

namespace distview::impl {

GatherCore::GatherCore(const Communicator& comm, const char* name, std::uint64_t number,
                       const ArrayLayout& layout, GatherRole role, Side side,
                       std::optional<Transport> required)
    : PlanCore(comm, name, number, Labels(name, "copy_local", "gather"), required, false),
      m_layout(layout), m_role(std::move(role)), m_side(side) {}

GatherCore::~GatherCore() {
    for (const std::optional<PlanLines>& lines : m_lines) keep_lines(lines);
}

void GatherCore::check(const ArraySet& arrays) const {
    const std::span<const Field> fields = arrays.sources;
    const bool combines = static_cast<Kind>(arrays.variant) == Kind::combine;
    const bool writes = combines || m_side == Side::array;
    require<UsageError>(!fields.empty(),
                        [&] { return text(name(), ": expected at least 1 array"); });
    for (std::size_t i = 0; i < fields.size(); ++i) {
        const Field& field = fields[i];
        require<ShapeError>(*field.layout == m_layout, [&] {
            return text(name(), ": array ", i, " is a ", field.layout->describe(),
                        "\nthe plan is for a ", m_layout.describe());
        });
        require<ShapeError>(field.process == communicator().rank(), [&] {
            return text(name(), ": array ", i, " is the section of process ", field.process,
                        ", expected that of process ", communicator().rank());
        });
        require<ShapeError>(!writes || !field.read_only, [&] {
            return text(name(), ": array ", i, " is read-only, and its elements are to be written");
        });
        require<ShapeError>(arrays.layer || field.host_accessible, [&] {
            return text(name(), ": array ", i, " is in memory that the host cannot access");
        });
        require<ShapeError>(!arrays.layer || !field.data || arrays.layer->reaches(field.data), [&] {
            return text(name(), ": array ", i, " is in memory that the device cannot access");
        });
        for (std::size_t j = 0; writes && j < i; ++j)
            require<UsageError>(!overlap(fields[j], field), [&] {
                return text(name(), ": arrays ", j, " and ", i,
                            " share memory, and their elements are to be written");
            });
    }
}

/// Memory for what others of the node read: of a gather borrowed arrays, which they cannot map, of a combination all
/// values.
void GatherCore::allocate_packs(const ArraySet& arrays, Prepared& prepared) const {
    const bool combines = static_cast<Kind>(arrays.variant) == Kind::combine;
    const std::vector<int>& readers = m_lines[static_cast<std::size_t>(arrays.variant)]->readers();
    prepared.packs.assign(readers.size(), nullptr);
    if (arrays.layer || required() == Transport::message) return;
    const std::vector<char> borrowed = borrowed_fields(*state().arena(), arrays.sources);
    const auto bytes_for = [&](std::int64_t elements) {
        return at_line(
            packed_fields(elements, arrays.sources, combines ? std::span<const char>() : borrowed)
                .bytes);
    };
    std::vector<std::int64_t> begins;
    std::int64_t total = 0;
    const auto place = [&](int rank, std::size_t elements) {
        begins.push_back(total);
        if (state().calls().is_near(rank)) total += bytes_for(static_cast<std::int64_t>(elements));
    };
    if (combines) {
        for (const GatherRole::Wanted& to : m_role.wanted)
            if (to.rank != communicator().rank()) place(to.rank, to.positions.size());
    } else {
        for (const GatherRole::Given& to : m_role.given) place(to.rank, to.positions.size());
    }
    if (total == 0) return;
    prepared.pack =
        std::static_pointer_cast<char>(state().arena()->allocate(static_cast<std::size_t>(total)));
    prepared.complete = prepared.pack != nullptr;
    for (std::size_t r = 0; r < readers.size() && prepared.pack; ++r)
        if (state().calls().is_near(readers[r]))
            prepared.packs[r] = prepared.pack.get() + begins[r];
}

PlanCore::Maker GatherCore::prepare(const ArraySet& arrays) {
    const bool combines = static_cast<Kind>(arrays.variant) == Kind::combine;
    check(arrays);
    const auto prepared = std::make_shared<Prepared>();
    prepared->device = device_setting(arrays.layer, required(), name());
    std::optional<PlanLines>& lines = m_lines[static_cast<std::size_t>(arrays.variant)];
    if (!lines) lines.emplace(state(), combines ? receive_peers() : send_peers());
    allocate_packs(arrays, *prepared);
    return [this, &arrays, prepared](int tag) { return make(arrays, *prepared, tag); };
}

std::uint64_t GatherCore::digest_of(const ArraySet& arrays) const {
    return arrays.sources.size() * 2 + static_cast<std::uint64_t>(arrays.variant);
}

std::shared_ptr<ExchangeBinding> GatherCore::make(const ArraySet& arrays, const Prepared& prepared,
                                                  int tag) {
    const bool combines = static_cast<Kind>(arrays.variant) == Kind::combine;
    const PlanLines& lines = *m_lines[static_cast<std::size_t>(arrays.variant)];
    return agree_on(communicator(), name(), [&] {
        const OfferedPacks packs{{prepared.packs.begin(), prepared.packs.end()}, prepared.complete};
        // Values to combine are packed: on a device they go in messages.
        const bool in_messages = combines && arrays.layer;
        require<UsageError>(!in_messages || required() != Transport::ipc, [&] {
            return text(name(), ": DISTVIEW_TRANSPORT: 'ipc' does not combine, expected "
                                "gpu_message or staged");
        });
        PeerTransports transports;
        if (!in_messages)
            transports = find_transports(state(), name(), tag, arrays.sources, packs,
                                         combines ? send_peers() : receive_peers(), lines,
                                         required(), arrays.layer);
        GatherProgramSetting setting{.caller = name(),
                                     .rank = communicator().rank(),
                                     .role = &m_role,
                                     .combines = combines,
                                     .into_array = m_side == Side::array,
                                     .device = prepared.device};
        setting.packed = combines ? std::vector<char>(arrays.sources.size(), 1)
                                  : borrowed_fields(*state().arena(), arrays.sources);
        for (std::size_t r = 0; r < lines.readers().size(); ++r)
            if (prepared.packs[r] && transports.readers.contains(lines.readers()[r]))
                setting.packs[lines.readers()[r]] = prepared.packs[r];
        ExchangeProgram program = gather_program(setting, arrays.sources, transports);
        program.held.push_back(prepared.pack);
        return std::make_shared<ExchangeBinding>(
            ExchangeBinding::Setting{name(), lines.ready(), crowded(), prepared.device},
            std::move(transports), std::move(program));
    });
}

const ExchangeProgram& GatherCore::local_program(const ArraySet& arrays) {
    const ExchangeBinding* const binding = known(arrays);
    require<UsageError>(binding != nullptr, [&] {
        return text(name(), "::read: these arrays are not bound; call bind(), on all ranks");
    });
    const ExchangeProgram& program = binding->program();
    const auto refuse = [&](int rank, const char* how) {
        require<UsageError>(false, [&] {
            return text(name(), "::read: elements of rank ", rank, how,
                        ", so that it must take part; call execute(), on all ranks");
        });
    };
    for (const Incoming& incoming : program.received) refuse(incoming.rank, " come in messages");
    for (const Incoming& incoming : program.in_place)
        if (!incoming.note.empty()) refuse(incoming.rank, " are in borrowed memory");
    return program;
}

std::string GatherCore::describe() const {
    std::ostringstream out;
    out << name() << "; transports allowed: " << allowed_transports(required()) << "\nof "
        << m_layout.describe() << "\nelements of this rank's list: " << m_role.size;
    for (const GatherRole::Wanted& from : m_role.wanted)
        out << "\n    " << from.positions.size() << " of "
            << (from.rank == communicator().rank() ? "its own" : text("rank ", from.rank));
    for (const GatherRole::Given& to : m_role.given)
        out << "\n    " << to.positions.size() << " of its own to rank " << to.rank;
    int set = 0;
    for (const auto& binding : bindings())
        out << "\nbound set " << set++ << ':' << binding->describe();
    return out.str();
}

} // namespace distview::impl
