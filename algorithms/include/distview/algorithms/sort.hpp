// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/algorithms/copy.hpp>
#include <distview/algorithms/impl/checks.hpp>
#include <distview/algorithms/impl/exact_splits.hpp>
#include <distview/algorithms/impl/sorted_parts.hpp>
#include <distview/comm/agreement.hpp>
#include <distview/comm/gather_plan.hpp>
#include <distview/comm/make_dist_view.hpp>
#include <distview/comm/redistribution_plan.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace distview {

namespace impl {
template <class T>
inline constexpr bool has_nan = std::floating_point<T> || is_half<T> || is_bhalf<T>;
} // namespace impl

/// The order a < b; every NaN is placed after all numbers.
///
/// Collective: no (local)
struct Ascending {
    template <class T>
    KOKKOS_FUNCTION constexpr bool operator()(const T& a, const T& b) const {
        if constexpr (impl::has_nan<T>)
            return a < b || (b != b && a == a);
        else
            return a < b;
    }
};

/// The order a > b; every NaN is placed after all numbers, too.
///
/// Collective: no (local)
struct Descending {
    template <class T>
    KOKKOS_FUNCTION constexpr bool operator()(const T& a, const T& b) const {
        if constexpr (impl::has_nan<T>)
            return a > b || (b != b && a == a);
        else
            return b < a;
    }
};

namespace impl {
template <>
inline constexpr const char* operation_name<Ascending> = "Ascending";
template <>
inline constexpr const char* operation_name<Descending> = "Descending";
} // namespace impl

/// An order of elements: compare(a, b) says whether a comes before b.
template <class Compare, class T>
concept ElementOrder = requires(const Compare& compare, const T& a) {
    { compare(a, a) } -> std::convertible_to<bool>;
};

namespace impl {

/// Copies elements to host memory and waits for all work on `exec`.
template <ExecutionSpace Exec, ViewLike View>
auto to_sort_on_host(const Caller& caller, const Exec& exec, const View& view) {
    const auto host = Kokkos::create_mirror_view(Kokkos::WithoutInitializing, view);
    Kokkos::deep_copy(exec, host, view);
    exec.fence(caller.label(": the host sorts"));
    return host;
}

/// Merges consecutive sorted runs that start at `begins`; equal elements keep their order.
template <class T, class Compare>
void merge_runs(std::span<T> values, std::vector<std::int64_t> begins, const Compare& compare) {
    begins.push_back(std::ssize(values));
    while (begins.size() > 2) {
        std::vector<std::int64_t> merged;
        for (std::size_t i = 0; i + 1 < begins.size(); i += 2) {
            merged.push_back(begins[i]);
            if (i + 2 < begins.size())
                std::inplace_merge(values.begin() + begins[i], values.begin() + begins[i + 1],
                                   values.begin() + begins[i + 2], compare);
        }
        merged.push_back(std::ssize(values));
        begins = std::move(merged);
    }
}

/// Sorts an array of blocks without padding, which the algorithm has allocated itself.
template <ExecutionSpace Exec, DistViewLike Line, class Compare>
void sort_blocks(const Caller& caller, const Exec& exec, const Communicator& comm, const Line& line,
                 const Compare& compare) {
    using T = typename Line::value_type;
    const auto host = agree_on(comm, caller.name, [&] {
        const auto mine = to_sort_on_host(caller, exec, line.view());
        std::stable_sort(mine.data(), mine.data() + mine.size(), compare);
        Kokkos::deep_copy(exec, line.view(), mine);
        exec.fence(caller.label(": others read the line"));
        return mine;
    });
    if (comm.size() == 1) return;

    auto search = agree_on(comm, caller.name, [&] {
        // The block of a rank lies between two bounds; the first and the last block have one bound only.
        std::vector<std::int64_t> bounds = inner_bounds(line.layout());
        const auto rank = static_cast<std::size_t>(comm.rank());
        const std::size_t last = std::min(rank + 1, bounds.size());
        return SplitSearch<T, Compare>(comm, std::span<const T>(host.data(), host.size()), compare,
                                       std::move(bounds), rank == 0 ? 0 : rank - 1, last);
    });
    const std::vector<std::int64_t>& cuts = search.find();
    const SortedParts mine = agree_on(comm, caller.name, [&] {
        if (search.failure()) std::rethrow_exception(search.failure());
        return SortedParts(line.layout(), comm.rank(), cuts);
    });
    GatherPlan plan(comm, line.layout(), mine.list());
    const auto parts = agree_on(comm, caller.name, [&] {
        return Kokkos::View<T*, Kokkos::LayoutRight, typename Line::memory_space>(
            Kokkos::view_alloc(exec, Kokkos::WithoutInitializing,
                               impl::view_label(caller.name, "parts")),
            static_cast<std::size_t>(plan.size()));
    });
    plan.execute(exec, line, parts);
    agree_on(comm, caller.name, [&] {
        const auto parts_host = to_sort_on_host(caller, exec, parts);
        merge_runs(std::span<T>(parts_host.data(), parts_host.size()), mine.begins(), compare);
        Kokkos::deep_copy(exec, line.view(), parts_host);
        exec.fence(caller.label(": the parts are dropped"));
    });
}

} // namespace impl

/// Sorts the interior cells of an array of one axis into the order of their global indices.
///
///     sort(exec, comm, u);                        // ascending, NaN at the end
///     sort(exec, comm, u, Descending());          // descending, NaN at the end as well
///     sort(exec, comm, u, KOKKOS_LAMBDA(const Particle& a, const Particle& b) { return a.cell < b.cell; });
///
/// The sort is stable in any layout: among equal elements (-0.0 and +0.0, two NaNs, elements that `compare` does not
/// distinguish) the one with the smaller global index stays before the other. The result therefore does not depend on
/// the number of ranks or the layout.
///
/// `compare` is a strict weak order, the same on all ranks, and is called on the host. A comparison of the program must
/// place NaNs: operator< and std::greater<double> do not order them.
///
/// Every rank sorts its cells. A search then finds exact positions at which to cut the sorted lists, so that every rank
/// merges exactly as many elements as it holds, for any distribution and any number of equal elements. Layouts other
/// than blocks are redistributed to blocks before the sort and back afterwards.
///
/// On an unstructured axis the cells are sorted into the ascending order of their labels. If several processes hold a
/// label, the owner's element is sorted, and all of them receive the result.
///
/// Collective: over comm; all ranks pass sections of the same array
/// Shapes:     an array of one axis, of any layout
/// Space:      copies and redistributions on `exec`, sorting on the calling thread of the host; has finished
///             on return
/// Touches:    writes interior cells only, never padding. If arguments differ or `compare` throws, writes nothing; if
///             memory runs out while results are written, some ranks' cells are already written
/// Cost:       O(n / P log n) comparisons a rank for n cells on P ranks, and O(P^2 log P log n) to find the P - 1 cuts.
///             Cuts are found in batches of some 2 log n collective calls each; a batch has as many cuts as fit in 1
///             MiB at P (24 + sizeof(element)) bytes a cut, at least one. Also a GatherPlan, and two redistributions
///             unless the axis has blocks. Memory: three copies of the section, 32 bytes for each of its cells, a
///             batch, and a few numbers for each rank
/// Errors:     UsageError if the sections do not belong to comm's ranks, or differ in layout or type; the exception
///             thrown by `compare`, converted to Error if its type is not the library's; Error if a rank is out of
///             memory (thrown on all ranks)
template <ExecutionSpace Exec, WritableDistView View, class Compare = Ascending>
    requires(AccessibleFrom<View, Exec> && View::rank() == 1 &&
             std::is_trivially_copyable_v<typename View::value_type> &&
             std::default_initializable<typename View::value_type> &&
             ElementOrder<Compare, typename View::value_type>)
void sort(const Exec& exec, const Communicator& comm, const View& view,
          const Compare& compare = {}) {
    using T = typename View::value_type;
    static constexpr impl::Caller caller("sort");
    const CollectiveCall call(comm, caller.name);
    ArrayLayout blocks;
    // Elements are matched by order: unstructured cells have labels, blocks have positions.
    RedistributionOptions to_line, from_line;
    const auto prepare = [&] {
        impl::check_elements(caller.name, view);
        blocks = impl::blocks_for_sorting(view.layout());
        to_line.from_slice = from_line.to_slice = {{0, view.size(), 1}};
    };
    impl::compute_alike(caller, comm, {.order = impl::operation_name<Compare>}, prepare, view);
    if (view.size() == 0) return;

    const auto line = make_dist_view<T*, Kokkos::LayoutRight, typename View::memory_space>(
        exec, impl::view_label(caller.name, "line"), comm, blocks);
    if (view.layout().axis(0).is_block()) {
        agree_on(comm, caller.name, [&] { distview::copy(exec, view, line); });
        impl::sort_blocks(caller, exec, comm, line, compare);
        agree_on(comm, caller.name, [&] {
            distview::copy(exec, line, view);
            exec.fence(caller.label(": the line is dropped"));
        });
    } else {
        RedistributionPlan(comm, view.layout(), blocks, to_line).execute(exec, view, line);
        impl::sort_blocks(caller, exec, comm, line, compare);
        RedistributionPlan(comm, blocks, view.layout(), from_line).execute(exec, line, view);
    }
}

} // namespace distview
