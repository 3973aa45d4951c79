// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/schedule/axis_run.hpp>
#include <distview/core/array_layout.hpp>
#include <distview/core/local_box.hpp>
#include <distview/core/valid_padding.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace distview {

/// Neighbours that a padding exchange reads from.
enum class Stencil {
    box,  ///< all 3^d - 1 directions, corners included
    faces ///< the 2 d directions along one axis only
};

/// Padding that an exchange fills; by default all communication and periodic padding.
struct PaddingExchangeOptions {
    Stencil stencil = Stencil::box;
    /// Widths to fill along each axis, next to the owned elements: at most the layout's padding. Empty: all of the
    /// layout's padding. A width of 0 leaves a side out.
    std::vector<Widths> widths{};
};

/// A box of elements that moves between two sections, which may be the same section.
struct PaddingRegion {
    int peer = 0;                                  ///< process of the other section
    std::array<signed char, max_rank> direction{}; ///< of the padding, seen from its receiver
    std::array<LocalIndex, max_rank> begin{};      ///< in this section
    std::array<LocalIndex, max_rank> peer_begin{}; ///< in the peer's section
    Extents extents{};                             ///< 1 beyond the array's rank
    std::int64_t elements = 0;
};

/// Boxes that processes send each other to fill padding: a plain value, computed without communication.
///
/// Arithmetic on the layout gives the boxes of any process. Along each axis a section has a low
/// padding, a middle and a high padding; each is cut into pieces, and one coordinate of the process
/// grid owns each piece. Padding is one piece unless it is wider than the neighbour's section: then
/// the next processes own the rest, around a periodic axis as many times as necessary. A region is a
/// product of such pieces; the schedule stores only these short lists.
///
/// On a non-periodic axis boundary padding belongs to the middle: an exchange never writes it, and moves
/// it like its owner's elements. On a periodic axis the exchange fills it from the interior's other end.
/// No process owns positions beyond the end of a non-periodic axis; an exchange never writes them. Both
/// sides of a message list its regions in the same order: by direction as seen from the receiver, then by
/// distance, the nearest process first, the last axis fastest.
///
/// Collective: no (local); no MPI needed
/// Cost:       time and memory grow with the number of pieces: a microsecond and a few hundred bytes where
///             padding reaches no further than the neighbour, for any number of processes. If block bounds are
///             given, also one pass over the widths of all processes of the axis
/// Errors:     LayoutError if options.widths do not fit: more than this section's padding, negative, not 0 along
///             an axis that is not block, or not as many Widths as axes
/// Source:     Distributed Array Protocol 0.10.0, "padding"; decisions 0004 and 0037
class PaddingExchangeSchedule {
public:
    PaddingExchangeSchedule(const ArrayLayout& layout, int process,
                            const PaddingExchangeOptions& options = {});

    const ArrayLayout& layout() const noexcept { return m_layout; }
    int process() const noexcept { return m_process; }

    /// Calls visit(PaddingRegion) for each box of this section's padding that the exchange fills; `peer`
    /// is the process whose elements fill it.
    template <class Visitor>
    void for_each_incoming(Visitor&& visit) const {
        for_each_region(m_incoming, visit);
    }
    /// Calls visit(PaddingRegion) for each box of this section's elements that fills padding; `peer`
    /// is the process whose padding it fills.
    template <class Visitor>
    void for_each_outgoing(Visitor&& visit) const {
        for_each_region(m_outgoing, visit);
    }

    // The same exchange in two steps with fewer, longer boxes, as plans execute it: first copies within the
    // section, then elements from other processes. Along an axis with only one process, boxes of the second
    // step include the padding, which the first step filled on both sides. (With Stencil::faces they do not:
    // corners are not filled.)

    /// Calls visit(PaddingRegion) for each box that the section fills from itself.
    template <class Visitor>
    void for_each_local(Visitor&& visit) const {
        for_each_incoming([&](const PaddingRegion& region) {
            if (region.peer == m_process) visit(region);
        });
    }
    /// Calls visit(PaddingRegion) for each box that arrives from another process.
    template <class Visitor>
    void for_each_received(Visitor&& visit) const {
        for_each_region(joined(m_incoming), others_only(visit));
    }
    /// Calls visit(PaddingRegion) for each box that goes to another process.
    template <class Visitor>
    void for_each_sent(Visitor&& visit) const {
        for_each_region(joined(m_outgoing), others_only(visit));
    }

    /// Regions that one process sends to (or receives from) one peer; `elements` is their total.
    struct Message {
        int peer = 0;
        int regions = 0;
        std::int64_t elements = 0;
        friend bool operator==(const Message&, const Message&) = default;
    };
    /// Messages to other processes, by ascending peer.
    std::vector<Message> sends() const { return messages(m_outgoing); }
    /// Messages from other processes, by ascending peer.
    std::vector<Message> receives() const { return messages(m_incoming); }
    /// Elements copied within the section (periodic axes of one process).
    std::int64_t local_elements() const;

    /// Depth of the padding that the exchange fills in the section of every process with padding there: the same on all
    /// processes, so that they use up deep padding in the same step. At a wall, where the exchange fills nothing, it is
    /// the other processes' depth. The array's end does not limit the depth: positions beyond it count as filled.
    const ValidPadding& filled() const noexcept { return m_filled; }
    /// The greatest depth of low and of high padding that exchanges with these options fill along any axis, on any
    /// process grid: an axis with one process that is not periodic counts with the padding that was asked for.
    Widths greatest_depth() const noexcept { return m_greatest_depth; }
    /// Positions along an axis that the exchange never writes: the interior and, unless the axis is
    /// periodic, boundary padding.
    LocalRange unwritten_range(int axis) const noexcept;

    // Cells of the interior for a kernel that reads up to the exchanged widths around each cell:
    //
    //     start(); kernel over inner_cells(); finish(); kernel over each of outer_cells()

    /// Cells for which the kernel reads no element of another process; may be empty.
    LocalBox inner_cells() const noexcept;
    /// All other cells, in disjoint boxes: at most two boxes for each axis with neighbours.
    std::vector<LocalBox> outer_cells() const;
    /// Positions that such a kernel over `cells` reads.
    LocalBox reads(const LocalBox& cells) const noexcept;

    /// "sends 3 messages (1200 elements), copies 24 elements itself" and one line per message.
    std::string describe() const;

private:
    /// Positions along an axis that one process sends or receives: where they begin in this section
    /// and in the peer's, and their number.
    struct Piece {
        std::int64_t length = 0;
        LocalIndex begin{};
        LocalIndex peer_begin{};
        int peer_coordinate = 0;
        int direction = 0; ///< of the receiver: -1 and +1 in its padding, 0 in the middle
    };
    /// Pieces of all axes, axis by axis: by direction, then from the middle outwards.
    struct Pieces {
        std::vector<Piece> all{};
        std::array<int, max_rank + 1> first{}; ///< pieces of axis a: first[a] to first[a + 1]

        std::span<const Piece> of(int axis) const noexcept {
            const auto a = static_cast<std::size_t>(axis);
            return std::span(all).subspan(static_cast<std::size_t>(first[a]),
                                          static_cast<std::size_t>(first[a + 1] - first[a]));
        }
    };

    Widths exchanged_widths(int axis, const PaddingExchangeOptions& options) const;
    void build_axis(int axis, Widths widths);
    std::vector<Message> messages(const Pieces& pieces) const;

    Pieces joined(const Pieces& pieces) const;
    template <class Visitor>
    auto others_only(Visitor& visit) const {
        return [this, &visit](const PaddingRegion& region) {
            if (region.peer != m_process) visit(region);
        };
    }
    template <class Visitor>
    void for_each_region(const Pieces& pieces, Visitor&& visit) const {
        for (int axis = 0; axis < m_layout.rank(); ++axis)
            if (pieces.of(axis).empty()) return;
        const auto count = [&](std::size_t a) { return pieces.of(static_cast<int>(a)).size(); };
        std::array<std::size_t, max_rank> choice{};
        do {
            PaddingRegion region;
            if (make_region(pieces, choice, region)) visit(region);
        } while (impl::next_choice(choice, static_cast<std::size_t>(m_layout.rank()), count));
    }
    bool make_region(const Pieces& pieces, const std::array<std::size_t, max_rank>& choice,
                     PaddingRegion& region) const;

    ArrayLayout m_layout;
    int m_process;
    Stencil m_stencil;
    std::array<Widths, max_rank> m_depths{}; ///< of the padding that is filled in this section
    ValidPadding m_filled{};                 ///< the same on all processes
    Widths m_greatest_depth{};
    Pieces m_incoming{};
    Pieces m_outgoing{};
};

} // namespace distview
