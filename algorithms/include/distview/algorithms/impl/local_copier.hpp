// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/algorithms/gather.hpp>
#include <distview/algorithms/impl/cell_loop.hpp>
#include <distview/algorithms/impl/global_maps.hpp>
#include <distview/algorithms/impl/local_boxes.hpp>
#include <distview/algorithms/impl/reduction.hpp>
#include <distview/algorithms/impl/untouched.hpp>
#include <distview/algorithms/plain_array.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace distview::impl {

/// Writes the elements of a copy to a section, except elements that the function has not written.
template <ViewLike Section, ViewLike Copy>
struct WriteTouchedBody {
    Section section;
    ShiftedView<Copy> copy;

    template <class... Indices>
    KOKKOS_FORCEINLINE_FUNCTION void operator()(Indices... at) const {
        section(at...) = KeepUntouched()(section(at...), copy(at...));
    }
};

template <ViewLike Flat>
struct CountTouchedBody {
    Flat flat;
    KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& count) const {
        count += is_touched(flat(i)) ? 1 : 0;
    }
};

/// Positions of a section's cells in the whole array; labels are counted in ascending order.
template <class MemorySpace>
struct WholePositions {
    KernelLayout<MemorySpace> layout;
    int coordinates[max_rank] = {};

    KOKKOS_FUNCTION std::int64_t operator()(int d, std::int64_t l) const {
        const AxisLayout& axis = layout.axis(d);
        const std::int64_t g = axis.to_global(coordinates[d], LocalIndex(l)).value();
        if (axis.type() != DistType::unstructured) return g;
        const std::int64_t* const labels = axis.as_unstructured().all_labels();
        std::int64_t first = 0;
        for (std::int64_t last = axis.size(); first < last;) {
            const std::int64_t middle = first + (last - first) / 2;
            if (labels[middle] < g)
                first = middle + 1;
            else
                last = middle;
        }
        return first;
    }
};

/// Writes a section's part of a copy of the whole array to the section, and counts its elements.
template <bool OnlyTouched, ViewLike Section, ViewLike Whole, class Positions>
struct WritePartReduction {
    using value_type = std::int64_t;
    static constexpr int lanes = 1;
    Section section;
    Whole whole;
    Positions positions;

    KOKKOS_FUNCTION static void init(value_type& value) { value = 0; }
    KOKKOS_FUNCTION static void join(value_type& value, const value_type& other) { value += other; }

    template <class... Indices>
    KOKKOS_FUNCTION void operator()(value_type& count, Indices... at) const {
        write(count, std::make_integer_sequence<int, static_cast<int>(sizeof...(Indices))>(),
              at...);
    }

private:
    template <int... Axis, class... Indices>
    KOKKOS_FUNCTION void write(value_type& count, std::integer_sequence<int, Axis...>,
                               Indices... at) const {
        const auto incoming = whole(positions(Axis, at)...);
        if constexpr (OnlyTouched) {
            count += is_touched(incoming) ? 1 : 0;
            section(at...) = KeepUntouched()(section(at...), incoming);
        } else {
            count += 1;
            section(at...) = incoming;
        }
    }
};

/// The plain array that with_local_copy() passes on, a section's own memory or a copy, and the copying of its elements.
template <ExecutionSpace Exec, DistViewLike View>
class LocalCopier {
public:
    using Value = typename View::non_const_value_type;
    using Element = typename View::value_type;
    static constexpr int rank = View::rank();
    using Memory = typename View::memory_space;
    using Plain = PlainArray<Element, rank, Memory>;
    using CopyView = typename PlainArray<Value, rank, Memory>::view_type;
    using Single = DistViewOf<CopyView>;
    static constexpr bool is_writable = !std::is_const_v<Element>;

    LocalCopier(const Caller& caller, const Exec& exec, const View& view,
                const LocalCopyArguments& arguments)
        : m_caller(caller), m_exec(exec), m_view(view), m_arguments(arguments) {}

    void check_intent() const {
        require<UsageError>(is_writable || !writes(), [&] {
            return text(m_caller.name, ": expected Intent::in for '", m_view.label(),
                        "', whose elements are const");
        });
    }

    /// Marks the array as written if it will be. Called once no error can end the call on this rank alone.
    void note_intent() const {
        if (writes()) note_written(m_view);
    }

    bool writes() const { return m_arguments.intent != Intent::in; }
    /// Whether elements that the function does not write can be recognised, and must be.
    bool tells_untouched() const {
        return m_arguments.intent == Intent::out && !m_arguments.writes_all &&
               can_tell_untouched<Value>;
    }
    /// Whether a copy must begin with the array's elements.
    bool needs_elements() const {
        return m_arguments.intent != Intent::out ||
               (!m_arguments.writes_all && !can_tell_untouched<Value>);
    }
    LocalCopyBytes bytes() const noexcept {
        constexpr auto size = static_cast<std::int64_t>(sizeof(Value));
        return {m_in * size, m_out * size};
    }

    /// Takes cells of the section: in its own memory if they lie as requested, otherwise with memory for a copy.
    void take(const LocalBox& box) {
        const CellBox<rank> cells = cell_box(m_view, box);
        Extents extents{};
        for (int d = 0; d < rank; ++d)
            extents[static_cast<std::size_t>(d)] = cells.end[d] - cells.begin[d];
        m_box = box;
        const auto shape = as_plain(extents, strides_of(m_view.view()), rank, m_arguments.order,
                                    m_arguments.takes_leading_dimension);
        if (shape) {
            m_shape = *shape;
            for (int d = 0; d < rank; ++d)
                m_offset += cells.begin[d] * static_cast<std::int64_t>(
                                                 m_view.view().stride(static_cast<std::size_t>(d)));
        } else {
            make_room(extents);
        }
    }
    /// Takes no cells.
    void take_none(const Extents& extents) {
        m_shape = plain_shape(extents, rank, m_arguments.order);
    }
    /// Allocates memory for a copy of cells that a redistribution brings.
    void make_room(const Extents& extents) {
        m_shape = plain_shape(extents, rank, m_arguments.order);
        std::int64_t count = 1;
        for (int d = 0; d < rank; ++d) count *= extents[static_cast<std::size_t>(d)];
        m_copy =
            Kokkos::View<Value*, Memory>(Kokkos::view_alloc(m_exec, Kokkos::WithoutInitializing,
                                                            view_label(m_caller.name, "copy")),
                                         static_cast<std::size_t>(count));
        m_is_copy = true;
    }

    /// The copy as this process's section of an array of one process.
    Single single(const ArrayLayout& layout) const { return Single(layout, 0, copy_view()); }
    const Kokkos::View<Value*, Memory>& memory() const noexcept { return m_copy; }

    /// Counts elements of the copy that a redistribution has brought.
    void count_in() { m_in += static_cast<std::int64_t>(m_copy.size()); }
    /// Counts elements of the copy that a redistribution is about to take.
    void count_out() { m_out += count_written(); }

    /// Fills a copy of the section's cells as far as the intent requires; waits for all work.
    void copy_in() {
        if (m_is_copy && m_copy.size() > 0 && needs_elements()) {
            launch_copy<true>();
            count_in();
        }
        ready();
    }
    /// Waits until the function may use the array.
    void ready() {
        if constexpr (can_tell_untouched<Value>)
            if (m_is_copy && tells_untouched())
                Kokkos::deep_copy(m_exec, m_copy, untouched_value<Value>());
        m_exec.fence(m_caller.label(": the function gets the array"));
    }

    template <class Function>
    void call(Function&& function) const {
        Element* const data = m_is_copy ? m_copy.data() : m_view.view().data() + m_offset;
        std::forward<Function>(function)(Plain(shaped<typename Plain::view_type>(data),
                                               m_arguments.order, m_shape.leading_dimension,
                                               m_is_copy));
    }

    /// Copies a copy of the section's cells back if the intent requires it.
    void copy_out() {
        if (!m_is_copy) return;
        if (writes() && m_copy.size() > 0) {
            count_out();
            if constexpr (is_writable) {
                if constexpr (can_tell_untouched<Value>) {
                    if (tells_untouched()) launch_touched();
                }
                if (!tells_untouched()) launch_copy<false>();
            }
        }
        drop();
    }
    /// Copies the section's part of a copy of the whole array back.
    void copy_part_out() {
        if constexpr (is_writable) {
            if constexpr (can_tell_untouched<Value>) {
                if (tells_untouched()) m_out += write_part<true>();
            }
            if (writes() && !tells_untouched()) m_out += write_part<false>();
        }
        drop();
    }
    /// Waits until no work uses the copy, if there is one.
    void drop() {
        if (m_is_copy) m_exec.fence(m_caller.label(": the copy is dropped"));
    }

private:
    template <class Shaped, class Pointer>
    Shaped shaped(Pointer data) const {
        Kokkos::LayoutStride layout;
        for (std::size_t d = 0; d < static_cast<std::size_t>(rank); ++d) {
            layout.dimension[d] = static_cast<std::size_t>(m_shape.extents[d]);
            layout.stride[d] = static_cast<std::size_t>(m_shape.strides[d]);
        }
        return Shaped(data, layout);
    }
    CopyView copy_view() const { return shaped<CopyView>(m_copy.data()); }

    ShiftedView<CopyView> shifted_copy() const {
        const CellBox<rank> cells = cell_box(m_view, m_box);
        Shift<rank> shift;
        for (int d = 0; d < rank; ++d) shift.by[d] = -cells.begin[d];
        return {copy_view(), shift};
    }

    template <bool ToCopy>
    void launch_copy() const {
        launch_for(
            m_caller, m_exec, m_view, m_box,
            PackBody<ToCopy, typename View::view_type, CopyView>{m_view.view(), shifted_copy()});
    }
    void launch_touched() const {
        launch_for(
            m_caller, m_exec, m_view, m_box,
            WriteTouchedBody<typename View::view_type, CopyView>{m_view.view(), shifted_copy()});
    }

    template <bool OnlyTouched>
    std::int64_t write_part() const {
        using Positions = WholePositions<typename Exec::memory_space>;
        Positions positions{{m_exec, m_view.layout()}, {}};
        for (int d = 0; d < rank; ++d) positions.coordinates[d] = m_view.coordinate(d);
        return reduce_section(
            m_caller, m_exec, m_view, Cells::interior,
            WritePartReduction<OnlyTouched, typename View::view_type, CopyView, Positions>{
                m_view.view(), copy_view(), positions});
    }

    std::int64_t count_written() const {
        auto count = static_cast<std::int64_t>(m_copy.size());
        if constexpr (can_tell_untouched<Value>) {
            if (tells_untouched())
                Kokkos::parallel_reduce(
                    m_caller.label("::count"), cell_policy<std::int64_t>(m_exec, count),
                    CountTouchedBody<Kokkos::View<Value*, Memory>>{m_copy}, count);
        }
        return count;
    }

    const Caller& m_caller;
    Exec m_exec;
    View m_view;
    LocalCopyArguments m_arguments;
    LocalBox m_box{};          ///< the cells of the section
    std::int64_t m_offset = 0; ///< offset of the first of them in the section
    PlainShape m_shape;
    bool m_is_copy = false;
    Kokkos::View<Value*, Memory> m_copy;
    std::int64_t m_in = 0; ///< elements
    std::int64_t m_out = 0;
};

} // namespace distview::impl
