// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/array_layout.hpp>
#include <distview/core/assert.hpp>
#include <distview/core/checked_section.hpp>
#include <distview/core/checking.hpp>
#include <distview/core/concepts.hpp>
#include <distview/core/kokkos_ext.hpp>
#include <distview/core/shared_state.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

namespace distview {

class AnyDistView;
template <DistViewLike View>
View dist_view_cast(const AnyDistView& any);

/// One process's section of a distributed array: a Kokkos::View that knows its place in the whole.
///
/// A DistView has the template parameters of Kokkos::View. view() is the whole section with padding and ghosts;
/// owned() is the part without communication padding and ghosts. Both are plain Kokkos Views: kernels never see
/// a wrapper. Copies are shallow, like copies of a View.
///
///     ArrayLayout layout(ProcessGrid{2}, {block(16, {.padding = 1})});    // process 1 of 2:
///     DistView<double*> a(exec, "a", layout, 1);      // C7 | 8 .. 15 | B16
///     a.extent(0)             16      of the whole array, without boundary padding
///     a.view().extent(0)      10      owned_range(0)      [1, 10)     8 .. 16
///     a.owned().extent(0)      9      interior_range(0)   [1,  9)     8 .. 15
///
/// A DistView owns its memory (Kokkos allocates it), shares it with a handle given to it, or borrows
/// it. If a handle owns the memory, view() is an unmanaged View that is valid only while a
/// copy of the DistView lives: keep the DistView, not the View.
///
/// Invariant: the view's extents equal layout().local_extents(process()) (constructor, unit test)
/// Collective: no (local); comm's make_dist_view() makes one collectively
/// Example:    examples/02_heat_2d
template <class DataType, class... Properties>
class DistView : public impl::SharedState {
public:
    using view_type = Kokkos::View<DataType, Properties...>;
    using data_type = typename view_type::data_type;
    using value_type = typename view_type::value_type;
    using non_const_value_type = typename view_type::non_const_value_type;
    using array_layout = typename view_type::array_layout;
    using device_type = typename view_type::device_type;
    using execution_space = typename view_type::execution_space;
    using memory_space = typename view_type::memory_space;
    using memory_traits = typename view_type::memory_traits;

    static_assert(view_type::rank() <= static_cast<std::size_t>(max_rank),
                  "DistView: Kokkos::View has at most 8 axes");

    /// Number of axes.
    static constexpr int rank() noexcept { return static_cast<int>(view_type::rank()); }

    /// The section of process 0 of an array without elements.
    DistView() = default;
    /// A move is a copy: the source still refers to the same array.
    DistView(const DistView&) = default;
    DistView& operator=(const DistView&) = default;

    /// Allocates the section of `process`, filled with zeros.
    ///
    /// Collective: no (local)
    /// Space:      `exec` touches the memory first; on return work may still run there
    /// Errors:     ShapeError if layout.rank() != rank() or the section's extents differ from static extents of the
    ///             View; UsageError if the layout has no such process
    template <ExecutionSpace Exec>
    DistView(const Exec& exec, const std::string& label, const ArrayLayout& layout, int process)
        : SharedState(impl::make_array_state()), m_layout(layout), m_process(process) {
        check_layout();
        m_view = allocate_view<Kokkos::View<typename view_type::non_const_data_type, array_layout,
                                            device_type, memory_traits>>(
            Kokkos::view_alloc(exec, label), layout.local_extents(process));
        check_extents(); // Kokkos ignores values given for static extents
        if (impl::is_checking()) watch();
    }

    /// Wraps existing memory. `owner`, if given, is kept while any copy of this DistView lives. `label`,
    /// if given, replaces the label of the View.
    ///
    /// Collective: no (local)
    /// Errors:     ShapeError if the extents differ from the process's section in `layout`, or if the View has elements
    ///             and no memory; UsageError if the layout has no such process
    DistView(const ArrayLayout& layout, int process, const view_type& section,
             std::shared_ptr<const void> owner = nullptr, const std::string& label = {})
        : DistView(layout, process, section, std::move(owner), label, impl::make_array_state()) {}

    /// Converts to a DistView of const elements, or with other memory traits, of the same section.
    template <class OtherData, class... OtherProperties>
        requires(std::is_convertible_v<Kokkos::View<OtherData, OtherProperties...>, view_type> &&
                 !std::is_same_v<Kokkos::View<OtherData, OtherProperties...>, view_type>)
    DistView(const DistView<OtherData, OtherProperties...>& other)
        : SharedState(other), m_view(other.view()), m_layout(other.layout()),
          m_process(other.process()), m_owner(other.owner()), m_label(other.m_label) {}

    const ArrayLayout& layout() const noexcept { return m_layout; }
    /// Number of elements of the whole array along an axis, without boundary padding.
    std::int64_t extent(int axis) const noexcept { return m_layout.extent(axis); }
    /// Number of elements of the whole array, without boundary padding.
    std::int64_t size() const noexcept { return identity() == 0 ? 0 : m_layout.size(); }
    /// Reports that the program filled padding itself, to this depth on all ranks. A rank at a wall passes the same
    /// depth for that side as the other ranks.
    ///
    /// Collective: as mark_written()
    /// Errors:     UsageError if `valid` is deeper than the padding of every process
    void mark_padding_valid(const ValidPadding& valid) const {
        impl::check_valid_padding(m_layout, valid);
        note_padding_valid(valid);
    }
    /// The process in layout().grid() that holds this section.
    int process() const noexcept { return m_process; }
    /// The process's coordinate along an axis of the grid.
    int coordinate(int axis) const noexcept {
        return m_layout.coordinates(m_process)[static_cast<std::size_t>(axis)];
    }
    std::string label() const { return m_label ? *m_label : m_view.label(); }
    const std::shared_ptr<const void>& owner() const noexcept { return m_owner; }

    /// The whole section, padding included. Valid while a copy of the DistView lives; not callable on a temporary.
    const view_type& view() const& noexcept { return m_view; }
    const view_type& view() const&& = delete;
    /// The elements that this process owns, boundary padding included. With two or more axes the View is
    /// strided: kernels are faster with view() over owned_range(d) or interior_range(d).
    auto owned() const& {
        std::array<LocalRange, max_rank> ranges{};
        for (int d = 0; d < rank(); ++d) ranges[static_cast<std::size_t>(d)] = owned_range(d);
        return subview_of_ranges(m_view, ranges);
    }
    void owned() const&& = delete;

    /// Positions in view() along an axis, without communication padding and ghosts.
    LocalRange owned_range(int axis) const noexcept {
        return m_layout.axis(axis).owned_local(coordinate(axis));
    }
    /// Positions in view() along an axis, without any padding and ghosts.
    LocalRange interior_range(int axis) const noexcept {
        return m_layout.axis(axis).interior_local(coordinate(axis));
    }
    /// The global index of a position in view(). The interior's first element has index 0; boundary padding has
    /// negative indices, and extent(axis) and above.
    GlobalIndex global_index(int axis, LocalIndex l) const noexcept {
        return m_layout.axis(axis).to_global(coordinate(axis), l);
    }
    /// The position of a global index in view(), which must hold the element; builds with assertions check that.
    LocalIndex local_index(int axis, GlobalIndex g) const noexcept {
        const AxisLayout& layout = m_layout.axis(axis);
        const LocalIndex l = layout.to_local(coordinate(axis), g);
        DISTVIEW_ASSERT(l >= 0 && l < layout.local_extent(coordinate(axis)));
        return l;
    }

private:
    template <class, class...>
    friend class DistView;
    template <DistViewLike View>
    friend View dist_view_cast(const AnyDistView& any);

    DistView(const ArrayLayout& layout, int process, const view_type& section,
             std::shared_ptr<const void> owner, const std::string& label,
             std::shared_ptr<impl::ArrayState> state)
        : SharedState(std::move(state)), m_view(section), m_layout(layout), m_process(process),
          m_owner(std::move(owner)) {
        if (!label.empty()) m_label = std::make_shared<const std::string>(label);
        check_layout();
        check_extents();
        check_memory();
        if (impl::is_checking()) watch();
    }

    void watch() const {
        impl::watch(state_of(*this).get(), impl::checked_memory(*this), m_layout, m_process,
                    label());
    }

    void check_layout() const {
        require<ShapeError>(m_layout.rank() == rank(), [&] {
            return text("DistView: expected a layout of ", rank(), " axes, got ", m_layout.rank());
        });
        impl::check_process(m_layout, m_process, "DistView");
        impl::check_known(m_layout, m_process, "DistView");
    }
    void check_memory() const {
        std::size_t elements = 1; // View::size() may be 0 because there is no memory
        for (std::size_t d = 0; d < view_type::rank(); ++d) elements *= m_view.extent(d);
        require<ShapeError>(m_view.data() != nullptr || elements == 0, [&] {
            return text("DistView: expected memory for the ", elements,
                        " elements of the section of process ", m_process, ", the view '", label(),
                        "' has none");
        });
    }
    void check_extents() const {
        const Extents extents = m_layout.local_extents(m_process);
        for (std::size_t d = 0; d < view_type::rank(); ++d)
            require<ShapeError>(m_view.extent(d) == static_cast<std::size_t>(extents[d]), [&] {
                return text("DistView: expected ", extents[d], " elements along axis ", d,
                            " of the section of process ", m_process, ", the view '", label(),
                            "' has ", m_view.extent(d));
            });
    }

    view_type m_view;
    ArrayLayout m_layout;
    int m_process = 0;
    std::shared_ptr<const void> m_owner;
    std::shared_ptr<const std::string> m_label; ///< replaces the label of the View
};

/// The DistView over Views of a given type.
template <ViewLike View>
using DistViewOf = DistView<typename View::data_type, typename View::array_layout,
                            typename View::device_type, typename View::memory_traits>;

} // namespace distview
