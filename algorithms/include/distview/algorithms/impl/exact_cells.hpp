// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/algorithms/impl/cell_loop.hpp>
#include <distview/algorithms/impl/exact_sum.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace distview::impl {

template <class Terms>
struct ExactSums;

// Exact sums on a device. For every sum a thread keeps an expansion: a few doubles whose sum is exact. Remainders that
// do not fit are added to one of several tables of words by atomic additions of integers.

/// A few doubles whose sum is the sum of the numbers added so far, minus the remainders passed to `give`.
struct Expansion {
    static constexpr int length = 4;
    double parts[length] = {};

    /// Adds a number below 2^1000; a remainder that does not fit is passed to `give(rest)`.
    template <class Give>
    KOKKOS_FORCEINLINE_FUNCTION void add(double value, const Give& give) {
        for (double& part : parts) {
            if (value == 0) return;
            // Knuth's sum of two numbers and its error, for numbers in any order of size.
            const double sum = part + value;
            const double shadow = sum - part;
            value = (part - (sum - shadow)) + (value - shadow);
            part = sum;
        }
        if (value != 0) give(value);
    }
    template <class Give>
    KOKKOS_FORCEINLINE_FUNCTION void flush(const Give& give) {
        for (double& part : parts) {
            if (part != 0) give(part);
            part = 0;
        }
    }
};

/// The memory to which a thread of a device adds the terms of its cells.
template <class Terms>
struct DeviceSlot {
    ExactSums<Terms>* table;
    Expansion expansions[Terms::sums];

    template <int Stream>
    KOKKOS_FORCEINLINE_FUNCTION void number(double value) {
        auto& sum = table->sums[Terms::sum_of(Stream)];
        const auto give = [&sum](double rest) { sum.template add_number<AtomicAddition>(rest); };
        if (Kokkos::abs(value) < 0x1p1000)
            expansions[Terms::sum_of(Stream)].add(value, give);
        else
            give(value);
    }
    template <int Stream>
    KOKKOS_FORCEINLINE_FUNCTION void product(double x, double y) {
        const double value = x * y;
        const double size = Kokkos::abs(value);
        // In this range the error of the product is a double, too.
        if (size > 0x1p-960 && size < 0x1p1000) {
            number<Stream>(value);
            number<Stream>(Kokkos::fma(x, y, -value));
        } else {
            table->sums[Terms::sum_of(Stream)].template add_exact_product<AtomicAddition>(x, y);
        }
    }
    KOKKOS_FORCEINLINE_FUNCTION void flush() {
        for (int s = 0; s < Terms::sums; ++s) {
            auto& sum = table->sums[s];
            expansions[s].flush(
                [&sum](double rest) { sum.template add_number<AtomicAddition>(rest); });
        }
    }
};

/// Thread `worker` adds up every `workers`-th cell.
template <class Walk, class Terms, class CellNumber, class Tables>
struct ExactCells {
    /// A part may overflow only after more additions of numbers below 2^1000 than this.
    static constexpr int cells_of_a_flush = 1 << 16;
    Walk walk;
    Terms terms;
    Tables tables;
    CellNumber count;
    CellNumber workers;

    KOKKOS_FUNCTION void operator()(CellNumber worker) const {
        DeviceSlot<Terms> slot{&tables(static_cast<std::size_t>(worker) % tables.extent(0)), {}};
        int left = cells_of_a_flush;
        for (CellNumber cell = worker; cell < count; cell += workers) {
            walk.visit_cell(terms, cell, slot);
            if (--left == 0) {
                slot.flush();
                left = cells_of_a_flush;
            }
            if (count - cell <= workers) break; // cell + workers may exceed CellNumber
        }
        slot.flush();
    }
};

/// The exact sums of the cells of a walk, for spaces whose threads compute single cells; waits for the result.
template <ExecutionSpace Exec, class Walk, class Terms>
ExactSums<Terms> exact_cells(const Caller& caller, const Exec& exec, const Walk& walk,
                             const Terms& terms) {
    using Tables = Kokkos::View<ExactSums<Terms>*, typename Exec::memory_space>;
    // Enough tables that atomic additions seldom collide, and that no table gets more numbers than its words can hold.
    constexpr int n_tables = 64;
    constexpr std::int64_t most_workers = 1 << 16;
    const Tables tables(Kokkos::view_alloc(exec, caller.label()), n_tables);
    const std::int64_t workers = std::min(walk.count(), most_workers);
    const auto launch = [&]<class CellNumber>(CellNumber) {
        Kokkos::parallel_for(caller.label(), cell_policy<CellNumber>(exec, workers),
                             ExactCells<Walk, Terms, CellNumber, Tables>{
                                 walk, terms, tables, static_cast<CellNumber>(walk.count()),
                                 static_cast<CellNumber>(workers)});
    };
    if (walk.count() <= std::numeric_limits<int>::max())
        launch(int{});
    else
        launch(std::int64_t{});
    const auto tables_host = Kokkos::create_mirror_view(Kokkos::HostSpace(), tables);
    Kokkos::deep_copy(exec, tables_host, tables);
    exec.fence(caller.label(": the host adds up the tables"));
    ExactSums<Terms> total;
    total.clear();
    for (int i = 0; i < n_tables; ++i) total.add(tables_host(i));
    return total;
}

} // namespace distview::impl
