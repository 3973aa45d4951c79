// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/padding_exchange_engine.hpp>

#include <distview/comm/mpi_error.hpp>

#include <algorithm>
#include <chrono>
#include <map>
#include <thread>
#include <utility>

namespace distview::impl {

namespace {

/// Parts of a message begin at multiples of this, so that no element straddles cache lines needlessly.
constexpr std::int64_t alignment = 16;
/// Messages begin at multiples of this within the buffer.
constexpr std::int64_t line = 64;

constexpr std::int64_t round_up(std::int64_t value, std::int64_t multiple) {
    return (value + multiple - 1) / multiple * multiple;
}

/// Strides in bytes of a region packed in C order, last axis fastest.
std::array<std::int64_t, max_rank> packed_strides(const PaddingRegion& region, int rank,
                                                  std::int64_t element_size) {
    std::array<std::int64_t, max_rank> strides{};
    std::int64_t stride = element_size;
    for (int d = rank - 1; d >= 0; --d) {
        strides[static_cast<std::size_t>(d)] = stride;
        stride *= region.extents[static_cast<std::size_t>(d)];
    }
    return strides;
}

char* at(const Field& field, const std::array<LocalIndex, max_rank>& index, int rank) {
    std::int64_t offset = 0;
    for (std::size_t d = 0; d < static_cast<std::size_t>(rank); ++d)
        offset += index[d] * field.strides[d];
    return field.data + offset;
}

CopyBox box_of(const PaddingRegion& region, int rank, std::int64_t element_size,
               const std::array<std::int64_t, max_rank>& source_strides,
               const std::array<std::int64_t, max_rank>& destination_strides) {
    CopyBox box;
    box.element_size = element_size;
    box.rank = rank;
    for (std::size_t d = 0; d < static_cast<std::size_t>(rank); ++d)
        box.axes[d] = {region.extents[d], source_strides[d], destination_strides[d]};
    return box;
}

/// One field's region of a message: where it lies in it.
struct Part {
    PaddingRegion region;
    const Field* field = nullptr;
    int rank = 0;
    std::int64_t offset = 0;
};

/// The parts by peer, in the order both sides agree on: field by field, region by region.
class MessageParts {
public:
    void add(const PaddingRegion& region, const Field& field, int rank) {
        auto& [bytes, parts] = m_messages[region.peer];
        parts.push_back({region, &field, rank, bytes});
        bytes += round_up(region.elements * field.element_size, alignment);
    }
    const auto& by_peer() const noexcept { return m_messages; }

private:
    std::map<int, std::pair<std::int64_t, std::vector<Part>>> m_messages;
};

bool is_inactive(MPI_Request request) noexcept {
    int inactive = 1;
    MPI_Request_get_status(request, &inactive, MPI_STATUS_IGNORE);
    return inactive != 0;
}

void free_requests(std::vector<MPI_Request>& requests) noexcept {
    for (MPI_Request& request : requests)
        if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
    requests.clear();
}

} // namespace

PaddingExchangeBinding::PaddingExchangeBinding(
    const std::vector<PaddingExchangeSchedule>& schedules, std::span<const Field> fields) {
    for (const Field& field : fields) m_identities.push_back(field.identity);
    build(schedules, fields);
}

PaddingExchangeBinding::~PaddingExchangeBinding() {
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (!finalized) close();
}

/// Lets MPI complete what is under way, for as long as a neighbour that has started its part of the
/// exchange may need; is_inactive() also makes MPI progress.
void PaddingExchangeBinding::settle() const noexcept {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point deadline = Clock::now() + std::chrono::seconds(2);
    const auto all_inactive = [](const std::vector<MPI_Request>& requests) {
        return std::all_of(requests.begin(), requests.end(), is_inactive);
    };
    while (!(all_inactive(m_receive_requests) && all_inactive(m_send_requests)) &&
           Clock::now() < deadline)
        std::this_thread::yield();
}

void PaddingExchangeBinding::close() noexcept {
    // Only an abandoned exchange leaves requests active. Its neighbours may still wait for this
    // process to take or give a message; those that never began will not come.
    settle();
    for (MPI_Request& request : m_receive_requests) {
        if (is_inactive(request)) continue;
        MPI_Cancel(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    // A peer may still be reading a message that it cannot cancel: the memory stays to the end.
    if (!std::all_of(m_send_requests.begin(), m_send_requests.end(), is_inactive)) {
        static auto& undelivered = *new std::vector<MessageBuffer>;
        undelivered.push_back(std::move(m_send_buffer));
    }
    free_requests(m_receive_requests);
    free_requests(m_send_requests);
}

void PaddingExchangeBinding::build(const std::vector<PaddingExchangeSchedule>& schedules,
                                   std::span<const Field> fields) {
    MessageParts outgoing;
    MessageParts incoming;
    for (std::size_t i = 0; i < fields.size(); ++i) {
        const Field& field = fields[i];
        const PaddingExchangeSchedule& schedule = schedules[schedules.size() == 1 ? 0 : i];
        const int rank = schedule.layout().rank();
        schedule.for_each_incoming([&](const PaddingRegion& region) {
            if (region.peer != schedule.process()) return incoming.add(region, field, rank);
            CopyBox box = box_of(region, rank, field.element_size, field.strides, field.strides);
            box.source = at(field, region.peer_begin, rank);
            box.destination = at(field, region.begin, rank);
            append_copy(m_local, box);
        });
        schedule.for_each_outgoing([&](const PaddingRegion& region) {
            if (region.peer != schedule.process()) outgoing.add(region, field, rank);
        });
    }

    const auto lay_out = [](const MessageParts& messages, std::vector<Message>& list) {
        std::int64_t bytes = 0;
        for (const auto& [peer, message] : messages.by_peer()) {
            list.push_back({peer, bytes, message.first, 0, 0});
            bytes += round_up(message.first, line);
        }
        return bytes;
    };
    m_send_buffer = MessageBuffer(static_cast<std::size_t>(lay_out(outgoing, m_sends)));
    m_receive_buffer = MessageBuffer(static_cast<std::size_t>(lay_out(incoming, m_receives)));

    std::size_t i = 0;
    for (const auto& [peer, message] : outgoing.by_peer()) {
        char* const buffer = m_send_buffer.data() + m_sends[i++].offset;
        for (const Part& part : message.second) {
            CopyBox box =
                box_of(part.region, part.rank, part.field->element_size, part.field->strides,
                       packed_strides(part.region, part.rank, part.field->element_size));
            box.source = at(*part.field, part.region.begin, part.rank);
            box.destination = buffer + part.offset;
            append_copy(m_pack, box);
        }
    }
    i = 0;
    for (const auto& [peer, message] : incoming.by_peer()) {
        Message& receive = m_receives[i++];
        const char* const buffer = m_receive_buffer.data() + receive.offset;
        receive.unpack_begin = static_cast<int>(m_unpack.size());
        for (const Part& part : message.second) {
            CopyBox box = box_of(part.region, part.rank, part.field->element_size,
                                 packed_strides(part.region, part.rank, part.field->element_size),
                                 part.field->strides);
            box.source = buffer + part.offset;
            box.destination = at(*part.field, part.region.begin, part.rank);
            append_copy(m_unpack, box);
        }
        receive.unpack_end = static_cast<int>(m_unpack.size());
    }
    for (const Message& message : m_sends) message_count(message.bytes, "PaddingExchangePlan");
    for (const Message& message : m_receives) message_count(message.bytes, "PaddingExchangePlan");
}

void PaddingExchangeBinding::make_requests(MPI_Comm comm, int tag) {
    m_send_requests.assign(m_sends.size(), MPI_REQUEST_NULL);
    m_receive_requests.assign(m_receives.size(), MPI_REQUEST_NULL);
    for (std::size_t i = 0; i < m_sends.size(); ++i)
        check_mpi(MPI_Send_init(m_send_buffer.data() + m_sends[i].offset,
                                message_count(m_sends[i].bytes, "PaddingExchangePlan"), MPI_BYTE,
                                m_sends[i].peer, tag, comm, &m_send_requests[i]),
                  "MPI_Send_init");
    for (std::size_t i = 0; i < m_receives.size(); ++i)
        check_mpi(MPI_Recv_init(m_receive_buffer.data() + m_receives[i].offset,
                                message_count(m_receives[i].bytes, "PaddingExchangePlan"), MPI_BYTE,
                                m_receives[i].peer, tag, comm, &m_receive_requests[i]),
                  "MPI_Recv_init");
}

bool PaddingExchangeBinding::is_for(std::span<const Field> fields) const noexcept {
    return std::equal(
        m_identities.begin(), m_identities.end(), fields.begin(), fields.end(),
        [](std::uint64_t identity, const Field& field) { return identity == field.identity; });
}

void PaddingExchangeBinding::post_receives() {
    if (m_receive_requests.empty()) return;
    check_mpi(MPI_Startall(static_cast<int>(m_receive_requests.size()), m_receive_requests.data()),
              "MPI_Startall");
}

void PaddingExchangeBinding::start_sends() {
    if (m_send_requests.empty()) return;
    check_mpi(MPI_Startall(static_cast<int>(m_send_requests.size()), m_send_requests.data()),
              "MPI_Startall");
}

int PaddingExchangeBinding::wait_for_message() {
    int index = MPI_UNDEFINED;
    check_mpi(MPI_Waitany(static_cast<int>(m_receive_requests.size()), m_receive_requests.data(),
                          &index, MPI_STATUS_IGNORE),
              "MPI_Waitany");
    return index == MPI_UNDEFINED ? -1 : index;
}

void PaddingExchangeBinding::wait_for_sends() {
    check_mpi(MPI_Waitall(static_cast<int>(m_send_requests.size()), m_send_requests.data(),
                          MPI_STATUSES_IGNORE),
              "MPI_Waitall");
}

std::size_t PaddingExchangeBinding::workspace_bytes() const noexcept {
    return m_send_buffer.size() + m_receive_buffer.size();
}

} // namespace distview::impl
