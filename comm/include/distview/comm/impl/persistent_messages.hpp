// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/device_layer.hpp>

#include <mpi.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <set>
#include <span>
#include <utility>
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
    /// Memory of another kind, at a multiple of the same alignment.
    MessageBuffer(std::shared_ptr<char> memory, std::size_t size)
        : m_data(std::move(memory)), m_size(size) {}

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

/// MPI's type of a word of 1, 2, 4 or 8 bytes; throws Error for any other. MPI has fast loops for words, and
/// none for as many bytes.
MPI_Datatype word_type(std::int64_t bytes);

/// How many words make so many bytes, no more than MPI counts. Throws Error if bytes are left over: they
/// would not be sent.
int word_count(std::int64_t bytes, std::int64_t word);

/// What so many bytes of messages lie in, and, if these are received and staged, what they are copied to.
std::pair<MessageBuffer, MessageBuffer> message_buffers(const DeviceSetting& device,
                                                        std::int64_t bytes, bool received);

/// The messages that a bound set of arrays sends and receives in every execution: persistent requests,
/// and what it takes to be rid of them when an execution was abandoned.
///
/// One execution:
///
///     start_receives()            before anything that takes time: those into buffers
///     start_sends()               what they send is written, or made on the way; receives into arrays
///                                 start here, too
///     next_received() ...         each message once, as they come
///     wait_for_sends()            what they send may be written again
///
/// Messages to one process are matched in the order of the lists, the same on both sides. One of more
/// bytes than MPI counts travels in units of a line: it begins at one and may be read and written up to
/// the end of its last one. Both sides know the number of bytes.
///
/// Messages may lie in the arrays themselves, in one run or by a datatype. MPI must not be left with
/// memory that the program frees, or fills with something else: an execution under way holds the arrays'
/// memory. Abandoned, it takes back the receives into arrays, since something else may fill these, and
/// receives into buffers instead, since somebody may wait until he has sent. Those who have still to get
/// what lies in an array that may change now are told: whoever expects notices has a receive for them that
/// is looked at together with the others. Only a notice that comes within the very call that takes the last
/// message is not noticed before the next execution.
class PersistentMessages {
public:
    struct Message {
        int peer = 0;
        char* data = nullptr;
        std::int64_t bytes = 0;
        bool in_array = false; ///< then of no more bytes than MPI counts
        std::shared_ptr<const MPI_Datatype> datatype = {}; ///< instead of `data`, from MPI_BOTTOM
        std::vector<std::weak_ptr<void>> arrays = {};      ///< who owns the memory, if in_array
        std::int64_t word = 1; ///< bytes of the words that it consists of; both sides name the same
    };
    struct Setting {
        const char* user = ""; ///< begins the text of errors
        MPI_Comm comm = MPI_COMM_NULL;
        int tag = 0;
        int notice_tag = 0;           ///< another one
        std::shared_ptr<void> sent;   ///< what messages to send lie in, if not in arrays
        bool expects_notices = false; ///< if messages that it receives may lie in arrays there
    };

    PersistentMessages() = default;
    ~PersistentMessages();
    PersistentMessages(const PersistentMessages&) = delete;
    PersistentMessages& operator=(const PersistentMessages&) = delete;

    /// Throws UsageError, naming `caller`, if a message of so many bytes cannot be sent.
    static void require_countable(std::int64_t bytes, const char* caller);

    /// Makes the requests; once, local.
    void make(Setting setting, std::vector<Message> sends, std::vector<Message> receives);

    bool sends_any() const noexcept { return !m_sends.empty(); }
    std::size_t receive_count() const noexcept { return m_received_messages.size(); }

    void start_receives();
    /// `epoch` numbers the executions that share the notice tag; the same on all processes, and growing.
    void start_sends(std::uint64_t epoch) {
        start_sends(epoch, [](std::size_t) {});
    }
    /// The same, with make(i) before message i is sent.
    template <class Make>
    void start_sends(std::uint64_t epoch, Make&& make) {
        begin_sends(epoch);
        for (std::size_t i = 0; i < m_sends.size(); ++i) {
            make(i);
            start_send(i);
        }
    }

    static constexpr int none_yet = -1;
    /// Index of a message that has arrived, each once; none_yet if there is none now, or none is left.
    /// Waits for one, or for a notice, if it `may_wait`.
    ///
    /// Throws UsageError if a process has abandoned the execution while others had still to take what it
    /// sends.
    int next_received(bool may_wait);
    /// Messages that next_received() has still to return.
    std::size_t left() const noexcept { return m_left; }
    bool is_received(std::size_t message) const noexcept { return m_received[message] != 0; }
    /// Whether next_received() would return all that are left, one after the other.
    bool all_arrived() const;

    void wait_for_sends();

    /// Gives up the execution under way, if there is one. Waits for nobody, but up to 2 seconds for what
    /// is on its way into an array just now.
    void abandon() noexcept;
    /// For an execution that this process will not come to: takes what is sent to it, and tells those who
    /// wait for something, if they expect notices.
    void refuse(std::uint64_t epoch) noexcept;
    /// Frees the requests. What is under way gets as long as a neighbour may need that has started its
    /// part of the execution; then receives are cancelled, and what is sent stays where it is.
    void close() noexcept { close(end_of_grace()); }
    using Time = std::chrono::steady_clock::time_point;
    /// The same, until a time.
    void close(Time deadline) noexcept;
    /// As long as a neighbour may need that is in the middle of it.
    static Time end_of_grace() {
        return std::chrono::steady_clock::now() + std::chrono::seconds(2);
    }

private:
    std::size_t first_message() const noexcept { return m_setting.expects_notices ? 1 : 0; }
    MPI_Request& receive(std::size_t message) noexcept {
        return m_receives[message + first_message()];
    }
    void start_receives(bool late);
    void begin_sends(std::uint64_t epoch);
    void start_send(std::size_t message);
    void hold_arrays();
    void take_back_receives();
    void send_notices();
    void send_notices(const std::set<int>& peers);
    void take_notice(int process);
    void throw_if_gone() const;
    void settle(Time deadline) const noexcept;

    Setting m_setting;
    std::vector<Message> m_sent_messages;
    std::vector<Message> m_received_messages;
    std::vector<MPI_Request> m_sends;
    /// If it expects notices, those come first: they are to be seen before a message that arrived with them.
    std::vector<MPI_Request> m_receives;
    std::vector<char> m_late;     ///< receives into arrays, and what must not overtake them
    std::vector<char> m_received; ///< of the execution under way
    std::size_t m_left = 0;
    std::uint64_t m_epoch = 0;
    bool m_under_way = false;
    bool m_late_started = false;
    std::vector<std::weak_ptr<void>> m_arrays;
    std::vector<std::shared_ptr<void>> m_held; ///< by the execution under way
    struct Notice {
        int process = 0;
        std::uint64_t epoch = 0;
    };
    std::optional<Notice> m_gone; ///< who has abandoned an execution, and which
    std::uint64_t m_notice = 0;   ///< received: the execution that was abandoned
};

} // namespace distview::impl
