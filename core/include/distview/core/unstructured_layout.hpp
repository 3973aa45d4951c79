// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/assert.hpp>
#include <distview/core/index_types.hpp>

#include <cstdint>

namespace distview {

/// One axis whose elements are listed process by process; the protocol's dist_type 'u'.
///
/// The listed global indices are labels: any integers, in any order; they may be negative or beyond size() and
/// have gaps. They are unique within a process. A label may be on several processes unless one_to_one().
///
///     [7, -3, 100] | [] | [9, 8, 5]      size 6; label -3 is element 1 of process 0
///
/// The last labels of a list may be ghosts: copies of elements that other processes own, like communication padding of
/// a block. Sections, to_local(), to_global() and labels() include ghosts; owner() and size() do not count them.
///
///     [7, -3 | 9] | [] | [9, 8, 5 | 7]   size 5, ghosts 1 | 0 | 1; process 2 owns label 9
///
/// An UnstructuredLayout is a small value that reads tables owned by the ArrayLayout (or DeviceLayout). The tables
/// hold the lists of all processes, or, after an import without communication, of one process only
/// (known_process() >= 0). Then only queries about that process are allowed.
///
/// Indices: global = label; local of one section
/// Space:   callable on host and device, constexpr
/// Cost:    to_global O(1); to_local O(log n) of the process's labels; owner O(log n) of all labels
/// Source:  Distributed Array Protocol 0.10.0, "unstructured"; specification of index maps 3.4
class UnstructuredLayout {
public:
    /// The arrays that the layout reads. `labels`, `sorted_labels` and `sorted_positions` hold the
    /// processes' lists one after the other; list p begins at offsets[p].
    struct Tables {
        const std::int64_t* offsets = nullptr;          ///< grid_size + 1 entries
        const std::int64_t* labels = nullptr;           ///< in the order of the section
        const std::int64_t* sorted_labels = nullptr;    ///< each list sorted, its ghosts separately
        const std::int64_t* sorted_positions = nullptr; ///< local index of each sorted label
        const std::int64_t* directory_labels = nullptr; ///< all labels sorted
        const std::int64_t* directory_owners = nullptr; ///< lowest process that owns each label
        std::int64_t directory_size = 0;
        const std::int64_t* ghosts = nullptr; ///< number of ghosts, by process; null: no ghosts
    };

    constexpr UnstructuredLayout() noexcept = default;
    KOKKOS_FUNCTION constexpr UnstructuredLayout(std::int64_t size, int grid_size, bool one_to_one,
                                                 const Tables& tables, int known_process = -1,
                                                 bool periodic = false) noexcept
        : m_size(size), m_grid_size(grid_size), m_known_process(known_process),
          m_one_to_one(one_to_one), m_periodic(periodic), m_tables(tables) {}

    KOKKOS_FUNCTION constexpr std::int64_t size() const noexcept { return m_size; }
    KOKKOS_FUNCTION constexpr std::int64_t protocol_size() const noexcept { return m_size; }
    KOKKOS_FUNCTION constexpr int grid_size() const noexcept { return m_grid_size; }
    KOKKOS_FUNCTION constexpr bool one_to_one() const noexcept { return m_one_to_one; }
    /// Whether dimension data of version 0.9 call the axis periodic. Without padding this changes no index map.
    KOKKOS_FUNCTION constexpr bool periodic() const noexcept { return m_periodic; }
    /// The only process whose list is known, or -1 if all lists are known.
    KOKKOS_FUNCTION constexpr int known_process() const noexcept { return m_known_process; }

    KOKKOS_FUNCTION constexpr std::int64_t local_extent(int p) const noexcept {
        return m_tables.offsets[p + 1] - m_tables.offsets[p];
    }
    KOKKOS_FUNCTION constexpr LocalRange owned_local(int p) const noexcept {
        return {LocalIndex(0), LocalIndex(local_extent(p) - ghosts(p))};
    }
    KOKKOS_FUNCTION constexpr LocalRange interior_local(int p) const noexcept {
        return owned_local(p);
    }
    KOKKOS_FUNCTION constexpr bool has_ghosts() const noexcept {
        return m_tables.ghosts != nullptr;
    }
    /// Number of ghosts at the end of process p's list.
    KOKKOS_FUNCTION constexpr std::int64_t ghosts(int p) const noexcept {
        return has_ghosts() ? m_tables.ghosts[p] : 0;
    }
    /// The local_extent(p) labels of process p in the order of its section.
    KOKKOS_FUNCTION constexpr const std::int64_t* labels(int p) const noexcept {
        return m_tables.labels + m_tables.offsets[p];
    }
    /// The labels of process p in ascending order, owned before ghosts; sorted_positions() has their local indices.
    KOKKOS_FUNCTION constexpr const std::int64_t* sorted_labels(int p) const noexcept {
        return m_tables.sorted_labels + m_tables.offsets[p];
    }
    KOKKOS_FUNCTION constexpr const std::int64_t* sorted_positions(int p) const noexcept {
        return m_tables.sorted_positions + m_tables.offsets[p];
    }

    /// All labels in ascending order, each once: size() labels, or, if only one process is known, the labels that it
    /// owns.
    KOKKOS_FUNCTION constexpr const std::int64_t* all_labels() const noexcept {
        return m_tables.directory_labels;
    }
    /// The lowest process that owns each of all_labels().
    KOKKOS_FUNCTION constexpr const std::int64_t* all_owners() const noexcept {
        return m_tables.directory_owners;
    }

    /// The lowest process that owns label g, or -1 if no process owns it.
    KOKKOS_FUNCTION constexpr int owner(GlobalIndex g) const noexcept {
        const std::int64_t i = find(m_tables.directory_labels, m_tables.directory_size, g);
        return i < 0 ? -1 : static_cast<int>(m_tables.directory_owners[i]);
    }
    /// The position of label g in process p's section, or -1 if the section does not hold it.
    KOKKOS_FUNCTION constexpr LocalIndex to_local(int p, GlobalIndex g) const noexcept {
        const std::int64_t owned = owned_local(p).size();
        std::int64_t i = find(sorted_labels(p), owned, g);
        if (i < 0 && has_ghosts()) {
            i = find(sorted_labels(p) + owned, ghosts(p), g);
            if (i >= 0) i += owned;
        }
        return LocalIndex(i < 0 ? -1 : sorted_positions(p)[i]);
    }
    /// The label at position l of process p's section, 0 <= l < local_extent(p).
    KOKKOS_FUNCTION constexpr GlobalIndex to_global(int p, LocalIndex l) const noexcept {
        DISTVIEW_ASSERT(l >= 0 && l < local_extent(p));
        return GlobalIndex(labels(p)[l.value()]);
    }

    KOKKOS_FUNCTION constexpr UnstructuredLayout
    with_tables(const std::int64_t* from, const std::int64_t* to) const noexcept {
        UnstructuredLayout moved = *this;
        moved.m_tables.offsets = to + (m_tables.offsets - from);
        moved.m_tables.labels = to + (m_tables.labels - from);
        moved.m_tables.sorted_labels = to + (m_tables.sorted_labels - from);
        moved.m_tables.sorted_positions = to + (m_tables.sorted_positions - from);
        moved.m_tables.directory_labels = to + (m_tables.directory_labels - from);
        moved.m_tables.directory_owners = to + (m_tables.directory_owners - from);
        if (has_ghosts()) moved.m_tables.ghosts = to + (m_tables.ghosts - from);
        return moved;
    }

private:
    /// Position of `value` in sorted[0, count), or -1.
    KOKKOS_FUNCTION static constexpr std::int64_t
    find(const std::int64_t* sorted, std::int64_t count, std::int64_t value) noexcept {
        std::int64_t first = 0;
        std::int64_t last = count;
        while (first < last) {
            const std::int64_t middle = first + (last - first) / 2;
            if (sorted[middle] < value)
                first = middle + 1;
            else
                last = middle;
        }
        return first < count && sorted[first] == value ? first : -1;
    }

    std::int64_t m_size = 0;
    int m_grid_size = 1;
    int m_known_process = -1;
    bool m_one_to_one = false;
    bool m_periodic = false;
    Tables m_tables{};
};

} // namespace distview
