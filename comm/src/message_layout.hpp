// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/exchange_copies.hpp>

#include <functional>
#include <span>
#include <vector>

namespace distview::impl {

/// The messages of one direction, and the buffer that those lie in which are not in arrays.
struct MessageLayout {
    std::vector<ExchangeCopies::Partner>
        messages;              ///< by ascending peer, in the order both sides agree on
    std::vector<char*> places; ///< by part: where kernels find it in a buffer, else null
    MessageBuffer buffer;
    MessageBuffer staged; ///< where kernels find what is received; empty: in the buffer
};

/// Lays out the parts that come from, or go to, processes for which `has_messages(process)`.
///
/// Which parts share a message, and where in it they lie, follows from the geometry, the elements' sizes and
/// what all ranks know of the rules, hence is the same on both sides. Whether a message lies in the arrays does not need to be.
///
/// Throws UsageError if a message has more bytes than MPI counts.
MessageLayout lay_out_messages(const std::vector<ExchangePart>& parts,
                               std::span<const Field> fields,
                               const std::function<bool(int)>& has_messages,
                               const MessageRules& rules, const Arena& arena,
                               const DeviceSetting& device, bool received);

} // namespace distview::impl
