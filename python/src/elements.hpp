// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "array.hpp"
#include "exchange_in_flight.hpp"
#include "python_objects.hpp"
#include "redistribution_update.hpp"

#include <distview/comm/communicator.hpp>
#include <distview/core/array_layout.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace distview::python {

// For plans of elements by global index: gathers and ghosts.

/// Kernels of these plans run on the host.
using ElementsExec = Kokkos::DefaultHostExecutionSpace;

/// The numbers in a buffer of int64.
inline std::span<const std::int64_t> integers_in(const PythonBuffer& buffer) {
    return {static_cast<const std::int64_t*>(buffer->buf),
            static_cast<std::size_t>(buffer->len) / sizeof(std::int64_t)};
}

/// A GatherPlan or GhostExchangePlan, and its last execution that was started.
template <class Plan>
struct ElementsPlan {
    Plan plan;
    std::weak_ptr<ExchangeInFlight> last{};
};

/// Throws unless an array fits a plan of this communicator and layout that is ready; returns once no work is pending on
/// the array's memory. Local.
void check_elements(const Communicator& comm, const ArrayLayout& layout, bool is_usable,
                    const std::weak_ptr<ExchangeInFlight>& last, const Array& array,
                    const std::string& caller);
template <class Plan>
void check_elements_of(const ElementsPlan<Plan>& of, const Array& array,
                       const std::string& caller) {
    check_elements(of.plan.communicator(), of.plan.layout(), of.plan.is_usable(), of.last, array,
                   caller);
}

} // namespace distview::python
