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
        copy,    ///< boxes: bytes, of any fields
        combine, ///< boxes: destination = op(destination, source), element by element
        move,    ///< units: converted and combined
        pack,    ///< units: unchanged, into a buffer
        points,  ///< elements one by one: bytes
        sums     ///< elements one by one: combined with values, a share by each thread
    };
    std::size_t field = 0;
    /// Of ExchangeProgram::boxes, units, points or sums; with a device of regions, moves, points or device_sums.
    int begin = 0;
    int end = 0;
    Kind kind = Kind::move;
};

/// Elements that arrive from one rank together, and what is to be done with them.
struct Incoming {
    int rank = 0;
    std::int64_t bytes = 0;
    std::vector<Batch> batches{};
    std::vector<LocalBox> boxes{};         ///< positions that they fill, of a padding exchange
    PersistentMessages::Message message{}; ///< of elements that come in one
    char* staged = nullptr;                ///< device memory that a staged message is copied to
    std::string note{};                    ///< for describe()
};

/// One step of an exchange of one set of arrays: what is copied from where to where, and in which order.
///
///     first     copies within the section; neighbours may be given their results
///     pack      what neighbours read in shared memory, and messages
///     sends     in this order
///     local     copies within the section while messages are under way
///     in_place, received   by arrival
///     written   once all ranks that are written in place allow it
///     last      in this order, once everything has arrived
///
/// Plain data; addresses are those of the arrays and of the memory that is held here. With a device, what arrives is
/// moved by `last`.
struct ExchangeProgram {
    std::vector<CopyBox> boxes{};
    MoveUnits units{};
    std::vector<PointMoves> points{};
    std::vector<std::vector<PointMoves>> sums{}; ///< shares, each with moves in their order
    /// Tables of a device's kernels, one a batch.
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
    std::size_t workspace_bytes = 0;           ///< of both
    int rank = 0;                              ///< axes of field 0, of a padding exchange
    bool writes = false;            ///< into other ranks' arrays, of the ranks `in_place` names
    Incoming written{};             ///< work to do when all of these may be written
    std::int64_t local_bytes = 0;   ///< copied within the section, for reports
    bool packs_for_readers = false; ///< for describe(), as
    std::string note{};
};

/// Appends a batch, to the last one if it goes on where that ends.
void append_batch(std::vector<Batch>& batches, const Batch& batch);

} // namespace distview::impl
