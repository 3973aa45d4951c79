// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/sparse_exchange.hpp>

#include <distview/comm/mpi_error.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <thread>
#include <utility>

namespace distview::impl {

SparseExchange::SparseExchange(const Communicator& comm, int tag, std::vector<Outgoing> outgoing,
                               std::size_t piece_bytes)
    : m_comm(comm), m_tag(tag), m_piece_bytes(piece_bytes), m_outgoing(std::move(outgoing)) {
    std::erase_if(m_outgoing, [](const Outgoing& message) { return message.bytes == 0; });
    m_piece.resize(m_piece_bytes);
    m_sends.fill(MPI_REQUEST_NULL);
}

/// The next piece that goes to another rank.
std::optional<SparseExchange::Outgoing> SparseExchange::next_piece() {
    while (m_next < m_outgoing.size() && m_outgoing[m_next].rank == m_comm.rank()) ++m_next;
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

/// Goes on sending; true once everything has been taken.
bool SparseExchange::send_some() {
    int ended = 0;
    std::array<int, most_in_flight> which;
    check_mpi(
        MPI_Testsome(most_in_flight, m_sends.data(), &ended, which.data(), MPI_STATUSES_IGNORE),
        "MPI_Testsome");
    bool all_taken = true;
    for (MPI_Request& send : m_sends) {
        if (send == MPI_REQUEST_NULL) {
            const std::optional<Outgoing> piece = next_piece();
            if (!piece) continue;
            check_mpi(
                MPI_Issend(piece->data,
                           message_count(static_cast<std::int64_t>(piece->bytes), "SparseExchange"),
                           MPI_BYTE, piece->rank, m_tag, m_comm.mpi(), &send),
                "MPI_Issend");
        }
        all_taken = false;
    }
    return all_taken;
}

bool SparseExchange::receive_one(std::exception_ptr& failure, const Take& take) {
    int found = 0;
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status;
    check_mpi(MPI_Improbe(MPI_ANY_SOURCE, m_tag, m_comm.mpi(), &found, &message, &status),
              "MPI_Improbe");
    if (!found) return false;
    int bytes = 0;
    check_mpi(MPI_Get_count(&status, MPI_BYTE, &bytes), "MPI_Get_count");
    check_mpi(MPI_Mrecv(m_piece.data(), bytes, MPI_BYTE, &message, &status), "MPI_Mrecv");
    if (failure) return true;
    try {
        take(status.MPI_SOURCE, m_piece.data(), static_cast<std::size_t>(bytes));
    } catch (...) {
        failure = std::current_exception();
    }
    return true;
}

void SparseExchange::run(const Take& take) {
    std::exception_ptr failure;
    send_some();
    try {
        for (const Outgoing& message : m_outgoing)
            if (message.rank == m_comm.rank()) take(message.rank, message.data, message.bytes);
    } catch (...) {
        failure = std::current_exception();
    }
    MPI_Request barrier = MPI_REQUEST_NULL;
    bool has_entered = false;
    for (int all_have_entered = 0; !all_have_entered;) {
        if (receive_one(failure, take)) continue;
        if (has_entered) {
            check_mpi(MPI_Test(&barrier, &all_have_entered, MPI_STATUS_IGNORE), "MPI_Test");
        } else if (send_some()) {
            check_mpi(MPI_Ibarrier(m_comm.mpi(), &barrier), "MPI_Ibarrier");
            has_entered = true;
        }
        // Those that we wait for may need this core.
        std::this_thread::yield();
    }
    if (failure) std::rethrow_exception(failure);
}

} // namespace distview::impl
