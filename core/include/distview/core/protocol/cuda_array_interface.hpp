// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/any_dist_view.hpp>
#include <distview/core/concepts.hpp>
#include <distview/core/device_runtime.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace distview::protocol {

/// The CUDA Array Interface, version 3: the members of Python's dictionary, by their names there.
///
/// Holds no reference: whoever uses it keeps the array alive.
struct CudaArrayInterface {
    std::vector<std::int64_t> shape{};
    /// NumPy's type string, as "<f8".
    std::string typestr{};
    /// Address of the first element, 0 for an array that has none.
    std::uintptr_t data = 0;
    bool read_only = false;
    int version = 3;
    /// In bytes; none in C order without gaps.
    std::optional<std::vector<std::int64_t>> strides{};
    /// Work that may be pending; never 0.
    std::optional<StreamNumber> stream{};
};

/// Describes a section, padding included, in memory that CUDA devices read.
///
/// Collective: no (local)
/// Errors:     UsageError for other memory
CudaArrayInterface to_cuda_array_interface(const AnySection& section);

/// The section of a distributed array on which work may be pending on `exec`.
///
/// The consumer waits for, or goes on with, the stream of `exec`, which must live as long as the array. Some do
/// not read it: fence `exec` for those, as this does for an instance of the host. Then nothing is pending.
///
/// Collective: no (local)
/// Errors:     those of to_cuda_array_interface()
/// Example:    tests/cuda/exports.cpp
template <ExecutionSpace Exec>
CudaArrayInterface to_cuda_array_interface(const Exec& exec, const AnyDistView& view) {
    AnySection section = view.section();
    section.stream = stream_number(exec);
    if (section.stream == no_stream)
        exec.fence("distview::to_cuda_array_interface: work on the array has finished");
    return to_cuda_array_interface(section);
}

/// What an import does with the work that a producer says is pending.
enum class PendingWork : std::uint8_t {
    finish, ///< wait for it
    keep    ///< the result's stream: the caller enqueues its work there, or lets it wait
};

/// The memory that an interface describes, kept alive by `owner`.
///
/// The device is that which `runtime` finds the address in.
///
/// Collective: no (local)
/// Errors:     UsageError for a version below 0, a type string that is not known here, stream 0, a null
///             address of an array with elements, and plain host memory; ShapeError for more
///             than max_rank axes, extents below 0, strides that are not as many, or, along axes of
///             several elements, no multiples of one, elements that are not aligned, and extents or strides beyond 2^63-1 bytes
///             or all addresses. No stream is touched then.
AnySection from_cuda_array_interface(DeviceRuntime& runtime, const CudaArrayInterface& interface,
                                     std::shared_ptr<const void> owner,
                                     PendingWork pending = PendingWork::finish);

} // namespace distview::protocol
