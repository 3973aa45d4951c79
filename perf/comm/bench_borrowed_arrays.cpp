// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays in memory that the library did not allocate, as in Fortran programs and solvers: padding exchanges and
// redistributions by the plan's own choice and by messages. Baselines: the same plan on an array of make_dist_view(),
// and MPI written by hand. Between hosts (two_hosts.sh) every contender uses messages.

#include "baselines/mpi_packed.hpp"
#include "baselines/mpi_rows.hpp"
#include "baselines/section.hpp"
#include "perf.hpp"
#include "plan_of_transport.hpp"
#include "shapes.hpp"

#include <distview/comm/make_dist_view.hpp>
#include <distview/comm/padding_exchange_plan.hpp>
#include <distview/comm/redistribution_plan.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace {

using namespace distview;
using perf::Data;
using perf::Exec;
using perf::Section;

/// The contenders of one shape, each with its own arrays.
template <int Rank>
struct Exchanges {
    using Array = DistView<Data<Rank>, Kokkos::LayoutRight, Kokkos::HostSpace>;

    Exchanges(benchmark::State& state, const Exec& exec, const Section& section,
              const ArrayLayout& layout)
        : plain(exec, "plain", layout, perf::communicator().rank()),
          arena(make_dist_view<Data<Rank>, Kokkos::LayoutRight, Kokkos::HostSpace>(
              exec, "arena", perf::communicator(), layout)),
          packed(perf::baseline_communicator(), section, plain.view().data()) {
        const auto add = [&](const std::string& name, const Array& array,
                             const std::function<void()>& exchange) {
            double* const data = array.view().data();
            perf::set(section, data);
            exchange();
            correct = perf::verify(state, perf::is_filled(section, data), "padding of " + name) &&
                      correct;
            contenders.push_back(
                {name, exchange, [section, data] { perf::rewrite_border(section, data); }});
        };
        const auto add_plan = [&](const std::string& name, const Array& array, auto&& make) {
            auto plan = std::make_shared<PaddingExchangePlan>(make());
            add(name, array, [plan, exec, array] { plan->execute(exec, array); });
        };
        const auto& comm = perf::communicator();
        const auto forced = [&](const char* transport) {
            return [&comm, &layout, transport] {
                return perf::plan_of_transport(transport, comm, layout);
            };
        };
        const auto chosen = [&] { return PaddingExchangePlan(comm, layout); };
        add_plan("borrowed", plain, chosen);
        add("by_hand", plain, [this] { packed.execute(); });
        add_plan("message", plain, forced("message"));
        add_plan("arena", arena, chosen);
    }
    Exchanges(const Exchanges&) = delete;
    Exchanges& operator=(const Exchanges&) = delete;

    Array plain;
    Array arena;
    perf::MpiPacked packed;
    std::vector<perf::Contender> contenders;
    bool correct = true;
};

/// Arguments n (cells along each axis and rank), width, and whether ranks split the fastest axis.
template <int Rank>
void padding_exchange(benchmark::State& state) {
    const Exec exec;
    const Section section = perf::make_section<Rank>(perf::smoke() ? 8 : state.range(0),
                                                     state.range(1), state.range(2) != 0);
    const ArrayLayout layout = perf::make_layout<Rank>(section);
    std::vector<std::unique_ptr<Exchanges<Rank>>> places;
    std::vector<std::vector<perf::Contender>> contenders;
    for (int i = 0; i < 3; ++i) {
        places.push_back(std::make_unique<Exchanges<Rank>>(state, exec, section, layout));
        if (!places.back()->correct) return;
        contenders.push_back(places.back()->contenders);
    }
    perf::contest(state, exec, contenders);
    state.counters["sent_bytes"] = static_cast<double>(places.front()->packed.sent_bytes());
}

#define DISTVIEW_SHAPE(rank, n, times)                                                             \
    BENCHMARK(padding_exchange<rank>)                                                              \
        ->ArgNames({"n", "width", "fastest"})                                                      \
        ->Args({n, 1, 0})                                                                          \
        ->Args({n, 1, 1})                                                                          \
        ->Iterations(times)                                                                        \
        ->UseManualTime()                                                                          \
        ->Unit(benchmark::kMicrosecond)
DISTVIEW_SHAPE(2, 64, 300);
DISTVIEW_SHAPE(2, 256, 300);
DISTVIEW_SHAPE(2, 1024, 300);
DISTVIEW_SHAPE(2, 2048, 300);
DISTVIEW_SHAPE(3, 64, 200);
DISTVIEW_SHAPE(3, 128, 100);

double number(std::int64_t i, std::int64_t j) { return static_cast<double>(i * 8209 + j); }

/// A square matrix in blocks of rows: transposed, or dealt out again in blocks of half the length.
void redistribute(benchmark::State& state, std::int64_t n, std::int64_t block, bool transposes) {
    using Array = DistView<double**, Kokkos::LayoutRight, Kokkos::HostSpace>;
    const Exec exec;
    const Communicator& comm = perf::communicator();
    const auto layout = [&](std::int64_t b) {
        return ArrayLayout(ProcessGrid{comm.size(), 1}, {block_cyclic(n, b), block_cyclic(n, b)});
    };
    const std::int64_t to_block = transposes ? block : block / 2;
    const ArrayLayout from = layout(block);
    const ArrayLayout to = layout(to_block);
    const auto set = [](const Array& array, auto&& value) {
        for (std::size_t i = 0; i < array.view().extent(0); ++i)
            for (std::size_t j = 0; j < array.view().extent(1); ++j)
                array.view()(i, j) = value(array.global_index(0, LocalIndex(i)).value(),
                                           array.global_index(1, LocalIndex(j)).value());
    };
    const auto arena = [&](const ArrayLayout& of) {
        return make_dist_view<double**, Kokkos::LayoutRight, Kokkos::HostSpace>(exec, "arena", comm,
                                                                                of);
    };
    const Array plain_from(exec, "plain source", from, comm.rank());
    const Array plain_to(exec, "plain target", to, comm.rank());
    const Array arena_from = arena(from);
    const Array arena_to = arena(to);
    set(plain_from, number);
    set(arena_from, number);

    std::vector<perf::Contender> contenders;
    bool correct = true;
    const auto add = [&](const std::string& name, const Array& target,
                         const std::function<void()>& move) {
        set(target, [](std::int64_t, std::int64_t) { return -1.0; });
        move();
        bool equal = true;
        for (std::size_t i = 0; i < target.view().extent(0); ++i)
            for (std::size_t j = 0; j < target.view().extent(1); ++j) {
                const std::int64_t g = target.global_index(0, LocalIndex(i)).value();
                const std::int64_t h = target.global_index(1, LocalIndex(j)).value();
                equal = equal && target.view()(i, j) == (transposes ? number(h, g) : number(g, h));
            }
        correct = perf::verify(state, equal, "what " + name + " moved") && correct;
        contenders.push_back({name, move});
    };
    RedistributionOptions options;
    if (transposes) options.permutation = {1, 0};
    const auto add_plan = [&](const std::string& name, const Array& source, const Array& target,
                              auto&& make) {
        auto plan = std::make_shared<RedistributionPlan>(make());
        add(name, target, [plan, exec, source, target] { plan->execute(exec, source, target); });
    };
    const auto chosen = [&] { return RedistributionPlan(comm, from, to, options); };
    const auto forced = [&](const char* transport) {
        return
            [&, transport] { return perf::plan_of_transport(transport, comm, from, to, options); };
    };
    perf::MpiRows rows(perf::baseline_communicator(), n, block, to_block, transposes,
                       plain_from.view().data(), plain_to.view().data());
    add_plan("borrowed", plain_from, plain_to, chosen);
    add("by_hand", plain_to, [&] { rows.execute(); });
    add_plan("message", plain_from, plain_to, forced("message"));
    add_plan("arena", arena_from, arena_to, chosen);
    if (correct) perf::contest(state, exec, contenders);
}

void transposition(benchmark::State& state) {
    const int ranks = perf::communicator().size();
    const std::int64_t n = perf::smoke() ? 12 * ranks : state.range(0) / ranks * ranks;
    redistribute(state, n, n / ranks, true);
}
BENCHMARK(transposition)
    ->ArgName("n")
    ->Arg(256)
    ->Arg(1024)
    ->Arg(3072)
    ->Iterations(20)
    ->UseManualTime()
    ->Unit(benchmark::kMicrosecond);

void other_block_size(benchmark::State& state) {
    redistribute(state, perf::smoke() ? 40 : state.range(0), perf::smoke() ? 8 : 128, false);
}
BENCHMARK(other_block_size)
    ->ArgName("n")
    ->Arg(256)
    ->Arg(1024)
    ->Arg(3072)
    ->Iterations(20)
    ->UseManualTime()
    ->Unit(benchmark::kMicrosecond);

} // namespace
