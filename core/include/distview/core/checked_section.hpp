// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/array_layout.hpp>
#include <distview/core/element_type.hpp>
#include <distview/core/local_box.hpp>
#include <distview/core/valid_padding.hpp>

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace distview::impl {

/// A place in a section's padding: its side along each axis, and its greatest distance from the section's own elements.
struct PaddingPlace {
    std::array<signed char, max_rank>
        side{}; ///< -1 low, +1 high, 0 within the elements that no exchange writes
    std::int64_t depth = 0;

    int axes() const noexcept;
    // Declared, because nvcc leaves the operator== that operator<=> implies undefined.
    friend bool operator==(const PaddingPlace&, const PaddingPlace&) = default;
    friend auto operator<=>(const PaddingPlace&, const PaddingPlace&) = default;
};
/// "on the low side of axis 0 and the high side of axis 1".
std::string describe(const PaddingPlace& place);

/// State of the checking mode for one section: for each position of padding, whether it is valid. ValidPadding stores
/// less, one depth per side. Copies of boundary padding at walls are tracked separately, because kernels over the
/// interior leave boundary padding as it is.
///
/// Padding that ceases to be valid is poisoned if host kernels write the memory and the program itself did not write
/// the padding since it was filled. A program that collects contributions in padding does write it. A section that is
/// all zeros is not poisoned, because such a program may rely on the zeros.
class CheckedSection {
public:
    struct Memory {
        char* data = nullptr;
        ElementType element{};
        std::array<std::int64_t, max_rank> strides{}; ///< bytes
        bool on_host = true;                          ///< the host can access the memory
        bool is_poisoned = true;                      ///< and only host kernels write it
        bool read_only = false;
    };
    CheckedSection(const Memory& memory, const ArrayLayout& layout, int process, std::string label);

    const std::string& label() const noexcept { return m_label; }
    void set_label(const std::string& label) { m_label = label; }
    const Memory& memory() const noexcept { return m_memory; }
    int process() const noexcept { return m_process; }
    int process_count() const noexcept { return m_layout.process_count(); }

    // Events of the array.

    /// The program wrote any elements.
    void note_written() noexcept;
    /// The program wrote the elements of `box`; `with_walls`: on some rank also boundary padding.
    void note_written(const LocalBox& box, bool with_walls) noexcept;
    /// A kernel wrote the interiors, and the copies in `box` with the same values as their owners.
    void note_computed(const LocalBox& box) noexcept;
    /// A kernel wrote the boundary padding at walls, and every rank its copies of it within `box`.
    void note_boundary(const LocalBox& box) noexcept;
    /// The program or a plan filled the padding to these depths.
    void set_valid(const ValidPadding& valid) noexcept;
    /// Calls set_valid() and poisons the rest.
    void note_valid(const ValidPadding& valid) noexcept;
    /// Plan number `plan` filled these boxes.
    void note_filled(std::span<const LocalBox> boxes, std::uint64_t plan) noexcept;
    /// A running execution filled these boxes first. Nothing is poisoned, because the execution still fills the rest.
    void note_filled_first(std::span<const LocalBox> boxes) noexcept;
    /// A plan wrote any elements. Nothing is poisoned, because other processes may still read the padding.
    void forget() noexcept;
    /// Restores the former values of padding that was poisoned and not written since.
    void restore() noexcept;

    // Queries.

    bool all_valid() const noexcept;
    /// Places that are not valid: beside one side first, then beside several; on each side from the outside inwards.
    std::vector<PaddingPlace> invalid_places() const;
    /// Depth to which all padding on the sides of `place` is valid.
    std::int64_t valid_depth(const PaddingPlace& place) const noexcept;
    /// "filled 12 times, the last time by PaddingExchangePlan #1" or "never filled".
    std::string history() const;
    /// Describes where elements that no exchange writes hold poison; empty if there are none.
    std::optional<std::string> find_poison() const;
    /// Whether padding holds values that the program computed from poison. Integers do not show that.
    bool has_changed_poison() const noexcept;

    // Elements that a kernel may read; `base` is the address of element 0, in the memory or in a copy of it.

    /// Bytes from element 0 to the lowest of all elements, and beyond the highest.
    std::array<std::int64_t, 2> byte_range() const noexcept;
    /// Copies all padding to a buffer; put_padding() writes it back, but not within `except`.
    std::vector<char> padding(const char* base) const;
    void put_padding(char* base, const std::vector<char>& values, const LocalBox* except) const;
    /// Copies the part of a box that the section holds to a buffer; put_elements() writes it back.
    std::vector<char> elements(const char* base, const LocalBox& box) const;
    void put_elements(char* base, const LocalBox& box, const std::vector<char>& values) const;
    LocalBox whole() const noexcept;
    /// Writes other values to all padding that is not valid (if `only` is given, in that place), but not within
    /// `except`. Rounds 0 and 1 write elements of this section in scattered order, so that they still serve as valid
    /// indices; rounds 2 and 3 also write numbers of other sizes and signs.
    static constexpr int rounds = 4;
    void disturb(char* base, int round, const PaddingPlace* only, const LocalBox* except) const;

private:
    /// A position that exchanges fill.
    struct Copy {
        std::array<std::int64_t, max_rank> at{};
        std::int64_t offset = 0; ///< bytes
        bool of_wall = false;    ///< copies boundary padding at a wall
        bool is_valid = false;
    };
    template <class Visit>
    void for_each_position(const LocalBox& box, Visit&& visit) const;
    PaddingPlace place_of(const Copy& copy) const noexcept;
    bool contains(const LocalBox& box, const Copy& copy) const noexcept;
    bool is_known(std::size_t i) const noexcept;
    bool is_cleared() const noexcept;
    void remember_valid() noexcept;
    void poison(const LocalBox* except) noexcept;
    void write_value(char* to, const char* base, std::size_t copy, int round) const;
    std::size_t bytes() const noexcept { return static_cast<std::size_t>(m_memory.element.bytes); }
    bool is_poisoned() const noexcept;

    Memory m_memory;
    ArrayLayout m_layout;
    int m_process;
    std::string m_label;
    Extents m_extents{};
    LocalBox m_own{}; ///< positions that no exchange writes
    std::vector<Copy> m_copies;
    std::vector<char> m_known; ///< values of m_copies when the library last knew them
    std::uint64_t m_fills = 0;
    std::uint64_t m_plan = 0;
};

struct ArrayState;
/// Registers an array with the checking mode, unless it is registered already.
void watch(ArrayState* state, const CheckedSection::Memory& memory, const ArrayLayout& layout,
           int process, const std::string& label);

/// Describes the memory of a DistView.
template <class View>
CheckedSection::Memory checked_memory(const View& view) {
    using Value = typename View::non_const_value_type;
    constexpr bool on_host =
        Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename View::memory_space>::accessible;
    constexpr bool by_host =
        std::is_same_v<typename View::execution_space::memory_space, Kokkos::HostSpace>;
    CheckedSection::Memory memory;
    memory.data = reinterpret_cast<char*>(const_cast<Value*>(view.view().data()));
    memory.element = element_type<Value>();
    for (std::size_t d = 0; d < static_cast<std::size_t>(View::rank()); ++d)
        memory.strides[d] = static_cast<std::int64_t>(view.view().stride(d) * sizeof(Value));
    memory.on_host = on_host;
    memory.is_poisoned = on_host && by_host;
    memory.read_only = std::is_const_v<typename View::value_type>;
    return memory;
}

} // namespace distview::impl
