// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "handles.hpp"

#include <distview/c/padding.h>

#include <distview/comm/exchange_handle.hpp>

#include <memory>
#include <optional>
#include <utility>

namespace distview::c {

/// Gives up all exchanges in flight, before Kokkos is stopped.
void abandon_all_exchanges() noexcept;

/// An execution of another plan than one of padding, of whatever elements.
class InFlight {
public:
    InFlight() = default;
    InFlight(const InFlight&) = delete;
    InFlight& operator=(const InFlight&) = delete;
    virtual ~InFlight() = default;
    virtual void finish() = 0;
    virtual bool can_finish() const = 0;
    /// Gives it up; the room stays for another one.
    virtual void abandon() noexcept = 0;
};

template <class Handle>
class InFlightOf final : public InFlight {
public:
    explicit InFlightOf(Handle handle) : m_handle(std::move(handle)) {}
    void finish() override { m_handle->finish(); }
    bool can_finish() const override { return m_handle->can_finish(); }
    void abandon() noexcept override { m_handle.reset(); }
    void replace(Handle handle) { m_handle = std::move(handle); }

private:
    std::optional<Handle> m_handle;
};

} // namespace distview::c

/// An exchange in flight, or one that has ended. Plans of padding keep one, so that a new one allocates nothing.
struct distview_exchange : distview::c::Counted {
    distview_exchange();
    ~distview_exchange();
    std::optional<distview::ExchangeHandle<distview::c::Exec>> handle;
    std::unique_ptr<distview::c::InFlight> other; ///< instead of it
    bool belongs_to_plan = true;                  ///< and has a reference; used with the lock
};

namespace distview::c {

/// The exchange that a plan keeps for its next start, with nothing in flight: a new one where somebody still holds the
/// last.
distview_exchange& next_exchange(distview_exchange*& kept);
/// Lets go of it, when the plan does.
void leave_exchange(distview_exchange* kept) noexcept;

/// Keeps what has been started; in the room of the last one, if that was of the same type.
template <class Handle>
void keep(distview_exchange& exchange, Handle handle) {
    if (auto* const last = dynamic_cast<InFlightOf<Handle>*>(exchange.other.get()))
        last->replace(std::move(handle));
    else
        exchange.other = std::make_unique<InFlightOf<Handle>>(std::move(handle));
}

} // namespace distview::c
