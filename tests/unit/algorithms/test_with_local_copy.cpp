// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random arrays, parts, orders and intents, compared with a serial model; for examples see
// test_local_copy_calls.cpp and test_fortran_callees.cpp.
// DISTVIEW_CASES sets the number of cases; the campaign with label `full` sets it.
#include "sections.hpp"

#include <distview/algorithms/with_local_copy.hpp>
#include <distview/comm/make_dist_view.hpp>
#include <distview_testing/assertions.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <type_traits>
#include <vector>

namespace distview::testing {

namespace {

using Host = Kokkos::DefaultHostExecutionSpace;

/// The indices along each axis of the requested cells, in the order of the plain array.
template <int Rank>
using Indices = std::array<std::vector<std::int64_t>, static_cast<std::size_t>(Rank)>;

/// The number type: T, or the type of the parts of a complex T.
template <class T>
struct Scalar {
    using type = T;
};
template <class T>
struct Scalar<Kokkos::complex<T>> {
    using type = T;
};

enum class Part { cells, box, root, everywhere };

template <class T, int Rank, class Layout>
class CopyCase {
public:
    static constexpr auto axes = static_cast<std::size_t>(Rank);
    using View = DistView<typename StarsOf<T, Rank>::type, Layout, Kokkos::HostSpace>;
    /// Whether untouched elements can be recognised without copying elements in.
    static constexpr bool marks = !std::is_integral_v<T>;

    CopyCase(Random& random, std::int64_t limit)
        : layout(random_layout(random, Rank, limit, true)), comm(communicator_of(layout)),
          part(random.pick(std::vector{Part::cells, Part::box, Part::root, Part::everywhere})),
          intent(random.pick(std::vector{Intent::in, Intent::out, Intent::inout})),
          order(random.pick(std::vector{MemoryOrder::row_major, MemoryOrder::column_major})),
          root(static_cast<int>(random.integer(0, comm.size()))), salt(random.integer(0, 1000)) {
        options.cells = random.chance(0.5) ? Cells::interior : Cells::owned;
        options.takes_leading_dimension = random.chance(0.5);
        options.writes_all = intent == Intent::out && random.chance(0.2);
        make_boxes(random);
    }

    void run() {
        SCOPED_TRACE(text(layout.describe(), "\npart ", static_cast<int>(part), ", intent ",
                          static_cast<int>(intent), ", order ", static_cast<int>(order), ", cells ",
                          static_cast<int>(options.cells), ", leading dimension ",
                          options.takes_leading_dimension, ", writes all ", options.writes_all));
        x = make();
        const auto function = [&](const auto& a) { called(a); };
        const Host exec;
        LocalCopyBytes bytes;
        switch (part) {
        case Part::cells: bytes = with_local_copy(exec, x, intent, order, function, options); break;
        case Part::box: {
            const Box& mine = boxes[static_cast<std::size_t>(comm.rank())];
            bytes = with_local_copy(exec, comm, x, intent, order, mine, function, options);
            break;
        }
        case Part::root:
            bytes =
                with_local_copy(exec, comm, x, intent, order, WholeArray{root}, function, options);
            break;
        case Part::everywhere:
            bytes = with_local_copy(exec, comm, x, intent, order, WholeArray{}, function, options);
        }
        EXPECT_EQ(n_calls, part == Part::root && comm.rank() != root ? 0 : 1);
        check_bytes(bytes);
        check_section();
    }

private:
    using Box = std::array<GlobalRange, axes>;

    /// Boxes of all ranks; they share no cells if they are written.
    void make_boxes(Random& random) {
        Box all;
        for (std::size_t d = 0; d < axes; ++d) {
            const auto indices = indices_of(static_cast<int>(d));
            // Boxes may include labels that do not exist.
            const std::int64_t beyond =
                layout.axis(static_cast<int>(d)).type() == DistType::unstructured ? 3 : 0;
            all[d] = {GlobalIndex(indices.empty() ? 0 : indices.front() - beyond),
                      GlobalIndex(indices.empty() ? 0 : indices.back() + 1 + beyond)};
        }
        const auto cut = axes == 0 ? 0 : static_cast<std::size_t>(random.integer(0, Rank));
        const auto bounds = random_bounds(random, axes == 0 ? 0 : all[cut].size(), comm.size());
        for (std::size_t p = 0; p < static_cast<std::size_t>(comm.size()); ++p) {
            Box box = all;
            for (std::size_t d = 0; d < axes; ++d) {
                const std::int64_t first = random.integer(0, all[d].size() + 1);
                const std::int64_t last = random.integer(0, all[d].size() + 1);
                if (random.chance(0.7))
                    box[d] = {all[d].begin + std::min(first, last),
                              all[d].begin + std::max(first, last)};
                if (d == cut && intent != Intent::in)
                    box[d] = {all[d].begin + bounds[p], all[d].begin + bounds[p + 1]};
            }
            // Sometimes boxes lie inside the rank's own section.
            if (random.chance(0.3) && layout.process_count() == comm.size())
                for (std::size_t d = 0; d < axes; ++d) own_range(static_cast<int>(p), d, box[d]);
            boxes.push_back(box);
        }
        if (part == Part::box && intent != Intent::in) drop_shared_boxes();
    }
    void own_range(int process, std::size_t d, GlobalRange& range) const {
        const AxisLayout& axis = layout.axis(static_cast<int>(d));
        const int p = layout.coordinates(process)[d];
        if (axis.is_block()) range = axis.as_block().interior(p);
    }
    void drop_shared_boxes() {
        std::set<Position<Rank>> seen;
        for (Box& box : boxes) {
            const Indices<Rank> mine = indices_in(box);
            bool is_shared = false;
            for_each_of(mine,
                        [&](const auto&, const auto& g) { is_shared |= !seen.insert(g).second; });
            if (is_shared)
                for (auto& range : box) range.end = range.begin;
        }
    }

    /// All indices of an axis in ascending order.
    std::vector<std::int64_t> indices_of(int d) const {
        const AxisLayout& axis = layout.axis(d);
        std::set<std::int64_t> indices;
        for (int p = 0; p < axis.grid_size(); ++p)
            for (LocalIndex l = axis.interior_local(p).begin; l < axis.interior_local(p).end; ++l)
                indices.insert(axis.to_global(p, l).value());
        return {indices.begin(), indices.end()};
    }
    Indices<Rank> indices_in(const Box& box) const {
        Indices<Rank> result;
        for (std::size_t d = 0; d < axes; ++d)
            for (const std::int64_t g : indices_of(static_cast<int>(d)))
                if (box[d].contains(GlobalIndex(g))) result[d].push_back(g);
        return result;
    }
    /// The indices that this rank's function must get.
    Indices<Rank> wanted() const {
        if (part == Part::box) return indices_in(boxes[static_cast<std::size_t>(comm.rank())]);
        Indices<Rank> result;
        for (std::size_t d = 0; d < axes; ++d) {
            const int axis = static_cast<int>(d);
            if (part != Part::cells) {
                result[d] = indices_of(axis);
                continue;
            }
            const LocalRange range =
                options.cells == Cells::owned ? x.owned_range(axis) : x.interior_range(axis);
            for (LocalIndex l = range.begin; l < range.end; ++l)
                result[d].push_back(x.global_index(axis, l).value());
        }
        return result;
    }
    /// Calls visit(position in the plain array, global index).
    template <class Visit>
    static void for_each_of(const Indices<Rank>& indices, Visit&& visit) {
        Position<Rank> end{};
        for (std::size_t d = 0; d < axes; ++d) end[d] = std::ssize(indices[d]);
        for_each_position(Position<Rank>{}, end, [&](const Position<Rank>& at) {
            Position<Rank> g{};
            for (std::size_t d = 0; d < axes; ++d)
                g[d] = indices[d][static_cast<std::size_t>(at[d])];
            visit(at, g);
        });
    }

    T value(int process, const Position<Rank>& g) const {
        using Number = typename Scalar<T>::type;
        return static_cast<T>(encoded<T>(g) + T(static_cast<Number>(100'000 * process)));
    }
    T new_value(const Position<Rank>& g) const { return static_cast<T>(encoded<T>(g) + T(7)); }
    bool touches(const Position<Rank>& g) const {
        if (intent == Intent::in) return false;
        std::int64_t number = salt;
        for (const std::int64_t i : g) number = number * 31 + i;
        return options.writes_all || number % 3 != 0;
    }
    int owner(const Position<Rank>& g) const {
        const std::vector<GlobalIndex> index(g.begin(), g.end());
        return layout.owner(index);
    }

    View make() const {
        const int process = layout.process_count() == 1 ? 0 : comm.rank();
        const auto section = make_section<T, Rank, Layout>(layout);
        const View view(layout, process,
                        typename View::view_type(Kokkos::view_alloc("distview::testing::x"),
                                                 section.view().layout()));
        for_each_local(view, [&](const auto& l, const auto& g) {
            element(view.view(), l) = value(process, g);
        });
        return view;
    }
    /// Calls visit(local, global) for the whole section, including padding.
    template <class Visit>
    void for_each_local(const View& view, Visit&& visit) const {
        Position<Rank> end{};
        for (std::size_t d = 0; d < axes; ++d) end[d] = layout.local_extents(view.process())[d];
        for_each_position(Position<Rank>{}, end, [&](const Position<Rank>& l) {
            Position<Rank> g{};
            for (std::size_t d = 0; d < axes; ++d)
                g[d] = view.global_index(static_cast<int>(d), LocalIndex(l[d])).value();
            visit(l, g);
        });
    }

    /// Whether the requested cells lie in this rank's section in the form of a plain array.
    template <class Plain>
    bool lies_as_wanted(const Plain& a) const {
        const Indices<Rank> indices = wanted();
        if (part == Part::everywhere && comm.size() > 1) return false;
        const T* first = nullptr;
        bool is_plain = true;
        std::vector<std::pair<const T*, Position<Rank>>> places;
        for_each_of(indices, [&](const Position<Rank>& at, const Position<Rank>& g) {
            if (part != Part::cells)
                for (std::size_t d = 0; d < axes; ++d)
                    is_plain &= layout.axis(static_cast<int>(d)).type() != DistType::unstructured;
            is_plain = is_plain && (part == Part::cells || owner(g) == x.process());
            if (!is_plain) return;
            Position<Rank> l{};
            for (std::size_t d = 0; d < axes; ++d)
                l[d] = x.local_index(static_cast<int>(d), GlobalIndex(g[d])).value();
            if (!first) first = &element(x.view(), l);
            places.emplace_back(&element(x.view(), l), at);
        });
        for (const auto& [place, at] : places) {
            // The formula in the documentation of PlainArray.
            std::int64_t offset = 0;
            for (int k = Rank - 1; k >= 0; --k) {
                const int d = order == MemoryOrder::column_major ? k : Rank - 1 - k;
                const std::int64_t extent = k == 0 ? a.leading_dimension() : a.extent(d);
                offset = offset * extent + at[static_cast<std::size_t>(d)];
            }
            is_plain &= place - first == offset;
        }
        return is_plain;
    }

    template <class Plain>
    void called(const Plain& a) {
        ++n_calls;
        is_copy = a.is_copy();
        const Indices<Rank> indices = wanted();
        for (std::size_t d = 0; d < axes; ++d)
            EXPECT_EQ(a.extent(static_cast<int>(d)), std::ssize(indices[d]));
        EXPECT_EQ(a.order(), order);
        n_elements = a.size();
        if (n_elements > 0) {
            EXPECT_EQ(is_copy, !lies_as_wanted(a));
        }
        const std::size_t fastest = order == MemoryOrder::column_major ? 0 : axes - 1;
        if (axes > 0 && (is_copy || !options.takes_leading_dimension)) {
            EXPECT_EQ(a.leading_dimension(),
                      std::max<std::int64_t>(std::ssize(indices[fastest]), 1));
        }
        for_each_of(indices, [&](const Position<Rank>& at, const Position<Rank>& g) {
            std::int64_t offset = 0;
            for (int k = Rank - 1; k >= 0; --k) {
                const int d = order == MemoryOrder::column_major ? k : Rank - 1 - k;
                offset = offset * (k == 0 ? a.leading_dimension() : a.extent(d)) +
                         at[static_cast<std::size_t>(d)];
            }
            EXPECT_EQ(&element(a.view(), at), a.data() + offset);
            if (intent != Intent::out) {
                EXPECT_EQ(a.data()[offset], value(part == Part::cells ? x.process() : owner(g), g));
            }
            if (!touches(g)) return;
            a.data()[offset] = new_value(g);
            ++n_touched;
        });
    }

    void check_bytes(const LocalCopyBytes& bytes) const {
        const auto size = static_cast<std::int64_t>(sizeof(T));
        const bool is_brought = intent != Intent::out || (!marks && !options.writes_all);
        EXPECT_EQ(bytes.bytes_copied_in, is_copy && is_brought ? n_elements * size : 0);
        std::int64_t n_out = intent == Intent::inout || !marks ? n_elements : n_touched;
        if (part == Part::everywhere && is_copy) {
            n_out = 0; // counts only this rank's cells
            for_each_cell<Rank>(layout, x.process(), Cells::interior,
                                [&](const auto&, const auto& g) {
                                    n_out += intent == Intent::inout || !marks || touches(g);
                                });
        }
        EXPECT_EQ(bytes.bytes_copied_out, is_copy && intent != Intent::in ? n_out * size : 0);
    }

    /// Whether some rank's function has got a cell.
    bool was_wanted(const Position<Rank>& g) const {
        if (part == Part::root || part == Part::everywhere) return true;
        return std::any_of(boxes.begin(), boxes.end(), [&](const Box& box) {
            bool inside = true;
            for (std::size_t d = 0; d < axes; ++d) inside &= box[d].contains(GlobalIndex(g[d]));
            return inside;
        });
    }
    void check_section() const {
        std::set<Position<Rank>> cells;
        for_each_cell<Rank>(layout, x.process(),
                            part == Part::cells ? options.cells : Cells::interior,
                            [&](const auto& l, const auto&) { cells.insert(l); });
        for_each_local(x, [&](const auto& l, const auto& g) {
            const T own = value(x.process(), g);
            T expected = own;
            if (cells.contains(l) && (part == Part::cells || was_wanted(g)) &&
                intent != Intent::in) {
                // Copies of an index outside its owner are overwritten with the value read from the owner.
                const bool keeps = part == Part::cells || (intent == Intent::out && marks);
                expected = touches(g) ? new_value(g) : keeps ? own : value(owner(g), g);
            }
            EXPECT_EQ(element(x.view(), l), expected);
        });
    }

    ArrayLayout layout;
    Communicator comm;
    Part part;
    Intent intent;
    MemoryOrder order;
    int root;
    std::int64_t salt;
    LocalCopyOptions options;
    std::vector<Box> boxes;
    View x;
    int n_calls = 0;
    bool is_copy = false;
    std::int64_t n_elements = 0;
    std::int64_t n_touched = 0;
};

template <class T, int Rank, class Layout = Kokkos::LayoutRight>
void check(Random& random, std::int64_t limit) {
    CopyCase<T, Rank, Layout>(random, limit).run();
}

} // namespace

TEST(WithLocalCopy, of_any_array) {
    for_each_case(campaign_cases(25), [](Random& random, std::uint64_t) {
        check<double, 1>(random, 30);
        check<double, 2>(random, 12);
        check<double, 2, Kokkos::LayoutLeft>(random, 12);
        check<double, 3>(random, 5);
        check<double, 3, Kokkos::LayoutStride>(random, 5);
    });
}

TEST(WithLocalCopy, of_any_type) {
    for_each_case(campaign_cases(12), [](Random& random, std::uint64_t) {
        check<double, 0>(random, 1);
        check<float, 2>(random, 10);
        check<int, 2, Kokkos::LayoutLeft>(random, 10);
        check<std::int64_t, 1>(random, 30);
        check<Kokkos::complex<double>, 2>(random, 10);
        check<Kokkos::complex<float>, 3, Kokkos::LayoutLeft>(random, 4);
        check<double, 4>(random, 3);
    });
}

TEST(WithLocalCopy, takes_a_leading_dimension_across_an_axis_of_one_cell) {
    const Host exec;
    const Communicator comm(MPI_COMM_SELF);
    const ArrayLayout layout(ProcessGrid{1, 1, 1}, {block(2), block(1), block(3, {.padding = 1})});
    const auto u = make_dist_view<double***>(exec, "u", comm, layout);
    const auto bytes = with_local_copy(exec, u, Intent::inout, MemoryOrder::row_major,
                                       [](const auto& a) {
                                           EXPECT_FALSE(a.is_copy());
                                           EXPECT_EQ(a.leading_dimension(), 5);
                                       },
                                       {.takes_leading_dimension = true});
    EXPECT_EQ(bytes, LocalCopyBytes());
}

} // namespace distview::testing
