// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/copy_box.hpp>
#include <distview/comm/impl/device_layer.hpp>
#include <distview/comm/impl/device_regions.hpp>
#include <distview/comm/impl/exchange_parts.hpp>
#include <distview/comm/impl/field.hpp>
#include <distview/comm/impl/peer_transports.hpp>
#include <distview/comm/impl/persistent_messages.hpp>
#include <distview/core/local_box.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace distview::impl {

/// All copies of an exchange of one set of arrays, with their addresses, and the buffers of its
/// messages.
struct ExchangeCopies {
    /// Elements that go to one process, or come from it, together.
    struct Partner {
        int peer = 0;
        std::int64_t bytes = 0;
        char* data = nullptr; ///< of a message: its place in the buffer
        /// Of `pack`, if they are sent: what makes the message. Of `incoming`, if they come: what to copy
        /// once they are here.
        int begin = 0;
        int end = 0;
        std::vector<std::size_t> parts;
        std::vector<LocalBox> boxes; ///< the positions of this section that they fill
    };
    /// Boxes of one field that do not overlap.
    struct Combination {
        std::size_t field = 0;
        int begin = 0; ///< of `combined`
        int end = 0;
    };

    /// What kernels of a device do, in as few of them as can be.
    struct OnDevice {
        DeviceRegions pack;   ///< the messages; and copies within the section
        DeviceRegions unpack; ///< from buffers and from others' memory
        /// Boxes of one field that do not overlap; one after the other.
        struct Combination {
            std::size_t field = 0;
            DeviceRegions regions;
        };
        std::vector<Combination> combined;
        /// Of staged messages, what the receive buffer is copied to; empty else.
        MessageBuffer received;
    };

    std::vector<Partner> sends; ///< messages, by ascending peer, in the order both sides agree on
    std::vector<Partner> receives; ///< likewise
    std::vector<Partner> in_place; ///< from PeerTransports::sources, in its order
    MessageBuffer send_buffer;
    MessageBuffer receive_buffer;
    SharedPack shared_pack;
    std::vector<CopyBox> local; ///< within the section; only to fill
    std::vector<CopyBox> pack;  ///< for readers, [0, shared_end), and then for messages
    int shared_end = 0;
    std::vector<CopyBox> incoming; ///< from buffers and from others' memory
    std::vector<CopyBox> combined; ///< only to combine, once all are here
    /// In the order in which they are to be combined, which does not depend on transports.
    std::vector<Combination> combinations;
    /// Of arrays that a device moves: instead of all the boxes above.
    OnDevice on_device;
};

/// Throws UsageError if a message has more bytes than MPI counts.
ExchangeCopies make_copies(ExchangeKind kind, int process, const ExchangeParts& parts,
                           std::span<const Field> fields, const PeerTransports& transports,
                           SharedPack shared_pack, const DeviceSetting& device = {});

} // namespace distview::impl
