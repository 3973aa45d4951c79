// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plan.hpp"
#include "together.hpp"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <mutex>
#include <vector>

namespace distview::c {

namespace {

/// All exchanges that exist.
struct Exchanges {
    std::mutex mutex;
    std::vector<distview_exchange*> all;
};
Exchanges& exchanges() {
    static auto* const known = new Exchanges; // outlives all handles
    return *known;
}

/// Calls a kernel for boxes, and keeps its first error.
class KernelCalls {
public:
    KernelCalls(const char* function, int rank, distview_kernel kernel, void* user)
        : m_errors(function), m_rank(rank), m_kernel(kernel), m_user(user) {}

    void run(const LocalBox& box) noexcept {
        if (m_failure || is_empty(box, m_rank)) return;
        std::int64_t begin[max_rank];
        std::int64_t end[max_rank];
        for (std::size_t d = 0; d < static_cast<std::size_t>(m_rank); ++d) {
            begin[d] = box[d].begin.value();
            end[d] = box[d].end.value();
        }
        try {
            m_errors.check(m_kernel(m_rank, begin, end, m_user));
        } catch (...) {
            m_failure = std::current_exception();
        }
    }
    const std::exception_ptr& failure() const noexcept { return m_failure; }

private:
    CallbackErrors m_errors;
    int m_rank;
    distview_kernel m_kernel;
    void* m_user;
    std::exception_ptr m_failure;
};

/// Abandons the exchange if it is in flight. The caller holds the lock of exchanges().
void give_up(distview_exchange& exchange) noexcept {
    exchange.handle.reset();
    if (exchange.other) exchange.other->abandon();
}

LocalBox interior_of(const ArrayLayout& layout, int process) {
    LocalBox box{};
    const GridCoordinates at = layout.coordinates(process);
    for (int d = 0; d < layout.rank(); ++d)
        box[static_cast<std::size_t>(d)] =
            layout.axis(d).interior_local(at[static_cast<std::size_t>(d)]);
    return box;
}

} // namespace

void abandon_all_exchanges() noexcept {
    Exchanges& known = exchanges();
    const std::lock_guard lock(known.mutex);
    for (distview_exchange* exchange : known.all) {
        exchange->handle.reset();
        exchange->other.reset();
    }
}

// Handles may be released while the plan's thread starts the next exchange. Hence reference counts that decide something
// are read under the lock, and the decision is carried out under the same lock. Destructors acquire it, too.
distview_exchange& next_exchange(distview_exchange*& kept) {
    bool is_held = false;
    if (kept) {
        const std::lock_guard lock(exchanges().mutex);
        is_held = kept->references.load(std::memory_order_acquire) > 1;
        if (!is_held) give_up(*kept);
    }
    if (is_held) leave_exchange(std::exchange(kept, nullptr));
    if (!kept) kept = new distview_exchange;
    return *kept;
}

void leave_exchange(distview_exchange* kept) noexcept {
    if (!kept) return;
    int left = 0;
    {
        const std::lock_guard lock(exchanges().mutex);
        kept->belongs_to_plan = false;
        left = kept->references.fetch_sub(1, std::memory_order_acq_rel) - 1;
    }
    if (left == 0) delete kept;
}

} // namespace distview::c

using namespace distview::c;
using distview::require;
using distview::text;
using distview::UsageError;

distview_exchange::distview_exchange() {
    const std::lock_guard lock(exchanges().mutex);
    exchanges().all.push_back(this);
}

distview_exchange::~distview_exchange() {
    const std::lock_guard lock(exchanges().mutex);
    std::erase(exchanges().all, this);
}

int distview_padding_plan_start(distview_padding_plan* plan, int count,
                                distview_array* const* arrays, distview_exchange** result) {
    return guard_plan(__func__, plan, [&](distview_padding_plan& used, const char* function) {
        distview_exchange*& place = checked(result, function, "a place for the result");
        const Exec& exec = host(function);
        const auto fields = fields_of(used, count, arrays, function);
        distview_exchange& exchange = next_exchange(used.exchange);
        exchange.handle = used.plan.start(exec, fields);
        place = retain(&exchange);
    });
}

int distview_exchange_finish(distview_exchange* exchange) {
    return guard(__func__, [&](const char* function) {
        auto& handle = checked(exchange, function, "an exchange").handle;
        require<UsageError>(exchange->other || handle.has_value(), [&] {
            return text(function, ": the exchange was abandoned when Kokkos was stopped");
        });
        if (exchange->other) return exchange->other->finish();
        handle->finish();
    });
}

int distview_exchange_can_finish(const distview_exchange* exchange, int* can_finish) {
    return guard(__func__, [&](const char* function) {
        const auto& handle = checked(exchange, function, "an exchange").handle;
        checked(can_finish, function, "a place for the answer");
        if (exchange->other) {
            *can_finish = exchange->other->can_finish() ? 1 : 0;
            return;
        }
        require<UsageError>(handle.has_value(), [&] {
            return text(function, ": the exchange was abandoned when Kokkos was stopped");
        });
        *can_finish = handle->can_finish() ? 1 : 0;
    });
}

distview_exchange* distview_exchange_retain(distview_exchange* exchange) {
    return retain(exchange);
}

void distview_exchange_release(distview_exchange* exchange) {
    if (!exchange) return;
    int left = 0;
    {
        const std::lock_guard lock(exchanges().mutex);
        left = exchange->references.fetch_sub(1, std::memory_order_acq_rel) - 1;
        // Only the plan's own reference is left: nobody can finish the exchange any more.
        if (left == 1 && exchange->belongs_to_plan) give_up(*exchange);
    }
    if (left == 0) delete exchange;
}

int distview_padding_plan_apply(distview_padding_plan* plan, int count, distview_array* const* from,
                                distview_kernel kernel, void* user) {
    return guard_plan_calls(__func__, plan, [&](distview_padding_plan& used, const char* function) {
        require<UsageError>(kernel != nullptr, [&] {
            return text(function, ": expected a kernel, got a null pointer");
        });
        const auto& schedule = used.plan.schedule();
        KernelCalls calls(function, schedule.layout().rank(), kernel, user);
        const Exec& exec = host(function);
        auto exchange = used.plan.start(exec, fields_of(used, count, from, function));
        if (exchange.can_finish()) {
            exchange.finish_filling();
            calls.run(interior_of(schedule.layout(), schedule.process()));
        } else {
            calls.run(used.plan.inner_cells());
            exchange.finish_filling();
            for (const distview::LocalBox& cells : used.plan.outer_cells()) calls.run(cells);
        }
        used.plan.wait_for_readers();
        distview::agree(used.comm, function, calls.failure());
    });
}
