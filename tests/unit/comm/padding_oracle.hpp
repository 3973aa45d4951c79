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

// The results of a padding exchange, stated cell by cell and found by search: the reference for the
// schedule's interval arithmetic. Uses only plain types of the library.

/// The expected state of one position of a section along one axis after an exchange.
struct AxisCell {
    int direction = 0;       ///< 0: never written, -1 or +1: padding on that side
    bool reached = false;    ///< padding within the requested width
    bool filled = false;     ///< and an element exists from which it is copied
    std::int64_t global = 0; ///< index of the position in the whole array
    std::int64_t source = 0; ///< index of the element that fills it; its own if direction is 0
    int source_process = -1; ///< process that owns that element, -1 if it does not exist
    std::int64_t source_local = 0; ///< position of the element in that process's section
    int steps = 0; ///< processes from the source to here, each turn around the axis included
};

/// One axis of an array written out process by process.
struct AxisGeometry {
    std::vector<std::int64_t> blocks; ///< interior elements by process
    std::vector<Widths> padding;      ///< communication padding by process
    Widths boundary;
    bool periodic = false;
    std::optional<Widths> asked; ///< widths of PaddingExchangeOptions
    AxisSpec spec;               ///< the same axis as an argument of the library

    int process_count() const { return static_cast<int>(blocks.size()); }
    std::int64_t extent(int p) const { return static_cast<std::int64_t>(cells(p).size()); }
    /// Every position of the section of process p.
    const std::vector<AxisCell>& cells(int p) const { return m_cells[static_cast<std::size_t>(p)]; }
    /// Whether process p has as much low (-1) or high (+1) padding as requested.
    bool can_fill(int p, int side) const;
    bool is_valid(int p) const { return can_fill(p, -1) && can_fill(p, 1); }

    /// The width requested on one side; the largest number if all padding is requested.
    std::int64_t asked_width(int side) const;

    /// Computes the cells; call it after the members above are set.
    void work_out();

private:
    std::vector<std::vector<AxisCell>> m_cells;
};

using Position = std::array<std::int64_t, max_rank>;

/// The expected state of one cell of a section after an exchange.
struct ExpectedCell {
    Position position{};
    std::int64_t number = 0; ///< position in C order
    bool kept = false;       ///< owned, or not exchanged: must not change
    bool filled = false;     ///< padding with a source; all other cells must not change
    Position global{};       ///< index of the element whose value it should hold
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

/// Limits of random geometries; along some axes blocks are shorter and padding up to three times as
/// wide as a block.
struct GeometryLimits {
    std::int64_t block = 6;
    std::int64_t width = 3;
    bool valid_only = false; ///< otherwise some cases request more padding than exists
};

AxisGeometry random_axis(Random& random, int process_count, const GeometryLimits& limits,
                         bool with_options);
ArrayGeometry random_geometry(Random& random, const std::vector<int>& grid,
                              const GeometryLimits& limits);

/// Limits for arrays with this many axes, such that sections have a few thousand cells at most.
GeometryLimits limits_for(int axis_count);

} // namespace distview::testing
