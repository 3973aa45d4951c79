// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fixed cost of an exchange with next to nothing to copy: a periodic row of 64 float64 on every rank, width 1.
// Baseline: two flags and two assignments. Times are for one exchange, averaged over many in a row; instructions
// are counted on one rank that never waits.

#include "baselines/shared_window.hpp"
#include "count_instructions.hpp"
#include "perf.hpp"
#include "plan_of_transport.hpp"

#include <distview/comm/make_dist_view.hpp>
#include <distview/comm/padding_exchange_plan.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace {

using namespace distview;
using perf::Exec;

constexpr std::int64_t cells = 64;

/// The lower bound: signals ready, waits for the neighbours, copies one element from each, signals consumed and waits
/// for the neighbours' signals. Like a plan, it leaves its border unchanged until the neighbours have read it.
class FlagAndCopy {
public:
    explicit FlagAndCopy(const Communicator& comm)
        : m_memory(comm.mpi(), cells + 2), m_me(m_memory.of(comm.rank())),
          m_below(m_memory.of((comm.rank() + comm.size() - 1) % comm.size())),
          m_above(m_memory.of((comm.rank() + 1) % comm.size())), m_alone(comm.size() == 1),
          m_one_neighbour(comm.size() == 2) {}

    double* array() { return m_me.array(); }

    void execute() {
        double* const a = m_me.array();
        if (m_alone) {
            a[0] = a[cells];
            a[cells + 1] = a[1];
            return;
        }
        ++m_epoch;
        m_me.ready.publish(m_epoch);
        m_below.ready.wait_for(m_epoch);
        a[0] = m_below.array()[cells];
        if (!m_one_neighbour) m_above.ready.wait_for(m_epoch);
        a[cells + 1] = m_above.array()[1];
        m_below.consumed[m_one_neighbour ? 0 : 1].publish(m_epoch);
        if (!m_one_neighbour) m_above.consumed[0].publish(m_epoch);
        m_me.consumed[0].wait_for(m_epoch);
        if (!m_one_neighbour) m_me.consumed[1].wait_for(m_epoch);
    }

private:
    perf::SharedSections m_memory;
    perf::SharedSection& m_me;
    perf::SharedSection& m_below;
    perf::SharedSection& m_above;
    bool m_alone;
    bool m_one_neighbour;
    std::uint64_t m_epoch = 0;
};

/// Sets the cells of rank r to r * cells, r * cells + 1, ... and the padding to -1.
void set(const Communicator& comm, double* array) {
    array[0] = array[cells + 1] = -1;
    for (std::int64_t i = 0; i < cells; ++i)
        array[i + 1] = static_cast<double>(comm.rank() * cells + i);
}

bool is_filled(const Communicator& comm, const double* array) {
    const std::int64_t all = cells * comm.size();
    const std::int64_t first = comm.rank() * cells;
    return array[0] == static_cast<double>((first + all - 1) % all) &&
           array[cells + 1] == static_cast<double>((first + cells) % all);
}

void latency(benchmark::State& state) {
    const Exec exec;
    const Communicator& comm = perf::communicator();
    const int times = perf::smoke() ? 2 : 1000;
    const ArrayLayout layout(ProcessGrid{comm.size()},
                             {block(cells * comm.size(), {.padding = 1, .periodic = true})});
    const auto row = make_dist_view<double*>(exec, "row", comm, layout);
    const DistView<double*, Exec::memory_space> plain(exec, "plain", layout, comm.rank());

    auto direct = perf::plan_of_transport("direct", comm, layout);
    auto message = perf::plan_of_transport("message", comm, layout);
    FlagAndCopy floor(comm);
    const auto check = [&](double* array, const char* name, auto exchange) {
        set(comm, array);
        exchange();
        return perf::verify(state, is_filled(comm, array), std::string("padding of ") + name);
    };
    if (!check(row.view().data(), "direct", [&] { direct.execute(exec, row); }) ||
        !check(plain.view().data(), "message", [&] { message.execute(exec, plain); }) ||
        !check(floor.array(), "floor", [&] { floor.execute(); }))
        return;

    const auto repeat = [times](auto exchange) {
        return [times, exchange] {
            for (int i = 0; i < times; ++i) {
                exchange();
                benchmark::ClobberMemory(); // stops the compiler from merging floor executions
            }
        };
    };
    const std::vector<double> medians =
        perf::contest(state, exec,
                      {{"direct", repeat([&] { direct.execute(exec, row); })},
                       {"floor", repeat([&] { floor.execute(); })},
                       {"message", repeat([&] { message.execute(exec, plain); })}});
    // Counters are for one exchange, not for all repetitions.
    const double per_exchange = 1e9 / times;
    state.counters["direct_ns"] = medians[0] * per_exchange;
    state.counters["floor_ns"] = medians[1] * per_exchange;
    state.counters["message_ns"] = medians[2] * per_exchange;
    state.counters["above_floor_ns"] = (medians[0] - medians[1]) * per_exchange;

    // The other ranks run the same exchanges at full speed, so they are always early: the counted rank never waits.
    const int counted = 20;
    const auto instructions = [&](const char* name, auto exchange) {
        const auto many = [&] {
            for (int i = 0; i < counted; ++i) {
                exchange();
                benchmark::ClobberMemory();
            }
        };
        if (comm.rank() != 0) return many();
        if (const auto count = perf::count_instructions(many))
            state.counters[name] = static_cast<double>(*count) / counted;
    };
    instructions("direct_instructions", [&] { direct.execute(exec, row); });
    instructions("floor_instructions", [&] { floor.execute(); });
}
BENCHMARK(latency)->Iterations(200)->UseManualTime()->Unit(benchmark::kMicrosecond);

} // namespace
