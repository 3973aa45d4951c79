// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/memory/neighbour_sync.hpp>
#include <distview/comm/impl/transport/call_watch.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace distview::impl {

/// Keeps step with the processes whose memory this one reads in place, and with those that read its
/// own. Plain memory and numbers only: no MPI, no Kokkos.
///
/// One exchange, on every process:
///
///     begin()              my elements may be read
///     next_arrival() ...   somebody else's may: copy them
///     end_reading()        I have read what I wanted, once all have been copied
///     readers_done()       and so have the others of me: mine may be written again
///
/// Every process owns the line in which it says that its elements are ready, and for each reader a
/// line in which that reader says that it has finished.
class DirectExchange {
public:
    /// A process whose elements are copied from its memory.
    struct Source {
        int peer = 0;
        SyncLine* ready = nullptr; ///< in its memory
        SyncLine* done = nullptr;  ///< in its memory, written here
    };
    /// A process that copies from this one's memory.
    struct Reader {
        int peer = 0;
        SyncLine* done = nullptr; ///< in this process's memory, written there
    };

    struct Setting {
        const char* user = "";       ///< begins the text of errors
        SyncLine* ready = nullptr;   ///< may be null if there are no readers
        bool oversubscribed = false; ///< as for a Waiter
        /// Elements are written into the sources' memory, which then lack them if this process gives up.
        bool writes = false;
    };

    DirectExchange() = default;
    DirectExchange(const Setting& setting, std::vector<Source> sources,
                   std::vector<Reader> readers);

    const std::vector<Source>& sources() const noexcept { return m_sources; }

    /// `epoch` numbers the exchanges that share the lines; the same on all processes, and growing. `watch`, which
    /// stays where it is, is of the call that this belongs to; null: nobody is watched.
    void begin(std::uint64_t epoch, const CallWatch* watch = nullptr) noexcept;

    static constexpr int none_yet = -1;
    /// Index of a source whose elements may be copied now, each once; none_yet if all of them are
    /// still to come, or none is left. Looks only at those that `wanted` names, all if it is null.
    ///
    /// Throws UsageError if a source has gone, or is in another exchange.
    int next_arrival(const std::vector<char>* wanted = nullptr);
    /// Whether next_arrival() would return, or refuse, one source after the other.
    bool all_arrived() const noexcept;
    /// Sources that have not been returned.
    std::size_t left() const noexcept { return m_waiting; }

    /// Whether next_arrival() has returned a source.
    bool is_taken(int source) const noexcept;

    /// Throws UsageError if a source went while it was read.
    void end_reading();
    /// Throws UsageError if a reader has gone without having finished.
    bool readers_done();

    /// Whether readers_done() would say so; of readers that have gone it does not.
    bool all_have_read() const noexcept;

    /// Waits a little for somebody who has not arrived: a source, if any is left (one of `wanted`),
    /// else a reader. True when MPI should get a chance to make progress.
    bool wait(Waiter& waiter, const std::vector<char>* wanted = nullptr) noexcept;

    /// Calls visit(peer) for those that wait() waits for.
    template <class Visit>
    void for_each_missing(Visit&& visit) const {
        for (std::size_t i = 0; i < m_waiting; ++i) {
            const Source& source = m_sources[static_cast<std::size_t>(m_waiting_for[i])];
            if (arrived_at(*source.ready, m_epoch) != Arrival::here) visit(source.peer);
        }
        if (m_waiting > 0) return;
        for (std::size_t i = m_readers_done; i < m_readers.size(); ++i)
            if (arrived(*m_readers[i].done, m_epoch) != Arrival::here) visit(m_readers[i].peer);
    }

    /// A number that changes when something arrives, or a reader has finished.
    std::uint64_t progress() const noexcept {
        return (m_epoch * 0x9e3779b97f4a7c15u + m_waiting) * 0x9e3779b97f4a7c15u + m_readers_done;
    }

    /// Gives up the exchange under way, if there is one: readers of this process find it gone, and so do those that it
    /// has not finished writing to; those that it has not finished reading wait for it no longer.
    void abandon() noexcept;
    /// Gives up an exchange that was to follow that of `epoch`, before it has begun.
    void refuse(std::uint64_t epoch) noexcept;

private:
    [[noreturn]] void throw_gone(int peer) const;
    /// Whether a source still has this line for the plan.
    bool is_ours(const SyncLine& done) const noexcept {
        return done.plan.load(std::memory_order_relaxed) == m_plan;
    }

    Setting m_setting;
    const CallWatch* m_watch = nullptr;
    std::vector<Source> m_sources;
    std::vector<Reader> m_readers;
    std::vector<int> m_waiting_for; ///< sources that are not taken yet; [0, m_waiting)
    std::size_t m_waiting = 0;
    std::size_t m_readers_done = 0;
    std::uint64_t m_epoch = 0;
    std::uint64_t m_plan = 0; ///< number of the one whose lines the sources' are
    bool m_under_way = false; ///< begun, and readers not known to have finished
    bool m_reads = false;     ///< begun, and sources not told of the end of reading
};

} // namespace distview::impl
