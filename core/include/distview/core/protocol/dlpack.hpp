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

/// DLPack structs that nobody has taken over yet: release() hands them to a consumer, who calls their
/// deleter.
using DlpackTensor = std::unique_ptr<dlpack::ManagedVersioned, impl::CallDeleter>;
using LegacyDlpackTensor = std::unique_ptr<dlpack::Managed, impl::CallDeleter>;

/// A section, padding included, as DLPack 1.x and as DLPack before 1.0 describe it; no copy.
///
/// The result keeps the section's memory alive until its deleter is called, on any thread. It knows nothing of
/// distribution, nor of streams: see the overload below. `is_copied` is told to the consumer.
///
/// Collective: no (local)
/// Errors:     ShapeError for elements that DLPack has no type for (long double among them),
///             strides of axes with several elements that are no multiples of one, and, before 1.0, read-only memory,
///             which it cannot express
DlpackTensor to_dlpack(const AnySection& section, bool is_copied = false);
LegacyDlpackTensor to_legacy_dlpack(const AnySection& section);

/// The section that a tensor describes, which it takes over: the deleter is called when the last copy of the
/// result's owner is gone, and at once if this throws.
///
/// Whoever gave the tensor has made its data safe on a stream that both know; the result says that nothing is
/// pending.
///
/// Collective: no (local)
/// Errors:     UsageError if `tensor` is null, of another major version, has less than 0 or more than
///             max_rank axes, neither shape nor data where there must be one, or a byte_offset beyond
///             all addresses; ShapeError for elements of a type that is not known here or that are not
///             aligned, extents below 0, and extents or strides beyond 2^63-1 bytes or all addresses
AnySection from_dlpack(dlpack::ManagedVersioned* tensor);
AnySection from_dlpack(dlpack::Managed* tensor);

/// Makes what is pending on `section.stream` safe for a consumer that will use the stream `consumer`, an
/// argument of Python's __dlpack__: 1 and 2 are CUDA's default streams, -1 asks for nothing.
///
/// Errors: UsageError for stream 0 and those below -1, and for memory of the host with any other than -1;
///         UsageError if something is pending and `runtime` is null
void make_safe(DeviceRuntime* runtime, const AnySection& section, std::int64_t consumer);

/// The section of a distributed array on which work may be pending on `exec`.
///
/// With the consumer's stream, that stream waits and the host does not. Without one, `exec` is fenced: the data
/// are safe on every stream.
///
///     consume(protocol::to_dlpack(exec, view, stream).release());
///
/// Collective: no (local)
/// Errors:     those of to_dlpack() and make_safe()
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
