// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/schedule/axis_run.hpp>
#include <distview/core/axis_layout.hpp>
#include <distview/core/axis_slice.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

namespace distview::impl {

/// Elements [begin, end) of a slice that one process has in one piece: element t is at offset + t * step.
struct AxisWindow {
    int process = 0;
    std::int64_t mirror = 0; ///< copy of a periodic axis: 0 the interior itself
    std::int64_t begin = 0;
    std::int64_t end = 0;
    std::int64_t offset = 0;
    std::int64_t step = 1;

    std::int64_t local(std::int64_t t) const noexcept { return offset + t * step; }
    friend bool operator==(const AxisWindow&, const AxisWindow&) = default;
    friend auto operator<=>(const AxisWindow&, const AxisWindow&) = default;
};

/// A place of an element; `mirror` tells the window, if the process has several.
struct AxisPlace {
    int process = 0;
    std::int64_t mirror = 0;
    std::int64_t local = 0;
};

/// Element numbers of the indices of an unstructured axis.
struct AxisNumbering {
    /// Whether elements are numbered by index values; else by the cells of the slice.
    bool by_index = false;
    /// Element t is the index indices[t], which ascend; null: the index t.
    const std::int64_t* indices = nullptr;
    std::int64_t count = 0; ///< number of elements
};

/// Whether several processes hold an index of the axis, as unstructured axes allow.
bool has_shared_indices(const AxisLayout& axis);
/// The widest padding, on each side, in which a process has copies of the axis' elements.
Widths widest_copies(const BlockLayout& axis);

/// Places of the elements of an axis slice: to read them, or to write them.
///
/// Cells (i) are interior cells of the axis, elements (t) are cells of the slice: i = begin + t * step.
/// A numbering by index defines the elements of an unstructured axis; the slice is then the whole axis.
class AxisSide {
public:
    enum class Form {
        intervals, ///< every process has one interval of cells (and its padding)
        cyclic,    ///< blocks dealt out in several rounds
        lists      ///< unstructured
    };
    enum class Role { source, target };

    /// `slice` must be valid and complete; the indices of `numbering` must outlive this.
    AxisSide(const AxisLayout& layout, const AxisSlice& slice, Role role, bool fill_padding,
             const AxisNumbering& numbering = {});
    /// The same source, with each element read from holder `number`, by ascending process.
    /// Elements with fewer holders are left out.
    AxisSide of_copy(int number) const;
    /// The largest number of processes that own one index.
    int most_copies() const;

    Form form() const noexcept { return m_form; }
    const AxisSlice& slice() const noexcept { return m_slice; }
    std::int64_t count() const noexcept { return m_slice.count; }

    // For intervals. Windows without padding tile [0, count()).

    void append_windows(int p, std::vector<AxisWindow>& windows) const;
    /// The windows of all processes that share elements with [begin, end).
    void append_windows_meeting(std::int64_t begin, std::int64_t end,
                                std::vector<AxisWindow>& windows) const;
    /// The window of element t, without padding.
    AxisWindow owner_window(std::int64_t t) const noexcept;

    // For cyclic axes.

    int owner(std::int64_t t) const noexcept {
        return static_cast<int>(cell(t) / m_block_size % m_grid_size);
    }
    std::int64_t local(std::int64_t t) const noexcept {
        const std::int64_t i = cell(t);
        return i / m_block_size / m_grid_size * m_block_size + i % m_block_size;
    }
    /// The element after the last one in the block of element t.
    std::int64_t chunk_end(std::int64_t t) const noexcept;
    /// Whether element t - 1 is (or would be) in another block than t.
    bool starts_chunk(std::int64_t t) const noexcept;
    /// The first element from t on that process p owns, or count().
    std::int64_t next_owned(int p, std::int64_t t) const noexcept;
    /// Number of elements after which the owners repeat.
    std::int64_t period() const noexcept { return m_period; }
    /// Distance between local positions that are `elements`, a multiple of the period, apart.
    std::int64_t local_period(std::int64_t elements) const noexcept;

    // For any form, element by element.

    /// Calls visit(AxisPlace, t) for the elements of process p by ascending t, window by window.
    template <class Visit>
    void for_each_own(int p, Visit&& visit) const;
    /// Positions where labels were last found: the next label is near if elements are requested in order.
    struct Cursors {
        std::vector<std::int64_t> by_process;
        std::int64_t cell = 0;
    };
    Cursors cursors() const {
        const bool are_used = m_form == Form::lists && !m_holders;
        return {std::vector<std::int64_t>(are_used ? static_cast<std::size_t>(m_grid_size) : 0, 0),
                0};
    }
    /// Calls visit(AxisPlace) for the place from which element t is read, or for all places to
    /// which it is written; for none if the axis lacks the element.
    template <class Visit>
    void for_each_place(std::int64_t t, Cursors& cursors, Visit&& visit) const;
    /// Upper limit of the number of elements of process p.
    std::int64_t own_limit(int p) const noexcept {
        const std::int64_t held = m_layout.local_extent(p);
        return m_fill_padding ? held : std::min(held, count());
    }

private:
    struct Listed {
        std::int64_t t;
        std::int64_t local;
    };

    std::int64_t cell(std::int64_t t) const noexcept { return m_slice.begin + t * m_slice.step; }
    std::int64_t bound(int p) const noexcept;
    std::int64_t held_begin(int p) const noexcept;
    std::int64_t held_end(int p) const noexcept;
    /// Finds the window of process p in a mirror; false if it has no elements there.
    bool find_window(int p, std::int64_t mirror, AxisWindow& window) const noexcept;
    void append_mirror_meeting(std::int64_t mirror, std::int64_t begin, std::int64_t end,
                               std::vector<AxisWindow>& windows) const;
    /// The processes that hold each label, if labels are shared.
    struct Holders {
        std::vector<std::int64_t> offsets{}; ///< holders of label i begin here
        std::vector<AxisPlace> places{};     ///< by label, then process
    };
    void list_holders();
    /// Whether `cell` is read from process p or, for a target, written there.
    bool takes_part(int p, std::int64_t cell) const noexcept;
    std::vector<Listed> listed(int p) const;
    /// The element of a cell with this label, -1 if none.
    std::int64_t element_of(std::int64_t cell, std::int64_t label,
                            std::int64_t& cursor) const noexcept;
    /// The cell of element t, -1 if the axis lacks it.
    std::int64_t cell_of(std::int64_t t, std::int64_t& cursor) const noexcept;
    /// Position of `label` in an ascending list, or where it would be inserted. Searches from
    /// `hint` outwards in growing steps.
    static std::int64_t find_near(const std::int64_t* sorted, std::int64_t count, std::int64_t hint,
                                  std::int64_t label) noexcept;
    /// Position of `label` in an ascending list, -1 if it is not there; moves the cursor.
    static std::int64_t find_at(const std::int64_t* sorted, std::int64_t count,
                                std::int64_t& cursor, std::int64_t label) noexcept;

    AxisLayout m_layout;
    AxisSlice m_slice;
    Form m_form = Form::intervals;
    Role m_role;
    bool m_fill_padding = false; ///< true only if padding exists
    std::int64_t m_size;         ///< interior cells
    int m_grid_size;
    std::int64_t m_block_size = 0; ///< cyclic
    std::int64_t m_period = 1;
    Widths m_widest{}; ///< largest reach of a section beyond its interior
    AxisNumbering m_numbering{};
    std::shared_ptr<const Holders>
        m_holders{}; ///< null: each label is on one process, or holders are not needed
    int m_copy = 0;  ///< number of the holder from which a source's element is read
};

template <class Visit>
void AxisSide::for_each_own(int p, Visit&& visit) const {
    switch (m_form) {
    case Form::intervals: {
        std::vector<AxisWindow> windows;
        append_windows(p, windows);
        for (const AxisWindow& window : windows)
            for (std::int64_t t = window.begin; t < window.end; ++t)
                visit(AxisPlace{p, window.mirror, window.local(t)}, t);
        break;
    }
    case Form::cyclic:
        for (std::int64_t t = next_owned(p, 0); t < count(); t = next_owned(p, t + 1))
            visit(AxisPlace{p, 0, local(t)}, t);
        break;
    case Form::lists:
        for (const Listed& element : listed(p)) visit(AxisPlace{p, 0, element.local}, element.t);
        break;
    }
}

template <class Visit>
void AxisSide::for_each_place(std::int64_t t, Cursors& cursors, Visit&& visit) const {
    switch (m_form) {
    case Form::intervals: {
        if (!m_fill_padding) {
            const AxisWindow window = owner_window(t);
            visit(AxisPlace{window.process, 0, window.local(t)});
            break;
        }
        std::vector<AxisWindow> windows;
        append_windows_meeting(t, t + 1, windows);
        for (const AxisWindow& window : windows)
            visit(AxisPlace{window.process, window.mirror, window.local(t)});
        break;
    }
    case Form::cyclic: visit(AxisPlace{owner(t), 0, local(t)}); break;
    case Form::lists: {
        const std::int64_t cell = cell_of(t, cursors.cell);
        if (cell < 0) break;
        const auto i = static_cast<std::size_t>(cell);
        if (m_holders) {
            auto first = static_cast<std::size_t>(m_holders->offsets[i]);
            auto last = static_cast<std::size_t>(m_holders->offsets[i + 1]);
            if (m_role == Role::source) {
                first += static_cast<std::size_t>(m_copy);
                last = std::min(last, first + 1);
            }
            for (std::size_t h = first; h < last; ++h) visit(m_holders->places[h]);
            break;
        }
        if (m_copy > 0) break; // no label is shared
        const UnstructuredLayout& lists = m_layout.as_unstructured();
        const auto p = static_cast<int>(lists.all_owners()[i]);
        std::int64_t& cursor = cursors.by_process[static_cast<std::size_t>(p)];
        cursor = find_near(lists.sorted_labels(p), lists.owned_local(p).size(), cursor,
                           lists.all_labels()[i]);
        visit(AxisPlace{p, 0, lists.sorted_positions(p)[cursor]});
        break;
    }
    }
}

} // namespace distview::impl
