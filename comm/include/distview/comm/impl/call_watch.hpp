// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/calls.hpp>
#include <distview/core/error.hpp>
#include <distview/core/text.hpp>

#include <optional>
#include <string>
#include <thread>

namespace distview::impl {

/// The call that an exchange was begun in: what its waiting loops compare with the calls of those that they
/// wait for.
struct CallWatch {
    Calls* calls = nullptr; ///< null: nobody is watched
    Calls::Call call{};

    /// Why `peer` will not arrive in the exchange, as far as this process sees.
    std::optional<std::string> why_not(int peer, Calls::Way way) const {
        return calls ? calls->why_not(peer, call, way) : std::nullopt;
    }

    /// After some time of waiting in vain: lets MPI work, and throws UsageError if one of those that are missing
    /// makes another call. The others call visit(peer) for each that is missing.
    template <class InMemory, class InMessages>
    void look(const char* user, const InMemory& for_each_in_memory,
              const InMessages& for_each_in_messages) const {
        if (!calls) return;
        calls->idle();
        look_at(user, Calls::Way::memory, for_each_in_memory);
        look_at(user, Calls::Way::message, for_each_in_messages);
    }

private:
    template <class ForEachMissing>
    void look_at(const char* user, Calls::Way way, const ForEachMissing& for_each_missing) const {
        std::string why;
        for_each_missing([&](int peer) {
            if (!why.empty()) return;
            const std::optional<std::string> reason = why_not(peer, way);
            // It may have arrived before it went on.
            bool is_missing = false;
            if (reason) for_each_missing([&](int other) { is_missing |= other == peer; });
            if (is_missing) why = *reason;
        });
        if (why.empty()) return;
        calls->before_error();
        throw UsageError(text(user, ": ", why));
    }
};

/// How a thread waits for MPI, which needs it: lets others run, and says when some time has passed.
class Yielder {
public:
    bool yield() noexcept {
        std::this_thread::yield();
        return ++m_count % looked_after == 0;
    }

private:
    static constexpr int looked_after = 128;
    int m_count = 0;
};

} // namespace distview::impl
