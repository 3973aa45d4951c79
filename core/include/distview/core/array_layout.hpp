// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/axis_layout.hpp>
#include <distview/core/process_grid.hpp>
#include <distview/core/valid_padding.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace distview {

/// Boundary padding that is as wide as the communication padding.
inline constexpr Widths same_as_padding{std::numeric_limits<std::int64_t>::min()};

/// Options of a block axis; BlockLayout explains the widths.
struct BlockOptions {
    /// Communication padding of every section.
    Widths padding{};
    /// Boundary padding at the two ends of the array; as wide as `padding` unless given.
    Widths boundary = same_as_padding;
    /// Whether an exchange fills the boundary padding from the interior's other end.
    bool periodic = false;
};

/// A block axis as the program requests it.
struct BlockSpec {
    std::int64_t interior_size = 0;
    BlockSplit split = BlockSplit::balanced;
    BlockOptions options{};
    std::vector<std::int64_t> bounds{}; ///< irregular: P + 1 bounds of the interior
    std::vector<Widths> paddings{};     ///< communication padding by process, if not uniform
};

/// A cyclic or block-cyclic axis as the program requests it.
struct CyclicSpec {
    std::int64_t size = 0;
    std::int64_t block_size = 1;
    bool periodic = false; ///< from dimension data of version 0.9; changes no map
};

/// Options of an unstructured axis; UnstructuredLayout explains ghosts.
struct UnstructuredOptions {
    /// Number of ghosts at the end of each process's list of labels, by process; one number for unstructured_local().
    /// Empty: no ghosts.
    std::vector<std::int64_t> ghosts{};
};

/// An unstructured axis as the program requests it.
struct UnstructuredSpec {
    std::int64_t size = -1; ///< -1: the number of distinct labels
    bool one_to_one = false;
    std::vector<std::vector<std::int64_t>> labels{}; ///< by process
    int known_process = -1;                          ///< `labels` is of this process only
    bool periodic = false;              ///< from dimension data of version 0.9; changes no map
    std::vector<std::int64_t> ghosts{}; ///< number at the end of each list; empty: no ghosts
};

/// The description of one axis before the number of its processes is known; block(),
/// regular_block(), block_bounds(), cyclic(), block_cyclic() and unstructured() below make it.
struct AxisSpec {
    std::variant<BlockSpec, CyclicSpec, UnstructuredSpec> value;
};

/// `interior_size` elements in blocks whose sizes differ by at most 1, larger blocks first.
AxisSpec block(std::int64_t interior_size, const BlockOptions& options = {});
/// `interior_size` elements in blocks of ceil(interior_size / P); the last ones may be empty.
AxisSpec regular_block(std::int64_t interior_size, const BlockOptions& options = {});
/// Process p computes [bounds[p], bounds[p + 1]) of bounds.back() interior elements; bounds[0] is 0
/// and blocks may be empty. `paddings`, if given, replaces options.padding process by process.
AxisSpec block_bounds(std::vector<std::int64_t> bounds, const BlockOptions& options = {},
                      std::vector<Widths> paddings = {});
/// `size` elements dealt out one by one.
AxisSpec cyclic(std::int64_t size);
/// `size` elements dealt out in blocks of `block_size`.
AxisSpec block_cyclic(std::int64_t size, std::int64_t block_size);
/// Process p holds the elements labels[p]; `one_to_one` promises that no label occurs twice.
AxisSpec unstructured(std::vector<std::vector<std::int64_t>> labels, bool one_to_one = false);
/// An unstructured axis with ghosts; another process owns the label of each ghost.
///
///     unstructured({{0, 1, 2, 3}, {3, 4, 2}}, {.ghosts = {1, 1}})    // 0 1 2 | 3 and 3 4 | 2: 5 elements
AxisSpec unstructured(std::vector<std::vector<std::int64_t>> labels,
                      const UnstructuredOptions& options);
/// An unstructured axis of which only the size and the labels of grid coordinate `process` are known.
AxisSpec unstructured_local(std::int64_t size, int process, std::vector<std::int64_t> labels,
                            bool one_to_one = false);
AxisSpec unstructured_local(std::int64_t size, int process, std::vector<std::int64_t> labels,
                            const UnstructuredOptions& options);

/// The spec that reproduces an axis: a layout made from it, over the same number of processes, has the same axis.
/// Widths without effect are 0, for example the padding between processes on an axis of one process.
AxisSpec axis_spec(const AxisLayout& layout);

/// Numbers for each axis; entries from the array's rank on are 0 (1 for extents).
using Extents = std::array<std::int64_t, max_rank>;

/// The distribution of a whole array over a process grid: one axis layout per axis.
///
/// A layout is a value: copies share the tables of irregular and unstructured axes. It describes all processes and
/// belongs to none; a DistView adds the process on which it lives.
///
///     ArrayLayout layout(ProcessGrid{2, 3}, {block(180, {.padding = 1}),
///                                            block(360, {.padding = 1, .periodic = true})});
///
/// Collective: no (local); processes that share an array must build equal layouts, and collective
///             calls of comm compare their fingerprints
/// Cost:       O(sum of P) for irregular, O(P + labels log labels) for unstructured axes, else O(1). An axis of
///             unstructured_local() also stores 8 bytes per process (16 with ghosts); == compares them unless the
///             layouts are copies
/// Errors:     LayoutError for negative sizes or widths (for blocks, also 2^61 or more), block_size < 1, bounds that
///             do not ascend from 0, a number of bounds, widths, lists or axes that does not match the grid, a label
///             that occurs twice where that is not allowed, a ghost that no process owns, more ghosts than a list
///             has labels, or more than 2^63-1 elements in total
class ArrayLayout {
public:
    /// The array without axes on one process: one element.
    ArrayLayout();
    ArrayLayout(const ProcessGrid& grid, const std::vector<AxisSpec>& axes);
    /// Copies share their state, and a move is a copy: the source stays as it was.
    ArrayLayout(const ArrayLayout&) = default;
    ArrayLayout& operator=(const ArrayLayout&) = default;

    int rank() const noexcept { return m_state->grid.rank(); }
    const ProcessGrid& grid() const noexcept { return m_state->grid; }
    int process_count() const noexcept { return m_state->grid.size(); }
    const AxisLayout& axis(int axis) const noexcept {
        return m_state->axes[static_cast<std::size_t>(axis)];
    }

    /// Number of elements along an axis, without boundary padding.
    std::int64_t extent(int axis) const noexcept { return this->axis(axis).size(); }
    /// Total number of elements, without boundary padding; 1 for an array without axes.
    std::int64_t size() const noexcept;
    /// Number of elements along an axis with boundary padding: the `size` of the protocol's version 0.10.
    std::int64_t protocol_size(int axis) const noexcept { return this->axis(axis).protocol_size(); }

    GridCoordinates coordinates(int process) const noexcept {
        return m_state->grid.coordinates(process);
    }
    /// Extents of the section of `process`, all padding included; 1 beyond the array's rank.
    Extents local_extents(int process) const noexcept;
    /// The process that owns an element. `index` has rank() entries; on an axis with boundary padding they range
    /// from -low to n + high - 1. Returns -1 if a label has no owner.
    int owner(std::span<const GlobalIndex> index) const;

    /// The axes' tables in one contiguous piece, for copies in other memory; may be empty.
    std::span<const std::int64_t> tables() const noexcept { return m_state->tables; }

    /// A 64-bit hash of the layout: equal layouts have equal fingerprints.
    std::uint64_t fingerprint() const noexcept { return m_state->fingerprint; }
    /// One line per axis, for example
    /// "axis 1: block, 360 elements over 3 processes, padding (1, 1), boundary padding (1, 1), periodic".
    std::string describe() const;

    friend bool operator==(const ArrayLayout& a, const ArrayLayout& b) noexcept;

private:
    struct State {
        ProcessGrid grid;
        std::array<AxisLayout, max_rank> axes{};
        std::vector<std::int64_t> tables;
        std::uint64_t fingerprint = 0;
    };
    std::shared_ptr<const State> m_state;
};

/// The layout of the transposed array on the transposed process grid: its axis d is axis permutation[d] of
/// `layout`, over the same number of processes.
///
/// Errors: LayoutError unless `permutation` holds each of the layout's axes once
ArrayLayout permute_axes(const ArrayLayout& layout, const std::vector<int>& permutation);

namespace impl {

/// ArrayLayout::describe() and a line for each block of an irregular axis and each label that all processes know, up to
/// 65,536 lines: texts of layouts differ where these layouts differ.
std::string describe_fully(const ArrayLayout& layout);
/// A line for an error with the describe() of two different layouts: the first difference, if these texts are equal.
std::string difference_of(const ArrayLayout& layout, const ArrayLayout& expected);
/// Bytes of a section with these extents along `rank` axes; throws Error if no memory can be that large.
std::size_t section_bytes(const Extents& extents, int rank, std::size_t element_bytes);
/// Throws UsageError, whose text begins with `caller`, unless the layout has such a process.
void check_process(const ArrayLayout& layout, int process, const char* caller);
/// Throws UsageError if the layout does not know the process's indices of an unstructured axis.
void check_known(const ArrayLayout& layout, int process, const char* caller);
/// Throws UsageError if `valid` is deeper than the padding of every process. An axis with one process and without
/// neighbours, which has no copies, may have any depth: the program may run on more processes.
void check_valid_padding(const ArrayLayout& layout, const ValidPadding& valid);

} // namespace impl

} // namespace distview
