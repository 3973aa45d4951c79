// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/memory/shared_segment.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace distview::impl {

/// Host memory of this process that other processes of the node can map. Holds the arrays of a
/// communicator, so that neighbours read them in place.
///
/// Consists of a few large segments, cut into pieces. All functions are local. Pieces keep
/// their segment alive, even after the communicator is closed. Thread-safe.
class Arena : public std::enable_shared_from_this<Arena> {
public:
    static constexpr std::size_t usual_segment = std::size_t{1} << 20;
    /// New segments have at least `least_segment` bytes, if there is memory for them.
    explicit Arena(std::size_t least_segment = usual_segment) : m_least_segment(least_segment) {}

    /// Uninitialised memory, or null if shared memory is lacking: then allocate elsewhere. The first such
    /// failure is reported to the message sink. Memory begins at a multiple of 64 bytes; the beginnings
    /// are staggered, because arrays that begin at the same offset in a page collide in caches.
    std::shared_ptr<void> allocate(std::size_t bytes);

    /// A place in a segment, in a form that other processes can use.
    struct Place {
        SegmentAddress segment{};
        std::int64_t offset = 0;
        std::int64_t bytes = 0; ///< from there to the end of the allocated piece
    };
    /// Place of memory from allocate(); nullopt for other memory.
    std::optional<Place> find(const void* data) const;
    /// The owner of the piece from allocate() that holds these bytes; null for other memory.
    std::shared_ptr<void> owner_of(const void* data, std::int64_t bytes) const;

    /// Least bytes of a new segment if `segments` earlier ones have `all` bytes together.
    static std::size_t growth(std::size_t segments, std::size_t all);
    /// Whether memory for an array was lacking.
    bool has_failed() const noexcept { return m_reported; }

private:
    struct Range {
        std::size_t bytes = 0;
        std::weak_ptr<void> owner{}; ///< of an allocated range
    };
    struct Segment {
        std::shared_ptr<SharedSegment> memory;
        std::map<std::size_t, Range> free; ///< by offset
        std::map<std::size_t, Range> used;
    };
    struct Piece {
        Segment* segment = nullptr;
        std::size_t offset = 0;
    };
    std::optional<Piece> take(std::size_t bytes);
    const Segment* segment_of(const void* data) const;
    std::shared_ptr<void> try_allocate(std::size_t bytes, std::string& why_not);
    bool grow(std::size_t bytes, std::string& why_not);
    void give_back(Segment& segment, std::size_t offset) noexcept;

    mutable std::mutex m_mutex;
    std::vector<std::unique_ptr<Segment>> m_segments;
    std::size_t m_least_segment;
    std::size_t m_stagger = 0;
    std::atomic<bool> m_reported{false};
};

} // namespace distview::impl
