// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/persistent_messages.hpp>

#include "message_content.hpp"

#include <distview/comm/mpi_error.hpp>

#include <algorithm>
#include <set>
#include <utility>

namespace distview::impl {

std::pair<MessageBuffer, MessageBuffer> message_buffers(const DeviceSetting& device,
                                                        std::int64_t bytes, bool received) {
    const auto size = static_cast<std::size_t>(bytes);
    if (!device.layer || bytes == 0) return {MessageBuffer(size), {}};
    const auto whole_lines = static_cast<std::size_t>(message_lines(bytes) * message_line);
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
    message_count(std::in_range<int>(bytes) ? bytes : message_lines(bytes), caller);
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
        const MessageContent content(to);
        check_mpi(MPI_Send_init(content.start(), content.count(), content.type(), to.peer,
                                m_setting.tag, m_setting.comm, &m_sends[i]),
                  "MPI_Send_init");
    }
    for (std::size_t i = 0; i < m_received_messages.size(); ++i) {
        const Message& from = m_received_messages[i];
        const MessageContent content(from);
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

void PersistentMessages::begin_sends(std::uint64_t epoch) {
    m_epoch = epoch;
    hold_arrays();
    m_late_started = true;
    start_receives(true);
}

void PersistentMessages::start_send(std::size_t message) {
    check_mpi(MPI_Start(&m_sends[message]), "MPI_Start");
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

void PersistentMessages::wait_for_sends() {
    if (!m_sends.empty())
        check_mpi(
            MPI_Waitall(static_cast<int>(m_sends.size()), m_sends.data(), MPI_STATUSES_IGNORE),
            "MPI_Waitall");
    m_held.clear();
    m_under_way = false;
}

} // namespace distview::impl
