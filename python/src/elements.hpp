// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "array.hpp"
#include "python_objects.hpp"
#include "redistribution_update.hpp"

#include <distview/comm/communicator.hpp>
#include <distview/core/array_layout.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace distview::python {

// For plans of elements by global index: gathers and ghosts.

/// Their kernels run on the host.
using ElementsExec = Kokkos::DefaultHostExecutionSpace;

/// The numbers in a buffer of int64.
inline std::span<const std::int64_t> integers_in(const PythonBuffer& buffer) {
    return {static_cast<const std::int64_t*>(buffer->buf),
            static_cast<std::size_t>(buffer->len) / sizeof(std::int64_t)};
}

/// Throws unless an array fits a plan of this communicator and layout; returns once no work is pending on its memory.
/// Local.
void check_elements(const Communicator& comm, const ArrayLayout& layout, const Array& array,
                    const std::string& caller);
template <class Plan>
void check_elements_of(const Plan& plan, const Array& array, const std::string& caller) {
    check_elements(plan.communicator(), plan.layout(), array, caller);
}

} // namespace distview::python
