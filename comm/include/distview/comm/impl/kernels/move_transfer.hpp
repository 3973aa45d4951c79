// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/kernels/move_nest.hpp>
#include <distview/comm/impl/tuning.hpp>
#include <distview/comm/redistribution_schedule.hpp>

#include <cstdint>
#include <vector>

namespace distview::impl {

/// The elements of one array that a process moves for one partner: a product of lists of runs,
/// with addresses. Lists are never multiplied out: nests are built from them during execution.
class MoveTransfer {
public:
    /// One end: a section, or elements packed as a dense box in the order of the source's axes.
    struct End {
        char* data = nullptr;
        std::int64_t element_size = 1;
        bool packed = false;
        Extents strides{}; ///< bytes, by axis of the end's array; sections only
    };

    /// `runs`: the runs of this process, of which the constructor uses the runs with `peer`.
    MoveTransfer(const RedistributionSchedule& schedule, const RedistributionRuns& runs, int peer,
                 const End& from, const End& to);

    /// Whether every element is already at its target place.
    bool is_fixed() const noexcept;

    /// Number of nests.
    std::int64_t nest_count() const noexcept { return m_nest_count; }
    /// The n-th nest, arranged.
    MoveNest nest(std::int64_t n) const;

    /// Elements along an axis, in bytes.
    struct Run {
        std::int64_t from = 0;
        std::int64_t to = 0;
        MoveLoop repeats{};
        MoveLoop elements{};
    };
    struct Axis {
        std::vector<Run> runs;
        std::vector<std::int64_t> from_table; ///< instead of runs, if runs are short and many
        std::vector<std::int64_t> to_table;
        std::int64_t choices() const noexcept {
            return from_table.empty() ? static_cast<std::int64_t>(runs.size()) : 1;
        }
        /// Replaces runs by tables.
        void make_tables();
    };
    const char* from() const noexcept { return m_from; }
    char* to() const noexcept { return m_to; }
    const std::vector<Axis>& axes() const noexcept { return m_axes; }

private:
    const char* m_from;
    char* m_to;
    std::int64_t m_element_size;
    std::int64_t m_nest_count = 1;
    std::vector<Axis> m_axes; ///< by axis of the target
};

/// Some blocks of one nest: enough work for a thread.
struct MoveUnit {
    int transfer = 0;
    int blocks = 0;
    std::int64_t nest = 0;
    std::int64_t first_block = 0;
};

/// Units of work of an exchange; ranges [begin, end) count the units of all transfers.
struct MoveUnits {
    std::vector<MoveTransfer> transfers;
    std::vector<MoveUnit> units;
    std::int64_t elements = 0;

    /// Cuts a transfer into units of about `unit_elements` elements and appends them.
    void append(MoveTransfer transfer, std::int64_t unit_elements = tuning::unit_elements);
    /// Sorts units [begin, end) by the memory order of their first source elements.
    void order_by_source(int begin, int end);
    /// Approximate number of bytes that units [begin, end) read, with `element_bytes` for each element.
    std::int64_t bytes(int begin, int end, std::size_t element_bytes) const noexcept {
        return elements * (end - begin) / static_cast<std::int64_t>(units.size()) *
               static_cast<std::int64_t>(element_bytes);
    }
};

} // namespace distview::impl
