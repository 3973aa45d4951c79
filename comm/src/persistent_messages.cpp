// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/persistent_messages.hpp>

#include <distview/comm/mpi_error.hpp>
#include <distview/core/text.hpp>

#include <algorithm>
#include <set>
#include <thread>
#include <utility>

namespace distview::impl {

namespace {

constexpr auto line = static_cast<std::int64_t>(MessageBuffer::alignment);

constexpr std::int64_t lines(std::int64_t bytes) { return (bytes + line - 1) / line; }

/// How MPI is told of a message: bytes in one run, or a datatype of its own.
class Content {
public:
    using Message = PersistentMessages::Message;

    Content(void* data, const Message& message) : m_start(data) {
        const std::int64_t bytes = message.bytes;
        m_count = static_cast<int>(std::in_range<int>(bytes) ? bytes / message.word : lines(bytes));
        m_type = word_type(message.word);
        if (std::in_range<int>(bytes)) return;
        check_mpi(MPI_Type_contiguous(static_cast<int>(line), MPI_BYTE, &m_line),
                  "MPI_Type_contiguous");
        check_mpi(MPI_Type_commit(&m_line), "MPI_Type_commit");
        m_type = m_line;
    }
    explicit Content(const Message& message) : Content(message.data, message) {
        if (!message.datatype) return;
        m_start = MPI_BOTTOM;
        m_count = 1;
        m_type = *message.datatype;
    }
    ~Content() {
        if (m_line != MPI_DATATYPE_NULL) MPI_Type_free(&m_line); // requests keep what they need
    }
    Content(const Content&) = delete;
    Content& operator=(const Content&) = delete;

    void* start() const noexcept { return m_start; }
    int count() const noexcept { return m_count; }
    MPI_Datatype type() const noexcept { return m_type; }

private:
    void* m_start;
    int m_count = 0;
    MPI_Datatype m_type = MPI_BYTE;
    MPI_Datatype m_line = MPI_DATATYPE_NULL;
};

bool is_inactive(MPI_Request request) noexcept {
    int inactive = 1;
    MPI_Request_get_status(request, &inactive, MPI_STATUS_IGNORE);
    return inactive != 0;
}

bool all_inactive(const std::vector<MPI_Request>& requests) noexcept {
    return std::all_of(requests.begin(), requests.end(), is_inactive);
}

using Clock = std::chrono::steady_clock;

void cancel(MPI_Request& receive) noexcept {
    if (is_inactive(receive)) return;
    MPI_Cancel(&receive);
    MPI_Wait(&receive, MPI_STATUS_IGNORE);
}

void free_requests(std::vector<MPI_Request>& requests) noexcept {
    for (MPI_Request& request : requests)
        if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
    requests.clear();
}

} // namespace

MPI_Datatype word_type(std::int64_t bytes) noexcept {
    switch (bytes) {
    case 2: return MPI_UINT16_T;
    case 4: return MPI_UINT32_T;
    case 8: return MPI_UINT64_T;
    default: return MPI_BYTE;
    }
}

std::pair<MessageBuffer, MessageBuffer> message_buffers(const DeviceSetting& device,
                                                        std::int64_t bytes, bool received) {
    const auto size = static_cast<std::size_t>(bytes);
    if (!device.layer || bytes == 0) return {MessageBuffer(size), {}};
    const auto whole_lines = static_cast<std::size_t>(lines(bytes) * line);
    const auto on_device = [&] {
        return MessageBuffer(device.layer->allocate_device(whole_lines), size);
    };
    if (device.messages == Transport::gpu_message) return {on_device(), {}};
    // Kernels write straight into page-locked memory, which sends while they pack; read from there they
    // would wait for every load.
    MessageBuffer pinned(device.layer->allocate_pinned(whole_lines), size);
    return {std::move(pinned), received ? on_device() : MessageBuffer()};
}

void PersistentMessages::require_countable(std::int64_t bytes, const char* caller) {
    message_count(std::in_range<int>(bytes) ? bytes : lines(bytes), caller);
}

PersistentMessages::~PersistentMessages() {
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (!finalized) close();
}

void PersistentMessages::make(Setting setting, std::vector<Message> sends,
                              std::vector<Message> receives) {
    m_setting = std::move(setting);
    m_sent_messages = std::move(sends);
    m_received_messages = std::move(receives);
    m_received.assign(m_received_messages.size(), char{0});
    std::set<int> late;
    for (const Message& from : m_received_messages) {
        if (from.in_array) late.insert(from.peer);
        m_late.push_back(late.contains(from.peer) ? 1 : 0);
    }
    for (const std::vector<Message>* messages : {&m_sent_messages, &m_received_messages})
        for (const Message& message : *messages)
            for (const std::weak_ptr<void>& array : message.arrays) {
                const auto is_same = [&](const std::weak_ptr<void>& other) {
                    return !other.owner_before(array) && !array.owner_before(other);
                };
                if (std::none_of(m_arrays.begin(), m_arrays.end(), is_same))
                    m_arrays.push_back(array);
            }
    m_held.reserve(m_arrays.size());
    m_sends.assign(m_sent_messages.size(), MPI_REQUEST_NULL);
    m_receives.assign(m_received_messages.size() + first_message(), MPI_REQUEST_NULL);
    for (std::size_t i = 0; i < m_sends.size(); ++i) {
        const Message& to = m_sent_messages[i];
        const Content content(to);
        check_mpi(MPI_Send_init(content.start(), content.count(), content.type(), to.peer,
                                m_setting.tag, m_setting.comm, &m_sends[i]),
                  "MPI_Send_init");
    }
    for (std::size_t i = 0; i < m_received_messages.size(); ++i) {
        const Message& from = m_received_messages[i];
        const Content content(from);
        check_mpi(MPI_Recv_init(content.start(), content.count(), content.type(), from.peer,
                                m_setting.tag, m_setting.comm, &receive(i)),
                  "MPI_Recv_init");
    }
    if (!m_setting.expects_notices) return;
    check_mpi(MPI_Recv_init(&m_notice, 1, MPI_UINT64_T, MPI_ANY_SOURCE, m_setting.notice_tag,
                            m_setting.comm, &m_receives.front()),
              "MPI_Recv_init");
    check_mpi(MPI_Start(&m_receives.front()), "MPI_Start");
}

/// One by one: MPI_Startall may start them in any order, and it is that in which they are matched.
void PersistentMessages::start_receives(bool late) {
    for (std::size_t i = 0; i < receive_count(); ++i)
        if ((m_late[i] != 0) == late) check_mpi(MPI_Start(&receive(i)), "MPI_Start");
}

/// Room was made for them: allocates nothing.
void PersistentMessages::hold_arrays() {
    m_held.clear();
    for (const std::weak_ptr<void>& array : m_arrays) m_held.push_back(array.lock());
}

void PersistentMessages::start_receives() {
    m_under_way = true;
    m_late_started = false;
    m_left = receive_count();
    std::fill(m_received.begin(), m_received.end(), char{0});
    start_receives(false);
}

void PersistentMessages::start_sends(std::uint64_t epoch) {
    m_epoch = epoch;
    hold_arrays();
    m_late_started = true;
    start_receives(true);
    for (MPI_Request& send : m_sends) check_mpi(MPI_Start(&send), "MPI_Start");
}

int PersistentMessages::next_received(bool may_wait) {
    const auto count = static_cast<int>(m_receives.size());
    int index = MPI_UNDEFINED;
    int found = 1;
    MPI_Status status;
    if (m_left == 0) return none_yet;
    throw_if_gone(); // who had given up before this process came so far
    if (may_wait)
        check_mpi(MPI_Waitany(count, m_receives.data(), &index, &status), "MPI_Waitany");
    else
        check_mpi(MPI_Testany(count, m_receives.data(), &index, &found, &status), "MPI_Testany");
    if (!found || index == MPI_UNDEFINED) return none_yet;
    const int message = index - static_cast<int>(first_message());
    if (message < 0) {
        take_notice(status.MPI_SOURCE);
        return none_yet;
    }
    --m_left;
    m_received[static_cast<std::size_t>(message)] = 1;
    return message;
}

bool PersistentMessages::all_arrived() const {
    for (std::size_t i = 0; i < receive_count() && m_left > 0; ++i) {
        int arrived = 1;
        check_mpi(
            MPI_Request_get_status(m_receives[i + first_message()], &arrived, MPI_STATUS_IGNORE),
            "MPI_Request_get_status");
        if (!arrived) return false;
    }
    return true;
}

/// One that names a later execution is remembered until then.
void PersistentMessages::take_notice(int process) {
    m_gone = {process, m_notice};
    throw_if_gone();
}

void PersistentMessages::throw_if_gone() const {
    require<UsageError>(!m_gone || m_gone->epoch > m_epoch, [&] {
        return text(m_setting.user, ": process ", m_gone->process,
                    " has abandoned an exchange that this process takes part in");
    });
}

void PersistentMessages::wait_for_sends() {
    if (!m_sends.empty())
        check_mpi(
            MPI_Waitall(static_cast<int>(m_sends.size()), m_sends.data(), MPI_STATUSES_IGNORE),
            "MPI_Waitall");
    m_held.clear();
    m_under_way = false;
}

void PersistentMessages::abandon() noexcept {
    if (!std::exchange(m_under_way, false)) return;
    try {
        send_notices();
        take_back_receives();
    } catch (...) {
        // Out of memory, or MPI is broken: nobody is left to tell.
    }
}

/// To those that have not yet taken what lies in an array.
void PersistentMessages::send_notices() {
    std::set<int> peers;
    for (std::size_t i = 0; i < m_sends.size(); ++i)
        if (m_sent_messages[i].in_array && !is_inactive(m_sends[i]))
            peers.insert(m_sent_messages[i].peer);
    send_notices(peers);
}

void PersistentMessages::send_notices(const std::set<int>& peers) {
    const auto epoch = std::make_shared<std::uint64_t>(m_epoch);
    m_held.push_back(epoch);
    for (const int peer : peers)
        check_mpi(MPI_Isend(epoch.get(), 1, MPI_UINT64_T, peer, m_setting.notice_tag,
                            m_setting.comm, &m_sends.emplace_back(MPI_REQUEST_NULL)),
                  "MPI_Isend");
}

void PersistentMessages::refuse(std::uint64_t epoch) noexcept {
    try {
        start_receives();
        m_under_way = false;
        m_epoch = epoch;
        std::set<int> peers;
        for (const Message& message : m_sent_messages) peers.insert(message.peer);
        send_notices(peers);
    } catch (...) {
        // As in abandon().
    }
}

void PersistentMessages::take_back_receives() {
    // From the last to the first, so that no message meets the request of an earlier one.
    for (std::size_t i = receive_count(); i-- > 0;)
        if (m_late[i] && !is_inactive(receive(i))) MPI_Cancel(&receive(i));
    const Clock::time_point deadline = end_of_grace();
    for (std::size_t i = 0; i < receive_count(); ++i) {
        if (!m_late[i]) continue;
        while (!is_inactive(receive(i)) && Clock::now() < deadline) std::this_thread::yield();
        MPI_Status status;
        int completed = 0;
        int open = m_late_started ? 0 : 1;
        check_mpi(MPI_Test(&receive(i), &completed, &status), "MPI_Test");
        if (completed && !open) check_mpi(MPI_Test_cancelled(&status, &open), "MPI_Test_cancelled");
        if (!open) continue;
        const Message& from = m_received_messages[i];
        const MessageBuffer buffer(static_cast<std::size_t>(from.bytes));
        m_held.push_back(buffer.memory());
        MPI_Request_free(&receive(i));
        const Content content(buffer.data(), from);
        check_mpi(MPI_Irecv(content.start(), content.count(), content.type(), from.peer,
                            m_setting.tag, m_setting.comm, &receive(i)),
                  "MPI_Irecv");
    }
}

/// is_inactive() also makes MPI progress.
void PersistentMessages::settle(Time deadline) const noexcept {
    while (!(all_inactive(m_receives) && all_inactive(m_sends)) && Clock::now() < deadline)
        std::this_thread::yield();
}

void PersistentMessages::close(Time deadline) noexcept {
    if (!m_receives.empty() && first_message() > 0) cancel(m_receives.front());
    // Only an abandoned execution leaves requests active. Its neighbours may still wait for this
    // process to take or give a message; those that never began will not come.
    settle(deadline);
    for (MPI_Request& request : m_receives) cancel(request);
    // A peer may still be reading a message that it cannot cancel: the memory stays to the end.
    if (!all_inactive(m_sends)) {
        static auto& undelivered = *new std::vector<std::shared_ptr<void>>;
        undelivered.push_back(std::move(m_setting.sent));
        undelivered.insert(undelivered.end(), m_held.begin(), m_held.end());
    }
    m_held.clear();
    free_requests(m_receives);
    free_requests(m_sends);
}

} // namespace distview::impl
