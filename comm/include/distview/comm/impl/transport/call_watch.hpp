// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/mpi/calls.hpp>
#include <distview/comm/impl/tuning.hpp>
#include <distview/core/error.hpp>
#include <distview/core/text.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <thread>
#include <utility>

namespace distview::impl {

/// The call in which an exchange began. Waiting loops compare it with the calls of the ranks
/// for which they wait.
struct CallWatch {
    Calls* calls = nullptr; ///< null: no rank is watched
    Calls::Call call{};

    /// Why `peer` will not arrive in the exchange, as far as this process sees; empty if it sees no reason.
    std::string why_not(int peer, Calls::Way way) const {
        if (!calls) return {};
        return calls->explain(calls->find_reason(peer, call, way), peer, call, way);
    }

    /// For waiting loops, after some time in vain: lets MPI make progress, and throws
    /// UsageError if a missing rank makes another call. The two functions call visit(peer) for
    /// each missing rank; `progress` as for Calls::waits_in_circle().
    template <class InMemory, class InMessages>
    void look(const char* user, std::uint64_t progress, const InMemory& for_each_in_memory,
              const InMessages& for_each_in_messages) const {
        if (!calls) return;
        calls->idle();
        calls->note_far_rank(-1);
        look_at(user, Calls::Way::memory, for_each_in_memory);
        look_at(user, Calls::Way::message, for_each_in_messages);
        int first = -1;
        for_each_in_memory([&](int peer) { first = first < 0 ? peer : first; });
        if (calls->waits_in_circle(first, call, progress))
            fail(user, first, Calls::Reason::waiting, Calls::Way::memory);
    }

private:
    template <class ForEachMissing>
    void look_at(const char* user, Calls::Way way, const ForEachMissing& for_each_missing) const {
        std::optional<std::pair<int, Calls::Reason>> found;
        for_each_missing([&](int peer) {
            if (found) return;
            if (!calls->is_near(peer)) calls->note_far_rank(peer);
            const Calls::Reason reason = calls->find_reason(peer, call, way);
            if (reason == Calls::Reason::none) return;
            // The other rank may have arrived before it went on.
            for_each_missing([&](int other) {
                if (other == peer) found = {peer, reason};
            });
        });
        if (!found) return;
        fail(user, found->first, found->second, way);
    }

    [[noreturn]] void fail(const char* user, int peer, Calls::Reason reason, Calls::Way way) const {
        const std::string why = calls->explain(reason, peer, call, way);
        calls->before_error();
        throw UsageError(text(user, ": ", why));
    }
};

/// Lets other threads run while this thread waits for MPI: at once if ranks share processors,
/// else after some calls. yield() returns true when some time has passed.
class Yielder {
public:
    explicit Yielder(bool oversubscribed) : m_spins(oversubscribed ? 0 : tuning::spins) {}
    bool yield() noexcept {
        if (m_spins > 0)
            --m_spins;
        else
            std::this_thread::yield();
        return ++m_count % looked_after == 0;
    }

private:
    static constexpr unsigned looked_after = 128;
    int m_spins;
    unsigned m_count = 0;
};

} // namespace distview::impl
