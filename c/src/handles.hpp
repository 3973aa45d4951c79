// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "guard.hpp"

#include <distview/c/array.h>
#include <distview/c/communicator.h>
#include <distview/c/layout.h>

#include <distview/comm/communicator.hpp>
#include <distview/core/any_dist_view.hpp>
#include <distview/core/array_layout.hpp>
#include <distview/core/checked_events.hpp>
#include <distview/core/checking.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <atomic>
#include <memory>
#include <utility>

namespace distview::c {

using Exec = Kokkos::DefaultHostExecutionSpace;

/// The reference count with which all handles begin.
struct Counted {
    std::atomic<int> references{1};
    Counted() = default;
    Counted(const Counted&) = delete;
    Counted& operator=(const Counted&) = delete;
};

template <class Handle>
Handle* retain(Handle* handle) noexcept {
    if (handle) handle->references.fetch_add(1, std::memory_order_relaxed);
    return handle;
}
template <class Handle>
void release(Handle* handle) noexcept {
    if (handle && handle->references.fetch_sub(1, std::memory_order_acq_rel) == 1) delete handle;
}

/// Makes a handle; stores it only after everything succeeded.
template <class Handle, class... Arguments>
void give(Handle** result, const char* function, Arguments&&... arguments) {
    Handle*& place = checked(result, function, "a place for the result");
    place = new Handle(std::forward<Arguments>(arguments)...);
}

/// Throws UsageError unless Kokkos runs.
void require_kokkos(const char* function);
/// The execution space instance to run on; throws UsageError unless Kokkos runs. Executions call it before any agreement.
/// Callers must not keep it: it must not outlive Kokkos.
const Exec& host(const char* function);
/// The same for functions that run kernels of Kokkos: also throws UsageError inside the program's parallel regions, where
/// plans run no kernels.
const Exec& host_for_kernels(const char* function);

} // namespace distview::c

struct distview_communicator : distview::c::Counted {
    explicit distview_communicator(const distview::Communicator& comm) : value(comm) {}
    distview::Communicator value;
};

struct distview_layout : distview::c::Counted {
    explicit distview_layout(const distview::ArrayLayout& layout) : value(layout) {}
    distview::ArrayLayout value;
};

struct distview_array : distview::c::Counted {
    distview_array(const distview::Communicator& communicator, const distview::AnyDistView& any,
                   bool is_column_major = false)
        : comm(communicator), view(any), column_major(is_column_major) {}
    distview::Communicator comm;
    distview::AnyDistView view;
    /// The order that the program passed, the same on all ranks: if true, kernels walk along the first axis.
    bool column_major;
    /// The array with max_rank axes, made when an algorithm needs it; see wide.hpp.
    mutable std::array<std::shared_ptr<distview::impl::SharedState>, 6> wide{};
};

namespace distview::c {

/// In the checking mode, throws UsageError if elements are poison. For functions that continue with copies of the
/// elements, since the mode does not know the copies.
inline void check_elements(const distview_array& array, const char* function) {
    if (!impl::is_checking()) return;
    const auto& state = state_of(array.view);
    if (state && state->checked) impl::require_no_poison(function, *state->checked);
}

} // namespace distview::c
