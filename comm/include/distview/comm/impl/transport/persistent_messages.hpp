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

/// Memory for so many bytes of messages, at a cache line, in whole ones. Not a View: an abandoned exchange's
/// stays until MPI_Finalize, which may come after Kokkos::finalize.
std::shared_ptr<char> message_memory(std::int64_t bytes);

/// Memory for so many bytes of messages, and, if these are received and staged, the device memory that they
/// are copied to; else null.
std::pair<std::shared_ptr<char>, std::shared_ptr<char>>
message_buffers(const DeviceSetting& device, std::int64_t bytes, bool received);

/// Whether a request is not under way; also has MPI make progress.
bool is_inactive(MPI_Request request) noexcept;

/// The messages that a bound set of arrays sends and receives in every execution: persistent requests of
/// packed buffers, and how they end when an execution was abandoned.
///
/// One execution:
///
///     start_receives()            before anything that takes time
///     start_sends()               the buffers are packed
///     next_received() ...         each message once, as they come
///     sends_are_done()            the buffers may be packed again
///
/// Messages to one process are matched in the order of the lists, the same on both sides. A message of more
/// bytes than MPI counts travels in units of a line: it begins at one and may be read and written up to
/// the end of its last one. Both sides know the number of bytes.
///
/// A process that gives up sends an empty message to each receiver, which finds it in the place of the first message that
/// does not come, and another one to each sender, which looks for it while it waits.
class PersistentMessages {
public:
    struct Message {
        int peer = 0;
        char* data = nullptr;
        std::int64_t bytes = 0;
    };
    struct Setting {
        const char* user = ""; ///< begins the text of errors
        MPI_Comm comm = MPI_COMM_NULL;
        int tag = 0;
        /// Of ends to senders, by the number of executions begun, modulo 3: a receiver is one further than a sender at most.
        std::array<int, 3> end_tags{};
        std::shared_ptr<void> sent;   ///< memory of the messages to send
        const Calls* calls = nullptr; ///< may know better why a sender has given up
    };

    PersistentMessages() = default;
    ~PersistentMessages();
    PersistentMessages(const PersistentMessages&) = delete;
    PersistentMessages& operator=(const PersistentMessages&) = delete;

    /// Throws UsageError, naming `caller`, if a message of so many bytes cannot be sent.
    static void require_countable(std::int64_t bytes, const char* caller);

    /// Makes the requests; once, local.
    void make(Setting setting, std::vector<Message> sends, std::vector<Message> receives);

    void start_receives();
    void start_sends();

    static constexpr int none_yet = -1;
    /// Index of a message that has arrived, each once; none_yet if there is none now, or none is left.
    ///
    /// Throws UsageError if the sender has given up.
    int next_received();
    /// Messages that next_received() has still to return.
    std::size_t left() const noexcept { return m_left; }
    bool is_received(std::size_t message) const noexcept { return m_stages[message] == returned; }
    /// Whether next_received() would return all that are left, one after the other.
    bool all_arrived();

    /// Whether the buffers may be packed again.
    bool sends_are_done();
    /// Throws UsageError if a receiver has given up before the execution under way, of which it takes nothing.
    void look_for_ends() const;

    /// Calls visit(peer) for those whose messages have not come, or that have not taken one that was sent.
    template <class Visit>
    void for_each_missing(Visit&& visit) const {
        for (std::size_t i = 0; i < m_receives.size(); ++i)
            if (m_stages[i] == awaited) visit(m_from[i].peer);
        for (std::size_t i = 0; i < m_sends.size() && m_left == 0; ++i)
            if (!is_inactive(m_sends[i])) visit(m_to[i].peer);
    }

    /// Gives up the execution under way, if there is one, and those after it. Waits for nobody.
    void abandon() noexcept {
        if (std::exchange(m_under_way, false)) send_end();
    }
    /// For executions that this process will not come to: receives what others send to it in the next one, so
    /// that they need not wait.
    void refuse() noexcept;
    /// Tells partners that no execution follows.
    void send_end() noexcept;
    /// Frees the requests, before the communicator goes. Messages under way get until `deadline`; then receives are cancelled, and
    /// send buffers stay allocated. What comes for nobody is dropped, so that the others' sends end.
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
    std::vector<Arrival> m_arrivals;     ///< as they came
    std::size_t m_left = 0;
    std::size_t m_begun = 0; ///< executions
    bool m_under_way = false;
};

} // namespace distview::impl
