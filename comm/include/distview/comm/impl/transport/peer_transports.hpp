// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/communicator.hpp>
#include <distview/comm/impl/memory/neighbour_sync.hpp>
#include <distview/comm/impl/memory/shared_segment.hpp>
#include <distview/comm/impl/mpi/communicator_state.hpp>
#include <distview/comm/impl/transport/field.hpp>
#include <distview/comm/impl/transport/transport.hpp>

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace distview::impl {

/// Lines by which a plan's neighbours synchronise with this process: its own line, and one for each
/// process of this node that reads its memory. In the line arena; null if the arena has no memory.
class PlanLines {
public:
    /// `plan`: its number on the communicator.
    PlanLines(CommunicatorState& state, std::uint64_t plan, std::vector<int> readers);

    const std::vector<int>& readers() const noexcept { return m_readers; }
    SyncLine* ready() const noexcept { return m_ready; }
    /// Null if the reader is on another node.
    SyncLine* done(std::size_t reader) const noexcept { return m_done[reader]; }
    /// Must be kept after an abandoned exchange: neighbours may still write to the lines.
    const std::shared_ptr<void>& memory() const noexcept { return m_memory; }

private:
    std::vector<int> m_readers;
    std::vector<SyncLine*> m_done; ///< by reader
    std::shared_ptr<void> m_memory;
    SyncLine* m_ready = nullptr;
};

/// A neighbour from whose memory this process copies elements.
struct ReadablePeer {
    SyncLine* ready = nullptr;
    SyncLine* done = nullptr;
    struct RemoteField {
        const char* data = nullptr; ///< mapped here; null: packed by the peer, or out of reach
        std::array<std::int64_t, max_rank> strides{};
        Extents extents{};
    };
    std::vector<RemoteField> fields;
    const char* packed = nullptr; ///< elements that the peer packs for this process; mapped here
    /// Whether the peer packs whole fields, because this process cannot map them.
    bool packs_fields() const noexcept;
    std::vector<std::shared_ptr<void>>
        kept; ///< mapped segments, and device allocations, of the members above
};

/// The neighbours whose memory this process reads, and the neighbours that read its memory. All
/// other elements travel in messages.
struct PeerTransports {
    std::map<int, ReadablePeer> sources;
    std::map<int, SyncLine*> readers;
    std::map<int, std::string> why_not; ///< reasons for ranks that are no sources, for the user

    /// Null if the rank is no source.
    const ReadablePeer* source(int rank) const {
        const auto found = sources.find(rank);
        return found == sources.end() ? nullptr : &found->second;
    }
};

/// For each field, whether its memory is borrowed. Other processes cannot map borrowed memory,
/// so its owner packs the elements for its readers.
std::vector<char> borrowed_fields(const Arena& arena, std::span<const Field> fields);

/// `packs[r]`: elements that this process packs for lines.readers()[r] (all elements of
/// borrowed fields); null if it packs none. Readers whose calls it cannot see get none. If not
/// `complete`, memory for packs is lacking and no process reads in place.
struct OfferedPacks {
    std::vector<const char*> packs;
    bool complete = true;
};

/// Finds out, together with the neighbours, which process can read which fields in place: each
/// process sends the addresses of its fields to its readers, which try to map them and answer.
///
///     TransportSearch search(state, setting, packs);      // local: allocates all memory for messages
///     agree(...);                                         // no rank waits for a rank without memory
///     agree_on(comm, caller, [&] { found = search.run(tag); ... });
///
/// A neighbour whose offer does not fit its segments, or that was built with another
/// layout_version, is not mapped: messages are used.
class TransportSearch {
public:
    /// `sources` ascend, as the lines' readers do; each process is a source of its readers.
    /// With a `layer`, fields lie in its device's memory, and are reached by ipc only.
    struct Setting {
        const char* caller = ""; ///< first words of error texts
        std::span<const Field> fields{};
        std::vector<int> sources{};
        const PlanLines* lines = nullptr;
        std::optional<Transport> required{};
        DeviceLayer* layer = nullptr;
        Access access = Access::read; ///< of readers to fields; lines are written, packs read
    };
    /// Fields and lines must outlive the search.
    TransportSearch(CommunicatorState& state, Setting setting, const OfferedPacks& packs);

    /// To be called once, on all ranks. Throws UsageError if the `required` transport is not
    /// available; if it throws, no neighbour waits for this process.
    PeerTransports run(int tag);

private:
    CommunicatorState* m_state;
    Setting m_setting;
    int m_bytes; ///< bytes of an offer
    std::vector<std::vector<char>> m_received, m_offers;
    std::vector<int> m_answers, m_verdicts;
    std::vector<MPI_Request> m_requests; ///< to and from sources, then readers
};

/// The bytes of an array, counted from its element with index 0 along every axis.
struct ByteRange {
    std::int64_t begin = 0;
    std::int64_t end = 0;
};
/// nullopt if the range exceeds 64 bits. Strides in bytes.
std::optional<ByteRange> bytes_of(std::span<const std::int64_t> extents,
                                  std::span<const std::int64_t> strides, std::int64_t element_size);

} // namespace distview::impl
