// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/padding_exchange_schedule.hpp>

#include <algorithm>
#include <limits>
#include <span>
#include <sstream>

namespace distview {

namespace {

constexpr int low = 0;
constexpr int middle = 1;
constexpr int high = 2;

/// Elements that a process must own for its neighbour's padding to be filled from it.
struct Source {
    int coordinate;
    GlobalRange elements; ///< from which the padding is taken, at one end
};

/// Where the padding on the low (high) side of process p comes from; none at a wall. On a periodic
/// axis boundary padding is itself a copy and no source.
std::optional<Source> source(const BlockLayout& axis, int p, int side) {
    int from = side == low ? p - 1 : p + 1;
    if (from < 0 || from >= axis.grid_size()) {
        if (!axis.periodic()) return std::nullopt;
        from = side == low ? axis.grid_size() - 1 : 0;
    }
    return Source{from, axis.periodic() ? axis.interior(from) : axis.owned(from)};
}

/// The positions that an exchange leaves alone: periodic boundary padding is written.
LocalRange unwritten(const AxisLayout& axis, int p) {
    return axis.periodic() ? axis.interior_local(p) : axis.owned_local(p);
}

} // namespace

PaddingExchangeSchedule::PaddingExchangeSchedule(const ArrayLayout& layout, int process,
                                                 const PaddingExchangeOptions& options)
    : m_layout(layout), m_process(process), m_stencil(options.stencil) {
    require<UsageError>(process >= 0 && process < layout.process_count(), [&] {
        return text("PaddingExchangeSchedule: expected a process in [0, ", layout.process_count(),
                    "), got ", process);
    });
    require<LayoutError>(
        !options.widths || options.widths->size() == static_cast<std::size_t>(layout.rank()), [&] {
            return text("PaddingExchangeSchedule: expected widths for the array's ", layout.rank(),
                        " axes, got ", options.widths->size());
        });
    for (int axis = 0; axis < layout.rank(); ++axis)
        build_axis(axis, exchanged_widths(axis, options));
}

std::string PaddingExchangeSchedule::where(int axis, int coordinate) const {
    GridCoordinates at = m_layout.coordinates(m_process);
    at[static_cast<std::size_t>(axis)] = coordinate;
    return tuple_text(std::span(at.data(), static_cast<std::size_t>(m_layout.rank())));
}

/// The widths asked for; those of the layout, which vary along the axis, where none are.
Widths PaddingExchangeSchedule::exchanged_widths(int axis,
                                                 const PaddingExchangeOptions& options) const {
    constexpr std::int64_t all = std::numeric_limits<std::int64_t>::max();
    if (!options.widths) return {all, all};
    const Widths widths = (*options.widths)[static_cast<std::size_t>(axis)];
    require<LayoutError>(widths.low >= 0 && widths.high >= 0, [&] {
        return text("PaddingExchangeSchedule: expected widths >= 0 along axis ", axis, ", got (",
                    widths.low, ", ", widths.high, ')');
    });
    return widths;
}

void PaddingExchangeSchedule::build_axis(int axis, Widths widths) {
    constexpr std::int64_t all = std::numeric_limits<std::int64_t>::max();
    const AxisLayout& layout = m_layout.axis(axis);
    const auto a = static_cast<std::size_t>(axis);
    const int me = m_layout.coordinates(m_process)[a];

    const LocalRange mine = unwritten(layout, me);
    m_incoming[a][middle] = {mine.size(), me, mine.begin, mine.begin};
    m_outgoing[a][middle] = m_incoming[a][middle];
    if (!layout.is_block()) {
        require<LayoutError>((widths.low == 0 || widths.low == all) &&
                                 (widths.high == 0 || widths.high == all),
                             [&] {
                                 return text("PaddingExchangeSchedule: axis ", axis,
                                             " is not a block axis and has no padding to fill");
                             });
        return;
    }
    const BlockLayout& block = layout.as_block();

    // Along one axis, process `to` receives at its low or high side a piece from one process.
    const auto piece = [&](int to, int side) -> Piece {
        const std::optional<Source> from = source(block, to, side);
        if (!from) return {};
        const Widths copies = block.communication_padding(to);
        const Widths edge = block.boundary_padding(to);
        const std::int64_t present = side == low ? copies.low + edge.low : copies.high + edge.high;
        const std::int64_t asked = side == low ? widths.low : widths.high;
        require<LayoutError>(asked == all || asked <= present, [&] {
            return text("PaddingExchangeSchedule: cannot fill ", asked, " elements on the ",
                        side == low ? "low" : "high", " side of axis ", axis,
                        ", the section of process ", where(axis, to), " has a padding of ",
                        present);
        });
        const std::int64_t length = std::min(asked, present);
        require<LayoutError>(length <= from->elements.size(), [&] {
            return text("PaddingExchangeSchedule: padding ", length, " on the ",
                        side == low ? "low" : "high", " side of axis ", axis, " of process ",
                        where(axis, to), " exceeds the ", from->elements.size(),
                        block.periodic() ? " interior elements" : " elements", " of its neighbour ",
                        where(axis, from->coordinate));
        });
        // Next to what the receiver owns; from the end of the source that faces it.
        const LocalRange kept = unwritten(layout, to);
        const LocalIndex to_begin = side == low ? kept.begin - length : kept.end;
        const GlobalIndex first = side == low ? from->elements.end - length : from->elements.begin;
        return {length, from->coordinate, to_begin, block.to_local(from->coordinate, first)};
    };

    for (const int side : {low, high}) {
        const auto s = static_cast<std::size_t>(side);
        m_incoming[a][s] = piece(me, side);

        // A process that receives from here at its low side is the upper neighbour, and the reverse.
        const int last = block.grid_size() - 1;
        int to = side == low ? me + 1 : me - 1;
        if (to < 0 || to > last) {
            if (!block.periodic()) continue;
            to = to < 0 ? last : 0;
        }
        const Piece there = piece(to, side);
        m_outgoing[a][s] = {there.length, to, there.peer_begin, there.begin};
    }
}

/// Merges the low, middle and high piece of every axis that this process does not share, if corners are filled: exchanged
/// boxes then include the padding filled locally.
PaddingExchangeSchedule::Pieces PaddingExchangeSchedule::joined(const Pieces& pieces) const {
    Pieces result = pieces;
    if (m_stencil == Stencil::faces) return result;
    for (std::size_t a = 0; a < static_cast<std::size_t>(m_layout.rank()); ++a) {
        if (m_layout.grid().extent(static_cast<int>(a)) > 1) continue;
        const std::int64_t below = m_incoming[a][low].length;
        const std::int64_t above = m_incoming[a][high].length;
        Piece& all = result[a][middle];
        all.length += below + above;
        all.begin = all.begin - below;
        all.peer_begin = all.peer_begin - below;
        result[a][low] = result[a][high] = {};
    }
    return result;
}

bool PaddingExchangeSchedule::make_region(const Pieces& pieces,
                                          const std::array<int, max_rank>& choice,
                                          PaddingRegion& region) const {
    const int rank = m_layout.rank();
    int moved_axes = 0;
    GridCoordinates peer{};
    region.extents.fill(1);
    region.elements = 1;
    for (std::size_t a = 0; a < static_cast<std::size_t>(rank); ++a) {
        const Piece& piece = pieces[a][static_cast<std::size_t>(choice[a])];
        if (piece.length == 0) return false;
        moved_axes += choice[a] != middle;
        peer[a] = piece.peer_coordinate;
        region.direction[a] = static_cast<signed char>(choice[a] - middle);
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
    for_each_incoming([&](const PaddingRegion& region) {
        if (region.peer == m_process) count += region.elements;
    });
    return count;
}

ValidPadding PaddingExchangeSchedule::filled() const noexcept {
    ValidPadding result;
    int axes = 0;
    for (int axis = 0; axis < m_layout.rank(); ++axis) {
        const AxisPieces& pieces = m_incoming[static_cast<std::size_t>(axis)];
        result.set_depth(axis, {pieces[low].length, pieces[high].length});
        axes += pieces[low].length > 0 || pieces[high].length > 0;
    }
    result.set_corners(m_stencil == Stencil::box || axes < 2);
    return result;
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
        const AxisPieces& pieces = m_incoming[a];
        const auto from_others = [&](int side) {
            const Piece& piece = pieces[static_cast<std::size_t>(side)];
            return piece.peer_coordinate == here[a] ? 0 : piece.length;
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
        result[a] = {cells[a].begin - m_incoming[a][low].length,
                     cells[a].end + m_incoming[a][high].length};
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
