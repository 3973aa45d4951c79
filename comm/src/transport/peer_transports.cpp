// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/transport/peer_transports.hpp>

#include <distview/comm/impl/mpi/checks.hpp>
#include <distview/comm/mpi_error.hpp>
#include <distview/core/error.hpp>
#include <distview/core/text.hpp>

#include <mpi.h>

#include <algorithm>
#include <new>
#include <tuple>
#include <utility>

namespace distview::impl {

namespace {

std::vector<std::int64_t> numbers(const SegmentAddress& address) {
    return {address.process, address.descriptor, address.bytes, address.key};
}

SegmentAddress segment_address(const std::int64_t* numbers) {
    return {numbers[0], numbers[1], numbers[2], numbers[3]};
}

/// Layout of an offer, as 64-bit numbers: lines, pack, then each field.
constexpr std::size_t lines_at = 0;           // segment (4), offset of ready, of done
constexpr std::size_t pack_at = lines_at + 6; // segment (4), offset, whether there is one, bytes
constexpr std::size_t head = pack_at + 7;
// A field's place: segment (4), offset; or a device's handle, allocation, offset. Then which of these, strides
// and extents.
constexpr std::size_t handle_numbers = std::tuple_size_v<decltype(IpcHandle::opaque)>;
constexpr std::size_t kind_at = handle_numbers + 2;
constexpr std::size_t strides_at = kind_at + 1;
constexpr std::size_t extents_at = strides_at + static_cast<std::size_t>(max_rank);
constexpr std::size_t field_numbers = extents_at + static_cast<std::size_t>(max_rank);

/// How the elements of a field can be reached.
enum FieldKind : std::int64_t { in_segment, in_pack, exported_by_device };

std::size_t offer_size(std::size_t fields) { return head + fields * field_numbers; }

void append_place(std::vector<std::int64_t>& offer, const Arena& arena, const void* data) {
    const std::optional<Arena::Place> place = arena.find(data);
    for (const std::int64_t number : numbers(place ? place->segment : SegmentAddress{}))
        offer.push_back(number);
    offer.push_back(place ? place->offset : 0);
}

void append_exported(std::vector<std::int64_t>& offer, const DeviceLayer::Exported& place) {
    offer.insert(offer.end(), place.handle.opaque.begin(), place.handle.opaque.end());
    offer.insert(offer.end(), {place.handle.allocation, place.offset});
}

std::vector<std::int64_t>
make_offer(CommunicatorState& state, std::span<const Field> fields, const OfferedPacks& packs,
           const PlanLines& lines, std::size_t reader,
           std::span<const std::optional<DeviceLayer::Exported>> exported) {
    std::vector<std::int64_t> offer;
    const Arena& arena = *state.arena();
    // Only those who see whether this process comes read its memory; for nobody else borrowed arrays are packed.
    const bool possible =
        lines.exist() && packs.complete && state.calls().is_near(lines.readers()[reader]);
    append_place(offer, *state.line_arena(), possible ? lines.ready() : nullptr);
    offer.push_back(
        possible ? offer.back() + static_cast<std::int64_t>(sizeof(SyncLine) * (1 + reader)) : 0);
    append_place(offer, arena, packs.packs[reader]);
    offer.push_back(packs.packs[reader] ? 1 : 0);
    const std::optional<Arena::Place> pack = arena.find(packs.packs[reader]);
    offer.push_back(pack ? pack->bytes : 0);
    const std::vector<char> is_borrowed = borrowed_fields(arena, fields);
    for (std::size_t f = 0; f < fields.size(); ++f) {
        const Field& field = fields[f];
        const bool is_exported = !exported.empty() && exported[f];
        const std::size_t begin = offer.size();
        if (is_exported)
            append_exported(offer, *exported[f]);
        else
            append_place(offer, arena, exported.empty() ? field.data : nullptr);
        offer.resize(begin + kind_at);
        offer.push_back(is_exported           ? exported_by_device
                        : is_borrowed[f] != 0 ? in_pack
                                              : in_segment);
        offer.insert(offer.end(), field.strides.begin(), field.strides.end());
        Extents extents;
        extents.fill(1); // of a field that is missing here
        if (field.layout) extents = field.layout->local_extents(field.process);
        offer.insert(offer.end(), extents.begin(), extents.end());
    }
    return offer;
}

/// The segment with these bytes of an offer's place; null if it cannot be reached, or ends before.
std::shared_ptr<SharedSegment> segment_with(CommunicatorState& state, const std::int64_t* place,
                                            const std::optional<ByteRange>& bytes, Access access) {
    if (!bytes) return nullptr;
    auto segment = state.segment_of(segment_address(place), access);
    return segment && segment->holds(place[4], bytes->begin, bytes->end) ? segment : nullptr;
}

/// Without its address.
ReadablePeer::RemoteField offered_field(const std::int64_t* offer) {
    ReadablePeer::RemoteField field;
    std::copy_n(offer + strides_at, max_rank, field.strides.begin());
    std::copy_n(offer + extents_at, max_rank, field.extents.begin());
    return field;
}

/// The peer's fields, and what it packs, as this process reaches them in mapped segments; false if it
/// does not.
bool map_fields(CommunicatorState& state, const std::vector<std::int64_t>& offer,
                std::span<const Field> fields, ReadablePeer& peer, Access access) {
    for (std::size_t f = 0; f < fields.size(); ++f) {
        const std::int64_t* const at = offer.data() + head + f * field_numbers;
        if (at[kind_at] == exported_by_device) return false;
        ReadablePeer::RemoteField field = offered_field(at);
        if (at[kind_at] == in_segment) {
            const auto bytes = bytes_of({at + extents_at, max_rank}, {at + strides_at, max_rank},
                                        fields[f].element_size);
            const std::shared_ptr<SharedSegment> segment = segment_with(state, at, bytes, access);
            if (!segment) return false;
            field.data = segment->data() + at[4];
            peer.segments.push_back(segment);
        }
        peer.fields.push_back(field);
    }
    if (offer[pack_at + 5] == 0) return true; // it packs nothing
    const auto pack =
        segment_with(state, offer.data() + pack_at, ByteRange{0, offer[pack_at + 6]}, Access::read);
    if (!pack) return false;
    peer.packed = pack->data() + offer[pack_at + 4];
    peer.segments.push_back(pack);
    return true;
}

/// The peer's fields in its device's memory; false if this process does not reach them.
bool open_fields(DeviceLayer& layer, const std::vector<std::int64_t>& offer, std::size_t fields,
                 ReadablePeer& peer) {
    for (std::size_t f = 0; f < fields; ++f) {
        const std::int64_t* const at = offer.data() + head + f * field_numbers;
        if (at[kind_at] != exported_by_device) return false;
        IpcHandle handle;
        std::copy_n(at, handle_numbers, handle.opaque.begin());
        handle.allocation = at[handle_numbers];
        const std::shared_ptr<void> allocation = open_shared(layer, handle);
        if (!allocation) return false;
        ReadablePeer::RemoteField field = offered_field(at);
        field.data = static_cast<const char*>(allocation.get()) + at[handle_numbers + 1];
        peer.fields.push_back(field);
        peer.allocations.push_back(allocation);
    }
    return true;
}

bool travels_in_messages(Transport transport) {
    return transport == Transport::message || transport == Transport::staged ||
           transport == Transport::gpu_message;
}

/// Answer to an offer: the best transport of those allowed, or none, and why.
std::optional<ReadablePeer> accept(CommunicatorState& state, const std::vector<std::int64_t>& offer,
                                   std::span<const Field> fields, std::optional<Transport> required,
                                   DeviceLayer* layer, Access access, std::string& why_not) {
    if (required && travels_in_messages(*required)) {
        why_not = text("DISTVIEW_TRANSPORT=", to_string(*required));
        return {};
    }
    ReadablePeer peer;
    why_not = "there is no room in its shared memory (/dev/shm), or it cannot be mapped";
    constexpr ByteRange line{0, sizeof(SyncLine)};
    const std::shared_ptr<SharedSegment> lines =
        segment_with(state, offer.data() + lines_at, line, Access::write);
    if (!lines || !lines->holds(offer[lines_at + 5], line.begin, line.end) ||
        offer[lines_at + 4] % static_cast<std::int64_t>(alignof(SyncLine)) != 0 ||
        offer[lines_at + 5] % static_cast<std::int64_t>(alignof(SyncLine)) != 0)
        return {};
    peer.segments.push_back(lines);
    peer.ready = reinterpret_cast<SyncLine*>(lines->data() + offer[lines_at + 4]);
    peer.done = reinterpret_cast<SyncLine*>(lines->data() + offer[lines_at + 5]);
    why_not = "its arrays cannot be mapped";
    if (layer) {
        why_not = text("the device's memory is not shared", layer->why_not_shared());
        peer.transport = Transport::ipc;
        return open_fields(*layer, offer, fields.size(), peer) ? std::optional(std::move(peer))
                                                               : std::nullopt;
    }
    if (map_fields(state, offer, fields, peer, access)) return peer;
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

PlanLines::PlanLines(CommunicatorState& state, std::vector<int> readers)
    : m_readers(std::move(readers)), m_memory(state.line_memory(1 + m_readers.size())),
      m_lines(static_cast<SyncLine*>(m_memory.get())) {
    for (std::size_t i = 0; i < 1 + m_readers.size() && m_lines; ++i) new (m_lines + i) SyncLine;
}

PeerTransports find_transports(CommunicatorState& state, const char* caller, int tag,
                               std::span<const Field> fields, const OfferedPacks& packs,
                               const std::vector<int>& sources, const PlanLines& lines,
                               std::optional<Transport> required, DeviceLayer* layer,
                               Access access) {
    const MPI_Comm comm = state.comm();
    const std::size_t size = offer_size(fields.size());
    const int count = message_count(static_cast<std::int64_t>(size), caller);
    const std::vector<int>& readers = lines.readers();

    std::vector<std::vector<std::int64_t>> received(sources.size(),
                                                    std::vector<std::int64_t>(size));
    std::vector<std::vector<std::int64_t>> offers;
    std::vector<std::optional<DeviceLayer::Exported>> exported;
    for (std::size_t f = 0; f < fields.size() && layer; ++f)
        exported.push_back(layer->export_memory(fields[f].data));
    std::vector<MPI_Request> requests(sources.size() + readers.size(), MPI_REQUEST_NULL);
    for (std::size_t s = 0; s < sources.size(); ++s)
        check_mpi(
            MPI_Irecv(received[s].data(), count, MPI_INT64_T, sources[s], tag, comm, &requests[s]),
            "MPI_Irecv");
    for (std::size_t r = 0; r < readers.size(); ++r) {
        offers.push_back(make_offer(state, fields, packs, lines, r, exported));
        check_mpi(MPI_Isend(offers.back().data(), count, MPI_INT64_T, readers[r], tag, comm,
                            &requests[sources.size() + r]),
                  "MPI_Isend");
    }
    const auto wait_for_all = [&] {
        check_mpi(
            MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE),
            "MPI_Waitall");
    };
    wait_for_all();

    PeerTransports result;
    std::vector<int> answers(sources.size(), 0);
    std::string lacking;
    for (std::size_t s = 0; s < sources.size(); ++s) {
        std::string why_not;
        std::optional<ReadablePeer> peer =
            accept(state, received[s], fields, required, layer, access, why_not);
        answers[s] = peer ? 1 : 0;
        if (!peer)
            result.why_not[sources[s]] =
                required || state.calls().is_near(sources[s]) ? why_not : "it is on another node";
        if (peer)
            result.sources.emplace(sources[s], std::move(*peer));
        else if (required && !travels_in_messages(*required) && lacking.empty())
            lacking = text("DISTVIEW_TRANSPORT: '", to_string(*required), "' from rank ",
                           sources[s], " to rank ", state.rank(), " is not available",
                           layer ? layer->why_not_shared() : std::string());
    }
    std::vector<int> verdicts(readers.size(), 0);
    for (std::size_t s = 0; s < sources.size(); ++s)
        check_mpi(MPI_Isend(&answers[s], 1, MPI_INT, sources[s], tag, comm, &requests[s]),
                  "MPI_Isend");
    for (std::size_t r = 0; r < readers.size(); ++r)
        check_mpi(MPI_Irecv(&verdicts[r], 1, MPI_INT, readers[r], tag, comm,
                            &requests[sources.size() + r]),
                  "MPI_Irecv");
    wait_for_all();
    for (std::size_t r = 0; r < readers.size(); ++r)
        if (verdicts[r]) result.readers.emplace(readers[r], lines.done(r));
    require<UsageError>(lacking.empty(), lacking);
    return result;
}

} // namespace distview::impl
