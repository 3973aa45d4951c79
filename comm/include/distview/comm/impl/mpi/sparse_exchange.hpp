// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/agreement.hpp>
#include <distview/comm/communicator.hpp>
#include <distview/comm/impl/mpi/communicator_state.hpp>
#include <distview/core/error.hpp>

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <exception>
#include <functional>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace distview::impl {

/// Sends messages to processes that do not know their senders.
///
/// The receiver acknowledges every message with an empty one. A process whose messages are all
/// acknowledged enters a non-blocking barrier, and goes on receiving until all processes have entered.
/// Processes without messages for each other exchange nothing, and no process keeps a list of all.
///
/// Long messages are sent in pieces, in order, a few at a time: a receiver needs memory for one
/// piece only.
///
/// The paper uses synchronous sends, which MPI acknowledges. With hundreds of small ones, Open MPI
/// 5.0.7 (ob1, sm) was seen to leave some sends unfinished although all messages were received.
///
/// Collective: over comm
/// Cost:       two messages for every piece, a barrier; memory for one piece
/// Source:     Hoefler, Siebert, Lumsdaine: Scalable communication protocols for dynamic sparse data
///             exchange, PPoPP 2010 (algorithm NBX)
class SparseExchange {
public:
    struct Outgoing {
        int rank = 0;
        const char* data = nullptr;
        std::size_t bytes = 0;
    };
    /// Called with the rank of the sender, which may be this one.
    using Take = std::function<void(int, const char*, std::size_t)>;

    struct Tags {
        int message = 0;
        int acknowledgement = 0;
    };
    /// `outgoing`: its data must stay in place until run() has returned; a rank may occur several times.
    SparseExchange(const Communicator& comm, std::vector<Outgoing> outgoing,
                   std::size_t piece_bytes);

    /// Collective.
    ///
    /// Errors: the first exception of `take`, after all messages of all ranks have been received, so that no rank
    ///         waits for a process that is out of memory; MpiError
    void run(Tags tags, const Take& take);

private:
    static constexpr std::size_t most_in_flight = 32;
    /// Sends that MPI has not completed yet.
    struct Requests {
        Requests() { all.fill(MPI_REQUEST_NULL); }
        MPI_Request* free();
        void test();
        std::array<MPI_Request, most_in_flight> all;
    };

    std::optional<Outgoing> next_piece();
    void send_some();
    bool receive_one(std::exception_ptr& failure, const Take& take);
    bool receive_acknowledgement();

    Communicator m_comm;
    Tags m_tags{};
    std::size_t m_piece_bytes;
    std::vector<Outgoing> m_outgoing; ///< to others
    std::vector<Outgoing> m_own;
    std::size_t m_next = 0; ///< next message to send; m_next_byte: its next byte
    std::size_t m_next_byte = 0;
    std::size_t m_awaited = 0; ///< acknowledgements not received yet
    Requests m_sends;
    Requests m_acknowledgements;
    std::vector<char> m_piece;
};

/// Records for one rank.
template <class Record>
struct Parcel {
    int rank = 0;
    std::span<const Record> records{};
};

/// The largest number of bytes that is sent as one message.
inline constexpr std::size_t sparse_piece_bytes = std::size_t{1} << 20;

/// Sends the parcels that prepare() returns and calls take(rank, record) for every received record.
/// Records of one sender arrive in their order. The sent records must stay in place until this returns.
///
/// Exceptions of prepare() and take() on one rank are thrown on all.
///
/// Collective: over comm
/// Cost:       one SparseExchange, two agreements
template <class Record, class Prepare, class Take>
void exchange_records(const Communicator& comm, const char* caller, Prepare&& prepare, Take&& take,
                      std::size_t piece_bytes = sparse_piece_bytes) {
    static_assert(std::is_trivially_copyable_v<Record>,
                  "exchange_records: records are sent as bytes");
    std::optional<SparseExchange> exchange;
    agree_on(comm, caller, [&] {
        std::vector<SparseExchange::Outgoing> outgoing;
        const std::vector<Parcel<Record>> parcels = prepare();
        for (const Parcel<Record>& parcel : parcels)
            outgoing.push_back({parcel.rank, reinterpret_cast<const char*>(parcel.records.data()),
                                parcel.records.size_bytes()});
        exchange.emplace(comm, std::move(outgoing), piece_bytes / sizeof(Record) * sizeof(Record));
    });
    // Tags are drawn only now: a rank that failed earlier, and is not here, draws none.
    const SparseExchange::Tags tags{state_of(comm)->next_tag(), state_of(comm)->next_tag()};
    std::exception_ptr failure;
    try {
        exchange->run(tags, [&](int rank, const char* data, std::size_t bytes) {
            for (std::size_t at = 0; at < bytes; at += sizeof(Record)) {
                Record record;
                std::memcpy(&record, data + at, sizeof(Record));
                take(rank, record);
            }
        });
    } catch (const MpiError&) {
        throw;
    } catch (...) {
        failure = std::current_exception();
    }
    agree(comm, caller, failure);
}

/// Groups records into parcels by rank_of(record), which must ascend.
template <class Record, class RankOf>
std::vector<Parcel<Record>> parcels_of(const std::vector<Record>& records, RankOf&& rank_of) {
    std::vector<Parcel<Record>> parcels;
    for (std::size_t i = 0; i < records.size();) {
        const int rank = rank_of(records[i]);
        const std::size_t begin = i;
        while (i < records.size() && rank_of(records[i]) == rank) ++i;
        parcels.push_back({rank, std::span(records).subspan(begin, i - begin)});
    }
    return parcels;
}

/// Sorts records by their receiver (`rank`) and groups them into parcels.
template <class Record>
std::vector<Parcel<Record>> parcels_by_rank(std::vector<Record>& records) {
    std::sort(records.begin(), records.end(),
              [](const Record& a, const Record& b) { return a.rank < b.rank; });
    return parcels_of(records, [](const Record& record) { return record.rank; });
}

} // namespace distview::impl
