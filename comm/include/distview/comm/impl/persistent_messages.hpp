// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <vector>

namespace distview::impl {

/// Bytes for messages, at cache lines, in whole ones. Copies share them. Not a View: an abandoned
/// exchange's buffers stay until MPI_Finalize, which may come after Kokkos::finalize.
class MessageBuffer {
public:
    static constexpr std::size_t alignment = 64;

    MessageBuffer() = default;
    explicit MessageBuffer(std::size_t size)
        : m_data(static_cast<char*>(::operator new(round_up(size), std::align_val_t(alignment))),
                 Delete{}),
          m_size(size) {}

    char* data() const noexcept { return m_data.get(); }
    std::size_t size() const noexcept { return m_size; }
    std::shared_ptr<void> memory() const noexcept { return m_data; }

private:
    struct Delete {
        void operator()(char* data) const noexcept {
            ::operator delete(data, std::align_val_t(alignment));
        }
    };
    static constexpr std::size_t round_up(std::size_t size) {
        return (size + alignment - 1) / alignment * alignment;
    }
    std::shared_ptr<char> m_data;
    std::size_t m_size = 0;
};

/// The messages that a bound set of arrays sends and receives in every execution: persistent requests,
/// and what it takes to be rid of them when an execution was abandoned.
///
/// One execution:
///
///     start_receives()            before anything that takes time
///     start_sends()               what they send is written
///     next_received() ...         each message once, as they come
///     wait_for_sends()            what they send may be written again
///
/// A message of more bytes than MPI counts travels in units of a line: it begins at one and may be read
/// and written up to the end of its last one. Both sides know the number of bytes.
class PersistentMessages {
public:
    struct Message {
        int peer = 0;
        char* data = nullptr;
        std::int64_t bytes = 0;
    };

    PersistentMessages() = default;
    ~PersistentMessages();
    PersistentMessages(const PersistentMessages&) = delete;
    PersistentMessages& operator=(const PersistentMessages&) = delete;

    /// Throws UsageError, naming `caller`, if a message of so many bytes cannot be sent.
    static void require_countable(std::int64_t bytes, const char* caller);

    /// Makes the requests; once, local. `sent` is what the messages to send lie in: kept to the end of
    /// the process if they cannot be got rid of.
    void make(MPI_Comm comm, int tag, std::span<const Message> sends,
              std::span<const Message> receives, std::shared_ptr<void> sent);

    bool sends_any() const noexcept { return !m_sends.empty(); }
    std::size_t receive_count() const noexcept { return m_receives.size(); }

    void start_receives();
    void start_sends();

    static constexpr int none_yet = -1;
    /// Index of a message that has arrived, each once; none_yet if there is none now, or none is left.
    /// Waits for one if it `may_wait`.
    int next_received(bool may_wait);
    /// Messages that next_received() has still to return.
    std::size_t left() const noexcept { return m_left; }
    bool is_received(std::size_t message) const noexcept { return m_received[message] != 0; }
    /// Whether next_received() would return all that are left, one after the other.
    bool all_arrived() const;

    void wait_for_sends();

    /// Frees the requests. What is under way gets as long as a neighbour may need that has started its
    /// part of the execution; then receives are cancelled, and what is sent stays where it is.
    void close() noexcept;

private:
    void settle() const noexcept;

    std::vector<MPI_Request> m_sends;
    std::vector<MPI_Request> m_receives;
    std::vector<char> m_received; ///< of the execution under way
    std::size_t m_left = 0;
    std::shared_ptr<void> m_sent;
};

} // namespace distview::impl
