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

/// The state that all copies of one DistView share.
struct ArrayState {
    std::uint64_t identity = 0;
    ValidPadding valid_padding{};
    std::shared_ptr<CheckedSection> checked{}; ///< null unless registered with the checking mode
    std::shared_ptr<ArrayState> whole{};       ///< of the array that this one is a slice of
};
/// Makes a state with an identity that no DistView of this process had before; thread-safe.
std::shared_ptr<ArrayState> make_array_state();

/// The base class of DistView and AnyDistView: access to the state that their copies share.
class SharedState {
public:
    /// The number by which plans recognise an array: equal for copies of one array, different for arrays made
    /// independently, even one after the other in the same memory. 0 for a default-constructed array.
    std::uint64_t identity() const noexcept { return m_identity; }

    /// The depth to which padding is valid, as far as the library can tell: exchanges fill padding, and library calls
    /// that write elements make the neighbours' copies outdated. docs/valid_padding.md has the list.
    ValidPadding valid_padding() const noexcept {
        return m_state ? m_state->valid_padding : ValidPadding();
    }
    /// Reports that the program wrote elements through view(), which the library cannot see: no padding is valid then.
    /// If the array is a slice, the same holds for the array that it is a slice of.
    ///
    /// Collective: no (local), but if only some ranks call it, the next PaddingExchangePlan::require() reports an error
    void mark_written() const noexcept {
        for (ArrayState* state = m_state.get(); state; state = state->whole.get()) {
            state->valid_padding = ValidPadding();
            if (state->checked) note_written(*state->checked);
        }
    }
    /// mark_padding_valid() of the derived classes, without a check.
    void note_padding_valid(const ValidPadding& valid) const noexcept {
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
    /// From now on, writes of `slice` are writes of `whole` as well.
    friend void note_slice(const SharedState& slice, const SharedState& whole) noexcept {
        if (slice.m_state) slice.m_state->whole = whole.m_state;
    }
    std::uint64_t m_identity = 0; ///< the state's, copied: plans read it in every execution
    std::shared_ptr<ArrayState> m_state;
};

} // namespace distview::impl
