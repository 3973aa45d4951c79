// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plan/label_lookup.hpp"

#include <distview/comm/impl/mpi/sparse_exchange.hpp>
#include <distview/core/error.hpp>
#include <distview/core/text.hpp>

#include <algorithm>
#include <cstddef>
#include <unordered_map>

namespace distview::impl {

namespace {

/// Records of an owner, a question and an answer; `rank` is the receiver.
struct ToldPlace {
    std::int64_t label;
    IndexPlace place;
    int rank;
};
struct Asked {
    std::int64_t label;
    std::int64_t slot; ///< of the answer
    int rank;
};
struct Answered {
    std::int64_t slot;
    IndexPlace place;
    int rank;
};

/// The rank that is the directory of a label; a hash spreads neighbouring labels.
int keeper_of(std::int64_t label, int ranks) {
    auto bits = static_cast<std::uint64_t>(label);
    bits = (bits ^ bits >> 32) * 0x9e3779b97f4a7c15u;
    return static_cast<int>((bits >> 32) % static_cast<std::uint64_t>(ranks));
}

} // namespace

std::vector<IndexPlace> look_up_labels(const Communicator& comm, const char* caller,
                                       const OwnedLabels& owned,
                                       std::span<const std::int64_t> wanted) {
    std::unordered_map<std::int64_t, IndexPlace> kept;
    std::vector<ToldPlace> told;
    exchange_records<ToldPlace>(
        comm, caller,
        [&] {
            for (std::size_t i = 0; i < owned.labels.size(); ++i)
                told.push_back({owned.labels[i],
                                {owned.coordinate, static_cast<std::int64_t>(i), owned.extent},
                                keeper_of(owned.labels[i], comm.size())});
            return parcels_by_rank(told);
        },
        [&](int, const ToldPlace& record) {
            IndexPlace& place = kept[record.label];
            require<UsageError>(!owned.is_unique || place.coordinate < 0, [&] {
                return text(caller, ": expected each index to have one owner, got ", record.label,
                            " owned by processes ",
                            std::min(place.coordinate, record.place.coordinate), " and ",
                            std::max(place.coordinate, record.place.coordinate));
            });
            if (place.coordinate < 0 || record.place.coordinate < place.coordinate)
                place = record.place;
        });

    std::vector<Asked> asked;
    std::vector<Answered> answers;
    exchange_records<Asked>(
        comm, caller,
        [&] {
            for (std::size_t i = 0; i < wanted.size(); ++i)
                asked.push_back(
                    {wanted[i], static_cast<std::int64_t>(i), keeper_of(wanted[i], comm.size())});
            return parcels_by_rank(asked);
        },
        [&](int rank, const Asked& record) {
            const auto found = kept.find(record.label);
            answers.push_back(
                {record.slot, found == kept.end() ? IndexPlace{} : found->second, rank});
        });

    std::vector<IndexPlace> result;
    exchange_records<Answered>(
        comm, caller,
        [&] {
            result.resize(wanted.size());
            return parcels_by_rank(answers);
        },
        [&](int, const Answered& record) {
            result[static_cast<std::size_t>(record.slot)] = record.place;
        });
    return result;
}

} // namespace distview::impl
