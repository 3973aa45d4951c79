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

/// The lines through which a plan's neighbours keep step with this process: one of its own, and one
/// for each process of this node that reads from it. In the arena; null if that has no memory.
class PlanLines {
public:
    /// `plan`: its number on the communicator.
    PlanLines(CommunicatorState& state, std::uint64_t plan, std::vector<int> readers);

    const std::vector<int>& readers() const noexcept { return m_readers; }
    SyncLine* ready() const noexcept { return m_ready; }
    /// Null of a reader on another node.
    SyncLine* done(std::size_t reader) const noexcept { return m_done[reader]; }
    /// To keep after an exchange was given up: neighbours may still write here.
    const std::shared_ptr<void>& memory() const noexcept { return m_memory; }

private:
    std::vector<int> m_readers;
    std::vector<SyncLine*> m_done; ///< by reader
    std::shared_ptr<void> m_memory;
    SyncLine* m_ready = nullptr;
};

/// A neighbour whose elements this process copies from its memory.
struct ReadablePeer {
    SyncLine* ready = nullptr;
    SyncLine* done = nullptr;
    struct RemoteField {
        const char* data =
            nullptr; ///< mapped here; null: it packs its elements, or this process does not reach them
        std::array<std::int64_t, max_rank> strides{};
        Extents extents{};
    };
    std::vector<RemoteField> fields;
    const char* packed = nullptr; ///< elements that it packs for this process; mapped here
    /// Whether it packs whole fields, since this process cannot map them.
    bool packs_fields() const noexcept;
    std::vector<std::shared_ptr<void>>
        kept; ///< segments, and allocations of its device, in which all this is mapped
};

/// By which transport each neighbour's elements come, and by which this process's go; everything that
/// is not here goes in messages.
struct PeerTransports {
    std::map<int, ReadablePeer> sources;
    std::map<int, SyncLine*> readers;
    std::map<int, std::string> why_not; ///< of those that are no sources, for people

    /// Null if the rank is no source.
    const ReadablePeer* source(int rank) const {
        const auto found = sources.find(rank);
        return found == sources.end() ? nullptr : &found->second;
    }
};

/// By field: whether it is borrowed memory, which other processes cannot map, so that its owner packs it for
/// those that read in place.
std::vector<char> borrowed_fields(const Arena& arena, std::span<const Field> fields);

/// `packs[r]` is what this process packs for lines.readers()[r], null if nothing: of borrowed fields all
/// elements, for readers whose calls it sees. Others are offered nothing. Not `complete`, memory for these is lacking, and
/// nobody reads in place.
struct OfferedPacks {
    std::vector<const char*> packs;
    bool complete = true;
};

/// Finds out, together with the neighbours, who can read whose fields in place: each process tells those that read from
/// it where its fields are; they try to reach them and answer.
///
///     TransportSearch search(state, setting, packs);      // local: takes all memory that messages need
///     agree(...);                                         // nobody waits for a rank that had none
///     agree_on(comm, caller, [&] { found = search.run(tag); ... });
///
/// A neighbour whose offer does not fit its segments, or that was built with another layout_version, is not
/// reached: messages then.
class TransportSearch {
public:
    /// Ascending `sources`, as the lines' readers; each process is a source of its readers. With a layer fields lie in its
    /// device's memory, and are reached by ipc alone.
    struct Setting {
        const char* caller = ""; ///< begins the text of errors
        std::span<const Field> fields{};
        std::vector<int> sources{};
        const PlanLines* lines = nullptr;
        std::optional<Transport> required{};
        DeviceLayer* layer = nullptr;
        Access access = Access::read; ///< of others to the fields; lines are written, packs read
    };
    /// Fields and lines outlive the search.
    TransportSearch(CommunicatorState& state, Setting setting, const OfferedPacks& packs);

    /// Once, on all ranks. Throws UsageError if `required` cannot be had; when it throws, no neighbour waits for this
    /// process.
    PeerTransports run(int tag);

private:
    CommunicatorState* m_state;
    Setting m_setting;
    int m_bytes; ///< of an offer
    std::vector<std::vector<char>> m_received, m_offers;
    std::vector<int> m_answers, m_verdicts;
    std::vector<MPI_Request> m_requests; ///< to and from sources, then readers
};

/// The bytes of an array, counted from its element with index 0 along every axis.
struct ByteRange {
    std::int64_t begin = 0;
    std::int64_t end = 0;
};
/// Empty if they are more than 64 bits count. Strides in bytes.
std::optional<ByteRange> bytes_of(std::span<const std::int64_t> extents,
                                  std::span<const std::int64_t> strides, std::int64_t element_size);

} // namespace distview::impl
