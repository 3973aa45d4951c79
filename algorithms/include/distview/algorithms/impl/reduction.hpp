// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/algorithms/impl/cell_loop.hpp>
#include <distview/algorithms/impl/checks.hpp>
#include <distview/comm/agreement.hpp>
#include <distview/comm/collectives.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace distview::impl {

// A reduction is a functor with
//   value_type                    trivially copyable: it is sent as bytes
//   lanes                         number of values that a host thread keeps, so that the loop vectorises
//   init(value)                   makes value the neutral element
//   join(value, other)            combines two values
//   operator()(value, i, j, ...)  adds the cell with these local indices to value
// All functions below combine values in an order that depends only on the numbers of ranks, threads and cells, so that
// repeated sums have the same bits.

template <class Walk, class Reduction>
struct RowReduction {
    using value_type = typename Reduction::value_type;
    Walk walk;
    Reduction reduction;
    std::int64_t parts;

    void operator()(std::int64_t part, value_type& total) const {
        constexpr int lanes = Reduction::lanes;
        using Index = typename Walk::index_type;
        const Reduction mine = reduction;
        value_type values[lanes];
        for (value_type& value : values) mine.init(value);
        walk.visit_rows(part, parts, [&](const Index* at, Index first, Index last) {
            Index i = first;
            // Lane k takes every lanes-th cell: with one lane the compiler could not reorder a sum.
            if constexpr (lanes > 1)
                for (; last - i >= lanes; i = static_cast<Index>(i + lanes))
                    for (int k = 0; k < lanes; ++k)
                        Walk::call_in_row(mine, at, static_cast<Index>(i + k), values[k]);
            for (int k = 0; i < last; ++i, k = (k + 1) % lanes)
                Walk::call_in_row(mine, at, i, values[k]);
        });
        for (const value_type& value : values) mine.join(total, value);
    }
    void init(value_type& value) const { reduction.init(value); }
    void join(value_type& value, const value_type& other) const { reduction.join(value, other); }
};

template <class Walk, class Reduction, class CellNumber>
struct CellReduction {
    using value_type = typename Reduction::value_type;
    Walk walk;
    Reduction reduction;

    KOKKOS_FUNCTION void operator()(CellNumber cell, value_type& total) const {
        walk.visit_cell(reduction, cell, total);
    }
    KOKKOS_FUNCTION void init(value_type& value) const { reduction.init(value); }
    KOKKOS_FUNCTION void join(value_type& value, const value_type& other) const {
        reduction.join(value, other);
    }
};

/// Reduces the cells of this section; waits for the result.
template <ExecutionSpace Exec, DistViewLike View, class Reduction>
auto reduce_section(const Caller& caller, const Exec& exec, const View& view, Cells cells,
                    const Reduction& reduction) {
    typename Reduction::value_type total;
    reduction.init(total);
    const CellBox<View::rank()> box = cell_box(view, cells);
    if (box.count() == 0) return total;
    const auto launch = [&]<class Walk>(const Walk& walk) {
        if constexpr (loops_by_row<Exec>) {
            const std::int64_t parts = part_count(exec, walk.count());
            Kokkos::parallel_reduce(caller.label(), cell_policy<std::int64_t>(exec, parts),
                                    RowReduction<Walk, Reduction>{walk, reduction, parts}, total);
        } else if (fits_in_32_bits(walk.count())) {
            Kokkos::parallel_reduce(caller.label(), cell_policy<int>(exec, walk.count()),
                                    CellReduction<Walk, Reduction, int>{walk, reduction}, total);
        } else {
            Kokkos::parallel_reduce(caller.label(), cell_policy<std::int64_t>(exec, walk.count()),
                                    CellReduction<Walk, Reduction, std::int64_t>{walk, reduction},
                                    total);
        }
    };
    with_cell_walk<Reduction, !loops_by_row<Exec>>(caller.name, view, box, launch);
    return total;
}

/// A rank's contribution to a reduction over all ranks.
template <class Value>
struct Contribution {
    Value value{};
    bool any = false; ///< whether the value is over any cells
};

template <class Value>
struct Reduced {
    Value value;
    bool any;
};

/// Combines the results of compute() on every rank, in rank order; `join` is a reduction or an object with only its
/// value_type, init and join.
///
/// compute() may throw, also on some ranks only. `others` are the other arrays that it reads.
template <class Join, DistViewLike View, class Compute, DistViewLike... Others>
Reduced<typename Join::value_type> reduce_ranks(const Caller& caller, const Communicator& comm,
                                                const View& view, Cells cells, const Join& join,
                                                Compute&& compute, const Others&... others) {
    using Value = typename Join::value_type;
    static_assert(std::is_trivially_copyable_v<Contribution<Value>>);
    const CollectiveCall call(comm, caller.name);
    Contribution<Value> mine;
    std::vector<Contribution<Value>> all;
    const auto reduce_mine = [&] {
        all.resize(static_cast<std::size_t>(comm.size())); // before other ranks wait for this one
        check_elements(caller.name, view, others...);
        mine.value = compute();
        mine.any = cell_box(view, cells).count() > 0;
    };
    compute_alike(caller, comm, {.cells = cells, .result_bytes = sizeof(Value)}, reduce_mine, view,
                  others...);

    Reduced<Value> total{};
    join.init(total.value);
    all_gather(comm, &mine, all.data(), sizeof(mine)); // all ranks reach this call
    for (const Contribution<Value>& one : all) {
        total.any = total.any || one.any;
        if (one.any) join.join(total.value, one.value);
    }
    return total;
}

/// Same, for a reduction whose init and join are static.
template <class Reduction, DistViewLike View, class Compute, DistViewLike... Others>
auto reduce(const Caller& caller, const Communicator& comm, const View& view, Cells cells,
            Compute&& compute, const Others&... others) {
    struct Join {
        using value_type = typename Reduction::value_type;
        static void init(value_type& value) { Reduction::init(value); }
        static void join(value_type& value, const value_type& from) {
            Reduction::join(value, from);
        }
    };
    return reduce_ranks(caller, comm, view, cells, Join(), compute, others...);
}

} // namespace distview::impl
