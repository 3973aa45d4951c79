// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sections.hpp"

#include <distview/algorithms/for_each.hpp>

#include <gtest/gtest.h>

#include <type_traits>

namespace distview::testing {

namespace {

/// Adds 1 to the element for which it is called.
template <class View>
struct CountVisits {
    View view;
    template <class... Indices>
    KOKKOS_FUNCTION void operator()(Indices... at) const {
        static_assert((std::is_integral_v<Indices> && ...));
        view(at...) += 1;
    }
};

/// Writes the code of the global indices to the element that has them.
template <class View>
struct WriteGlobal {
    View view;
    DeviceLayout<Memory> maps;
    int coordinates[max_rank] = {};
    template <class... Indices>
    KOKKOS_FUNCTION void operator()(Indices... g) const {
        static_assert((std::is_same_v<Indices, GlobalIndex> && ...));
        write(std::make_integer_sequence<int, static_cast<int>(sizeof...(Indices))>(), g...);
    }
    template <int... Axis, class... Indices>
    KOKKOS_FUNCTION void write(std::integer_sequence<int, Axis...>, Indices... g) const {
        view(maps.axis(Axis).to_local(coordinates[Axis], g).value()...) += encode<double>(g...);
    }
};

/// The same, at the position passed with the indices.
template <class View>
struct WriteGlobalHere {
    View view;
    template <class... Indices>
    KOKKOS_FUNCTION void operator()(Indices... all) const {
        constexpr auto axes = static_cast<int>(sizeof...(Indices) / 2);
        static_assert(sizeof...(Indices) == 2 * View::rank());
        const std::int64_t values[] = {static_cast<std::int64_t>(all)...};
        write(std::make_integer_sequence<int, axes>(), values);
    }
    template <int... Axis>
    KOKKOS_FUNCTION void write(std::integer_sequence<int, Axis...>,
                               const std::int64_t* values) const {
        constexpr auto axes = static_cast<int>(sizeof...(Axis));
        view(values[Axis]...) += encode<double>(GlobalIndex(values[axes + Axis])...);
    }
};

template <int Rank, class Layout>
void expect_each_cell_once(const ArrayLayout& layout, Cells cells) {
    const Exec exec;
    const auto array = make_section<double, Rank, Layout>(layout);
    using View = typename std::remove_cvref_t<decltype(array)>::view_type;

    set_section(exec, array, [](const auto&) { return 0.0; });
    for_each(exec, array, CountVisits<View>{array.view()}, cells);
    auto visits = to_host(exec, array);
    std::int64_t wrong = 0;
    for_each_cell<Rank>(layout, array.process(), cells, [&](const auto& local, const auto&) {
        wrong += element(visits.view(), local) != 1.0;
        element(visits.view(), local) = 0.0;
    });
    EXPECT_EQ(wrong, 0) << "cells not visited once";

    const auto outside = [&](const auto& host) {
        Position<Rank> end{};
        for (std::size_t d = 0; d < end.size(); ++d)
            end[d] = layout.local_extents(array.process())[d];
        std::int64_t touched = 0;
        for_each_position(Position<Rank>{}, end, [&](const Position<Rank>& at) {
            touched += element(host.view(), at) != 0.0;
        });
        return touched;
    };
    EXPECT_EQ(outside(visits), 0) << "elements touched that are no cells";

    set_section(exec, array, [](const auto&) { return 0.0; });
    WriteGlobal<View> write{array.view(), {exec, layout}, {}};
    for (int d = 0; d < Rank; ++d) write.coordinates[d] = array.coordinate(d);
    for_each_global(exec, array, write, cells);
    auto values = to_host(exec, array);
    for_each_cell<Rank>(layout, array.process(), cells, [&](const auto& local, const auto& global) {
        EXPECT_EQ(element(values.view(), local), encoded<double>(global));
        element(values.view(), local) = 0.0;
    });
    EXPECT_EQ(outside(values), 0) << "elements written that are no cells";

    if constexpr (Rank > 0) {
        set_section(exec, array, [](const auto&) { return 0.0; });
        for_each_with_global(exec, array, WriteGlobalHere<View>{array.view()}, cells);
        auto both = to_host(exec, array);
        for_each_cell<Rank>(layout, array.process(), cells,
                            [&](const auto& local, const auto& global) {
                                EXPECT_EQ(element(both.view(), local), encoded<double>(global));
                                element(both.view(), local) = 0.0;
                            });
        EXPECT_EQ(outside(both), 0) << "elements written that are no cells";
    }
}

template <int Rank>
void expect_each_cell_once(Random& random, std::int64_t limit) {
    const ArrayLayout layout = random_layout(random, Rank, limit);
    SCOPED_TRACE(layout.describe());
    const Cells cells = random.chance(0.5) ? Cells::interior : Cells::owned;
    expect_each_cell_once<Rank, Kokkos::LayoutRight>(layout, cells);
    expect_each_cell_once<Rank, Kokkos::LayoutLeft>(layout, cells);
    if constexpr (Rank == 1 || Rank == 2 || Rank == 3)
        expect_each_cell_once<Rank, Kokkos::LayoutStride>(layout, cells);
}

} // namespace

TEST(ForEach, visits_each_cell_once_rank_0) {
    for_each_case(2, [](Random& random, std::uint64_t) { expect_each_cell_once<0>(random, 1); });
}
TEST(ForEach, visits_each_cell_once_rank_1) {
    for_each_case(60, [](Random& random, std::uint64_t) { expect_each_cell_once<1>(random, 200); });
}
TEST(ForEach, visits_each_cell_once_rank_2) {
    for_each_case(60, [](Random& random, std::uint64_t) { expect_each_cell_once<2>(random, 30); });
}
TEST(ForEach, visits_each_cell_once_rank_3) {
    for_each_case(40, [](Random& random, std::uint64_t) { expect_each_cell_once<3>(random, 10); });
}
TEST(ForEach, visits_each_cell_once_rank_4) {
    for_each_case(20, [](Random& random, std::uint64_t) { expect_each_cell_once<4>(random, 6); });
}
TEST(ForEach, visits_each_cell_once_rank_5) {
    for_each_case(10, [](Random& random, std::uint64_t) { expect_each_cell_once<5>(random, 4); });
}
TEST(ForEach, visits_each_cell_once_rank_6) {
    for_each_case(10, [](Random& random, std::uint64_t) { expect_each_cell_once<6>(random, 3); });
}

namespace {

using Indices = Kokkos::View<std::int64_t*, Memory>;

struct AppendWide {
    Indices found;
    KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t j) const { found(j) = i; }
};
struct AppendNarrow {
    Indices found;
    KOKKOS_FUNCTION void operator()(int i, int j) const { found(j) = i; }
};

/// One row of three cells, behind more padding than 32 bits can count; the elements are never accessed.
DistView<const char**, Memory> section_beyond_32_bits() {
    constexpr std::int64_t width = (std::int64_t{1} << 31) + 5;
    const ArrayLayout layout(ProcessGrid{1, 1},
                             {block(1, {.padding = 0, .boundary = Widths{width, 0}}), block(3)});
    static const char nothing = 0;
    const Kokkos::View<const char**, Memory, Kokkos::MemoryTraits<Kokkos::Unmanaged>> view(
        &nothing, static_cast<std::size_t>(width) + 1, 3);
    return {layout, 0, Kokkos::View<const char**, Memory>(view)};
}

} // namespace

TEST(ForEach, gives_64_bit_indices_where_32_do_not_suffice) {
    const Exec exec;
    const Indices found("distview::testing::found", 3);
    const auto section = section_beyond_32_bits();
    for_each(exec, section, AppendWide{found});
    const auto found_host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), found);
    for (std::size_t j = 0; j < 3; ++j) EXPECT_EQ(found_host(j), (std::int64_t{1} << 31) + 5);
}

TEST(ForEach, refuses_functors_whose_indices_are_too_narrow) {
    const Exec exec;
    const auto section = section_beyond_32_bits();
    try {
        for_each(exec, section, AppendNarrow{});
        ADD_FAILURE() << "nothing thrown";
    } catch (const UsageError& error) {
        EXPECT_STREQ(error.what(),
                     "for_each: expected a functor that accepts 64-bit indices, because "
                     "the section of '' is longer than 2^31-1");
    }
}

// The device's code with one thread per cell gives the same result on host threads.
TEST(CellKernel, visits_each_cell_once) {
    for_each_case(30, [](Random& random, std::uint64_t) {
        const Exec exec;
        const ArrayLayout layout = random_layout(random, 3, 10);
        const Cells cells = random.chance(0.5) ? Cells::interior : Cells::owned;
        const auto check = [&]<class Layout>(Layout) {
            const auto array = make_section<double, 3, Layout>(layout);
            using Body = CountVisits<typename std::remove_cvref_t<decltype(array)>::view_type>;
            set_section(exec, array, [](const auto&) { return 0.0; });
            const auto box = distview::impl::cell_box(array, cells);
            const auto launch = [&]<class Walk>(const Walk& walk) {
                static_assert(std::is_same_v<typename Walk::index_type, int> ||
                              std::is_same_v<typename Walk::index_type, std::int64_t>);
                Kokkos::parallel_for(
                    "distview::testing::cells",
                    distview::impl::cell_policy<int>(exec, walk.count()),
                    distview::impl::CellKernel<Walk, Body, int>{walk, Body{array.view()}});
            };
            distview::impl::with_cell_walk<Body, true>("CellKernel", array, box, launch);
            const auto visits = to_host(exec, array);
            std::int64_t sum = 0;
            Position<3> end{};
            for (std::size_t d = 0; d < 3; ++d) end[d] = layout.local_extents(array.process())[d];
            for_each_position(Position<3>{}, end, [&](const Position<3>& at) {
                sum += static_cast<std::int64_t>(element(visits.view(), at));
            });
            EXPECT_EQ(sum, box.count());
            for_each_cell<3>(layout, array.process(), cells, [&](const auto& local, const auto&) {
                EXPECT_EQ(element(visits.view(), local), 1.0);
            });
        };
        check(Kokkos::LayoutRight());
        check(Kokkos::LayoutLeft());
        check(Kokkos::LayoutStride());
    });
}

} // namespace distview::testing
