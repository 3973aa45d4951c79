// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "field_fixture.hpp"

#include <distview/comm/padding_exchange_schedule.hpp>
#include <distview/core/local_box.hpp>
#include <distview_testing/random.hpp>

#include <unistd.h>

#include <cstddef>
#include <cstdint>

namespace distview::testing {

/// Random delays, different on every rank.
class Delays {
public:
    explicit Delays(int rank) : m_random(campaign_seed() + 77, static_cast<std::uint64_t>(rank)) {}
    /// Sometimes waits for up to `most` microseconds.
    void delay(std::int64_t most) {
        if (m_random.chance(0.2)) usleep(static_cast<useconds_t>(m_random.integer(0, most)));
    }
    bool chance(double probability) { return m_random.chance(probability); }

private:
    Random m_random;
};

/// Calls visit(Position) for every position of a box, the last axis fastest.
template <class Visit>
void for_each_position(const LocalBox& box, std::size_t rank, const Visit& visit) {
    if (is_empty(box, static_cast<int>(rank))) return;
    Position at{};
    for (std::size_t d = 0; d < rank; ++d) at[d] = box[d].begin.value();
    for (;;) {
        visit(at);
        std::size_t d = rank;
        while (d > 0 && LocalIndex(++at[d - 1]) == box[d - 1].end) {
            --d;
            at[d] = box[d].begin.value();
        }
        if (d == 0) return;
    }
}

/// A kernel over `cells`: sums the values read around every cell, each neighbour with a different weight.
template <class View>
void add_neighbours(const PaddingExchangeSchedule& schedule, Stencil stencil, const LocalBox& cells,
                    const View& from, const View& to) {
    constexpr auto rank = static_cast<std::size_t>(View::rank());
    const auto element = [](const View& view, const Position& at) -> std::uint64_t& {
        std::ptrdiff_t offset = 0;
        for (std::size_t d = 0; d < rank; ++d)
            offset += at[d] * static_cast<std::ptrdiff_t>(view.view().stride(d));
        return view.view().data()[offset];
    };
    for_each_position(cells, rank, [&](const Position& cell) {
        LocalBox one{};
        for (std::size_t d = 0; d < rank; ++d)
            one[d] = {LocalIndex(cell[d]), LocalIndex(cell[d] + 1)};
        std::uint64_t sum = 0; // wraps around, so any order gives the same sum
        for_each_position(schedule.reads(one), rank, [&](const Position& at) {
            Position offset{};
            int moved = 0;
            for (std::size_t d = 0; d < rank; ++d) {
                offset[d] = at[d] - cell[d];
                moved += offset[d] != 0;
            }
            if (stencil == Stencil::faces && moved > 1) return;
            sum += value_of<std::uint64_t>(offset, 5) * element(from, at);
        });
        element(to, cell) = sum;
    });
}

} // namespace distview::testing
