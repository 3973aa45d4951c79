// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/memory/arena.hpp>
#include <distview/comm/impl/tuning.hpp>

#include <distview/core/message_sink.hpp>
#include <distview/core/text.hpp>

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

namespace distview::impl {

namespace {

constexpr std::size_t granularity = 256;
/// Largest number of bytes that can be rounded up.
constexpr std::size_t most_bytes = std::size_t{1} << 62;
constexpr auto line_bytes = static_cast<std::size_t>(tuning::cache_line);
/// Starts are shifted by 0 to 63 lines: over a page.
constexpr std::size_t most_lines = 64;
/// A new segment has at least a quarter of the bytes of all before it, up to this limit.
constexpr std::size_t most_growth = std::size_t{1} << 26;
/// From this number of segments on, each with an open file, a new one has at least a sixteenth of all before it.
constexpr std::size_t many_segments = 128;
/// Larger segments are returned to the system when they are no longer used.
constexpr std::size_t most_kept = std::size_t{1} << 26;

std::size_t round_up(std::size_t value, std::size_t multiple) {
    return (value + multiple - 1) / multiple * multiple;
}

} // namespace

std::shared_ptr<void> Arena::allocate(std::size_t bytes) {
    std::string why;
    std::shared_ptr<void> memory = try_allocate(bytes, why);
    // Reports without the lock: the sink is program code. Only for arrays: line arenas run out together with them.
    if (!memory && m_least_segment == usual_segment && !m_reported.exchange(true))
        report(Severity::warning,
               text("distview: neighbours on this node cannot read some arrays in place, since "
                    "shared memory is lacking (",
                    why, "); other transports are used"));
    return memory;
}

std::shared_ptr<void> Arena::try_allocate(std::size_t bytes, std::string& why_not) {
    if (bytes > most_bytes) {
        why_not = "the request exceeds 2^62 bytes";
        return nullptr;
    }
    std::unique_lock lock(m_mutex);
    // Steps of an odd number of lines use every shift before one repeats.
    const std::size_t shift = m_stagger * line_bytes;
    m_stagger = (m_stagger + 7) % most_lines;
    const std::size_t needed = round_up(std::max<std::size_t>(bytes, 1) + shift, granularity);
    std::optional<Piece> piece = take(needed);
    if (!piece && grow(needed, why_not)) piece = take(needed);
    if (!piece) return nullptr;

    char* const data = piece->segment->memory->data() + piece->offset + shift;
    lock.unlock(); // give_back() locks, and runs if the owner cannot be made
    std::shared_ptr<void> memory{data, [self = shared_from_this(), held = *piece](void*) {
                                     self->give_back(*held.segment, held.offset);
                                 }};
    lock.lock();
    piece->segment->used.at(piece->offset).owner = memory;
    return memory;
}

/// Takes the first gap that fits.
std::optional<Arena::Piece> Arena::take(std::size_t bytes) {
    for (const auto& segment : m_segments) {
        const auto fits = std::find_if(segment->free.begin(), segment->free.end(),
                                       [&](const auto& gap) { return gap.second.bytes >= bytes; });
        if (fits == segment->free.end()) continue;
        const std::size_t offset = fits->first;
        const std::size_t size = fits->second.bytes;
        segment->used.emplace(offset, Range{bytes});
        auto gap = segment->free.extract(fits); // reuses the node: no allocation
        gap.key() = offset + bytes;
        gap.mapped().bytes = size - bytes;
        if (size > bytes) segment->free.insert(std::move(gap));
        return Piece{segment.get(), offset};
    }
    return {};
}

std::size_t Arena::growth(std::size_t segments, std::size_t all) {
    return std::max(std::min(all / 4, most_growth), segments < many_segments ? 0 : all / 16);
}

bool Arena::grow(std::size_t bytes, std::string& why_not) {
    std::size_t all = 0;
    for (const auto& segment : m_segments) all += segment->memory->bytes();
    const std::size_t wanted = std::max({bytes, m_least_segment, growth(m_segments.size(), all)});
    std::shared_ptr<SharedSegment> memory = SharedSegment::make(wanted, why_not);
    // If memory is short, makes the segment no larger than needed.
    if (!memory && wanted > bytes) memory = SharedSegment::make(bytes, why_not);
    if (!memory) return false;
    auto segment = std::make_unique<Segment>();
    segment->free.emplace(SharedSegment::header_bytes,
                          Range{memory->bytes() - SharedSegment::header_bytes});
    segment->memory = std::move(memory);
    m_segments.push_back(std::move(segment));
    return true;
}

/// Allocates nothing: the entry moves from one map to the other.
void Arena::give_back(Segment& segment, std::size_t offset) noexcept {
    const std::lock_guard lock(m_mutex);
    auto gap = segment.free.insert(segment.used.extract(offset)).position;
    gap->second.owner.reset();
    const auto after = std::next(gap);
    if (after != segment.free.end() && after->first == gap->first + gap->second.bytes) {
        gap->second.bytes += after->second.bytes;
        segment.free.erase(after);
    }
    if (gap != segment.free.begin()) {
        const auto before = std::prev(gap);
        if (before->first + before->second.bytes == gap->first) {
            before->second.bytes += gap->second.bytes;
            segment.free.erase(gap);
        }
    }
    // Large memory goes back to the system; small segments are kept for the next array.
    if (segment.used.empty() && segment.memory->bytes() > most_kept)
        std::erase_if(m_segments, [&](const auto& held) { return held.get() == &segment; });
}

const Arena::Segment* Arena::segment_of(const void* data) const {
    const auto* at = static_cast<const char*>(data);
    const auto found = std::find_if(m_segments.begin(), m_segments.end(), [&](const auto& segment) {
        const char* const begin = segment->memory->data();
        return !std::less<>()(at, begin) && std::less<>()(at, begin + segment->memory->bytes());
    });
    return found == m_segments.end() ? nullptr : found->get();
}

std::optional<Arena::Place> Arena::find(const void* data) const {
    const std::lock_guard lock(m_mutex);
    const Segment* const segment = segment_of(data);
    if (!segment) return {};
    const std::int64_t offset = static_cast<const char*>(data) - segment->memory->data();
    const auto after = segment->used.upper_bound(static_cast<std::size_t>(offset));
    if (after == segment->used.begin()) return Place{segment->memory->address(), offset, 0};
    const auto& [begin, range] = *std::prev(after);
    const auto end = static_cast<std::int64_t>(begin + range.bytes);
    return Place{segment->memory->address(), offset, std::max<std::int64_t>(end - offset, 0)};
}

std::shared_ptr<void> Arena::owner_of(const void* data, std::int64_t bytes) const {
    const std::lock_guard lock(m_mutex);
    const Segment* const segment = segment_of(data);
    if (!segment) return nullptr;
    const auto begin =
        static_cast<std::size_t>(static_cast<const char*>(data) - segment->memory->data());
    auto range = segment->used.upper_bound(begin);
    if (range == segment->used.begin()) return nullptr;
    --range;
    const std::size_t end = begin + static_cast<std::size_t>(bytes);
    return end <= range->first + range->second.bytes ? range->second.owner.lock() : nullptr;
}

} // namespace distview::impl
