// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/mpi/sparse_exchange.hpp>

#include <distview/comm/impl/mpi/checks.hpp>
#include <distview/comm/mpi_error.hpp>

#include <cstdint>
#include <thread>

namespace distview::impl {

/// A request that is not in use, or null.
MPI_Request* SparseExchange::Requests::free() {
    const auto found = std::find(all.begin(), all.end(), MPI_REQUEST_NULL);
    return found == all.end() ? nullptr : &*found;
}

void SparseExchange::Requests::test() {
    int ended = 0;
    std::array<int, most_in_flight> which;
    check_mpi(MPI_Testsome(static_cast<int>(all.size()), all.data(), &ended, which.data(),
                           MPI_STATUSES_IGNORE),
              "MPI_Testsome");
}

SparseExchange::SparseExchange(const Communicator& comm, std::vector<Outgoing> outgoing,
                               std::size_t piece_bytes)
    : m_comm(comm), m_piece_bytes(piece_bytes), m_outgoing(std::move(outgoing)) {
    std::erase_if(m_outgoing, [](const Outgoing& message) { return message.bytes == 0; });
    const auto own =
        std::stable_partition(m_outgoing.begin(), m_outgoing.end(),
                              [&](const Outgoing& m) { return m.rank != m_comm.rank(); });
    m_own.assign(own, m_outgoing.end());
    m_outgoing.erase(own, m_outgoing.end());
    m_piece.resize(m_piece_bytes);
}

std::optional<SparseExchange::Outgoing> SparseExchange::next_piece() {
    if (m_next == m_outgoing.size()) return std::nullopt;
    const Outgoing& message = m_outgoing[m_next];
    const Outgoing piece{message.rank, message.data + m_next_byte,
                         std::min(m_piece_bytes, message.bytes - m_next_byte)};
    m_next_byte += piece.bytes;
    if (m_next_byte == message.bytes) {
        ++m_next;
        m_next_byte = 0;
    }
    return piece;
}

/// Starts further sends while requests are free.
void SparseExchange::send_some() {
    m_sends.test();
    while (m_awaited < most_in_flight) {
        MPI_Request* const send = m_sends.free();
        const std::optional<Outgoing> piece = send ? next_piece() : std::nullopt;
        if (!piece) return;
        const int bytes = message_count(static_cast<std::int64_t>(piece->bytes), "SparseExchange");
        check_mpi(MPI_Isend(piece->data, bytes, MPI_BYTE, piece->rank, m_tags.message, m_comm.mpi(),
                            send),
                  "MPI_Isend");
        ++m_awaited;
    }
}

bool SparseExchange::receive_acknowledgement() {
    int found = 0;
    MPI_Message message = MPI_MESSAGE_NULL;
    check_mpi(MPI_Improbe(MPI_ANY_SOURCE, m_tags.acknowledgement, m_comm.mpi(), &found, &message,
                          MPI_STATUS_IGNORE),
              "MPI_Improbe");
    if (!found) return false;
    check_mpi(MPI_Mrecv(nullptr, 0, MPI_BYTE, &message, MPI_STATUS_IGNORE), "MPI_Mrecv");
    --m_awaited;
    return true;
}

bool SparseExchange::receive_one(std::exception_ptr& failure, const Take& take) {
    m_acknowledgements.test();
    MPI_Request* const acknowledgement = m_acknowledgements.free();
    if (!acknowledgement) return false;
    int found = 0;
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status;
    check_mpi(MPI_Improbe(MPI_ANY_SOURCE, m_tags.message, m_comm.mpi(), &found, &message, &status),
              "MPI_Improbe");
    if (!found) return false;
    int bytes = 0;
    check_mpi(MPI_Get_count(&status, MPI_BYTE, &bytes), "MPI_Get_count");
    const int source = status.MPI_SOURCE;
    check_mpi(MPI_Mrecv(m_piece.data(), bytes, MPI_BYTE, &message, MPI_STATUS_IGNORE), "MPI_Mrecv");
    check_mpi(MPI_Isend(nullptr, 0, MPI_BYTE, source, m_tags.acknowledgement, m_comm.mpi(),
                        acknowledgement),
              "MPI_Isend");
    if (failure) return true;
    try {
        take(source, m_piece.data(), static_cast<std::size_t>(bytes));
    } catch (...) {
        failure = std::current_exception();
    }
    return true;
}

void SparseExchange::run(Tags tags, const Take& take) {
    m_tags = tags;
    std::exception_ptr failure;
    send_some();
    try {
        for (const Outgoing& message : m_own) take(message.rank, message.data, message.bytes);
    } catch (...) {
        failure = std::current_exception();
    }
    MPI_Request barrier = MPI_REQUEST_NULL;
    bool has_entered = false;
    for (int all_have_entered = 0; !all_have_entered;) {
        const bool received = receive_one(failure, take);
        if (has_entered) {
            check_mpi(MPI_Test(&barrier, &all_have_entered, MPI_STATUS_IGNORE), "MPI_Test");
        } else {
            while (m_awaited > 0 && receive_acknowledgement()) {
            }
            send_some();
            has_entered = m_awaited == 0 && m_next == m_outgoing.size();
            if (has_entered) check_mpi(MPI_Ibarrier(m_comm.mpi(), &barrier), "MPI_Ibarrier");
        }
        // The awaited processes may need this core.
        if (!received) std::this_thread::yield();
    }
    // The messages of these requests have been received: this wait does not depend on the work of another rank.
    for (Requests* requests : {&m_sends, &m_acknowledgements})
        check_mpi(MPI_Waitall(static_cast<int>(requests->all.size()), requests->all.data(),
                              MPI_STATUSES_IGNORE),
                  "MPI_Waitall");
    if (failure) std::rethrow_exception(failure);
}

} // namespace distview::impl
