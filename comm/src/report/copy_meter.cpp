// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/report/report.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <vector>

namespace distview::impl {

namespace {

/// Larger sections are not measured: every rank of a node needs twice this memory at once.
constexpr std::int64_t most_section_bytes = std::int64_t{1} << 26;
/// The largest number of plans whose shapes are measured.
constexpr std::size_t most_measured = 6;
constexpr int repetitions = 5;

using Clock = std::chrono::steady_clock;

/// Keeps the compiler from removing the writes to this memory.
void keep(const void* written) { asm volatile("" : : "r"(written) : "memory"); }

double seconds_of(const auto& action) {
    const Clock::time_point began = Clock::now();
    action();
    return std::chrono::duration<double>(Clock::now() - began).count();
}

double median_of(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

/// Copies a row of runs; short runs are copied without a call.
void copy_row(const char* from, std::int64_t from_stride, char* to, std::int64_t to_stride,
              std::int64_t count, std::int64_t bytes) {
    const auto copy = [&](std::size_t size) {
        for (std::int64_t i = 0; i < count; ++i)
            std::memcpy(to + i * to_stride, from + i * from_stride, size);
    };
    switch (bytes) {
    case 4: return copy(4);
    case 8: return copy(8);
    case 16: return copy(16);
    case 24: return copy(24);
    case 32: return copy(32);
    default: return copy(static_cast<std::size_t>(bytes));
    }
}

/// Copies run by run; in packed memory one run follows the other.
void copy_runs(const RunNest& nest, const char* from, bool from_packed, char* to, bool to_packed) {
    std::vector<std::int64_t> index(nest.axes.size(), 0);
    std::int64_t packed_at = 0;
    const RunNest::Axis row = nest.axes.empty() ? RunNest::Axis{} : nest.axes.back();
    for (;;) {
        std::int64_t at = 0;
        for (std::size_t d = 0; d + 1 < nest.axes.size(); ++d) at += index[d] * nest.axes[d].stride;
        copy_row(from + (from_packed ? packed_at : at), from_packed ? nest.run_bytes : row.stride,
                 to + (to_packed ? packed_at : at), to_packed ? nest.run_bytes : row.stride,
                 row.count, nest.run_bytes);
        packed_at += row.count * nest.run_bytes;
        if (nest.axes.size() < 2) return;
        std::size_t d = nest.axes.size() - 1;
        for (; d > 0; --d) {
            if (++index[d - 1] < nest.axes[d - 1].count) break;
            index[d - 1] = 0;
        }
        if (d == 0) return;
    }
}

std::int64_t reach_of(const RunNest& nest) {
    std::int64_t reach = nest.run_bytes;
    for (const RunNest::Axis& axis : nest.axes) reach += (axis.count - 1) * axis.stride;
    return reach;
}

/// Two sections and a packed buffer.
class Memory {
public:
    Memory(std::size_t section, std::size_t pack)
        : m_from(section, 1), m_to(section, 2), m_pack(pack, 3) {}

    /// Visits the sections, as a program does with its arrays between exchanges.
    void sweep() {
        for (std::size_t i = 0; i < m_from.size(); i += 8)
            m_to[i] = static_cast<char>(m_from[i] + 1);
        for (std::size_t i = 0; i < m_from.size(); i += 8)
            m_from[i] = static_cast<char>(m_to[i] + 1);
    }
    void copy(const ExchangeShape& shape) {
        for (const RunNest& nest : shape.nests) {
            if (!nest.is_packed) {
                copy_runs(nest, m_from.data(), false, m_to.data(), false);
                continue;
            }
            copy_runs(nest, m_from.data(), false, m_pack.data(), true);
            copy_runs(nest, m_pack.data(), true, m_to.data(), false);
        }
        keep(m_to.data());
    }

private:
    std::vector<char> m_from;
    std::vector<char> m_to;
    std::vector<char> m_pack;
};

void measure(ExchangeShape& shape) {
    std::int64_t section = shape.section_bytes;
    std::int64_t pack = 0;
    for (const RunNest& nest : shape.nests) {
        section = std::max(section, reach_of(nest));
        pack = std::max(pack, nest.bytes());
    }
    if (section > most_section_bytes || section <= 0) return;
    Memory memory(static_cast<std::size_t>(section), static_cast<std::size_t>(pack));
    std::vector<double> times;
    for (int i = 0; i < repetitions; ++i) {
        memory.sweep();
        times.push_back(seconds_of([&] { memory.copy(shape); }));
    }
    shape.seconds = median_of(std::move(times));
}

/// Bandwidth of the fastest copy, because other work of the machine only slows copies.
double measured_bandwidth() {
    const std::vector<char> from(bandwidth_bytes, 1);
    std::vector<char> to(bandwidth_bytes, 2);
    std::vector<double> times;
    for (int i = 0; i < repetitions; ++i)
        times.push_back(seconds_of([&] {
            std::memcpy(to.data(), from.data(), from.size());
            keep(to.data());
        }));
    const double least = *std::min_element(times.begin(), times.end());
    return static_cast<double>(bandwidth_bytes) / std::max(least, 1e-9);
}

} // namespace

void measure_copies(RankReport& report) {
    report.copy_bandwidth = measured_bandwidth();
    std::vector<PlanRecord*> plans;
    for (PlanRecord& plan : report.plans)
        if (plan.shapes.size() > 1 && plan.timed > 0) plans.push_back(&plan);
    // The same plans on all ranks: those executed most.
    std::stable_sort(plans.begin(), plans.end(), [](const PlanRecord* a, const PlanRecord* b) {
        return a->executions > b->executions;
    });
    if (plans.size() > most_measured) plans.resize(most_measured);
    for (PlanRecord* const plan : plans)
        for (ExchangeShape& shape : plan->shapes)
            if (shape.kind != ExchangeShape::Kind::depth) measure(shape);
}

} // namespace distview::impl
