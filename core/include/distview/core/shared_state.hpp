// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/valid_padding.hpp>

#include <cstdint>
#include <memory>
#include <utility>

namespace distview::impl {

class CheckedSection;
void note_written(CheckedSection& section) noexcept;
void note_valid(CheckedSection& section, const ValidPadding& valid) noexcept;

/// What all copies of one DistView share.
struct ArrayState {
    std::uint64_t identity = 0;
    ValidPadding valid_padding{};
    std::shared_ptr<CheckedSection> checked{}; ///< of an array that the checking mode knows
};
/// With an identity that no DistView of this process had before; thread-safe.
std::shared_ptr<ArrayState> make_array_state();

/// What a DistView and an AnyDistView say of what their copies share; both derive from this.
class SharedState {
public:
    /// The same for copies of one array, different for any two made independently, also one after
    /// the other in the same memory: what plans know an array by. 0 for a default-constructed one.
    std::uint64_t identity() const noexcept { return m_identity; }

    /// How deep padding is valid, as far as the library can tell: exchanges fill it, and what writes
    /// elements through the library makes that of the neighbours old. docs/valid_padding.md has the list.
    ValidPadding valid_padding() const noexcept {
        return m_state ? m_state->valid_padding : ValidPadding();
    }
    /// Says that elements were written in a way that the library does not see, through view(): no padding is valid.
    ///
    /// Collective: no (local), but ranks that do not all call it get an error in the next PaddingExchangePlan::require()
    void mark_written() const noexcept {
        if (!m_state) return;
        m_state->valid_padding = ValidPadding();
        if (m_state->checked) note_written(*m_state->checked);
    }
    /// Says that the program has filled padding itself: it is valid that deep, on all ranks. A rank at a wall says of
    /// that side what the others say.
    ///
    /// Collective: as mark_written()
    void mark_padding_valid(const ValidPadding& valid) const noexcept {
        if (!m_state) return;
        m_state->valid_padding = valid;
        if (m_state->checked) note_valid(*m_state->checked, valid);
    }

protected:
    SharedState() = default;
    explicit SharedState(std::shared_ptr<ArrayState> state)
        : m_identity(state ? state->identity : 0), m_state(std::move(state)) {}

private:
    friend const std::shared_ptr<ArrayState>& state_of(const SharedState& array) noexcept {
        return array.m_state;
    }
    std::uint64_t m_identity = 0; ///< that of the state: plans look for it in every execution
    std::shared_ptr<ArrayState> m_state;
};

} // namespace distview::impl
