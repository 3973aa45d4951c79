// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "exchange_in_flight.hpp"

#include <distview/core/error.hpp>
#include <distview/core/text.hpp>

#include <memory>
#include <utility>
#include <vector>

namespace distview::python {

namespace {

/// Exchanges that may be in flight. The caller holds the GIL.
std::vector<std::weak_ptr<ExchangeInFlight>>& all_in_flight() {
    static auto& all = *new std::vector<std::weak_ptr<ExchangeInFlight>>;
    return all;
}

} // namespace

std::shared_ptr<ExchangeInFlight> ExchangeInFlight::begin(std::unique_ptr<Work> work) {
    auto result = std::make_shared<ExchangeInFlight>(std::move(work));
    std::erase_if(all_in_flight(), [](const auto& old) { return old.expired(); });
    all_in_flight().push_back(result);
    return result;
}

void ExchangeInFlight::finish() {
    require<UsageError>(m_state == State::in_flight, [&] {
        return text("ExchangeInFlight: ",
                    m_state == State::finished ? "called twice" : "called after it was abandoned");
    });
    m_state = State::finished;
    // Destroyed by unwinding if finish() throws: otherwise neighbours would wait as long as the exception is kept.
    const std::unique_ptr<Work> work = std::move(m_work);
    if (work) work->finish();
}

void ExchangeInFlight::abandon() noexcept {
    if (m_state == State::in_flight) m_state = State::abandoned;
    m_work.reset();
}

void abandon_all_exchanges() noexcept {
    for (const auto& exchange : all_in_flight())
        if (const auto alive = exchange.lock()) alive->abandon();
    all_in_flight().clear();
}

} // namespace distview::python
