// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace distview {

/// How elements get from one process to another.
enum class Transport {
    self,        ///< a copy within the process
    direct,      ///< load from the peer's memory in a segment that the node's processes share
    ipc,         ///< load from the peer's device memory
    cma,         ///< the operating system copies from the peer's memory
    message,     ///< MPI messages from and to host buffers
    gpu_message, ///< MPI messages from and to device buffers
    staged       ///< MPI messages from and to host buffers that stage device memory
};

/// "self", "direct", ... as DISTVIEW_TRANSPORT spells them.
///
/// Collective: no (local)
std::string_view to_string(Transport transport) noexcept;

/// The only transport allowed besides self: the value of the environment variable
/// DISTVIEW_TRANSPORT; none if it is not set.
///
/// Collective: no (local)
/// Errors:     UsageError if the value is not the name of a transport
std::optional<Transport> required_transport();

/// Refuses a transport that this build does not have; which peers can be reached by those that it has
/// is found out when a plan binds.
///
/// Collective: no (local)
/// Errors:     UsageError unless it is empty, direct, cma or message; or, where there is a device with a memory
///             of its own, ipc, gpu_message or staged
void check_available(std::optional<Transport> required);

/// Bytes from which on a region travels as a message of its own, straight from array to array, instead of
/// being packed together with others: one that is one run of memory, or that all ranks leave to MPI's
/// datatypes (messages_by_datatype()), of arrays of make_dist_view() on all ranks. The value of the
/// environment variable DISTVIEW_LONG_RUN, or what was measured to be best.
///
/// Collective: no (local)
/// Errors:     UsageError if the value is not a positive number
std::int64_t long_run_bytes();

/// Whether longer messages are left to MPI, which packs them by a datatype while it sends, instead of being
/// packed by a kernel before: the value of the environment variable DISTVIEW_MESSAGE_DATATYPES, 0 or 1. If it
/// is not set, MPI packs where a process computes with one thread on the host (rows of a few words: if it turns
/// out to be faster, see PaddingExchangePlan) and what consists of long runs only. Ranks need not agree.
///
/// Collective: no (local)
/// Errors:     UsageError if the value is neither
std::optional<bool> messages_by_datatype();

} // namespace distview
