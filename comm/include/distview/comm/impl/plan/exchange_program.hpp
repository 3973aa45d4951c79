// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/kernels/copy_box.hpp>
#include <distview/comm/impl/kernels/device_moves.hpp>
#include <distview/comm/impl/kernels/device_regions.hpp>
#include <distview/comm/impl/kernels/move_transfer.hpp>
#include <distview/comm/impl/kernels/point_moves.hpp>
#include <distview/comm/impl/transport/persistent_messages.hpp>
#include <distview/core/local_box.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace distview::impl {

/// Elements of one field (of a source and its target) that one kernel moves.
struct Batch {
    enum class Kind {
        copy,    ///< boxes: copied as bytes, of any fields
        combine, ///< boxes: destination = op(destination, source), element by element
        move,    ///< units: converted and combined
        pack,    ///< units: copied unchanged into a buffer
        points,  ///< single elements: copied as bytes
        sums     ///< single elements: combined with values, one share per thread
    };
    std::size_t field = 0;
    /// Range in ExchangeProgram::boxes, units, points or sums; on a device in regions, moves, points or device_sums.
    int begin = 0;
    int end = 0;
    Kind kind = Kind::move;
};

/// Elements that arrive together from one rank, and the batches that move them.
struct Incoming {
    int rank = 0;
    std::int64_t bytes = 0;
    std::vector<Batch> batches{};
    std::vector<LocalBox> boxes{};         ///< positions filled, in a padding exchange
    PersistentMessages::Message message{}; ///< of elements that arrive in a message
    char* staged = nullptr;                ///< device memory for the copy of a staged message
    std::string note{};                    ///< for describe()
};

/// One step of an exchange of one set of arrays: all copies, with addresses, in their order.
///
///     first     copies within the section; neighbours may receive the results
///     pack      elements for messages, and for shared memory that neighbours read
///     sends     in this order
///     local     copies within the section while messages are in flight
///     in_place, received   in order of arrival
///     written   when all ranks that are written in place allow it
///     last      in this order, when all elements have arrived
///
/// Plain data; addresses point into the arrays and into the memory held here. On a device `last` moves the elements
/// that arrive.
struct ExchangeProgram {
    std::vector<CopyBox> boxes{};
    MoveUnits units{};
    std::vector<PointMoves> points{};
    std::vector<std::vector<PointMoves>> sums{}; ///< shares, each with its moves in order
    /// Tables of a device's kernels, one per batch.
    std::vector<DeviceTable<DeviceRegion>> regions{};
    std::vector<DeviceTable<DeviceMove>> moves{};
    std::vector<PointSums> device_sums{};

    std::vector<Batch> first{};
    std::vector<Batch> pack{};
    std::vector<PersistentMessages::Message> sends{};
    std::vector<Batch> local{};
    std::vector<Incoming> in_place{}; ///< in the order of PeerTransports::sources
    std::vector<Incoming> received{};
    std::vector<Batch> last{};

    std::shared_ptr<void> sent{};              ///< memory of the messages to send
    std::vector<std::shared_ptr<void>> held{}; ///< other memory
    std::size_t workspace_bytes = 0;           ///< total of `sent` and `held`
    int rank = 0;                              ///< axes of field 0, in a padding exchange
    bool writes = false;            ///< whether it writes into arrays of the ranks in `in_place`
    Incoming written{};             ///< work to do when all these arrays may be written
    std::int64_t local_bytes = 0;   ///< copied within the section, for reports
    bool packs_for_readers = false; ///< for describe(), like `note`
    std::string note{};
};

/// Appends a batch, or extends the last one if the batch begins where the last one ends.
void append_batch(std::vector<Batch>& batches, const Batch& batch);

} // namespace distview::impl
