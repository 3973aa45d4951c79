// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/transport/peer_transports.hpp>

#include <distview/comm/impl/mpi/checks.hpp>
#include <distview/comm/mpi_error.hpp>
#include <distview/core/error.hpp>
#include <distview/core/text.hpp>

#include <mpi.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

namespace distview::impl {

namespace {

/// How the elements of a field can be reached.
enum class Reach : std::int64_t { nowhere, segment, pack, device };

/// Location of the lines and the pack of an offer. Sent as bytes, before the fields.
struct Head {
    SegmentAddress lines{};
    std::int64_t ready = 0; ///< offset
    std::int64_t done = 0;  ///< offset
    Arena::Place pack{};
    std::int64_t has_pack = 0;
};
/// A field of an offer. Sent as bytes.
struct Offered {
    Arena::Place place{};
    Reach reach = Reach::nowhere;
    DeviceLayer::Exported exported{};
    std::array<std::int64_t, max_rank> strides{};
    Extents extents{};
};
static_assert(std::has_unique_object_representations_v<Head> &&
              std::has_unique_object_representations_v<Offered>);

struct Offer {
    Head head{};
    std::vector<Offered> fields{};

    static std::size_t bytes_with(std::size_t fields) {
        return sizeof(Head) + fields * sizeof(Offered);
    }
    std::vector<char> bytes() const {
        std::vector<char> result(bytes_with(fields.size()));
        std::memcpy(result.data(), &head, sizeof(Head));
        if (!fields.empty())
            std::memcpy(result.data() + sizeof(Head), fields.data(), result.size() - sizeof(Head));
        return result;
    }
    static Offer of(const std::vector<char>& bytes) {
        Offer result{{}, std::vector<Offered>((bytes.size() - sizeof(Head)) / sizeof(Offered))};
        std::memcpy(&result.head, bytes.data(), sizeof(Head));
        if (!result.fields.empty())
            std::memcpy(result.fields.data(), bytes.data() + sizeof(Head),
                        bytes.size() - sizeof(Head));
        return result;
    }
};

Offer make_offer(CommunicatorState& state, std::span<const Field> fields, const OfferedPacks& packs,
                 const PlanLines& lines, std::size_t reader,
                 std::span<const std::optional<DeviceLayer::Exported>> exported) {
    Offer offer{{}, std::vector<Offered>(fields.size())};
    const auto place_in = [](const Arena& arena, const void* data) {
        return arena.find(data).value_or(Arena::Place{});
    };
    // Only readers that see whether this process arrives read its memory; only for them borrowed arrays are packed.
    if (packs.complete && lines.done(reader)) {
        const Arena::Place ready = place_in(*state.line_arena(), lines.ready());
        offer.head.lines = ready.segment;
        offer.head.ready = ready.offset;
        offer.head.done = place_in(*state.line_arena(), lines.done(reader)).offset;
    }
    const Arena& arena = *state.arena();
    offer.head.has_pack = packs.packs[reader] ? 1 : 0;
    offer.head.pack = place_in(arena, packs.packs[reader]);
    const std::vector<char> is_borrowed = borrowed_fields(arena, fields);
    for (std::size_t f = 0; f < fields.size(); ++f) {
        const Field& field = fields[f];
        Offered& offered = offer.fields[f];
        if (exported.empty()) {
            offered.reach = is_borrowed[f] != 0 ? Reach::pack : Reach::segment;
            offered.place = place_in(arena, field.data);
        } else if (exported[f]) { // else out of reach: no device packs it
            offered.reach = Reach::device;
            offered.exported = *exported[f];
        }
        offered.strides = field.strides;
        offered.extents.fill(1); // if the field is missing here
        if (field.layout) offered.extents = field.layout->local_extents(field.process);
    }
    return offer;
}

/// The segment that holds these bytes of an offered place; null if it cannot be reached or is too short.
std::shared_ptr<SharedSegment> segment_with(CommunicatorState& state, const Arena::Place& place,
                                            const std::optional<ByteRange>& bytes, Access access) {
    if (!bytes) return nullptr;
    auto segment = state.segment_of(place.segment, access);
    return segment && segment->holds(place.offset, bytes->begin, bytes->end) ? segment : nullptr;
}

/// Maps the lines of the peer; false if they cannot be reached.
bool map_lines(CommunicatorState& state, const Head& head, ReadablePeer& peer) {
    const std::shared_ptr<SharedSegment> segment = state.segment_of(head.lines, Access::write);
    if (!segment) return false;
    const auto line_at = [&](std::int64_t offset) -> SyncLine* {
        if (!segment->holds(offset, 0, sizeof(SyncLine)) ||
            offset % static_cast<std::int64_t>(alignof(SyncLine)) != 0)
            return nullptr;
        return reinterpret_cast<SyncLine*>(segment->data() + offset);
    };
    peer.ready = line_at(head.ready);
    peer.done = line_at(head.done);
    peer.kept.push_back(segment);
    return peer.ready && peer.done;
}

/// Maps the segments of the peer's fields and of its pack; false if this process cannot reach
/// them.
bool map_fields(CommunicatorState& state, const Offer& offer, std::span<const Field> fields,
                ReadablePeer& peer, Access access) {
    for (std::size_t f = 0; f < fields.size(); ++f) {
        const Offered& at = offer.fields[f];
        ReadablePeer::RemoteField field{nullptr, at.strides, at.extents};
        if (at.reach == Reach::segment) {
            const auto bytes = bytes_of(at.extents, at.strides, fields[f].element_size);
            const auto segment = segment_with(state, at.place, bytes, access);
            if (!segment) return false;
            field.data = segment->data() + at.place.offset;
            peer.kept.push_back(segment);
        } else if (at.reach != Reach::pack) {
            return false;
        }
        peer.fields.push_back(field);
    }
    if (offer.head.has_pack == 0) return true; // the peer packs nothing
    const Arena::Place& at = offer.head.pack;
    const auto pack = segment_with(state, at, ByteRange{0, at.bytes}, Access::read);
    if (!pack) return false;
    peer.packed = pack->data() + at.offset;
    peer.kept.push_back(pack);
    return true;
}

/// Opens the peer's fields in its device's memory; false if this process cannot reach them.
bool open_fields(DeviceLayer& layer, std::span<const Offered> fields, ReadablePeer& peer) {
    for (const Offered& at : fields) {
        if (at.reach != Reach::device) return false;
        const std::shared_ptr<void> allocation = open_shared(layer, at.exported.handle);
        if (!allocation) return false;
        const char* const data = static_cast<const char*>(allocation.get());
        peer.fields.push_back({data + at.exported.offset, at.strides, at.extents});
        peer.kept.push_back(allocation);
    }
    return true;
}

bool travels_in_messages(Transport transport) {
    return transport == Transport::message || transport == Transport::staged ||
           transport == Transport::gpu_message;
}

/// Answers an offer: the peer, if an allowed transport reaches it; else nullopt, with the reason in `why_not`.
std::optional<ReadablePeer> accept(CommunicatorState& state, const Offer& offer,
                                   const TransportSearch::Setting& setting, std::string& why_not) {
    if (setting.required && travels_in_messages(*setting.required)) {
        why_not = text("DISTVIEW_TRANSPORT=", to_string(*setting.required));
        return {};
    }
    ReadablePeer peer;
    why_not = "its shared memory (/dev/shm) is full or cannot be mapped";
    if (!map_lines(state, offer.head, peer)) return {};
    why_not = "its arrays cannot be mapped";
    if (setting.layer) {
        const bool is_offered =
            std::all_of(offer.fields.begin(), offer.fields.end(),
                        [](const Offered& at) { return at.reach == Reach::device; });
        why_not = is_offered
                      ? text("the device's memory is not shared", setting.layer->why_not_shared())
                      : "its arrays are not in memory that its device can share";
        return open_fields(*setting.layer, offer.fields, peer) ? std::optional(std::move(peer))
                                                               : std::nullopt;
    }
    if (map_fields(state, offer, setting.fields, peer, setting.access)) return peer;
    return {};
}

} // namespace

std::optional<ByteRange> bytes_of(std::span<const std::int64_t> extents,
                                  std::span<const std::int64_t> strides,
                                  std::int64_t element_size) {
    ByteRange range;
    for (std::size_t d = 0; d < extents.size(); ++d) {
        if (extents[d] <= 0) return ByteRange{};
        std::int64_t reach = 0;
        if (__builtin_mul_overflow(extents[d] - 1, strides[d], &reach)) return {};
        std::int64_t& side = reach < 0 ? range.begin : range.end;
        if (__builtin_add_overflow(side, reach, &side)) return {};
    }
    if (__builtin_add_overflow(range.end, element_size, &range.end)) return {};
    return range;
}

bool ReadablePeer::packs_fields() const noexcept {
    return std::any_of(fields.begin(), fields.end(),
                       [](const RemoteField& field) { return field.data == nullptr; });
}

std::vector<char> borrowed_fields(const Arena& arena, std::span<const Field> fields) {
    std::vector<char> result;
    for (const Field& field : fields)
        result.push_back(field.data && arena.find(field.data) ? 0 : 1);
    return result;
}

PlanLines::PlanLines(CommunicatorState& state, std::uint64_t plan, std::vector<int> readers)
    : m_readers(std::move(readers)), m_done(m_readers.size()) {
    const auto is_near = [&](int reader) { return state.calls().is_near(reader); };
    const auto near = std::count_if(m_readers.begin(), m_readers.end(), is_near);
    m_memory = state.line_memory(1 + static_cast<std::size_t>(near));
    m_ready = static_cast<SyncLine*>(m_memory.get());
    if (!m_ready) return;
    SyncLine* line = new (m_ready) SyncLine{.plan = plan};
    for (std::size_t r = 0; r < m_readers.size(); ++r)
        if (is_near(m_readers[r])) m_done[r] = new (++line) SyncLine{.plan = plan};
}

TransportSearch::TransportSearch(CommunicatorState& state, Setting setting,
                                 const OfferedPacks& packs)
    : m_state(&state), m_setting(std::move(setting)),
      m_bytes(message_count(static_cast<std::int64_t>(Offer::bytes_with(m_setting.fields.size())),
                            m_setting.caller)) {
    const std::span<const Field> fields = m_setting.fields;
    const std::size_t sources = m_setting.sources.size();
    const std::size_t readers = m_setting.lines->readers().size();
    std::vector<std::optional<DeviceLayer::Exported>> exported;
    for (std::size_t f = 0; f < fields.size() && m_setting.layer; ++f)
        exported.push_back(fields[f].data ? m_setting.layer->export_memory(fields[f].data)
                                          : std::nullopt);
    for (std::size_t r = 0; r < readers; ++r)
        m_offers.push_back(make_offer(state, fields, packs, *m_setting.lines, r, exported).bytes());
    m_received.assign(sources, std::vector<char>(static_cast<std::size_t>(m_bytes)));
    m_answers.assign(sources, 0);
    m_verdicts.assign(readers, 0);
    m_requests.assign(sources + readers, MPI_REQUEST_NULL);
}

PeerTransports TransportSearch::run(int tag) {
    CommunicatorState& state = *m_state;
    const MPI_Comm comm = state.comm();
    const std::vector<int>& sources = m_setting.sources;
    const std::vector<int>& readers = m_setting.lines->readers();
    const auto wait_for_all = [&] {
        check_mpi(MPI_Waitall(static_cast<int>(m_requests.size()), m_requests.data(),
                              MPI_STATUSES_IGNORE),
                  "MPI_Waitall");
    };
    for (std::size_t s = 0; s < sources.size(); ++s)
        check_mpi(MPI_Irecv(m_received[s].data(), m_bytes, MPI_BYTE, sources[s], tag, comm,
                            &m_requests[s]),
                  "MPI_Irecv");
    for (std::size_t r = 0; r < readers.size(); ++r)
        check_mpi(MPI_Isend(m_offers[r].data(), m_bytes, MPI_BYTE, readers[r], tag, comm,
                            &m_requests[sources.size() + r]),
                  "MPI_Isend");
    wait_for_all();

    PeerTransports result;
    std::string lacking;
    std::exception_ptr failure; // thrown once neighbours have their answers
    const auto try_source = [&](std::size_t s) {
        const std::optional<Transport> required = m_setting.required;
        std::string why_not;
        std::optional<ReadablePeer> peer =
            accept(state, Offer::of(m_received[s]), m_setting, why_not);
        if (!peer && required && !travels_in_messages(*required) && lacking.empty())
            lacking = text("DISTVIEW_TRANSPORT: '", to_string(*required), "' from rank ",
                           sources[s], " to rank ", state.rank(), " is not available: ", why_not);
        m_answers[s] = peer ? 1 : 0;
        if (peer)
            result.sources.emplace(sources[s], std::move(*peer));
        else
            result.why_not[sources[s]] =
                required || state.calls().is_near(sources[s]) ? why_not : "it is on another node";
    };
    for (std::size_t s = 0; s < sources.size(); ++s) {
        try {
            try_source(s);
        } catch (...) {
            failure = std::current_exception();
        }
    }
    for (std::size_t s = 0; s < sources.size(); ++s)
        check_mpi(MPI_Isend(&m_answers[s], 1, MPI_INT, sources[s], tag, comm, &m_requests[s]),
                  "MPI_Isend");
    for (std::size_t r = 0; r < readers.size(); ++r)
        check_mpi(MPI_Irecv(&m_verdicts[r], 1, MPI_INT, readers[r], tag, comm,
                            &m_requests[sources.size() + r]),
                  "MPI_Irecv");
    wait_for_all();
    if (failure) std::rethrow_exception(failure);
    for (std::size_t r = 0; r < readers.size(); ++r)
        if (m_verdicts[r]) result.readers.emplace(readers[r], m_setting.lines->done(r));
    require<UsageError>(lacking.empty(), lacking);
    return result;
}

} // namespace distview::impl
