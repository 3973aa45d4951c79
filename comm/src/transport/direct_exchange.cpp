// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/transport/direct_exchange.hpp>

#include <distview/core/error.hpp>
#include <distview/core/text.hpp>

#include <algorithm>
#include <numeric>
#include <utility>

namespace distview::impl {

namespace {

bool is_wanted(const std::vector<char>* wanted, int source) {
    return wanted == nullptr || (*wanted)[static_cast<std::size_t>(source)] != 0;
}

} // namespace

DirectExchange::DirectExchange(const Setting& setting, std::vector<Source> sources,
                               std::vector<Reader> readers)
    : m_setting(setting), m_sources(std::move(sources)), m_readers(std::move(readers)),
      m_waiting_for(m_sources.size()) {
    if (m_readers.empty()) m_setting.ready = nullptr;
    if (!m_sources.empty()) m_plan = m_sources.front().done->plan.load(std::memory_order_relaxed);
}

void DirectExchange::throw_gone(int peer) const {
    if (m_watch && m_watch->calls) m_watch->calls->before_error();
    const std::string why = m_watch ? m_watch->why_not(peer, Calls::Way::memory) : std::string();
    throw UsageError(text(
        m_setting.user, ": ",
        why.empty() ? text("rank ", peer, " has abandoned an exchange that this rank takes part in")
                    : why));
}

void DirectExchange::begin(std::uint64_t epoch, const CallWatch* watch) noexcept {
    m_watch = watch;
    m_epoch = epoch;
    std::iota(m_waiting_for.begin(), m_waiting_for.end(), 0);
    m_waiting = m_sources.size();
    m_readers_done = 0;
    m_under_way = true;
    m_reads = true;
    if (m_setting.ready) publish(*m_setting.ready, m_epoch, m_setting.oversubscribed);
}

int DirectExchange::next_arrival(const std::vector<char>* wanted) {
    for (std::size_t i = 0; i < m_waiting; ++i) {
        const int index = m_waiting_for[i];
        if (!is_wanted(wanted, index)) continue;
        const Source& source = m_sources[static_cast<std::size_t>(index)];
        switch (arrived_at(*source.ready, m_epoch)) {
        case Arrival::not_yet: break;
        case Arrival::gone: throw_gone(source.peer);
        case Arrival::here: std::swap(m_waiting_for[i], m_waiting_for[--m_waiting]); return index;
        }
    }
    return none_yet;
}

bool DirectExchange::all_arrived() const noexcept {
    for (std::size_t i = 0; i < m_waiting; ++i) {
        const Source& source = m_sources[static_cast<std::size_t>(m_waiting_for[i])];
        if (arrived_at(*source.ready, m_epoch) == Arrival::not_yet) return false;
    }
    return true;
}

bool DirectExchange::is_taken(int source) const noexcept {
    const auto last = m_waiting_for.begin() + static_cast<std::ptrdiff_t>(m_waiting);
    return std::find(m_waiting_for.begin(), last, source) == last;
}

void DirectExchange::end_reading() {
    for (const Source& source : m_sources)
        if (!stayed(*source.ready) || !is_ours(*source.done)) throw_gone(source.peer);
    m_reads = false;
    for (const Source& source : m_sources) publish(*source.done, m_epoch, m_setting.oversubscribed);
}

bool DirectExchange::readers_done() {
    for (; m_readers_done < m_readers.size(); ++m_readers_done) {
        const Reader& reader = m_readers[m_readers_done];
        switch (arrived(*reader.done, m_epoch)) {
        case Arrival::not_yet: return false;
        case Arrival::here: break;
        default: throw_gone(reader.peer);
        }
    }
    m_under_way = false;
    return true;
}

bool DirectExchange::all_have_read() const noexcept {
    return std::all_of(m_readers.begin(), m_readers.end(), [this](const Reader& reader) {
        return arrived(*reader.done, m_epoch) == Arrival::here;
    });
}

bool DirectExchange::wait(Waiter& waiter, const std::vector<char>* wanted) noexcept {
    const auto last = m_waiting_for.begin() + static_cast<std::ptrdiff_t>(m_waiting);
    const auto next = std::find_if(m_waiting_for.begin(), last,
                                   [&](int index) { return is_wanted(wanted, index); });
    if (next != last)
        return waiter.wait(*m_sources[static_cast<std::size_t>(*next)].ready, m_epoch);
    if (m_readers_done < m_readers.size())
        return waiter.wait(*m_readers[m_readers_done].done, m_epoch);
    return true;
}

void DirectExchange::abandon() noexcept {
    if (!std::exchange(m_under_way, false)) return;
    // A source that knows the end of reading, or has dropped the plan, may have given its line to another plan. A
    // source that is written to must not see this exchange as done, nor one of other arrays with a lower epoch.
    for (std::size_t i = 0; i < m_sources.size() && m_reads; ++i) {
        SyncLine& done = *m_sources[i].done;
        if (!is_ours(done)) continue;
        const std::uint64_t before = done.epoch.load(std::memory_order_relaxed) & ~gone_bit;
        publish_last(done, m_setting.writes ? before : m_epoch);
    }
    if (m_setting.ready) publish_last(*m_setting.ready, m_epoch);
}

void DirectExchange::refuse(std::uint64_t epoch) noexcept {
    m_epoch = epoch;
    m_under_way = true;
    m_reads = true;
    abandon();
}

} // namespace distview::impl
