// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/algorithms/impl/exact_reduction.hpp>
#include <distview/comm/collectives.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace distview::impl {

// Kernels that update arrays and, in the same pass, add up terms of the updated cells, exactly or rounded. Terms are
// defined in exact_reduction.hpp; products are stored as factors for exact sums and as doubles for rounded ones.

/// a * b + c, rounded alike wherever a compiler places it: fused if, and only if, the processor can.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T multiply_add(T a, T b, T c) {
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__) || defined(__FMA__) ||               \
    defined(__ARM_FEATURE_FMA) || defined(FP_FAST_FMA)
    return Kokkos::fma(a, b, c);
#else
    return a * b + c;
#endif
}

template <class Terms>
struct RoundedSums {
    double sums[Terms::sums];

    KOKKOS_FUNCTION void clear() {
        for (double& sum : sums) sum = 0;
    }
    KOKKOS_FUNCTION void add(const RoundedSums& other) {
        for (int s = 0; s < Terms::sums; ++s) sums[s] += other.sums[s];
    }
};

/// Terms whose products are rounded immediately.
template <class Terms>
struct RoundedTerms {
    static constexpr int sums = Terms::sums;
    static constexpr int streams = Terms::streams;
    static constexpr bool wide = false;
    static constexpr bool direct = false;
    static constexpr int sum_of(int stream) { return Terms::sum_of(stream); }
    Terms terms;

    template <class Slot>
    struct Rounding {
        const Slot& slot;
        template <int Stream>
        KOKKOS_FORCEINLINE_FUNCTION void number(double value) const {
            slot.template number<Stream>(value);
        }
        template <int Stream>
        KOKKOS_FORCEINLINE_FUNCTION void product(double x, double y) const {
            slot.template number<Stream>(x * y);
        }
    };
    template <class Slot, class... Indices>
    KOKKOS_FORCEINLINE_FUNCTION void operator()(const Slot& slot, Indices... at) const {
        const Rounding<Slot> rounding{slot};
        terms(rounding, at...);
    }
};

/// Rounded sums of a part of the cells, on a host thread; the order depends only on the part's cells.
template <class Walk, class Terms>
struct RoundedRows {
    using value_type = RoundedSums<Terms>;
    Walk walk;
    RoundedTerms<Terms> terms;
    std::int64_t parts;

    void operator()(std::int64_t part, value_type& total) const {
        const auto add = [&](int stream, std::span<const NumberRow> rows) {
            for (const NumberRow& row : rows)
                total.sums[Terms::sum_of(stream)] += rounded_sum(row.x, row.count);
        };
        TermCollector(walk, terms, add).collect(part, parts);
    }
    void init(value_type& value) const { value.clear(); }
    void join(value_type& value, const value_type& other) const { value.add(other); }
};

/// Same, if every thread computes one cell.
template <class Walk, class Terms, class CellNumber>
struct RoundedCells {
    using value_type = RoundedSums<Terms>;
    Walk walk;
    Terms terms;

    struct Slot {
        value_type& total;
        template <int Stream>
        KOKKOS_FORCEINLINE_FUNCTION void number(double value) const {
            total.sums[Terms::sum_of(Stream)] += value;
        }
        template <int Stream>
        KOKKOS_FORCEINLINE_FUNCTION void product(double x, double y) const {
            total.sums[Terms::sum_of(Stream)] += x * y;
        }
    };
    KOKKOS_FUNCTION void operator()(CellNumber cell, value_type& total) const {
        const Slot slot{total};
        walk.visit_cell(terms, cell, slot);
    }
    KOKKOS_FUNCTION void init(value_type& value) const { value.clear(); }
    KOKKOS_FUNCTION void join(value_type& value, const value_type& other) const {
        value.add(other);
    }
};

/// The rounded sums of the interior of this section; waits for the result.
template <ExecutionSpace Exec, DistViewLike View, class Terms>
RoundedSums<Terms> rounded_section(const Caller& caller, const Exec& exec, const View& view,
                                   const Terms& terms) {
    RoundedSums<Terms> total;
    total.clear();
    const CellBox<View::rank()> box = cell_box(view, Cells::interior);
    if (box.count() == 0) return total;
    with_cell_walk<Terms, !loops_by_row<Exec>>(
        caller.name, view, box, [&]<class Walk>(const Walk& walk) {
            if constexpr (loops_by_row<Exec>) {
                const std::int64_t parts = part_count(exec, walk.count());
                Kokkos::parallel_reduce(caller.label(), cell_policy<std::int64_t>(exec, parts),
                                        RoundedRows<Walk, Terms>{walk, {terms}, parts}, total);
            } else if (fits_in_32_bits(walk.count())) {
                Kokkos::parallel_reduce(caller.label(), cell_policy<int>(exec, walk.count()),
                                        RoundedCells<Walk, Terms, int>{walk, terms}, total);
            } else {
                Kokkos::parallel_reduce(
                    caller.label(), cell_policy<std::int64_t>(exec, walk.count()),
                    RoundedCells<Walk, Terms, std::int64_t>{walk, terms}, total);
            }
        });
    return total;
}

/// Calls the terms for every interior cell and adds them up over all ranks, in one collective. All ranks pass sections
/// of the same array, on which they have already agreed.
///
/// Collective: over comm
template <ExecutionSpace Exec, DistViewLike View, class Terms>
std::array<double, Terms::sums> fused_sums(const Caller& caller, const Exec& exec,
                                           const Communicator& comm, const View& view,
                                           bool reproducible, const Terms& terms) {
    std::array<double, Terms::sums> result{};
    if (reproducible) {
        ExactSums<Terms> total = exact_section(caller, exec, view, Cells::interior, terms);
        all_reduce(comm, ReduceOperation::sum, total.words());
        for (std::size_t s = 0; s < result.size(); ++s) result[s] = total.sums[s].rounded();
    } else {
        RoundedSums<Terms> total = rounded_section(caller, exec, view, terms);
        all_reduce(comm, ReduceOperation::sum, std::span<double>(total.sums));
        for (std::size_t s = 0; s < result.size(); ++s) result[s] = total.sums[s];
    }
    return result;
}

} // namespace distview::impl
