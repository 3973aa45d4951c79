// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/any_dist_view.hpp>
#include <distview/core/concepts.hpp>
#include <distview/core/device_runtime.hpp>
#include <distview/core/protocol/dlpack_abi.hpp>

#include <cstdint>
#include <memory>
#include <optional>

namespace distview::protocol {

namespace impl {
struct CallDeleter {
    template <class Managed>
    void operator()(Managed* managed) const noexcept {
        if (managed->deleter) managed->deleter(managed);
    }
};
} // namespace impl

/// DLPack structs that no consumer owns yet: release() passes them to a consumer, which calls their
/// deleter.
using DlpackTensor = std::unique_ptr<dlpack::ManagedVersioned, impl::CallDeleter>;
using LegacyDlpackTensor = std::unique_ptr<dlpack::Managed, impl::CallDeleter>;

/// Describes a section, padding included, as a tensor of DLPack 1.x or of DLPack before 1.0; no copy.
///
/// The result keeps the section's memory alive until its deleter is called, on any thread. It has no information about
/// distribution or streams: see the overload below. `is_copied` is passed to the consumer.
///
/// Collective: no (local)
/// Errors:     ShapeError for elements for which DLPack has no type (long double among them), strides that are no
///             multiples of the element size along axes with several elements, and, before 1.0, read-only memory,
///             which it cannot express; UsageError for a section that has elements, but no data
DlpackTensor to_dlpack(const AnySection& section, bool is_copied = false);
LegacyDlpackTensor to_legacy_dlpack(const AnySection& section);

/// Takes over a tensor and returns the section that it describes. The deleter is called when the last copy of the
/// result's owner is destroyed, or at once if this function throws.
///
/// The producer must have made the data safe on a stream that both sides know; the result reports no pending
/// work.
///
/// Collective: no (local)
/// Errors:     UsageError if `tensor` is null, has another major version, fewer than 0 or more than max_rank
///             axes, no shape or no data although it needs them, or a byte_offset beyond all addresses;
///             ShapeError for elements of a type that the library does not know or that are not
///             aligned, extents below 0, and extents or strides beyond 2^63-1 bytes or all addresses
AnySection from_dlpack(dlpack::ManagedVersioned* tensor);
AnySection from_dlpack(dlpack::Managed* tensor);

/// Makes the consumer's stream wait for the work pending on `section.stream`. `consumer` is the stream argument of
/// Python's __dlpack__: 1 and 2 are CUDA's default streams; -1 requests no synchronisation.
///
/// Errors: UsageError for stream 0 and streams below -1, and for host memory with any stream except -1;
///         UsageError if work is pending and `runtime` is null
void make_safe(DeviceRuntime* runtime, const AnySection& section, std::int64_t consumer);

/// Describes the section of a distributed array that work on `exec` may still use.
///
/// If `consumer` is given, the consumer's stream waits and the host does not. If it is not given, or `exec` is of a
/// host space, the function fences `exec`: the data are safe on every stream.
///
///     consume(protocol::to_dlpack(exec, view, stream).release());
///
/// Collective: no (local)
/// Errors:     as the overload for an AnySection, and make_safe()
/// Example:    tests/cuda/exports.cpp
template <ExecutionSpace Exec>
DlpackTensor to_dlpack(const Exec& exec, const AnyDistView& view,
                       std::optional<std::int64_t> consumer = {}) {
    AnySection section = view.section();
    section.stream = stream_number(exec);
    DlpackTensor result = to_dlpack(section);
    if (consumer) make_safe(device_runtime(), section, *consumer);
    if (!consumer || section.stream == no_stream)
        exec.fence("distview::to_dlpack: work on the array has finished");
    return result;
}

} // namespace distview::protocol
