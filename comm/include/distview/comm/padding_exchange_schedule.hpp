// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/schedule/axis_run.hpp>
#include <distview/core/array_layout.hpp>
#include <distview/core/local_box.hpp>
#include <distview/core/valid_padding.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
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
    /// Widths to fill along each axis, next to the owned elements; at most the layout's padding,
    /// which is taken when there is none here. 0 leaves a side out.
    std::optional<std::vector<Widths>> widths{};
};

/// A box of elements that moves between two sections (which may be the same one).
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
/// Everything follows from the layout by arithmetic, for any one process: along each axis a section
/// has a low padding, a middle and a high padding, and each is cut into pieces that come from one
/// coordinate of the process grid. Padding is one piece unless it is wider than what the neighbour
/// has: then the processes behind it have the rest, around a periodic axis as often as it takes. A
/// region is a product of such pieces, and these short lists are all that is stored.
///
/// On a non-periodic axis boundary padding belongs to the middle: it is never written, and moves as
/// its owner's elements do. On a periodic axis it is filled from the interior's other end. Positions
/// beyond the end of a non-periodic axis are nobody's and never written. Both sides of a message list
/// its regions in the same order: by direction as the receiver sees it and by distance, the nearest
/// process first, the last axis fastest.
///
/// Collective: no (local); no MPI needed
/// Cost:       time and memory by the number of pieces: a microsecond and a few hundred bytes where padding
///             reaches no further than the neighbour, whatever the number of processes. Where bounds are
///             given, one look at the widths of all processes of the axis besides
/// Errors:     LayoutError if options.widths do not fit: more than this section's padding, negative, of an
///             axis that is not block, or not one an axis
/// Source:     Distributed Array Protocol 0.10.0, "padding"; decisions 0004 and 0037
class PaddingExchangeSchedule {
public:
    PaddingExchangeSchedule(const ArrayLayout& layout, int process,
                            const PaddingExchangeOptions& options = {});

    const ArrayLayout& layout() const noexcept { return m_layout; }
    int process() const noexcept { return m_process; }

    /// Calls visit(PaddingRegion) for each box of this section's padding that is filled, peer the
    /// process whose elements fill it.
    template <class Visitor>
    void for_each_incoming(Visitor&& visit) const {
        for_each_region(m_incoming, visit);
    }
    /// Calls visit(PaddingRegion) for each box of this section's elements that fills padding, peer
    /// the process whose padding it fills.
    template <class Visitor>
    void for_each_outgoing(Visitor&& visit) const {
        for_each_region(m_outgoing, visit);
    }

    // The same exchange in two steps and fewer, longer boxes, as a plan does it: first what the section
    // fills itself, then what comes from other processes. Along an axis that one process has to itself the
    // second kind reaches over the padding, which the first step has filled on both sides. (Not with
    // Stencil::faces, where corners are left alone.)

    /// Calls visit(PaddingRegion) for each box that is filled from the section itself.
    template <class Visitor>
    void for_each_local(Visitor&& visit) const {
        for_each_incoming([&](const PaddingRegion& region) {
            if (region.peer == m_process) visit(region);
        });
    }
    /// Calls visit(PaddingRegion) for each box that comes from another process.
    template <class Visitor>
    void for_each_received(Visitor&& visit) const {
        for_each_region(joined(m_incoming), others_only(visit));
    }
    /// Calls visit(PaddingRegion) for each box that goes to another process.
    template <class Visitor>
    void for_each_sent(Visitor&& visit) const {
        for_each_region(joined(m_outgoing), others_only(visit));
    }

    /// Regions that one process sends to (or receives from) one peer; `elements` over all of them.
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

    /// The padding that the exchange fills in the section of every process that has padding there: the same on all
    /// processes, so that they use up deep padding in the same step. At a wall, where nothing is filled, it is what the
    /// others have. As deep as if elements went on beyond the array's end.
    const ValidPadding& filled() const noexcept { return m_filled; }
    /// Positions along an axis that the exchange never writes: interior and, unless the axis is
    /// periodic, boundary padding.
    LocalRange unwritten_range(int axis) const noexcept;

    // Cells of the interior for a kernel that reads as far around a cell as the widths exchanged:
    //
    //     start(); kernel over inner_cells(); finish(); kernel over each of outer_cells()

    /// Cells for which no element of another process is read; may be none.
    LocalBox inner_cells() const noexcept;
    /// All others, in disjoint boxes: at most two for every axis along which there are neighbours.
    std::vector<LocalBox> outer_cells() const;
    /// The positions that such a kernel over `cells` reads.
    LocalBox reads(const LocalBox& cells) const noexcept;

    /// "sends 3 messages (1200 elements), copies 24 elements itself" and a line per message.
    std::string describe() const;

private:
    /// Positions along an axis that come from one process, or go to one: where they begin here and
    /// there, and how many there are.
    struct Piece {
        std::int64_t length = 0;
        LocalIndex begin{};
        LocalIndex peer_begin{};
        int peer_coordinate = 0;
        int direction = 0; ///< of the receiver: -1 and +1 in its padding, 0 in the middle
    };
    /// Pieces of one axis after the other, each by direction, then from the middle outwards.
    struct Pieces {
        std::vector<Piece> all{};
        std::array<int, max_rank + 1> first{}; ///< of axis a, which end where the next axis begins

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
    std::array<Widths, max_rank> m_depths{}; ///< of the padding that is filled here
    ValidPadding m_filled{};                 ///< the same on all processes
    Pieces m_incoming{};
    Pieces m_outgoing{};
};

} // namespace distview
