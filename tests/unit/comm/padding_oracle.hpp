// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/padding_exchange_schedule.hpp>
#include <distview/core/array_layout.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace distview::testing {

// What a padding exchange must do, said cell by cell and found by search: the reference that the
// schedule's interval arithmetic is compared with. Uses nothing of the library but plain types.

/// What one position of a section along one axis should hold after an exchange.
struct AxisCell {
    int direction = 0;       ///< 0: never written, -1 or +1: padding on that side
    bool reached = false;    ///< padding as near to what is not written as is asked for
    bool filled = false;     ///< and there is an element that it copies
    std::int64_t global = 0; ///< its own index in the whole array
    std::int64_t source = 0; ///< index of the element that fills it; its own if direction is 0
    int source_process = -1; ///< who has that element, -1 if nobody does
    std::int64_t source_local = 0; ///< and where
    int steps = 0; ///< from there to here, process by process, every time around a periodic axis
};

/// One axis of an array written out process by process.
struct AxisGeometry {
    std::vector<std::int64_t> blocks; ///< interior elements by process
    std::vector<Widths> padding;      ///< communication padding by process
    Widths boundary;
    bool periodic = false;
    std::optional<Widths> asked; ///< of PaddingExchangeOptions
    AxisSpec spec;               ///< the same for the library

    int process_count() const { return static_cast<int>(blocks.size()); }
    std::int64_t extent(int p) const { return static_cast<std::int64_t>(cells(p).size()); }
    /// Every position of the section of process p.
    const std::vector<AxisCell>& cells(int p) const { return m_cells[static_cast<std::size_t>(p)]; }
    /// Whether process p has the low (-1) or high (+1) padding that is asked for.
    bool can_fill(int p, int side) const;
    bool is_valid(int p) const { return can_fill(p, -1) && can_fill(p, 1); }

    /// Width asked for on one side; the largest number if all of it.
    std::int64_t asked_width(int side) const;

    /// To be called after the numbers above are set.
    void work_out();

private:
    std::vector<std::vector<AxisCell>> m_cells;
};

using Position = std::array<std::int64_t, max_rank>;

/// What one cell of a section should hold after an exchange.
struct ExpectedCell {
    Position position{};
    std::int64_t number = 0; ///< position in C order
    bool kept = false;       ///< not padding to the exchange: must not change
    bool filled = false;     ///< neither kept nor filled: must not change either
    Position global{};       ///< of the element that it should hold
    int source_process = -1;
    std::int64_t source_number = 0; ///< in C order of the source's section
};

struct ArrayGeometry {
    std::vector<int> grid;
    std::vector<AxisGeometry> axes;
    Stencil stencil = Stencil::box;
    bool asks_widths = false;

    ArrayLayout layout() const;
    PaddingExchangeOptions options() const;
    int process_count() const;
    std::vector<int> coordinates(int process) const;
    std::vector<std::int64_t> extents(int process) const;
    bool is_valid(int process) const;
    bool is_valid() const;
    std::string describe() const;

    template <class Visit>
    void for_each_cell(int process, Visit&& visit) const {
        std::vector<std::int64_t> extents = this->extents(process);
        const std::vector<int> at = coordinates(process);
        for (const std::int64_t extent : extents)
            if (extent == 0) return;
        Position position{};
        for (std::int64_t number = 0;; ++number) {
            visit(expected_cell(at, position, number));
            int d = static_cast<int>(axes.size()) - 1;
            for (; d >= 0; --d) {
                const auto a = static_cast<std::size_t>(d);
                if (++position[a] < extents[a]) break;
                position[a] = 0;
            }
            if (d < 0) return;
        }
    }

private:
    ExpectedCell expected_cell(const std::vector<int>& at, const Position& position,
                               std::int64_t number) const;
};

class Random;

/// Of some axes blocks are shorter, and padding is up to three times as wide as the longest of them.
struct GeometryLimits {
    std::int64_t block = 6;
    std::int64_t width = 3;
    bool valid_only = false; ///< else some ask for more than there is
};

AxisGeometry random_axis(Random& random, int process_count, const GeometryLimits& limits,
                         bool with_options);
ArrayGeometry random_geometry(Random& random, const std::vector<int>& grid,
                              const GeometryLimits& limits);

/// Small enough for sections of an array with so many axes to have a few thousand cells at most.
GeometryLimits limits_for(int axis_count);

} // namespace distview::testing
