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

/// Elements [begin, end) of a slice that one process has in one piece: t is at offset + t * step.
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

/// A place where an element is: of a window, if the process has several.
struct AxisPlace {
    int process = 0;
    std::int64_t mirror = 0;
    std::int64_t local = 0;
};

/// Element numbers of the indices of an unstructured axis.
struct AxisNumbering {
    /// Whether elements are numbered by index values; else by the cells of the slice.
    bool by_index = false;
    /// Element t is index indices[t] of these, which ascend; null: index t.
    const std::int64_t* indices = nullptr;
    std::int64_t count = 0; ///< of the elements
};

/// Whether an index of the axis is on several processes, as it may be of unstructured ones.
bool has_shared_indices(const AxisLayout& axis);
/// The most padding that a process has on each side, where it copies elements of the axis.
Widths widest_copies(const BlockLayout& axis);

/// Where the elements of a slice of an axis are: those to read, or those to write.
///
/// Cells (i) are interior cells of the axis, elements (t) those of the slice: i = begin + t * step. With a
/// numbering by index the elements of an unstructured axis are what it says, and the slice is the whole axis.
class AxisSide {
public:
    enum class Form {
        intervals, ///< every process has one interval of cells (and its padding)
        cyclic,    ///< blocks dealt out in several rounds
        lists      ///< unstructured
    };
    enum class Role { source, target };

    /// `slice` must be valid and complete; what `numbering` points to must outlive this.
    AxisSide(const AxisLayout& layout, const AxisSlice& slice, Role role, bool fill_padding,
             const AxisNumbering& numbering = {});
    /// The same source, elements read from another process that holds them: of the holders by ascending
    /// process that with the given number. Elements that fewer processes hold are left out.
    AxisSide of_copy(int number) const;
    /// The most processes that own one index.
    int most_copies() const;

    Form form() const noexcept { return m_form; }
    const AxisSlice& slice() const noexcept { return m_slice; }
    std::int64_t count() const noexcept { return m_slice.count; }

    // Of intervals. Windows without padding tile [0, count()).

    void append_windows(int p, std::vector<AxisWindow>& windows) const;
    /// The windows of all processes that share elements with [begin, end).
    void append_windows_meeting(std::int64_t begin, std::int64_t end,
                                std::vector<AxisWindow>& windows) const;
    /// The window that element t is in, padding aside.
    AxisWindow owner_window(std::int64_t t) const noexcept;

    // Of cyclic axes.

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
    /// After so many elements owners repeat.
    std::int64_t period() const noexcept { return m_period; }
    /// By how much a multiple of the period moves local positions.
    std::int64_t local_period(std::int64_t elements) const noexcept;

    // Of any form, element by element.

    /// Calls visit(AxisPlace, t) for the elements of process p by ascending t, window by window.
    template <class Visit>
    void for_each_own(int p, Visit&& visit) const;
    /// Where labels were last found: the next one is near if elements are asked for in order.
    struct Cursors {
        std::vector<std::int64_t> by_process;
        std::int64_t cell = 0;
    };
    Cursors cursors() const {
        const bool are_used = m_form == Form::lists && !m_holders;
        return {std::vector<std::int64_t>(are_used ? static_cast<std::size_t>(m_grid_size) : 0, 0),
                0};
    }
    /// Calls visit(AxisPlace) for the one place to read element t from, or all to write it to; for none if
    /// the axis does not have the element.
    template <class Visit>
    void for_each_place(std::int64_t t, Cursors& cursors, Visit&& visit) const;
    /// Process p has at most so many elements.
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
    /// Whether process p has elements in its part of a mirror.
    bool find_window(int p, std::int64_t mirror, AxisWindow& window) const noexcept;
    void append_mirror_meeting(std::int64_t mirror, std::int64_t begin, std::int64_t end,
                               std::vector<AxisWindow>& windows) const;
    /// The processes that hold each label, where labels are shared.
    struct Holders {
        std::vector<std::int64_t> offsets{}; ///< holders of label i begin here
        std::vector<AxisPlace> places{};     ///< by label, then process
    };
    void list_holders();
    /// Whether process p is where cell `cell` is read from, or one of those where it is written.
    bool takes_part(int p, std::int64_t cell) const noexcept;
    std::vector<Listed> listed(int p) const;
    /// The element that a label of a cell is, -1 if none.
    std::int64_t element_of(std::int64_t cell, std::int64_t label,
                            std::int64_t& cursor) const noexcept;
    /// The cell that element t is, -1 if the axis does not have it.
    std::int64_t cell_of(std::int64_t t, std::int64_t& cursor) const noexcept;
    /// Where `label` is in an ascending list, or would be: looked for around `hint`, further and
    /// further away.
    static std::int64_t find_near(const std::int64_t* sorted, std::int64_t count, std::int64_t hint,
                                  std::int64_t label) noexcept;
    /// Where `label` is in an ascending list, -1 if it is not there; moves the cursor.
    static std::int64_t find_at(const std::int64_t* sorted, std::int64_t count,
                                std::int64_t& cursor, std::int64_t label) noexcept;

    AxisLayout m_layout;
    AxisSlice m_slice;
    Form m_form = Form::intervals;
    Role m_role;
    bool m_fill_padding = false; ///< and there is some
    std::int64_t m_size;         ///< interior cells
    int m_grid_size;
    std::int64_t m_block_size = 0; ///< cyclic
    std::int64_t m_period = 1;
    Widths m_widest{}; ///< no section reaches further beyond its interior
    AxisNumbering m_numbering{};
    std::shared_ptr<const Holders>
        m_holders{}; ///< null: each label is on one process, or none is asked for
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
        if (m_copy > 0) break; // nobody shares
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
