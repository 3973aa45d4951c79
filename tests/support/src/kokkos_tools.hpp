// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview_testing/kokkos_events.hpp>

#include <cstdint>

namespace distview::testing::impl {

/// An event as the Kokkos Tools callbacks deliver it; the texts live only during the callback.
struct RawKokkosEvent {
    KokkosEventKind kind;
    const char* label = "";
    const char* space = "";
    const char* source_label = "";
    const char* source_space = "";
    std::uint32_t device_id = 0;
    std::uint64_t bytes = 0;
};

/// Receives the events of Kokkos while attached.
class KokkosObserver {
public:
    virtual ~KokkosObserver() = default;
    virtual void observe(const RawKokkosEvent& event) = 0;
    /// The number of threads that the kernel begun last requests.
    virtual void observe_threads(unsigned) {}
};

/// Callbacks are installed while any observer is attached; callbacks of others, such as a loaded
/// profiling tool, are called as before.
void attach(KokkosObserver& observer);
void detach(KokkosObserver& observer);

} // namespace distview::testing::impl
