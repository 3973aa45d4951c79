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

/// The CUDA Array Interface, version 3: the members of Python's dictionary, with the same names.
///
/// The struct holds no reference: its user must keep the array alive.
struct CudaArrayInterface {
    std::vector<std::int64_t> shape{};
    /// NumPy's type string, for example "<f8".
    std::string typestr{};
    /// Address of the first element, 0 for an array without elements.
    std::uintptr_t data = 0;
    bool read_only = false;
    int version = 3;
    /// Strides in bytes; empty for C order without gaps.
    std::optional<std::vector<std::int64_t>> strides{};
    /// Stream on which work may be pending; never 0.
    std::optional<StreamNumber> stream{};
};

/// Describes a section, padding included, in memory that CUDA devices can read.
///
/// Collective: no (local)
/// Errors:     UsageError for other memory
CudaArrayInterface to_cuda_array_interface(const AnySection& section);

/// Describes the section of a distributed array that work on `exec` may still use.
///
/// The consumer waits for the stream of `exec` or continues on it; the stream must live as long as the array. Some
/// consumers ignore the stream: fence `exec` for them. For a host space this function fences `exec`; no work is
/// pending then.
///
/// Collective: no (local)
/// Errors:     as the overload for an AnySection
/// Example:    tests/cuda/exports.cpp
template <ExecutionSpace Exec>
CudaArrayInterface to_cuda_array_interface(const Exec& exec, const AnyDistView& view) {
    AnySection section = view.section();
    section.stream = stream_number(exec);
    if (section.stream == no_stream)
        exec.fence("distview::to_cuda_array_interface: work on the array has finished");
    return to_cuda_array_interface(section);
}

/// The treatment of pending work when an array is imported.
enum class PendingWork : std::uint8_t {
    finish, ///< wait until the work has finished
    keep    ///< return its stream: the caller enqueues work on it, or makes work wait for it
};

/// The memory that an interface describes, kept alive by `owner`.
///
/// `runtime` determines the device of the address.
///
/// Collective: no (local)
/// Errors:     UsageError for a version below 0, a type string that the library does not know, stream 0, a null
///             address of an array with elements, and plain host memory; ShapeError for more than max_rank axes,
///             extents below 0, a number of strides that differs from the number of axes, strides that are no multiples
///             of the element size along axes of several elements, elements that are not aligned, and extents or
///             strides beyond 2^63-1 bytes or all addresses. After an error no stream was touched.
AnySection from_cuda_array_interface(DeviceRuntime& runtime, const CudaArrayInterface& interface,
                                     std::shared_ptr<const void> owner,
                                     PendingWork pending = PendingWork::finish);

} // namespace distview::protocol
