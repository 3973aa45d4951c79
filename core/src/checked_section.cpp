// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/core/checked_section.hpp>

#include <distview/core/checked_events.hpp>
#include <distview/core/checking.hpp>
#include <distview/core/error.hpp>
#include <distview/core/shared_state.hpp>
#include <distview/core/text.hpp>

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

namespace distview::impl {

namespace {

// Poison is the same NaN in every floating-point width, shortened to fit. Conversion keeps these bits, and arithmetic
// only sets the quiet bit, so results are still recognised.
constexpr std::uint64_t poison_64 = 0x7ff4d157d157d157u;
constexpr std::uint32_t poison_32 = 0x7fa68abeu;
constexpr std::uint64_t mask_64 =
    0x7ff7ffffe0000000u; ///< no sign bit, no quiet bit, and only the mantissa bits that a float has
constexpr std::uint32_t mask_32 = 0x7fbfffffu;
constexpr std::uint64_t integer_64 = 0xd157d157d157d157u;
constexpr std::uint32_t integer_32 = 0xd157d157u;

template <class Bits>
Bits bits_at(const char* from) noexcept {
    Bits bits;
    std::memcpy(&bits, from, sizeof(bits));
    return bits;
}

/// Bytes of one number of an element: both parts of a complex number get the same poison.
std::int64_t number_bytes(const ElementType& type) noexcept {
    return type.kind == ElementKind::complex ? type.bytes / 2 : type.bytes;
}
bool is_float(const ElementType& type) noexcept {
    return type.kind == ElementKind::floating_point || type.kind == ElementKind::complex;
}
bool is_integer(const ElementType& type) noexcept {
    return type.kind == ElementKind::signed_integer || type.kind == ElementKind::unsigned_integer;
}
bool has_poison(const ElementType& type) noexcept {
    const std::int64_t bytes = number_bytes(type);
    return (is_float(type) || is_integer(type)) && (bytes == 4 || bytes == 8);
}

void write_poison(char* to, const ElementType& type) noexcept {
    const std::int64_t bytes = number_bytes(type);
    for (std::int64_t at = 0; at < type.bytes; at += bytes) {
        const std::uint64_t long_one = is_float(type) ? poison_64 : integer_64;
        const std::uint32_t short_one = is_float(type) ? poison_32 : integer_32;
        if (bytes == 8)
            std::memcpy(to + at, &long_one, sizeof(long_one));
        else
            std::memcpy(to + at, &short_one, sizeof(short_one));
    }
}

/// Whether an element is exactly the poison that was written: the program did not compute with it.
bool is_pure_poison(const char* from, const ElementType& type) noexcept {
    std::array<char, 2 * sizeof(double)> pure{};
    write_poison(pure.data(), type);
    return std::memcmp(from, pure.data(), static_cast<std::size_t>(type.bytes)) == 0;
}

bool is_poison(const char* from, const ElementType& type) noexcept {
    const std::int64_t bytes = number_bytes(type);
    for (std::int64_t at = 0; at < type.bytes; at += bytes) {
        bool found = false;
        if (bytes == 8) {
            const auto bits = bits_at<std::uint64_t>(from + at);
            found = is_float(type) ? (bits & mask_64) == (poison_64 & mask_64) : bits == integer_64;
        } else {
            const auto bits = bits_at<std::uint32_t>(from + at);
            found = is_float(type) ? (bits & mask_32) == (poison_32 & mask_32) : bits == integer_32;
        }
        if (found) return true;
    }
    return false;
}

/// Whether the program computed with the poison in an element.
bool is_changed_poison(const char* from, const ElementType& type) noexcept {
    return is_poison(from, type) && !is_pure_poison(from, type);
}

/// A pseudo-random number for each n.
std::uint64_t scattered(std::uint64_t n) noexcept {
    n = (n + 1) * 0x9e3779b97f4a7c15u;
    n = (n ^ (n >> 30)) * 0xbf58476d1ce4e5b9u;
    n = (n ^ (n >> 27)) * 0x94d049bb133111ebu;
    return n ^ (n >> 31);
}

template <class Real>
void write_real(char* to, int round, std::size_t n) noexcept {
    // The rounds' values differ much in size, so squares and absolute values differ, too. They are finite, so 0 times
    // any of them is 0.
    const auto some = static_cast<Real>(n % 7);
    const Real value = round == 2 ? Real(1.7e15) * (Real(1) + some / Real(8))
                                  : Real(-317.5) * (Real(1) + some / Real(4));
    std::memcpy(to, &value, sizeof(value));
}

/// Overwrites an element of a type with numbers by unlikely values.
void write_other(char* to, const ElementType& type, int round, std::size_t n) noexcept {
    if (is_integer(type) || type.kind == ElementKind::boolean) {
        if (round == 3)
            *to = static_cast<char>(*to ^ 1); // the lowest bit on a little-endian machine
        return;
    }
    const std::int64_t bytes = number_bytes(type);
    const bool is_bfloat = type.kind == ElementKind::bfloat;
    if (!is_float(type) && !is_bfloat) return;
    for (std::int64_t at = 0; at < type.bytes; at += bytes) {
        if (bytes == 8) write_real<double>(to + at, round, n);
        if (bytes == 4) write_real<float>(to + at, round, n);
        if (bytes == sizeof(long double) && bytes > 8) write_real<long double>(to + at, round, n);
        if (bytes == 2) {
            // 318 and -41.25 in either format
            const std::uint16_t bits =
                is_bfloat ? (round == 2 ? 0x439f : 0xc225) : (round == 2 ? 0x5cf8 : 0xd128);
            std::memcpy(to + at, &bits, sizeof(bits));
        }
    }
}

} // namespace

int PaddingPlace::axes() const noexcept {
    return static_cast<int>(std::ranges::count_if(side, [](signed char s) { return s != 0; }));
}

std::string describe(const PaddingPlace& place) {
    std::string result;
    for (std::size_t d = 0; d < place.side.size(); ++d)
        if (place.side[d] != 0)
            result += text(result.empty() ? "on" : " and", " the ",
                           place.side[d] < 0 ? "low" : "high", " side of axis ", d);
    return result;
}

CheckedSection::CheckedSection(const Memory& memory, const ArrayLayout& layout, int process,
                               std::string label)
    : m_memory(memory), m_layout(layout), m_process(process), m_label(std::move(label)),
      m_extents(layout.local_extents(process)) {
    const GridCoordinates here = layout.coordinates(process);
    const auto rank = static_cast<std::size_t>(layout.rank());
    for (std::size_t d = 0; d < rank; ++d) {
        const AxisLayout& axis = layout.axis(static_cast<int>(d));
        // Ghosts of unstructured axes belong to another kind of plan.
        m_own[d] = !axis.is_block()  ? LocalRange{LocalIndex(0), LocalIndex(m_extents[d])}
                   : axis.periodic() ? axis.interior_local(here[d])
                                     : axis.owned_local(here[d]);
    }
    for_each_position(whole(), [&](const auto& at, std::int64_t offset) {
        Copy copy{.at = {}, .offset = offset};
        bool is_copy = false;
        for (std::size_t d = 0; d < rank; ++d) {
            copy.at[d] = at[d];
            is_copy = is_copy || !m_own[d].contains(LocalIndex(at[d]));
        }
        if (!is_copy) return;
        for (std::size_t d = 0; d < rank; ++d) {
            const AxisLayout& axis = layout.axis(static_cast<int>(d));
            if (!axis.is_block() || axis.periodic()) continue;
            const GlobalIndex g = axis.to_global(here[d], LocalIndex(at[d]));
            // Padding beyond the array's end has no owner.
            if (!axis.global_range().contains(g)) return;
            copy.of_wall = copy.of_wall || g < 0 || g >= axis.size();
        }
        m_copies.push_back(copy);
    });
    if (is_poisoned()) m_known.resize(m_copies.size() * bytes());
}

LocalBox CheckedSection::whole() const noexcept {
    LocalBox box{};
    for (std::size_t d = 0; d < static_cast<std::size_t>(m_layout.rank()); ++d)
        box[d] = {LocalIndex(0), LocalIndex(m_extents[d])};
    return box;
}

/// Calls visit(position, bytes from element 0) for all positions of the box in the section, the last axis fastest.
template <class Visit>
void CheckedSection::for_each_position(const LocalBox& box, Visit&& visit) const {
    const auto rank = static_cast<std::size_t>(m_layout.rank());
    const LocalBox clipped = intersection(box, whole(), m_layout.rank());
    if (is_empty(clipped, m_layout.rank())) return;
    std::array<std::int64_t, max_rank> at{};
    for (std::size_t d = 0; d < rank; ++d) at[d] = clipped[d].begin.value();
    for (;;) {
        std::int64_t offset = 0;
        for (std::size_t d = 0; d < rank; ++d) offset += at[d] * m_memory.strides[d];
        visit(at, offset);
        std::size_t d = rank;
        for (; d > 0; --d) {
            if (++at[d - 1] < clipped[d - 1].end.value()) break;
            at[d - 1] = clipped[d - 1].begin.value();
        }
        if (d == 0) return;
    }
}

PaddingPlace CheckedSection::place_of(const Copy& copy) const noexcept {
    PaddingPlace place;
    for (std::size_t d = 0; d < static_cast<std::size_t>(m_layout.rank()); ++d) {
        const std::int64_t below = m_own[d].begin.value() - copy.at[d];
        const std::int64_t above = copy.at[d] - m_own[d].end.value() + 1;
        if (below > 0)
            place.side[d] = -1;
        else if (above > 0)
            place.side[d] = 1;
        place.depth = std::max({place.depth, below, above});
    }
    return place;
}

bool CheckedSection::contains(const LocalBox& box, const Copy& copy) const noexcept {
    for (std::size_t d = 0; d < static_cast<std::size_t>(m_layout.rank()); ++d)
        if (!box[d].contains(LocalIndex(copy.at[d]))) return false;
    return true;
}

bool CheckedSection::is_poisoned() const noexcept {
    return m_memory.is_poisoned && !m_memory.read_only && has_poison(m_memory.element);
}

/// Whether the program did not write the copy since the library last knew its value.
bool CheckedSection::is_known(std::size_t i) const noexcept {
    const char* const now = m_memory.data + m_copies[i].offset;
    return std::memcmp(now, m_known.data() + i * bytes(), bytes()) == 0 ||
           is_poison(now, m_memory.element);
}

void CheckedSection::remember_valid() noexcept {
    if (!is_poisoned()) return;
    for (std::size_t i = 0; i < m_copies.size(); ++i)
        if (m_copies[i].is_valid)
            std::memcpy(m_known.data() + i * bytes(), m_memory.data + m_copies[i].offset, bytes());
}

/// Whether all elements are zeros, padding included.
bool CheckedSection::is_cleared() const noexcept {
    bool is_zero = true;
    for_each_position(whole(), [&](const auto&, std::int64_t offset) {
        if (!is_zero) return;
        const char* const element = m_memory.data + offset;
        is_zero = std::all_of(element, element + bytes(), [](char c) { return c == 0; });
    });
    return is_zero;
}

/// Poisons all padding that is not valid, or none: if the program itself wrote padding, it relies on these values.
void CheckedSection::poison(const LocalBox* except) noexcept {
    if (!is_checking() || !is_poisoned()) return;
    const auto concerns = [&](const Copy& copy) {
        return !copy.is_valid && !(except && contains(*except, copy));
    };
    for (std::size_t i = 0; i < m_copies.size(); ++i)
        if (concerns(m_copies[i]) && !is_known(i)) return;
    if (is_cleared()) return;
    for (const Copy& copy : m_copies) {
        char* const now = m_memory.data + copy.offset;
        // Contributions that were added to poison stay, so that combine() finds them.
        if (concerns(copy) && !is_changed_poison(now, m_memory.element))
            write_poison(now, m_memory.element);
    }
}

void CheckedSection::restore() noexcept {
    if (!is_poisoned()) return;
    for (std::size_t i = 0; i < m_copies.size(); ++i) {
        char* const now = m_memory.data + m_copies[i].offset;
        if (!m_copies[i].is_valid && is_poison(now, m_memory.element))
            std::memcpy(now, m_known.data() + i * bytes(), bytes());
    }
}

void CheckedSection::forget() noexcept {
    for (Copy& copy : m_copies) copy.is_valid = false;
}

void CheckedSection::note_written() noexcept {
    forget();
    poison(nullptr);
}

void CheckedSection::note_written(const LocalBox& box, bool with_walls) noexcept {
    for (Copy& copy : m_copies)
        if (with_walls || !copy.of_wall || contains(box, copy)) copy.is_valid = false;
    poison(&box);
}

void CheckedSection::note_computed(const LocalBox& box) noexcept {
    for (Copy& copy : m_copies)
        if (contains(box, copy))
            copy.is_valid = true;
        else if (!copy.of_wall)
            copy.is_valid = false;
    remember_valid();
    poison(nullptr);
}

void CheckedSection::note_boundary(const LocalBox& box) noexcept {
    for (Copy& copy : m_copies)
        if (copy.of_wall) copy.is_valid = contains(box, copy);
    remember_valid();
    poison(nullptr);
}

void CheckedSection::set_valid(const ValidPadding& valid) noexcept {
    const auto is_within = [&](const Copy& copy) {
        int axes = 0;
        for (std::size_t d = 0; d < static_cast<std::size_t>(m_layout.rank()); ++d) {
            const std::int64_t below = m_own[d].begin.value() - copy.at[d];
            const std::int64_t above = copy.at[d] - m_own[d].end.value() + 1;
            const Widths depth = valid.depth(static_cast<int>(d));
            axes += below > 0 || above > 0;
            if (below > depth.low || above > depth.high) return false;
        }
        return axes < 2 || valid.has_corners();
    };
    const auto is_poison_still = [&](const Copy& copy) {
        return is_pure_poison(m_memory.data + copy.offset, m_memory.element);
    };
    // mark_written() also poisons padding that the program filled with the values already there. These values return if
    // all of it is still poison. If the program filled a part since, it forgot the rest, which stays poison.
    const bool restores = is_poisoned() && std::ranges::all_of(m_copies, [&](const Copy& copy) {
                              return copy.is_valid || !is_within(copy) || is_poison_still(copy);
                          });
    for (std::size_t i = 0; i < m_copies.size(); ++i) {
        Copy& copy = m_copies[i];
        const bool was_valid = copy.is_valid;
        copy.is_valid = is_within(copy);
        if (restores && copy.is_valid && !was_valid)
            std::memcpy(m_memory.data + copy.offset, m_known.data() + i * bytes(), bytes());
    }
    remember_valid();
}

void CheckedSection::note_valid(const ValidPadding& valid) noexcept {
    set_valid(valid);
    poison(nullptr);
}

void CheckedSection::note_filled_first(std::span<const LocalBox> boxes) noexcept {
    for (Copy& copy : m_copies)
        if (std::ranges::any_of(boxes, [&](const LocalBox& box) { return contains(box, copy); }))
            copy.is_valid = true;
}

void CheckedSection::note_filled(std::span<const LocalBox> boxes, std::uint64_t plan) noexcept {
    note_filled_first(boxes);
    ++m_fills;
    m_plan = plan;
    remember_valid();
    poison(nullptr);
}

bool CheckedSection::all_valid() const noexcept {
    return std::ranges::all_of(m_copies, &Copy::is_valid);
}

std::vector<PaddingPlace> CheckedSection::invalid_places() const {
    std::vector<PaddingPlace> places;
    for (const Copy& copy : m_copies)
        if (!copy.is_valid) places.push_back(place_of(copy));
    std::ranges::sort(places, [](const PaddingPlace& a, const PaddingPlace& b) {
        if (a.axes() != b.axes()) return a.axes() < b.axes();
        if (a.side != b.side) return a.side < b.side;
        return a.depth > b.depth;
    });
    places.erase(std::unique(places.begin(), places.end()), places.end());
    return places;
}

std::int64_t CheckedSection::valid_depth(const PaddingPlace& place) const noexcept {
    std::int64_t first_invalid = place.depth + 1;
    for (const Copy& copy : m_copies) {
        if (copy.is_valid) continue;
        const PaddingPlace other = place_of(copy);
        if (other.side == place.side) first_invalid = std::min(first_invalid, other.depth);
    }
    return first_invalid - 1;
}

std::string CheckedSection::history() const {
    if (m_fills == 0) return "never filled";
    const std::string times = text("filled ", m_fills, m_fills == 1 ? " time" : " times");
    if (m_plan == 0) return times; // filled within one process, without a plan
    return text(times, m_fills == 1 ? ", by" : ", the last time by", " PaddingExchangePlan #",
                m_plan);
}

std::optional<std::string> CheckedSection::find_poison() const {
    if (!is_poisoned()) return std::nullopt;
    std::optional<std::string> found;
    std::int64_t count = 0;
    const GridCoordinates here = m_layout.coordinates(m_process);
    for_each_position(m_own, [&](const auto& at, std::int64_t offset) {
        if (!is_poison(m_memory.data + offset, m_memory.element)) return;
        if (++count > 1) return;
        std::vector<std::int64_t> indices;
        for (std::size_t d = 0; d < static_cast<std::size_t>(m_layout.rank()); ++d)
            indices.push_back(
                m_layout.axis(static_cast<int>(d)).to_global(here[d], LocalIndex(at[d])).value());
        found = text("element ", tuple_text(indices), " of '", m_label, '\'');
    });
    if (found && count > 1)
        *found += text(" and ", count - 1, count == 2 ? " other" : " others", " of this rank");
    return found;
}

bool CheckedSection::has_changed_poison() const noexcept {
    return is_poisoned() && std::ranges::any_of(m_copies, [&](const Copy& copy) {
               return is_changed_poison(m_memory.data + copy.offset, m_memory.element);
           });
}

std::array<std::int64_t, 2> CheckedSection::byte_range() const noexcept {
    std::array<std::int64_t, 2> range{0, m_memory.element.bytes};
    for (std::size_t d = 0; d < static_cast<std::size_t>(m_layout.rank()); ++d) {
        if (m_extents[d] == 0) return {0, 0};
        const std::int64_t length = (m_extents[d] - 1) * m_memory.strides[d];
        range[length < 0 ? 0 : 1] += length;
    }
    return range;
}

std::vector<char> CheckedSection::padding(const char* base) const {
    std::vector<char> values(m_copies.size() * bytes());
    for (std::size_t i = 0; i < m_copies.size(); ++i)
        std::memcpy(values.data() + i * bytes(), base + m_copies[i].offset, bytes());
    return values;
}

void CheckedSection::put_padding(char* base, const std::vector<char>& values,
                                 const LocalBox* except) const {
    for (std::size_t i = 0; i < m_copies.size(); ++i)
        if (!(except && contains(*except, m_copies[i])))
            std::memcpy(base + m_copies[i].offset, values.data() + i * bytes(), bytes());
}

std::vector<char> CheckedSection::elements(const char* base, const LocalBox& box) const {
    std::vector<char> values;
    for_each_position(box, [&](const auto&, std::int64_t offset) {
        values.insert(values.end(), base + offset, base + offset + bytes());
    });
    return values;
}

void CheckedSection::put_elements(char* base, const LocalBox& box,
                                  const std::vector<char>& values) const {
    const char* from = values.data();
    for_each_position(box, [&](const auto&, std::int64_t offset) {
        std::memcpy(base + offset, from, bytes());
        from += bytes();
    });
}

void CheckedSection::write_value(char* to, const char* base, std::size_t copy, int round) const {
    const std::uint64_t number = scattered(copy * rounds + static_cast<std::uint64_t>(round));
    std::memset(to, 0, bytes());
    if (!is_empty(m_own, m_layout.rank())) {
        // The value of a pseudo-random element of this section.
        std::int64_t offset = 0;
        std::uint64_t rest = number;
        for (std::size_t d = 0; d < static_cast<std::size_t>(m_layout.rank()); ++d) {
            const auto size = static_cast<std::uint64_t>(m_own[d].size());
            offset += (m_own[d].begin.value() + static_cast<std::int64_t>(rest % size)) *
                      m_memory.strides[d];
            rest /= size;
        }
        std::memcpy(to, base + offset, bytes());
    }
    if (round >= 2) write_other(to, m_memory.element, round, static_cast<std::size_t>(number % 64));
}

void CheckedSection::disturb(char* base, int round, const PaddingPlace* only,
                             const LocalBox* except) const {
    for (std::size_t i = 0; i < m_copies.size(); ++i) {
        const Copy& copy = m_copies[i];
        if (copy.is_valid || (only && place_of(copy) != *only) ||
            (except && contains(*except, copy)))
            continue;
        write_value(base + copy.offset, base, i, round);
    }
}

void require_no_poison(const char* caller, const CheckedSection& section) {
    const auto found = section.find_poison();
    require<UsageError>(!found, [&] {
        return text(caller, ": expected elements that were not computed from invalid padding, got ",
                    *found, " (its padding was ", section.history(), ')');
    });
}

void require_own_contributions(const char* caller, const CheckedSection& section) {
    require<UsageError>(!section.has_changed_poison(), [&] {
        return text(
            caller,
            ": expected no contributions from invalid padding, got some in the padding of '",
            section.label(),
            "'; if the program set this padding to 0 before, call mark_padding_valid() "
            "after that");
    });
}

void note_filled(CheckedSection& section, std::span<const LocalBox> boxes,
                 std::uint64_t plan) noexcept {
    section.note_filled(boxes, plan);
}
void note_filled_first(CheckedSection& section, std::span<const LocalBox> boxes) noexcept {
    section.note_filled_first(boxes);
}
void forget(CheckedSection& section) noexcept { section.forget(); }
void restore(CheckedSection& section) noexcept { section.restore(); }
void note_written(CheckedSection& section) noexcept { section.note_written(); }
void note_valid(CheckedSection& section, const ValidPadding& valid) noexcept {
    section.note_valid(valid);
}

std::atomic<bool> any_checked{false};

void watch(ArrayState* state, const CheckedSection::Memory& memory, const ArrayLayout& layout,
           int process, const std::string& label) {
    if (!state || state->checked) return;
    state->checked = std::make_shared<CheckedSection>(
        memory, layout, process, label.empty() ? text("array ", state->identity) : label);
    // Without poison: another array may share the memory and know that padding is valid.
    state->checked->set_valid(state->valid_padding);
    any_checked.store(true, std::memory_order_relaxed);
}

} // namespace distview::impl
