// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/concepts.hpp>
#include <distview/core/device.hpp>
#include <distview/core/dist_view.hpp>
#include <distview/core/element_type.hpp>
#include <distview/core/error.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace distview {

/// The memory of one process's section, described at run time.
///
/// Other languages and libraries pass memory in this form: an address, extents, strides, and an owner
/// that keeps the memory alive. An AnySection has no information about distribution.
struct AnySection {
    /// The element with index 0 along every axis; strides may be negative.
    void* data = nullptr;
    ElementType element{};
    std::vector<std::int64_t> extents{};
    std::vector<std::int64_t> strides{}; ///< bytes
    bool read_only = false;
    Device device{};
    /// Stream whose work may still write the memory: 0 none, else numbered as in the CUDA Array
    /// Interface (1 legacy default, 2 per-thread default, other values a handle).
    std::uintptr_t stream = 0;
    /// Keeps the memory alive; null if the memory needs no owner.
    std::shared_ptr<const void> owner{};

    int rank() const noexcept { return static_cast<int>(extents.size()); }
    /// Number of elements.
    std::int64_t count() const noexcept;
    /// Whether the elements are contiguous in C order (the last axis fastest). Axes of one
    /// element, and all axes of an empty section, may have any stride.
    bool is_contiguous() const noexcept;
    /// Whether such memory can exist: extents >= 0, one stride for each extent, at most 2^63-1 bytes, and all
    /// bytes between the lowest and the highest address. An empty section may be anywhere.
    bool is_addressable() const noexcept;
    /// Required alignment of every element in bytes: the size of a number, or of one part of a complex
    /// number; 1 for opaque elements; at most 16.
    std::int64_t alignment() const noexcept;
    /// Whether the address of every element is a multiple of alignment().
    bool is_aligned() const noexcept;

    /// Strides in bytes of a section without gaps in C order.
    static std::vector<std::int64_t> contiguous_strides(const std::vector<std::int64_t>& extents,
                                                        std::int64_t element_bytes);
};

namespace impl {
/// Throws ShapeError, whose text begins with `caller`, unless the section is addressable and aligned.
void check_memory(const AnySection& section, const char* caller);
/// Checks the same, and that the section fits `process` in `layout`.
void check_section(const AnySection& section, const ArrayLayout& layout, int process);
/// Registers an array with the checking mode.
void watch(const AnyDistView& array);
void set_label(const AnyDistView& array, const std::string& label);
} // namespace impl

/// A DistView whose element type, rank and memory are known at run time only.
///
/// For language bindings and for arrays made by other libraries. Plans accept it like a DistView; kernels
/// need the typed DistView that dist_view_cast() returns. Copies are shallow.
///
///     AnyDistView any = u;                                    // of any DistView
///     auto typed = dist_view_cast<DistView<double**>>(any);   // and back: same memory
///
/// Collective: no (local)
class AnyDistView : public impl::SharedState {
public:
    /// A move is a copy: the source still refers to the same array.
    AnyDistView(const AnyDistView&) = default;
    AnyDistView& operator=(const AnyDistView&) = default;
    /// Wraps memory as the section of `process`.
    ///
    /// Errors: ShapeError if the number of axes or the extents differ from the process's section in `layout`, or unless
    ///         section.is_addressable() and is_aligned(); UsageError if the layout has no such process
    AnyDistView(AnySection section, ArrayLayout layout, int process)
        : SharedState(impl::make_array_state()), m_section(std::move(section)),
          m_layout(std::move(layout)), m_process(process) {
        impl::check_section(m_section, m_layout, m_process);
        if (impl::is_checking()) impl::watch(*this);
    }

    /// Refers to the section of `view`, with the same identity; a copy of `view` keeps the memory alive.
    template <DistViewLike View>
    AnyDistView(const View& view)
        : SharedState(view), m_layout(view.layout()), m_process(view.process()) {
        using Value = typename View::value_type;
        m_section.data = const_cast<void*>(static_cast<const void*>(view.view().data()));
        m_section.element = element_type<Value>();
        for (std::size_t d = 0; d < View::view_type::rank(); ++d) {
            m_section.extents.push_back(static_cast<std::int64_t>(view.view().extent(d)));
            m_section.strides.push_back(
                static_cast<std::int64_t>(view.view().stride(d) * sizeof(Value)));
        }
        m_section.read_only = std::is_const_v<Value>;
        m_section.device = device_of<typename View::memory_space>();
        m_section.owner = std::make_shared<View>(view);
    }

    /// Sets the name that messages of the checking mode use for the array instead of a number. It has no effect on an
    /// array that was made while the mode was off.
    ///
    /// Collective: no (local)
    void set_label(const std::string& label) const { impl::set_label(*this, label); }

    /// Reports that the program filled padding itself, to this depth on all ranks. A rank at a wall passes the same
    /// depth for that side as the other ranks.
    ///
    /// Collective: as mark_written()
    /// Errors:     UsageError if `valid` is deeper than the padding of every process
    void mark_padding_valid(const ValidPadding& valid) const {
        impl::check_valid_padding(m_layout, valid);
        note_padding_valid(valid);
    }
    const AnySection& section() const noexcept { return m_section; }
    const ArrayLayout& layout() const noexcept { return m_layout; }
    /// Numbers of elements of the whole array, along an axis and in total, without boundary padding.
    std::int64_t extent(int axis) const noexcept { return m_layout.extent(axis); }
    std::int64_t size() const noexcept { return identity() == 0 ? 0 : m_layout.size(); }
    int process() const noexcept { return m_process; }
    int rank() const noexcept { return m_section.rank(); }

private:
    AnySection m_section;
    ArrayLayout m_layout;
    int m_process = 0;
};

namespace impl {
/// The memory to which the Views of a DistView type can refer.
struct ViewRequirements {
    ElementType element{};
    int rank = 0;
    std::size_t alignment = 1;
    bool writes = false;
    DeviceType device = DeviceType::cpu;
    enum class Order { right, left, any } order = Order::any;
};
/// Returns strides in elements; throws ShapeError if such a View cannot refer to the section.
std::vector<std::size_t> checked_strides(const AnySection& section,
                                         const ViewRequirements& required);

template <class Layout>
constexpr ViewRequirements::Order order_of() noexcept {
    if constexpr (std::is_same_v<Layout, Kokkos::LayoutRight>)
        return ViewRequirements::Order::right;
    if constexpr (std::is_same_v<Layout, Kokkos::LayoutLeft>) return ViewRequirements::Order::left;
    return ViewRequirements::Order::any;
}
} // namespace impl

/// The DistView of a given type over the memory of an AnyDistView. No copy: the array and its identity() stay the same.
///
/// View must have run-time extents. Its array layout must fit the strides: LayoutRight (C order
/// without gaps), LayoutLeft (Fortran order without gaps) or LayoutStride (whole, positive
/// multiples of the element size).
///
/// Collective: no (local)
/// Errors:     ShapeError if rank, element type, alignment, strides or memory do not fit View, or if the memory is
///             read-only and View's elements are not const
template <DistViewLike View>
View dist_view_cast(const AnyDistView& any) {
    using Section = typename View::view_type;
    using Value = typename View::value_type;
    static_assert(Section::rank_dynamic() == Section::rank(),
                  "dist_view_cast: expected a View with run-time extents");
    const AnySection& section = any.section();
    impl::ViewRequirements required;
    required.element = element_type<Value>();
    required.rank = View::rank();
    required.alignment = alignof(Value);
    required.writes = !std::is_const_v<Value>;
    required.device = impl::device_type_of<typename View::memory_space>();
    required.order = impl::order_of<typename View::array_layout>();
    const std::vector<std::size_t> strides = impl::checked_strides(section, required);
    if (any.identity() == 0) return View(); // default-constructed, as `any` is
    typename View::array_layout shape;
    for (std::size_t d = 0; d < Section::rank(); ++d) {
        shape.dimension[d] = static_cast<std::size_t>(section.extents[d]);
        if constexpr (std::is_same_v<typename View::array_layout, Kokkos::LayoutStride>)
            shape.stride[d] = strides[d];
    }
    return View(any.layout(), any.process(), Section(static_cast<Value*>(section.data), shape),
                section.owner, {}, state_of(any));
}

} // namespace distview
