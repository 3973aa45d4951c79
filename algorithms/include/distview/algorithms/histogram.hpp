// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/algorithms/impl/cell_loop.hpp>
#include <distview/algorithms/impl/checks.hpp>
#include <distview/algorithms/min_max.hpp>
#include <distview/comm/collectives.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>
#include <vector>

namespace distview {

namespace impl {

/// Bounds of bins, in memory that a kernel can access.
template <class MemorySpace>
struct Bins {
    Kokkos::View<const double*, MemorySpace> edges;
    int count;
    double scale; ///< bins per unit if all bins have the same width, else 0

    /// The bin of a value, or -1.
    KOKKOS_FUNCTION int find(double value) const {
        // Written so that NaN is in no bin.
        if (!(value >= edges(0) && value <= edges(count))) return -1;
        int bin = 0;
        if (scale > 0) {
            const double guess = (value - edges(0)) * scale;
            bin = guess < count - 1 ? static_cast<int>(guess) : count - 1;
            while (bin > 0 && value < edges(bin)) --bin;
            while (bin < count - 1 && value >= edges(bin + 1)) ++bin;
        } else {
            int end = count;
            while (end - bin > 1) {
                const int middle = bin + (end - bin) / 2;
                if (value < edges(middle))
                    end = middle;
                else
                    bin = middle;
            }
        }
        return bin;
    }
};

/// Counts a cell in counters that all threads share.
template <ViewLike View, class MemorySpace>
struct CountCell {
    View view;
    Bins<MemorySpace> bins;
    Kokkos::View<std::int64_t*, MemorySpace> counts;

    template <class... Indices>
    KOKKOS_FORCEINLINE_FUNCTION void operator()(Indices... at) const {
        const int bin = bins.find(static_cast<double>(view(at...)));
        if (bin >= 0) Kokkos::atomic_inc(&counts(bin));
    }
};

/// Counts the cells of one host thread in that thread's counters.
template <class Walk, ViewLike View, class MemorySpace>
struct CountRows {
    Walk walk;
    View view;
    Bins<MemorySpace> bins;
    Kokkos::View<std::int64_t*, MemorySpace> counts; ///< one part after the other
    std::int64_t parts;

    void operator()(std::int64_t part) const {
        std::int64_t* const mine = counts.data() + part * bins.count;
        const auto count = [&](auto... at) {
            const int bin = bins.find(static_cast<double>(view(at...)));
            if (bin >= 0) ++mine[bin];
        };
        walk.visit_rows(part, parts, [&](const auto* at, auto first, auto last) {
            for (auto i = first; i < last; ++i) Walk::call_in_row(count, at, i);
        });
    }
};

/// Edges and counts of a histogram. Throws UsageError if the edges do not bound bins.
class HistogramBins {
public:
    HistogramBins() = default;
    HistogramBins(const char* caller, std::span<const double> edges);
    HistogramBins(const char* caller, int bins, double low, double high);

    std::span<const double> edges() const noexcept { return m_edges; }
    int count() const noexcept { return static_cast<int>(m_edges.size()) - 1; }
    double scale() const noexcept { return m_scale; }
    std::uint64_t digest() const;

private:
    std::vector<double> m_edges;
    double m_scale = 0;
};

/// Agrees on this rank's failure in counting and on the arguments of all ranks, then adds up the counts.
void combine_histogram(const Communicator& comm, const Caller& caller,
                       const std::exception_ptr& failure, const CommonArguments& arguments,
                       const HistogramBins& bins, std::vector<std::int64_t>& counts);

/// Counts the cells of this section; waits for the result.
template <ExecutionSpace Exec, DistViewLike View>
std::vector<std::int64_t> count_section(const Caller& caller, const Exec& exec, const View& view,
                                        Cells cells, const HistogramBins& bins) {
    using Memory = typename Exec::memory_space;
    using Section = typename View::view_type;
    std::vector<std::int64_t> result(static_cast<std::size_t>(bins.count()), 0);
    const CellBox<View::rank()> box = cell_box(view, cells);
    if (box.count() == 0) return result;
    const Kokkos::View<const double*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>
        edges_host(bins.edges().data(), bins.edges().size());
    const Kokkos::View<double*, Memory> edges(
        Kokkos::view_alloc(exec, Kokkos::WithoutInitializing,
                           impl::view_label(caller.name, "edges")),
        edges_host.size());
    Kokkos::deep_copy(exec, edges, edges_host);
    const Bins<Memory> in_kernel{edges, bins.count(), bins.scale()};

    // Counters for each thread, unless they would need more than 16 MiB.
    constexpr std::int64_t most_counters = std::int64_t{1} << 21;
    const std::int64_t parts = loops_by_row<Exec> ? part_count(exec, box.count()) : 1;
    const bool has_own = loops_by_row<Exec> && parts * bins.count() <= most_counters;
    const Kokkos::View<std::int64_t*, Memory> counts(
        Kokkos::view_alloc(exec, impl::view_label(caller.name, "counts")),
        static_cast<std::size_t>((has_own ? parts : 1) * bins.count()));
    if constexpr (loops_by_row<Exec>)
        if (has_own)
            with_cell_walk<CountCell<Section, Memory>, false>(
                caller.name, view, box, [&]<class Walk>(const Walk& walk) {
                    Kokkos::parallel_for(caller.label(), cell_policy<std::int64_t>(exec, parts),
                                         CountRows<Walk, Section, Memory>{
                                             walk, view.view(), in_kernel, counts, parts});
                });
    if (!has_own)
        launch_for(caller, exec, view, cells,
                   CountCell<Section, Memory>{view.view(), in_kernel, counts});

    const auto counts_host = Kokkos::create_mirror_view(Kokkos::WithoutInitializing, counts);
    Kokkos::deep_copy(exec, counts_host, counts);
    exec.fence(caller.label(": the host adds up the counts"));
    for (std::size_t i = 0; i < counts_host.size(); ++i)
        result[i % result.size()] += counts_host(i);
    return result;
}

template <ExecutionSpace Exec, DistViewLike View, class MakeBins>
std::vector<std::int64_t> count_in_bins(const Exec& exec, const Communicator& comm,
                                        const View& view, Cells cells, const MakeBins& make_bins) {
    static constexpr Caller caller("histogram");
    const CollectiveCall call(comm, caller.name);
    HistogramBins bins;
    std::vector<std::int64_t> counts;
    Alone alone;
    alone([&] {
        check_array(caller.name, comm, view.layout(), view.process());
        check_elements(caller.name, view);
        bins = make_bins(caller.name);
        counts = count_section(caller, exec, view, cells, bins);
    });
    combine_histogram(comm, caller, alone.failure(),
                      {&view.layout(), cells, element_type<typename View::non_const_value_type>(),
                       std::array{view.identity()}},
                      bins, counts);
    return counts;
}

} // namespace impl

/// Counts the cells of an array whose values lie in bins of equal width; returns the counts on every rank.
///
///     const std::vector<std::int64_t> counts = histogram(exec, comm, u, 20, 0.0, 1.0);
///
/// Bin b holds the values x with edge(b) <= x < edge(b + 1); the last bin also holds `high`, as in NumPy. edge(b) is
/// low + b * ((high - low) / bins), and edge(bins) is `high`. Values outside and NaN are not counted. Comparisons use
/// doubles. If unstructured lists place an element on several processes, the element counts once for each of them.
///
/// Collective: over comm; all ranks pass sections of the same array and the same bins
/// Space:      one kernel on `exec`, which has finished on return
/// Cost:       two agreements, one MPI_Allreduce of 8 bytes a bin; on the host, counters for each thread; on a device,
///             atomic counters
/// Errors:     those of sum(); UsageError if `bins` is less than 1, if low < high does not hold, if a bound is not
///             finite, if doubles do not resolve the bins' width, or if bins differ between ranks (thrown on all ranks)
/// Example:    tests/unit/algorithms/test_histogram.cpp
template <ExecutionSpace Exec, OrderedDistView View>
    requires AccessibleFrom<View, Exec>
std::vector<std::int64_t> histogram(const Exec& exec, const Communicator& comm, const View& view,
                                    int bins, double low, double high,
                                    Cells cells = Cells::interior) {
    return impl::count_in_bins(exec, comm, view, cells, [&](const char* caller) {
        return impl::HistogramBins(caller, bins, low, high);
    });
}
/// Same, for bins given by their edges: one edge more than bins, strictly ascending; the outer edges may be infinite.
///
/// Collective: over comm
/// Cost:       as above; finding the bin of a value needs log2(bins) steps
template <ExecutionSpace Exec, OrderedDistView View>
    requires AccessibleFrom<View, Exec>
std::vector<std::int64_t> histogram(const Exec& exec, const Communicator& comm, const View& view,
                                    std::span<const double> edges, Cells cells = Cells::interior) {
    return impl::count_in_bins(exec, comm, view, cells, [&](const char* caller) {
        return impl::HistogramBins(caller, edges);
    });
}

} // namespace distview
