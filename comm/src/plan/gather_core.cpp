// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/plan/gather_core.hpp>

#include "plan/message_layout.hpp"
#include "plan/section_offsets.hpp"
#include <distview/comm/agreement.hpp>
#include <distview/core/text.hpp>

#include <map>
#include <sstream>
#include <utility>

namespace distview::impl {

GatherCore::GatherCore(const Communicator& comm, const char* name, std::uint64_t number,
                       const ArrayLayout& layout, GatherRole role, Side side,
                       std::optional<Transport> required)
    : PlanCore(comm, name, number, Labels(name, "copy_local", "gather"), required, false),
      m_layout(layout), m_role(std::move(role)), m_side(side) {
    record(m_layout.fingerprint(), [this] { return m_layout.describe(); });
}

void GatherCore::check(const ArraySet& arrays) const {
    const std::span<const Field> fields = arrays.sources;
    const bool combines = arrays.kind() == ExchangeKind::combine;
    const bool writes = combines || m_side == Side::array;
    require<UsageError>(!fields.empty(),
                        [&] { return text(name(), ": expected at least 1 array"); });
    require<ShapeError>(arrays.are_of_that_type(), [&] {
        return text(name(), ": expected an array with the element type of combine_as()");
    });
    for (std::size_t i = 0; i < fields.size(); ++i) {
        const Field& field = fields[i];
        check_array("array", i, field, m_layout, communicator().rank(), arrays.layer);
        require<ShapeError>(!writes || !field.read_only, [&] {
            return text(name(), ": array ", i, " is read-only, but this call writes its elements");
        });
        for (std::size_t j = 0; writes && j < i; ++j)
            require<UsageError>(!overlap(fields[j], field), [&] {
                return text(name(), ": arrays ", j, " and ", i,
                            " share memory, but this call writes their elements");
            });
    }
}

/// A gather writes lists or ghosts, which have no padding; combine() writes arrays.
std::vector<PaddingEffect> GatherCore::effects_of(const ArraySet& arrays) const {
    if (arrays.kind() == ExchangeKind::combine) return all_written(arrays.sources);
    return {};
}

/// Prepares packs for readers of the node: in a gather for borrowed arrays, which readers cannot map, and for elements
/// that lie apart; in a combination for all values.
void GatherCore::prepare_packs(const ArraySet& arrays, GatherProgramSetting& setting) const {
    if (arrays.layer || required() == Transport::message) return;
    std::map<int, std::int64_t> bytes;
    const auto add = [&](int rank, const std::vector<std::int64_t>& positions,
                         const std::vector<char>& packed) {
        if (rank == communicator().rank() || !state().calls().is_near(rank)) return;
        bytes[rank] = packed_fields(std::ssize(positions), arrays.sources, packed).bytes;
        setting.packed[rank] = packed;
    };
    if (setting.combines) {
        const std::vector<char> all(arrays.sources.size(), 1);
        for (const GatherRole::Wanted& to : m_role.wanted) add(to.rank, to.positions, all);
    } else {
        const std::vector<char> borrowed = borrowed_fields(*state().arena(), arrays.sources);
        for (const GatherRole::Given& to : m_role.given) {
            std::vector<char> packed = borrowed;
            for (std::size_t f = 0; f < packed.size(); ++f)
                if (packed[f] == 0 && setting.packs_apart)
                    packed[f] = lie_apart(to.positions,
                                          {static_cast<std::size_t>(m_layout.rank()),
                                           m_role.extents, arrays.sources[f].strides},
                                          arrays.sources[f].element_size);
            add(to.rank, to.positions, packed);
        }
    }
    setting.packs = {state().arena().get(), bytes};
}

PlanCore::Maker GatherCore::prepare(const ArraySet& arrays) {
    const bool combines = arrays.kind() == ExchangeKind::combine;
    check(arrays);
    GatherProgramSetting setting{
        .caller = name(),
        .rank = communicator().rank(),
        .role = &m_role,
        .combines = combines,
        .into_array = m_side == Side::array,
        // Ghosts are read once after each write by their owner. Lists of other gathers may be long
        // and their arrays not in a cache: packing is then one more pass over memory.
        .packs_apart = m_side == Side::array && !arrays.layer,
        .device = device_setting(arrays.layer, required(), name())};
    const PlanLines& readers =
        lines(static_cast<std::size_t>(arrays.variant), combines ? receive_peers() : send_peers());
    prepare_packs(arrays, setting);
    // Values to combine are packed: on a device they move in messages.
    const bool in_messages = combines && arrays.layer;
    require<UsageError>(!in_messages || required() != Transport::ipc, [&] {
        return text(name(), ": DISTVIEW_TRANSPORT: 'ipc' cannot combine, expected "
                            "gpu_message or staged");
    });
    // Makes the search even if all elements move in messages: neighbours may combine on the host.
    TransportSearch search(state(),
                           {.caller = name(),
                            .fields = arrays.sources,
                            .sources = combines ? send_peers() : receive_peers(),
                            .lines = &readers,
                            .required = in_messages ? Transport::staged : required(),
                            .layer = arrays.layer},
                           setting.packs.offer(readers.readers()));
    return [this, &arrays, in_messages, &readers, setting = std::move(setting),
            search = std::move(search)](const Tags& tags) mutable {
        return agree_on(communicator(), name(), [&] {
            PeerTransports transports = search.run(tags.messages);
            if (in_messages) transports.why_not.clear();
            ExchangeProgram program = gather_program(setting, arrays.sources, transports);
            auto binding = std::make_shared<ExchangeBinding>(
                ExchangeBinding::Setting{name(), readers.ready(), oversubscribed(), setting.device},
                std::move(transports), std::move(program));
            complete(binding, arrays, tags);
            return binding;
        });
    };
}

const ExchangeProgram& GatherCore::local_program(const ArraySet& arrays) {
    const ExchangeBinding* const binding = known(arrays);
    require<UsageError>(binding != nullptr, [&] {
        return text(name(), "::read: these arrays are not bound; call bind() or execute(), on all "
                            "ranks");
    });
    const ExchangeProgram& program = binding->program();
    const auto refuse = [&](int rank, const char* how) {
        require<UsageError>(false, [&] {
            return text(name(), "::read: elements of rank ", rank, how, ", so rank ", rank,
                        " must take part; call execute() on all ranks");
        });
    };
    for (const Incoming& incoming : program.received) refuse(incoming.rank, " arrive in messages");
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
    return out.str() + describe_bound_sets();
}

} // namespace distview::impl
