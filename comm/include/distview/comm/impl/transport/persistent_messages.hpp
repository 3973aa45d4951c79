// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/mpi/calls.hpp>
#include <distview/comm/impl/transport/transport.hpp>

#include <mpi.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace distview::impl {

/// Memory for `bytes` of messages, in whole cache lines and aligned to one. Not a View: memory
/// of an abandoned exchange stays until MPI_Finalize, which may run after Kokkos::finalize.
std::shared_ptr<char> message_memory(std::int64_t bytes);

/// Memory for `bytes` of messages. The second pointer is the device memory to which received
/// messages are copied if they are staged; else null.
std::pair<std::shared_ptr<char>, std::shared_ptr<char>>
message_buffers(const DeviceSetting& device, std::int64_t bytes, bool received);

/// Whether a request is not in flight; also lets MPI make progress.
bool is_inactive(MPI_Request request) noexcept;

/// Messages that a bound set of arrays sends and receives in every execution: persistent
/// requests on packed buffers, and their end after an abandoned execution.
///
/// One execution:
///
///     start_receives()            before anything that needs time
///     start_sends()               after the buffers are packed
///     next_received() ...         each message once, in the order of arrival
///     sends_are_done()            the buffers may be packed again
///
/// Messages to one process are matched in the order of the lists, which both sides share. A
/// message of more bytes than MPI counts is sent in whole cache lines: it begins at a line, and
/// may be read and written up to the end of its last line. Both sides know the number of bytes.
///
/// A process that gives up sends an empty message to each receiver, which gets it in place of the
/// first missing message, and another one to each sender, which probes for it while it waits.
class PersistentMessages {
public:
    struct Message {
        int peer = 0;
        char* data = nullptr;
        std::int64_t bytes = 0;
    };
    struct Setting {
        const char* user = ""; ///< first words of error texts
        MPI_Comm comm = MPI_COMM_NULL;
        int tag = 0;
        /// Tags of end messages to senders, by executions begun modulo 3: a receiver is at most one ahead of a sender.
        std::array<int, 3> end_tags{};
        std::shared_ptr<void> sent;   ///< memory of the messages to send
        const Calls* calls = nullptr; ///< may give a better reason why a sender gave up
    };

    PersistentMessages() = default;
    ~PersistentMessages();
    PersistentMessages(const PersistentMessages&) = delete;
    PersistentMessages& operator=(const PersistentMessages&) = delete;

    /// Throws UsageError that names `caller` if a message of `bytes` cannot be sent.
    static void require_countable(std::int64_t bytes, const char* caller);

    /// Makes the requests; once, local.
    void make(Setting setting, std::vector<Message> sends, std::vector<Message> receives);

    void start_receives();
    void start_sends();

    static constexpr int none_yet = -1;
    /// Index of a message that has arrived, each once; none_yet if no other has arrived, or none is left.
    ///
    /// Throws UsageError if the sender has given up.
    int next_received();
    /// Number of messages that next_received() has still to return.
    std::size_t left() const noexcept { return m_left; }
    bool is_received(std::size_t message) const noexcept { return m_stages[message] == returned; }
    /// Whether all messages that are left have arrived.
    bool all_arrived();

    /// Whether the buffers may be packed again.
    bool sends_are_done();
    /// Throws UsageError if a receiver gave up before the execution under way, and so receives none of its messages.
    void look_for_ends() const;

    /// Calls visit(peer) for the sender of each missing message or, if none is left, each receiver of an open send.
    template <class Visit>
    void for_each_missing(Visit&& visit) const {
        for (std::size_t i = 0; i < m_receives.size(); ++i)
            if (m_stages[i] == awaited) visit(m_from[i].peer);
        for (std::size_t i = 0; i < m_sends.size() && m_left == 0; ++i)
            if (!is_inactive(m_sends[i])) visit(m_to[i].peer);
    }

    /// Gives up the execution under way, if any, and those after it. Does not wait.
    void abandon() noexcept {
        if (std::exchange(m_under_way, false)) send_end();
    }
    /// For executions in which this process will not take part: receives the messages of the
    /// next one, so that their senders need not wait.
    void refuse() noexcept;
    /// Tells partners that no execution follows.
    void send_end() noexcept;
    /// Frees the requests before the communicator is freed. Waits until `deadline` for messages in flight, then cancels
    /// receives and keeps send buffers allocated. Drops messages without a receiver, so that other sends complete.
    void close(std::chrono::steady_clock::time_point deadline) noexcept { free(deadline, true); }

private:
    enum Stage : char { awaited, arrived, returned };
    struct Arrival {
        std::size_t message = 0;
        MPI_Status status{};
    };
    bool notes_arrival();
    [[noreturn]] void throw_abandoned(int peer) const;
    void free(std::chrono::steady_clock::time_point deadline, bool drops) noexcept;

    Setting m_setting;
    std::vector<Message> m_to;
    std::vector<Message> m_from;
    std::vector<MPI_Request> m_sends;    ///< of m_to
    std::vector<MPI_Request> m_receives; ///< of m_from
    std::vector<Stage> m_stages;         ///< of m_receives, in the execution under way
    std::vector<Arrival> m_arrivals;     ///< in the order of arrival
    std::size_t m_left = 0;
    std::size_t m_begun = 0; ///< executions begun
    bool m_under_way = false;
};

} // namespace distview::impl
