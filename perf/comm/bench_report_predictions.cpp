// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the report (docs/report.md) prints for programs with a planted defect, and whether its predicted time without the
// defect equals the time of the mended program. The counters `predicted` and `measured` are gains as shares of the time
// with the defect; `gain_off` is their difference as a share of the predicted gain (the aim: at most 0.4). A benchmark
// fails if the report does not name the defect. Run with 2 ranks that have a core each; with more ranks than cores for
// the eighth defect only.
#include "perf.hpp"

#include <distview/algorithms/gather.hpp>
#include <distview/comm/make_dist_view.hpp>
#include <distview/comm/padding_exchange_plan.hpp>
#include <distview/comm/redistribution_plan.hpp>

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

namespace {

using namespace distview;
using perf::Exec;
using Cube = DistView<double***, Exec::memory_space>;
using Clock = std::chrono::steady_clock;

/// Times the part of a program's step that the prediction is about: an exchange, or the whole step.
class Watch {
public:
    void start() { m_began = Clock::now(); }
    void stop() {
        m_times.push_back(std::chrono::duration<double>(Clock::now() - m_began).count());
    }
    /// The median without the first steps, averaged over ranks.
    double seconds(MPI_Comm comm) {
        m_times.erase(m_times.begin(),
                      m_times.begin() + static_cast<std::ptrdiff_t>(
                                            std::min<std::size_t>(4, m_times.size() - 1)));
        const auto middle = m_times.begin() + static_cast<std::ptrdiff_t>(m_times.size() / 2);
        std::nth_element(m_times.begin(), middle, m_times.end());
        double sum = *middle;
        MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, comm);
        int size = 0;
        MPI_Comm_size(comm, &size);
        return sum / size;
    }

private:
    Clock::time_point m_began{};
    std::vector<double> m_times;
};

using Program = std::function<void(const Communicator&, bool is_mended, Watch&)>;

/// Runs a program on a communicator of its own; the report goes to `file`, unless that is empty.
double run(const Program& program, bool is_mended, const std::string& file) {
    MPI_Comm world = MPI_COMM_NULL;
    MPI_Comm_dup(perf::communicator().mpi(), &world);
    double seconds = 0;
    {
        Communicator comm(world);
        comm.set_report(file);
        Watch watch;
        program(comm, is_mended, watch);
        seconds = watch.seconds(world);
        comm.close();
    }
    MPI_Comm_free(&world);
    return seconds;
}

struct Found {
    bool is_written = false; ///< whether the file has a report of at least one plan
    bool is_named = false;
    double share = -1; ///< predicted; negative if absent
    std::string sentence;
};

std::string value_of(const std::string& line, const std::string& name) {
    const std::size_t at = line.find('"' + name + "\": ");
    if (at == std::string::npos) return {};
    const std::size_t begin = at + name.size() + 4;
    const bool is_text = line[begin] == '"';
    return is_text ? line.substr(begin + 1, line.find('"', begin + 1) - begin - 1)
                   : line.substr(begin, line.find_first_of(",}", begin) - begin);
}

/// Rank 0 reads the file; all ranks get the result.
Found read(const std::string& file, const std::string& kind) {
    Found found;
    std::ifstream in(file);
    for (std::string line; perf::communicator().rank() == 0 && std::getline(in, line);) {
        if (value_of(line, "type") == "plan") found.is_written = true;
        if (value_of(line, "type") != "advice" || value_of(line, "kind") != kind) continue;
        found.is_named = true;
        found.sentence = value_of(line, "sentence");
        if (const std::string share = value_of(line, "share"); !share.empty())
            found.share = std::stod(share);
        break;
    }
    int flags[] = {found.is_written ? 1 : 0, found.is_named ? 1 : 0};
    MPI_Bcast(flags, 2, MPI_INT, 0, perf::communicator().mpi());
    MPI_Bcast(&found.share, 1, MPI_DOUBLE, 0, perf::communicator().mpi());
    found.is_written = flags[0] != 0;
    found.is_named = flags[1] != 0;
    std::remove(file.c_str());
    return found;
}

/// Whether ranks share processors: then only the last benchmark is meaningful.
bool is_oversubscribed() {
    return static_cast<unsigned>(perf::communicator().size()) > std::thread::hardware_concurrency();
}

void judge(benchmark::State& state, const std::string& kind, const Program& program) {
    if ((kind == "oversubscription") != is_oversubscribed() && !perf::smoke())
        return state.SkipWithMessage("needs another number of ranks");
    std::string file = "report-predictions-" + std::to_string(::getpid()) + ".json";
    run(program, false, file);
    const Found found = read(file, kind);
    const int turns = perf::smoke() ? 1 : 9;
    std::vector<double> shares;
    double with_defect = 0;
    for (auto _ : state) {
        for (int i = 0; i < turns; ++i) {
            with_defect = run(program, false, "");
            shares.push_back(run(program, true, "") / with_defect);
        }
        state.SetIterationTime(with_defect);
    }
    std::nth_element(shares.begin(), shares.begin() + turns / 2, shares.end());
    const double measured = shares[static_cast<std::size_t>(turns / 2)];
    state.counters["named"] = found.is_named ? 1 : 0;
    state.counters["measured"] = measured;
    if (found.share >= 0) {
        state.counters["predicted"] = found.share;
        state.counters["gain_off"] =
            std::abs(found.share - measured) / std::max(1e-9, 1 - found.share);
    }
    // Counters of a benchmark that fails are not shown.
    state.SetLabel("predicted " + std::to_string(found.share) + ", measured " +
                   std::to_string(measured) + ": " + found.sentence);
    perf::verify(state, found.is_written, "a report of the program's plans");
    if (perf::smoke()) return; // times are meaningless in a smoke run
    perf::verify(state, found.is_named, "the report names " + kind);
}

int steps() { return perf::smoke() ? 12 : 200; }

/// Work between exchanges: `turns` operations on each element, with values that differ by call and by rank.
void compute(const Cube& u, int turns = 1) {
    static int step = 0;
    const double salt = ++step + 0.1 * perf::communicator().rank();
    const auto values = u.view();
    const Exec exec;
    Kokkos::parallel_for("distview::bench::compute",
                         Kokkos::RangePolicy<Exec>(exec, 0, static_cast<int>(values.extent(0))),
                         [=](int i) {
                             for (std::size_t j = 0; j < values.extent(1); ++j)
                                 for (std::size_t k = 0; k < values.extent(2); ++k) {
                                     double value = values(i, j, k);
                                     for (int turn = 0; turn < turns; ++turn)
                                         value = 0.5 * value + salt;
                                     values(i, j, k) = value;
                                 }
                         });
    exec.fence("distview::bench: computed");
}

/// Cut along the first axis, or the last one.
ArrayLayout cubes(const Communicator& comm, bool in_slabs, std::int64_t padding = 1,
                  bool periodic = true) {
    const std::int64_t n = perf::smoke() ? 16 : 96;
    const BlockOptions options{.padding = padding, .periodic = periodic};
    return {in_slabs ? ProcessGrid{comm.size(), 1, 1} : ProcessGrid{1, 1, comm.size()},
            {block(n, options), block(n, options), block(n, options)}};
}
Cube cube(const Communicator& comm, const ArrayLayout& layout) {
    return make_dist_view<double***, Exec::memory_space>(Exec(), "cube", comm, layout);
}

void bad_process_grid(benchmark::State& state) {
    judge(state, "process_grid", [](const Communicator& comm, bool is_mended, Watch& watch) {
        const ArrayLayout layout = cubes(comm, is_mended, 1, false);
        const Cube u = cube(comm, layout);
        PaddingExchangePlan plan(comm, layout);
        for (int i = 0; i < steps(); ++i) {
            compute(u);
            watch.start();
            plan.execute(Exec(), u);
            watch.stop();
        }
    });
}

void fence_and_gather_in_the_loop(benchmark::State& state) {
    judge(state, "call", [](const Communicator& comm, bool is_mended, Watch& watch) {
        const ArrayLayout layout = cubes(comm, true);
        const Cube u = cube(comm, layout);
        PaddingExchangePlan plan(comm, layout);
        for (int i = 0; i < steps() / 2; ++i) {
            watch.start();
            compute(u);
            plan.execute(Exec(), u);
            if (!is_mended) {
                Kokkos::fence("distview::bench: planted");
                benchmark::DoNotOptimize(gather(Exec(), comm, u, 0));
            }
            watch.stop();
        }
    });
}

void exchange_of_an_unwritten_field(benchmark::State& state) {
    judge(state, "unwritten", [](const Communicator& comm, bool is_mended, Watch& watch) {
        const ArrayLayout layout = cubes(comm, true, 2);
        const Cube u = cube(comm, layout);
        const Cube v = cube(comm, layout);
        PaddingExchangePlan plan(comm, layout);
        for (int i = 0; i < steps(); ++i) {
            compute(u);
            watch.start();
            if (is_mended)
                plan.execute(Exec(), u);
            else
                plan.execute(Exec(), u, v);
            watch.stop();
        }
    });
}

void width_3_read_1_deep(benchmark::State& state) {
    judge(state, "depth", [](const Communicator& comm, bool is_mended, Watch& watch) {
        const ArrayLayout layout = cubes(comm, true, is_mended ? 1 : 3);
        const Cube u = cube(comm, layout);
        PaddingExchangePlan plan(comm, layout);
        for (int i = 0; i < steps(); ++i) {
            compute(u);
            u.mark_written();
            watch.start();
            plan.require(Exec(), 1, u);
            watch.stop();
        }
    });
}

void one_rank_with_3_times_the_work(benchmark::State& state) {
    judge(state, "imbalance", [](const Communicator& comm, bool is_mended, Watch& watch) {
        const ArrayLayout layout = cubes(comm, true);
        const Cube u = cube(comm, layout);
        PaddingExchangePlan plan(comm, layout);
        // Enough operations to be bound by arithmetic, not by memory bandwidth, which ranks share.
        const int all = 20 * comm.size() + 40;
        const int mine = is_mended ? all / comm.size() : comm.rank() == 0 ? 60 : 20;
        for (int i = 0; i < steps() / 2; ++i) {
            watch.start();
            compute(u, mine);
            plan.execute(Exec(), u);
            watch.stop();
        }
    });
}

void borrowed_arrays(benchmark::State& state) {
    judge(state, "borrowed", [](const Communicator& comm, bool is_mended, Watch& watch) {
        const ArrayLayout layout = cubes(comm, true, 2);
        const Extents extents = layout.local_extents(comm.rank());
        const auto make = [&]() -> Cube {
            if (is_mended) return cube(comm, layout);
            const Cube::view_type view("cube", extents[0], extents[1], extents[2]);
            return wrap_dist_view(comm, layout, view, "cube");
        };
        const Cube u = make();
        PaddingExchangePlan plan(comm, layout);
        for (int i = 0; i < steps(); ++i) {
            compute(u);
            watch.start();
            plan.execute(Exec(), u);
            watch.stop();
        }
    });
}

/// From rows to columns dealt out one by one (the defect), or in blocks (mended).
void rows_of_8_bytes(benchmark::State& state) {
    judge(state, "short_runs", [](const Communicator& comm, bool is_mended, Watch& watch) {
        const std::int64_t n = perf::smoke() ? 16 : 64;
        const ArrayLayout from(ProcessGrid{comm.size(), 1, 1}, {block(n), block(n), block(n)});
        const ArrayLayout to(ProcessGrid{1, 1, comm.size()},
                             {block(n), block(n), is_mended ? block(n) : cyclic(n)});
        const Cube u = cube(comm, from);
        const Cube v = cube(comm, to);
        RedistributionPlan plan(comm, from, to);
        for (int i = 0; i < steps(); ++i) {
            compute(u);
            watch.start();
            plan.execute(Exec(), u, v);
            watch.stop();
        }
    });
}

void more_ranks_than_cores(benchmark::State& state) {
    judge(state, "oversubscription", [](const Communicator& comm, bool, Watch& watch) {
        const ArrayLayout layout = cubes(comm, true);
        const Cube u = cube(comm, layout);
        PaddingExchangePlan plan(comm, layout);
        for (int i = 0; i < steps(); ++i) {
            watch.start();
            plan.execute(Exec(), u);
            watch.stop();
        }
    });
}

BENCHMARK(bad_process_grid)->Iterations(1)->UseManualTime()->Unit(benchmark::kMicrosecond);
BENCHMARK(fence_and_gather_in_the_loop)
    ->Iterations(1)
    ->UseManualTime()
    ->Unit(benchmark::kMicrosecond);
BENCHMARK(exchange_of_an_unwritten_field)
    ->Iterations(1)
    ->UseManualTime()
    ->Unit(benchmark::kMicrosecond);
BENCHMARK(width_3_read_1_deep)->Iterations(1)->UseManualTime()->Unit(benchmark::kMicrosecond);
BENCHMARK(one_rank_with_3_times_the_work)
    ->Iterations(1)
    ->UseManualTime()
    ->Unit(benchmark::kMicrosecond);
BENCHMARK(borrowed_arrays)->Iterations(1)->UseManualTime()->Unit(benchmark::kMicrosecond);
BENCHMARK(rows_of_8_bytes)->Iterations(1)->UseManualTime()->Unit(benchmark::kMicrosecond);
BENCHMARK(more_ranks_than_cores)->Iterations(1)->UseManualTime()->Unit(benchmark::kMicrosecond);

} // namespace
