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

/// A part of a section's padding: on which sides of which axes, and how far out along the axis where it is farthest.
struct PaddingPlace {
    std::array<signed char, max_rank>
        side{}; ///< -1 low, +1 high, 0 within the elements that no exchange writes
    std::int64_t depth = 0;

    int axes() const noexcept;
    // Declared, since nvcc leaves what operator<=> brings along undefined.
    friend bool operator==(const PaddingPlace&, const PaddingPlace&) = default;
    friend auto operator<=>(const PaddingPlace&, const PaddingPlace&) = default;
};
/// "on the low side of axis 0 and the high side of axis 1".
std::string describe(const PaddingPlace& place);

/// What the checking mode knows of one section: of each position of padding whether it is valid. More than
/// ValidPadding, which has one depth for a side; copies of walls' boundary padding, which kernels over the interior leave
/// as they are, count by themselves.
///
/// Padding that stops to be valid is poisoned, if the host's kernels write the memory and the program has not written
/// the padding itself since it was filled, as one that collects contributions there. Nothing is poisoned of a section that is all
/// zeros, as such a program leaves it at first.
class CheckedSection {
public:
    struct Memory {
        char* data = nullptr;
        ElementType element{};
        std::array<std::int64_t, max_rank> strides{}; ///< bytes
        bool on_host = true;                          ///< the host reaches it
        bool is_poisoned = true;                      ///< and its kernels alone write it
        bool read_only = false;
    };
    CheckedSection(const Memory& memory, const ArrayLayout& layout, int process, std::string label);

    const std::string& label() const noexcept { return m_label; }
    void set_label(const std::string& label) { m_label = label; }
    const Memory& memory() const noexcept { return m_memory; }
    int process() const noexcept { return m_process; }
    int process_count() const noexcept { return m_layout.process_count(); }

    // What happens to the array.

    /// Any elements were written.
    void note_written() noexcept;
    /// The elements of `box` were; `with_walls`: on some rank also boundary padding.
    void note_written(const LocalBox& box, bool with_walls) noexcept;
    /// Elements of the interiors were, and `box` as their owners have done.
    void note_computed(const LocalBox& box) noexcept;
    /// Walls' boundary padding was written, by all who have valid copies within `box`.
    void note_boundary(const LocalBox& box) noexcept;
    /// The program, or a plan, has filled the padding so far.
    void set_valid(const ValidPadding& valid) noexcept;
    /// The same, and fills the rest with poison.
    void note_valid(const ValidPadding& valid) noexcept;
    /// Plan number `plan` has filled those boxes.
    void note_filled(std::span<const LocalBox> boxes, std::uint64_t plan) noexcept;
    /// An execution that has begun fills those boxes first. Nothing is poisoned, as the execution fills the rest meanwhile.
    void note_filled_first(std::span<const LocalBox> boxes) noexcept;
    /// A plan has written any elements; others may still read the padding.
    void forget() noexcept;
    /// Makes padding that was poisoned, and not written since, what it was before.
    void restore() noexcept;

    // What is known.

    bool all_valid() const noexcept;
    /// Parts that are not valid, next to one side first, from the outside inwards.
    std::vector<PaddingPlace> invalid_places() const;
    /// How deep all of it is valid on the sides of `place`.
    std::int64_t valid_depth(const PaddingPlace& place) const noexcept;
    /// "filled 12 times, the last time by PaddingExchangePlan #1" or "never filled".
    std::string history() const;
    /// Where among the elements that no exchange writes poison is, in words.
    std::optional<std::string> find_poison() const;
    /// Whether there is padding that the program has computed from poison, as far as that shows: of integers it does not.
    bool has_changed_poison() const noexcept;

    // Elements that a kernel may read; `base` is where element 0 is, or a copy of the memory.

    /// Bytes from element 0 to the lowest of all elements, and beyond the highest.
    std::array<std::int64_t, 2> byte_range() const noexcept;
    /// Copies of all padding, one after the other, and back except in `except`.
    std::vector<char> padding(const char* base) const;
    void put_padding(char* base, const std::vector<char>& values, const LocalBox* except) const;
    /// Copies of the elements of a box, as far as the section has it, and back.
    std::vector<char> elements(const char* base, const LocalBox& box) const;
    void put_elements(char* base, const LocalBox& box, const std::vector<char>& values) const;
    LocalBox whole() const noexcept;
    /// Writes other values wherever padding is not valid, or in one place only, except in `except`. Rounds 0 and 1:
    /// elements of this section in some order, so that whatever is indexed by them goes well; 2 and 3: numbers of other
    /// sizes and signs, too.
    static constexpr int rounds = 4;
    void disturb(char* base, int round, const PaddingPlace* only, const LocalBox* except) const;

private:
    /// A position that exchanges fill.
    struct Copy {
        std::array<std::int64_t, max_rank> at{};
        std::int64_t offset = 0; ///< bytes
        bool of_wall = false;    ///< of a wall's boundary padding
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
    std::vector<char> m_known; ///< of m_copies, when the library last knew them
    std::uint64_t m_fills = 0;
    std::uint64_t m_plan = 0;
};

struct ArrayState;
/// Has the checking mode know an array, unless it does.
void watch(ArrayState* state, const CheckedSection::Memory& memory, const ArrayLayout& layout,
           int process, const std::string& label);

/// Of a DistView.
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
