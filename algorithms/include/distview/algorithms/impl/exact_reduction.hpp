// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/algorithms/impl/exact_cells.hpp>
#include <distview/algorithms/impl/exact_sum.hpp>
#include <distview/algorithms/impl/reduction.hpp>
#include <distview/comm/collectives.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace distview::impl {

// Terms are a functor with
//   sums                         number of sums that it computes
//   streams                      number of numbers or products that a cell adds, one for each stream
//   sum_of(stream)               the sum to which a stream adds
//   wide                         whether any stream has products
//   operator()(slot, i, j, ...)  calls slot.number<stream>(x) or slot.product<stream>(x, y) for every stream
//   direct                       whether the numbers, or all factors, are doubles in memory; if so, it also has
//   locate(row, i, j, ...)       sets row.x and, for products, row.y to their addresses; such terms have one stream

/// The exact sums of a section, of a thread or of all ranks.
template <class Terms>
struct ExactSums {
    using Sum = ExactSum<Terms::wide>;
    Sum sums[Terms::sums];

    KOKKOS_FUNCTION void clear() {
        for (Sum& sum : sums) sum.clear();
    }
    KOKKOS_FUNCTION void add(const ExactSums& other) {
        for (int s = 0; s < Terms::sums; ++s) sums[s].add(other.sums[s]);
    }
    /// All words, as all_reduce() expects them.
    std::span<std::int64_t> words() {
        static_assert(sizeof(ExactSums) % sizeof(std::int64_t) == 0);
        return {reinterpret_cast<std::int64_t*>(this), sizeof(ExactSums) / sizeof(std::int64_t)};
    }
};

/// Memory in which a host thread collects the terms of exact_block cells before they are added up.
template <class Terms>
struct TermBlock {
    alignas(64) double first[Terms::streams][exact_block];
    /// The second factors, if there are products.
    alignas(64) double second[Terms::wide ? Terms::streams : 1][Terms::wide ? exact_block : 1];
};

/// The position of one cell in a TermBlock.
template <class Terms>
struct TermSlot {
    TermBlock<Terms>& block;
    std::int64_t at;

    template <int Stream>
    KOKKOS_FORCEINLINE_FUNCTION void number(double value) const {
        block.first[Stream][at] = value;
        if constexpr (Terms::wide) block.second[Stream][at] = 1;
    }
    template <int Stream>
    KOKKOS_FORCEINLINE_FUNCTION void product(double x, double y) const {
        block.first[Stream][at] = x;
        block.second[Stream][at] = y;
    }
};

/// Passes the terms of the cells of part `part` of `parts` to add(stream, rows), at most exact_block at once.
template <class Walk, class Terms, class Add>
class TermCollector {
public:
    using Index = typename Walk::index_type;

    TermCollector(const Walk& walk, const Terms& terms, const Add& add)
        : m_walk(walk), m_terms(terms), m_add(add) {}

    void collect(std::int64_t part, std::int64_t parts) {
        // No store can alias this copy: its views' pointers stay in registers.
        const Terms mine = m_terms;
        m_walk.visit_rows(part, parts, [&](const Index* at, Index first, Index last) {
            if constexpr (Terms::direct)
                if (take_row(at, first, last)) return;
            copy_row(mine, at, first, last);
        });
        if (m_filled > 0) add_block();
        if constexpr (Terms::direct) add_rows();
    }

private:
    /// Shorter rows are copied, since they are not worth an entry of their own.
    static constexpr int least_row = 2 * exact_lanes;
    static constexpr std::int64_t most_rows = exact_block / exact_lanes;

    /// Takes a row without copying it, if its terms follow each other in memory.
    bool take_row(const Index* at, Index first, Index last) {
        static_assert(Terms::streams == 1);
        if (last - first < least_row) return false;
        NumberRow row = locate(at, first);
        if (locate(at, static_cast<Index>(first + 1)) != NumberRow{row.x + 1, row.y + 1, 0})
            return false;
        for (std::int64_t left = last - first; left > 0;) {
            if (m_slots == exact_block) add_rows();
            row.count = static_cast<int>(std::min<std::int64_t>(left, exact_block - m_slots));
            m_rows[m_n_rows++] = row;
            m_slots += (row.count + exact_lanes - 1) / exact_lanes * exact_lanes;
            row.x += row.count;
            row.y += row.count;
            left -= row.count;
        }
        return true;
    }
    NumberRow locate(const Index* at, Index inner) const {
        NumberRow row{};
        Walk::call_in_row(Locate{m_terms}, at, inner, row);
        if constexpr (!Terms::wide) row.y = row.x;
        return row;
    }
    void add_rows() {
        if (m_n_rows > 0) m_add(0, std::span<const NumberRow>(m_rows).first(m_n_rows));
        m_n_rows = 0;
        m_slots = 0;
    }

    void copy_row(const Terms& mine, const Index* at, Index first, Index last) {
        while (first < last) {
            const auto end =
                static_cast<Index>(std::min<std::int64_t>(last, first + (exact_block - m_filled)));
            fill(mine, at, first, end);
            m_filled += end - first;
            first = end;
            if (m_filled == exact_block) add_block();
        }
    }
    void fill(const Terms& mine, const Index* at, Index first, Index end) {
        const std::int64_t offset = m_filled - first;
        DISTVIEW_INDEPENDENT_ITERATIONS
        for (Index i = first; i < end; ++i) {
            const TermSlot<Terms> slot{m_block, offset + i};
            Walk::call_in_row(mine, at, i, slot);
        }
    }
    void add_block() {
        for (int s = 0; s < Terms::streams; ++s) {
            const double* const first = m_block.first[s];
            const NumberRow row{first, Terms::wide ? m_block.second[s] : first,
                                static_cast<int>(m_filled)};
            m_add(s, std::span<const NumberRow>(&row, 1));
        }
        m_filled = 0;
    }

    struct Locate {
        const Terms& terms;
        template <class... Indices>
        KOKKOS_FUNCTION void operator()(NumberRow& row, Indices... at) const {
            terms.locate(row, at...);
        }
    };

    const Walk& m_walk;
    const Terms& m_terms;
    const Add& m_add;
    NumberRow m_rows[most_rows];
    std::size_t m_n_rows = 0;
    int m_slots = 0;
    TermBlock<Terms> m_block;
    std::int64_t m_filled = 0;
};

/// Exact sums of a part of the cells, on a host thread.
template <class Walk, class Terms>
struct ExactRows {
    using value_type = ExactSums<Terms>;
    Walk walk;
    Terms terms;
    std::int64_t parts;

    void operator()(std::int64_t part, value_type& total) const {
        int bounds[Terms::streams] = {};
        const auto add = [&](int stream, std::span<const NumberRow> rows) {
            auto& sum = total.sums[Terms::sum_of(stream)];
            if constexpr (Terms::wide)
                add_products(sum, bounds[stream], rows);
            else
                add_numbers(sum, bounds[stream], rows);
        };
        TermCollector(walk, terms, add).collect(part, parts);
    }
    void init(value_type& value) const { value.clear(); }
    void join(value_type& value, const value_type& other) const { value.add(other); }
};

/// The exact sums of the cells of this section; waits for the result.
template <ExecutionSpace Exec, DistViewLike View, class Terms>
ExactSums<Terms> exact_section(const Caller& caller, const Exec& exec, const View& view,
                               Cells cells, const Terms& terms) {
    ExactSums<Terms> total;
    total.clear();
    const CellBox<View::rank()> box = cell_box(view, cells);
    if (box.count() == 0) return total;
    with_cell_walk<Terms, !loops_by_row<Exec>>(
        caller.name, view, box, [&]<class Walk>(const Walk& walk) {
            if constexpr (loops_by_row<Exec>) {
                const std::int64_t parts = part_count(exec, walk.count());
                Kokkos::parallel_reduce(caller.label(), cell_policy<std::int64_t>(exec, parts),
                                        ExactRows<Walk, Terms>{walk, terms, parts}, total);
            } else {
                total = exact_cells(caller, exec, walk, terms);
            }
        });
    for (auto& sum : total.sums) sum.normalize();
    return total;
}

/// Adds up the results of compute() on all ranks; every rank gets the sums: two agreements, one collective.
///
/// compute() may throw, also on some ranks only. `others` are the other arrays that it reads.
template <class Terms, DistViewLike View, class Compute, DistViewLike... Others>
ExactSums<Terms> exact_ranks(const Caller& caller, const Communicator& comm, const View& view,
                             Cells cells, Compute&& compute, const Others&... others) {
    const CollectiveCall call(comm, caller.name);
    ExactSums<Terms> total;
    total.clear();
    const auto compute_mine = [&] {
        check_elements(caller.name, view, others...);
        total = compute();
    };
    compute_alike(caller, comm, {.cells = cells, .result_bytes = sizeof(total)}, compute_mine, view,
                  others...);
    all_reduce(comm, ReduceOperation::sum, total.words());
    return total;
}

} // namespace distview::impl
