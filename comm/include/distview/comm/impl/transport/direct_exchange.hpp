// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/memory/neighbour_sync.hpp>
#include <distview/comm/impl/transport/call_watch.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace distview::impl {

/// Synchronises this process with the processes whose memory it reads in place, and with the
/// readers of its own memory. Plain memory and numbers only: no MPI, no Kokkos.
///
/// One exchange, on every process:
///
///     begin()              own elements may be read
///     next_arrival() ...   elements of a source may be read: copy them
///     end_reading()        after the last copy: the sources may write their elements again
///     readers_done()       all readers have finished: own elements may be written again
///
/// Every process owns a line that shows that its elements are ready, and for each reader a line
/// in which that reader shows that it has finished.
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
        const char* user = "";       ///< first words of error texts
        SyncLine* ready = nullptr;   ///< may be null if there are no readers
        bool oversubscribed = false; ///< as for a Waiter
        /// Whether elements are written into the sources' memory, where they are missing if this process gives up.
        bool writes = false;
    };

    DirectExchange() = default;
    DirectExchange(const Setting& setting, std::vector<Source> sources,
                   std::vector<Reader> readers);

    const std::vector<Source>& sources() const noexcept { return m_sources; }

    /// `epoch` numbers the exchanges that share the lines: the same on all processes, and increasing.
    /// `watch` is the call of this exchange and must stay in place; null: no rank is watched.
    void begin(std::uint64_t epoch, const CallWatch* watch = nullptr) noexcept;

    static constexpr int none_yet = -1;
    /// Index of a source whose elements may be copied now, each once; none_yet if no other source has
    /// arrived, or none is left. Polls once: the sources marked in `wanted`, or all of them if it is null.
    ///
    /// Throws UsageError if a source has given up, or is in another exchange.
    int next_arrival(const std::vector<char>* wanted = nullptr);
    /// Whether next_arrival() would return one source after the other, or throw.
    bool all_arrived() const noexcept;
    /// Number of sources that next_arrival() has not returned yet.
    std::size_t left() const noexcept { return m_waiting; }

    /// Whether next_arrival() has returned a source.
    bool is_taken(int source) const noexcept;

    /// Tells the sources that reading has ended. Throws UsageError if a source gave up while it was read.
    void end_reading();
    /// Whether all readers have finished. Throws UsageError if a reader gave up before.
    bool readers_done();

    /// Whether readers_done() would return true; false if it would throw.
    bool all_have_read() const noexcept;

    /// Waits a little for a source that has not arrived (one of `wanted`) or, if no source is
    /// left, for a reader. True when MPI should get a chance to make progress.
    bool wait(Waiter& waiter, const std::vector<char>* wanted = nullptr) noexcept;

    /// Calls visit(peer) for each process for which wait() waits.
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

    /// A number that changes when a source arrives or a reader has finished.
    std::uint64_t progress() const noexcept {
        return (m_epoch * 0x9e3779b97f4a7c15u + m_waiting) * 0x9e3779b97f4a7c15u + m_readers_done;
    }

    /// Gives up the exchange under way, if any. Readers of this process, and sources to which it has not
    /// finished writing, find it gone; sources that it has not finished reading no longer wait for it.
    void abandon() noexcept;
    /// Gives up an exchange that would follow the one of `epoch`, before it begins.
    void refuse(std::uint64_t epoch) noexcept;

private:
    [[noreturn]] void throw_gone(int peer) const;
    /// Whether a source still uses this line for the plan.
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
    std::uint64_t m_plan = 0; ///< number of the plan to which the sources' lines belong
    bool m_under_way = false; ///< begun, and readers not known to have finished
    bool m_reads = false;     ///< begun, and end_reading() not called yet
};

} // namespace distview::impl
