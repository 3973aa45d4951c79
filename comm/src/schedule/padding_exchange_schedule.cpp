// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/padding_exchange_schedule.hpp>

#include "schedule/axis_side.hpp"

#include <algorithm>
#include <limits>
#include <sstream>

namespace distview {

namespace {

constexpr std::int64_t whole_width = std::numeric_limits<std::int64_t>::max();

constexpr int low = -1;
constexpr int high = 1;

std::int64_t width(Widths widths, int side) { return side == low ? widths.low : widths.high; }

/// The elements of a process along an axis that no exchange writes, and the padding on both
/// sides of them. On a periodic axis boundary padding holds copies, too.
struct Section {
    std::int64_t kept = 0;
    Widths padding{};
};

Section section_of(const BlockLayout& axis, int p) {
    const std::int64_t interior = axis.interior(p).size();
    const Widths copies = axis.communication_padding(p);
    const Widths edge = axis.boundary_padding(p);
    if (axis.periodic()) return {interior, {copies.low + edge.low, copies.high + edge.high}};
    return {edge.low + interior + edge.high, copies};
}

/// The least padding on a side among the processes that have some: the depth that all ranks can use. 0 if none has any.
std::int64_t common_padding(const BlockLayout& axis, int side) {
    const int last = axis.grid_size() - 1;
    const int end = side == low ? 0 : last;
    std::int64_t least = whole_width;
    const auto look = [&](int p) {
        const Widths edge = axis.periodic() ? axis.boundary_padding(p) : Widths();
        const std::int64_t here = width(axis.communication_padding(p), side) + width(edge, side);
        if (here > 0) least = std::min(least, here);
    };
    if (axis.has_tables()) {
        for (int p = 0; p <= last; ++p) look(p);
    } else {
        look(end);
        look(last - end);
    }
    return least == whole_width ? 0 : least;
}

/// Calls visit(process) for the processes beside p on one side, nearest first, until it returns
/// false. On a periodic axis it continues around the axis.
template <class Visit>
void for_each_beside(const BlockLayout& axis, int p, int side, Visit&& visit) {
    for (const int last = axis.grid_size() - 1;;) {
        p += side;
        if (p < 0 || p > last) {
            if (!axis.periodic()) return;
            p = side == low ? last : 0;
        }
        if (!visit(p)) return;
    }
}

/// The positions that an exchange does not write; it writes periodic boundary padding.
LocalRange unwritten(const AxisLayout& axis, int p) {
    return axis.periodic() ? axis.interior_local(p) : axis.owned_local(p);
}

} // namespace

PaddingExchangeSchedule::PaddingExchangeSchedule(const ArrayLayout& layout, int process,
                                                 const PaddingExchangeOptions& options)
    : m_layout(layout), m_process(process), m_stencil(options.stencil) {
    impl::check_process(layout, process, "PaddingExchangeSchedule");
    require<LayoutError>(
        options.widths.empty() || options.widths.size() == static_cast<std::size_t>(layout.rank()),
        [&] {
            return text("PaddingExchangeSchedule: expected widths for the array's ", layout.rank(),
                        " axes, got ", options.widths.size());
        });
    for (Pieces* const pieces : {&m_incoming, &m_outgoing})
        pieces->all.reserve(3 * static_cast<std::size_t>(layout.rank()));
    for (int axis = 0; axis < layout.rank(); ++axis)
        build_axis(axis, exchanged_widths(axis, options));
    int padded_axes = 0;
    for (int axis = 0; axis < layout.rank(); ++axis)
        padded_axes += !(m_filled.depth(axis) == Widths());
    m_filled.set_corners(m_stencil == Stencil::box || padded_axes < 2);
}

/// The requested widths; if none are requested, the whole widths of the layout, which vary along the axis.
Widths PaddingExchangeSchedule::exchanged_widths(int axis,
                                                 const PaddingExchangeOptions& options) const {
    if (options.widths.empty()) return {whole_width, whole_width};
    const Widths widths = options.widths[static_cast<std::size_t>(axis)];
    require<LayoutError>(widths.low >= 0 && widths.high >= 0, [&] {
        return text("PaddingExchangeSchedule: expected widths >= 0 along axis ", axis, ", got (",
                    widths.low, ", ", widths.high, ')');
    });
    return widths;
}

void PaddingExchangeSchedule::build_axis(int axis, Widths widths) {
    const AxisLayout& layout = m_layout.axis(axis);
    const auto a = static_cast<std::size_t>(axis);
    const GridCoordinates here = m_layout.coordinates(m_process);
    const int me = here[a];
    const auto append_middle = [&](std::int64_t length, std::int64_t begin) {
        const Piece piece{length, LocalIndex(begin), LocalIndex(begin), me, 0};
        if (length == 0) return;
        m_incoming.all.push_back(piece);
        m_outgoing.all.push_back(piece);
    };
    const auto end_axis = [&] {
        m_incoming.first[a + 1] = static_cast<int>(m_incoming.all.size());
        m_outgoing.first[a + 1] = static_cast<int>(m_outgoing.all.size());
    };
    if (!layout.is_block()) {
        require<LayoutError>((widths.low == 0 || widths.low == whole_width) &&
                                 (widths.high == 0 || widths.high == whole_width),
                             [&] {
                                 return text("PaddingExchangeSchedule: axis ", axis,
                                             " is not a block axis and has no padding to fill");
                             });
        const LocalRange mine = unwritten(layout, me);
        append_middle(mine.size(), mine.begin.value());
        end_axis();
        return;
    }
    const BlockLayout& block = layout.as_block();
    const Section mine = section_of(block, me);
    m_filled.set_depth(axis, {std::min(widths.low, common_padding(block, low)),
                              std::min(widths.high, common_padding(block, high))});
    const bool has_copies = block.grid_size() > 1 || block.periodic();
    const Widths deepest = has_copies ? m_filled.depth(axis) : block.given_padding();
    m_greatest_depth = {std::max(m_greatest_depth.low, std::min(widths.low, deepest.low)),
                        std::max(m_greatest_depth.high, std::min(widths.high, deepest.high))};

    // Padding of this section on one side: the nearest process fills the nearest part, then the next process.
    const auto append_incoming = [&](int side) {
        const int wall = side == low ? 0 : block.grid_size() - 1;
        if (me == wall && !block.periodic()) return;
        const std::int64_t present = width(mine.padding, side);
        const std::int64_t asked = width(widths, side);
        require<LayoutError>(asked == whole_width || asked <= present, [&] {
            return text(
                "PaddingExchangeSchedule: cannot fill ", asked, " elements on the ",
                side == low ? "low" : "high", " side of axis ", axis, ", the section of process ",
                tuple_text(std::span(here).first(static_cast<std::size_t>(m_layout.rank()))),
                " has a padding of ", present);
        });
        const std::int64_t depth = std::min(asked, present);
        (side == low ? m_depths[a].low : m_depths[a].high) = depth;
        if (depth == 0 || (block.periodic() && block.size() == 0)) return;
        std::int64_t filled = 0;
        for_each_beside(block, me, side, [&](int from) {
            const Section there = section_of(block, from);
            const std::int64_t length = std::min(depth - filled, there.kept);
            if (length > 0) {
                const std::int64_t to = side == low ? mine.padding.low - filled - length
                                                    : mine.padding.low + mine.kept + filled;
                const std::int64_t first = side == low ? there.kept - length : 0;
                m_incoming.all.push_back(
                    {length, LocalIndex(to), LocalIndex(there.padding.low + first), from, side});
            }
            filled += length;
            return filled < depth;
        });
    };
    // Elements of this section that other processes, on its opposite side, have in their padding on this side.
    const auto append_outgoing = [&](int side) {
        const std::int64_t asked = width(widths, side);
        const std::int64_t most = std::min(asked, width(impl::widest_copies(block), side));
        if (most == 0 || mine.kept == 0) return;
        std::int64_t between = 0; // elements that lie nearer to the receiver
        for_each_beside(block, me, -side, [&](int to) {
            const Section there = section_of(block, to);
            const std::int64_t depth = std::min(asked, width(there.padding, side));
            const std::int64_t length = std::min(depth - between, mine.kept);
            if (length > 0) {
                const std::int64_t first = side == low ? mine.kept - length : 0;
                const std::int64_t begin = side == low ? there.padding.low - between - length
                                                       : there.padding.low + there.kept + between;
                m_outgoing.all.push_back(
                    {length, LocalIndex(mine.padding.low + first), LocalIndex(begin), to, side});
            }
            between += there.kept;
            return between < most;
        });
    };
    append_incoming(low);
    append_outgoing(low);
    append_middle(mine.kept, mine.padding.low);
    append_incoming(high);
    append_outgoing(high);
    end_axis();
}

/// Merges the pieces of every axis with a single process, if corners are filled: exchanged
/// boxes then include the padding filled locally.
PaddingExchangeSchedule::Pieces PaddingExchangeSchedule::joined(const Pieces& pieces) const {
    if (m_stencil == Stencil::faces) return pieces;
    Pieces result;
    result.all.reserve(pieces.all.size());
    for (int axis = 0; axis < m_layout.rank(); ++axis) {
        const std::span<const Piece> own = pieces.of(axis);
        if (m_layout.grid().extent(axis) > 1 || own.empty()) {
            result.all.insert(result.all.end(), own.begin(), own.end());
        } else {
            const Widths around = m_depths[static_cast<std::size_t>(axis)];
            Piece whole = *std::find_if(own.begin(), own.end(),
                                        [](const Piece& piece) { return piece.direction == 0; });
            whole.length += around.low + around.high;
            whole.begin = whole.peer_begin = whole.begin - around.low;
            result.all.push_back(whole);
        }
        result.first[static_cast<std::size_t>(axis) + 1] = static_cast<int>(result.all.size());
    }
    return result;
}

bool PaddingExchangeSchedule::make_region(const Pieces& pieces,
                                          const std::array<std::size_t, max_rank>& choice,
                                          PaddingRegion& region) const {
    const int rank = m_layout.rank();
    int moved_axes = 0;
    GridCoordinates peer{};
    region.extents.fill(1);
    region.elements = 1;
    for (std::size_t a = 0; a < static_cast<std::size_t>(rank); ++a) {
        const Piece& piece = pieces.of(static_cast<int>(a))[choice[a]];
        moved_axes += piece.direction != 0;
        peer[a] = piece.peer_coordinate;
        region.direction[a] = static_cast<signed char>(piece.direction);
        region.begin[a] = piece.begin;
        region.peer_begin[a] = piece.peer_begin;
        region.extents[a] = piece.length;
        region.elements *= piece.length;
    }
    region.peer = m_layout.grid().process(peer);
    return moved_axes == 1 || (moved_axes > 1 && m_stencil == Stencil::box);
}

std::vector<PaddingExchangeSchedule::Message>
PaddingExchangeSchedule::messages(const Pieces& pieces) const {
    std::vector<Message> result;
    const auto add = [&](const PaddingRegion& region) {
        if (region.peer == m_process) return;
        const auto at =
            std::lower_bound(result.begin(), result.end(), region.peer,
                             [](const Message& message, int peer) { return message.peer < peer; });
        if (at != result.end() && at->peer == region.peer) {
            ++at->regions;
            at->elements += region.elements;
        } else {
            result.insert(at, {region.peer, 1, region.elements});
        }
    };
    for_each_region(pieces, add);
    return result;
}

std::int64_t PaddingExchangeSchedule::local_elements() const {
    std::int64_t count = 0;
    for_each_local([&](const PaddingRegion& region) { count += region.elements; });
    return count;
}

LocalRange PaddingExchangeSchedule::unwritten_range(int axis) const noexcept {
    return unwritten(m_layout.axis(axis),
                     m_layout.coordinates(m_process)[static_cast<std::size_t>(axis)]);
}

LocalBox PaddingExchangeSchedule::inner_cells() const noexcept {
    LocalBox cells{};
    const GridCoordinates here = m_layout.coordinates(m_process);
    for (std::size_t a = 0; a < static_cast<std::size_t>(m_layout.rank()); ++a) {
        const auto axis = static_cast<int>(a);
        const LocalRange kept = unwritten_range(axis);
        // The nearest piece decides: if it is this section's own, all other processes are empty.
        const auto from_others = [&](int side) {
            for (const Piece& piece : m_incoming.of(axis))
                if (piece.direction == side)
                    return piece.peer_coordinate == here[a] ? 0 : width(m_depths[a], side);
            return std::int64_t{0};
        };
        LocalRange& range = cells[a];
        range = m_layout.axis(axis).interior_local(here[a]);
        range.begin = std::max(range.begin, kept.begin + from_others(low));
        range.end = std::max(range.begin, std::min(range.end, kept.end - from_others(high)));
    }
    return cells;
}

std::vector<LocalBox> PaddingExchangeSchedule::outer_cells() const {
    const int rank = m_layout.rank();
    const GridCoordinates here = m_layout.coordinates(m_process);
    const LocalBox inner = inner_cells();
    LocalBox rest{};
    for (std::size_t a = 0; a < static_cast<std::size_t>(rank); ++a)
        rest[a] = m_layout.axis(static_cast<int>(a)).interior_local(here[a]);

    std::vector<LocalBox> boxes;
    const auto add = [&](std::size_t axis, LocalRange range) {
        LocalBox box = rest;
        box[axis] = range;
        if (!is_empty(box, rank)) boxes.push_back(box);
    };
    for (std::size_t a = 0; a < static_cast<std::size_t>(rank); ++a) {
        const LocalIndex first = std::min(inner[a].begin, rest[a].end);
        add(a, {rest[a].begin, first});
        add(a, {std::max(first, inner[a].end), rest[a].end});
        rest[a] = inner[a];
    }
    return boxes;
}

LocalBox PaddingExchangeSchedule::reads(const LocalBox& cells) const noexcept {
    LocalBox result{};
    for (std::size_t a = 0; a < static_cast<std::size_t>(m_layout.rank()); ++a)
        result[a] = {cells[a].begin - m_depths[a].low, cells[a].end + m_depths[a].high};
    return result;
}

std::string PaddingExchangeSchedule::describe() const {
    const std::vector<Message> out = sends();
    std::int64_t elements = 0;
    for (const Message& message : out) elements += message.elements;
    std::ostringstream result;
    result << "process " << m_process << " of " << m_layout.process_count() << " sends "
           << out.size() << (out.size() == 1 ? " message (" : " messages (") << elements
           << " elements) and copies " << local_elements() << " elements itself";
    for (const Message& message : out)
        result << "\n  to process " << message.peer << ": " << message.elements << " elements in "
               << message.regions << (message.regions == 1 ? " region" : " regions");
    return result.str();
}

} // namespace distview
