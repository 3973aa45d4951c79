// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/agreement.hpp>
#include <distview/comm/communicator.hpp>
#include <distview/comm/impl/communicator_state.hpp>

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

/// Messages from processes that know whom they send to, to processes that do not know who sends to them.
///
/// Synchronous sends, each of which ends when its receiver has taken it; whoever's sends have all ended
/// enters a barrier that does not block, and goes on receiving until everybody has entered. Nothing is
/// asked of processes that have nothing to say to each other, and no list of all processes is kept.
///
/// Long messages come in pieces, in order, a few at a time: a receiver needs memory for one piece,
/// whatever it is sent.
///
/// Collective: over comm
/// Cost:       a message for every piece, a barrier; memory for one piece
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

    /// `outgoing`: in memory that stays until run() has returned; a rank may occur several times.
    SparseExchange(const Communicator& comm, int tag, std::vector<Outgoing> outgoing,
                   std::size_t piece_bytes);

    /// Collective.
    ///
    /// Errors: what `take` threw first, after everybody's messages have been received, so that nobody
    ///         waits for a process that is out of memory; MpiError
    void run(const Take& take);

private:
    /// Few: with hundreds at once Open MPI 5.0.7 was seen never to end sends whose messages had all been
    /// received, as if acknowledgements that it has no room for were forgotten (test EverySmallPieceIsAMessage).
    static constexpr int most_in_flight = 32;

    std::optional<Outgoing> next_piece();
    bool send_some();
    bool receive_one(std::exception_ptr& failure, const Take& take);

    Communicator m_comm;
    int m_tag;
    std::size_t m_piece_bytes;
    std::vector<Outgoing> m_outgoing;
    std::size_t m_next = 0; ///< the message to go on with, and where
    std::size_t m_next_byte = 0;
    std::array<MPI_Request, most_in_flight> m_sends{};
    std::vector<char> m_piece;
};

/// Records for one rank.
template <class Record>
struct Parcel {
    int rank = 0;
    std::span<const Record> records{};
};

/// Bytes of a message that is not cut.
inline constexpr std::size_t sparse_piece_bytes = std::size_t{1} << 20;

/// Sends parcels and calls take(rank, record) for every record that this process is sent; of one sender in
/// its order.
///
/// Collective: over comm; what fails on one rank is thrown on all, its text beginning with `caller`
template <class Record, class Take>
void exchange_records(const Communicator& comm, const char* caller,
                      std::span<const Parcel<Record>> parcels, Take&& take,
                      std::size_t piece_bytes = sparse_piece_bytes) {
    static_assert(std::is_trivially_copyable_v<Record>,
                  "exchange_records: records are sent as bytes");
    // Tags are dealt out collectively, hence before anything local can fail.
    const int tag = comm.state()->next_tag();
    std::optional<SparseExchange> exchange;
    agree_on(comm, caller, [&] {
        std::vector<SparseExchange::Outgoing> outgoing;
        for (const Parcel<Record>& parcel : parcels)
            outgoing.push_back({parcel.rank, reinterpret_cast<const char*>(parcel.records.data()),
                                parcel.records.size_bytes()});
        exchange.emplace(comm, tag, std::move(outgoing),
                         piece_bytes / sizeof(Record) * sizeof(Record));
    });
    std::exception_ptr failure;
    try {
        exchange->run([&](int rank, const char* data, std::size_t bytes) {
            for (std::size_t at = 0; at < bytes; at += sizeof(Record)) {
                Record record;
                std::memcpy(&record, data + at, sizeof(Record));
                take(rank, record);
            }
        });
    } catch (...) {
        failure = std::current_exception();
    }
    agree(comm, caller, failure);
}

/// Parcels of records whose ranks, rank_of(record), ascend.
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

/// Sorts records by the rank that each names as its receiver, and makes parcels of them.
template <class Record>
std::vector<Parcel<Record>> parcels_by_rank(std::vector<Record>& records) {
    std::sort(records.begin(), records.end(),
              [](const Record& a, const Record& b) { return a.rank < b.rank; });
    return parcels_of(records, [](const Record& record) { return record.rank; });
}

} // namespace distview::impl
