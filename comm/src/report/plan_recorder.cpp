// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/report/plan_recorder.hpp>

#include <algorithm>

namespace distview::impl {

namespace {

/// The largest number of sets of arrays that are distinguished.
constexpr std::size_t most_sets = 32;

/// Only few executions compare padding, because comparing costs more than filling. Two of these
/// are early, for programs with few executions.
bool looks_in(std::int64_t execution) { return execution == 2 || execution % 16 == 9; }

double seconds_since(PlanRecorder::Clock::time_point began) {
    return std::chrono::duration<double>(PlanRecorder::Clock::now() - began).count();
}

} // namespace

PlanRecorder::PlanRecorder(std::shared_ptr<PlanRecord> record, std::shared_ptr<TimeInside> inside)
    : m_record(std::move(record)), m_inside(std::move(inside)) {
    ++m_record->plans;
}

std::size_t PlanRecorder::set_of(std::vector<Traffic> traffic, int arrays) {
    std::vector<SetRecord>& sets = m_record->sets;
    const auto found = std::find_if(sets.begin(), sets.end(), [&](const SetRecord& set) {
        return set.traffic == traffic && set.arrays == arrays;
    });
    if (found != sets.end()) return static_cast<std::size_t>(found - sets.begin());
    if (sets.size() == most_sets) return most_sets - 1;
    SetRecord& made = sets.emplace_back();
    made.traffic = std::move(traffic);
    made.arrays = arrays;
    made.looks.resize(static_cast<std::size_t>(arrays));
    made.unchanged.resize(static_cast<std::size_t>(arrays));
    return sets.size() - 1;
}

void PlanRecorder::bound(const void* binding, std::vector<Traffic> traffic,
                         std::vector<ByteSpan> arrays) {
    m_record->samples.reserve();
    const std::size_t set = set_of(std::move(traffic), static_cast<int>(arrays.size()));
    ++m_record->sets[set].binds;
    Bound& bound = m_bound[binding];
    bound.set = set;
    bound.seen.assign(m_record->sets[set].looks.size(), 0);
    bound.arrays = std::move(arrays);
    m_binds = true;
}

void PlanRecorder::note_require(int depth) noexcept {
    ++m_record->require_calls;
    m_record->asked_depth = std::max(m_record->asked_depth, depth);
}

void PlanRecorder::enter(Phase phase) noexcept {
    if (phase == Phase::start) {
        if (m_in_flight) return;
        m_sample = {};
        m_binds = m_looks = false;
        m_current = nullptr;
    }
    const Clock::time_point now = Clock::now();
    m_entered[static_cast<std::size_t>(phase)] = now;
    const bool is_call = phase == Phase::start || phase == Phase::finish;
    if (is_call) m_inside->enter();
    if (phase != Phase::start) return;
    m_sample.inside = m_inside->seconds;
    m_sample.began =
        std::chrono::duration_cast<std::chrono::nanoseconds>(now.time_since_epoch()).count();
}

void PlanRecorder::leave(Phase phase) noexcept {
    if (phase == Phase::start && m_in_flight) return;
    const double seconds = seconds_since(m_entered[static_cast<std::size_t>(phase)]);
    switch (phase) {
    case Phase::wait: m_sample.waiting += seconds; break;
    case Phase::pack: m_sample.packing += seconds; break;
    case Phase::start:
    case Phase::finish:
        m_sample.seconds += seconds;
        m_inside->leave(seconds);
        break;
    }
}

void PlanRecorder::set(const void* binding) noexcept {
    m_in_flight = true;
    const auto found = m_bound.find(binding);
    m_current = found == m_bound.end() ? nullptr : &found->second;
    if (!m_current) return;
    std::fill(m_current->seen.begin(), m_current->seen.end(), char{0});
    m_looks = looks_in(m_record->sets[m_current->set].executions);
}

void PlanRecorder::set_written(std::size_t array, bool is_written) noexcept {
    if (m_current && is_written && array < m_current->seen.size()) m_current->seen[array] = 3;
}

void PlanRecorder::look(const char* destination, bool is_same) noexcept {
    if (!m_current) return;
    for (std::size_t i = 0; i < m_current->arrays.size() && i < m_current->seen.size(); ++i) {
        const ByteSpan& array = m_current->arrays[i];
        if (destination < array.begin || destination >= array.end) continue;
        if (m_current->seen[i] == 3) continue;
        if (!is_same)
            m_current->seen[i] = 2;
        else if (m_current->seen[i] == 0)
            m_current->seen[i] = 1;
    }
}

void PlanRecorder::end() noexcept {
    m_in_flight = false;
    m_sample.number = m_record->executions++;
    if (m_current) {
        SetRecord& set = m_record->sets[m_current->set];
        ++set.executions;
        for (std::size_t i = 0; i < m_current->seen.size(); ++i) {
            if (m_current->seen[i] == 0 || m_current->seen[i] == 3) continue;
            ++set.looks[i];
            if (m_current->seen[i] == 1) ++set.unchanged[i];
        }
    }
    if (m_binds) m_record->binding += m_sample.seconds;
    if (m_binds || m_looks) return;
    ++m_record->timed;
    m_record->seconds += m_sample.seconds;
    m_record->waiting += m_sample.waiting;
    m_record->packing += m_sample.packing;
    m_record->samples.add(m_sample);
}

} // namespace distview::impl
