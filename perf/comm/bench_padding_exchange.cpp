// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Filling the padding of a periodic array, corners included: a plan, reading in place and by
// messages, against what experts write by hand for this shape and against the floor, plain copies
// from memory that ranks share. Ranks split one axis. Before each timed exchange every rank writes
// its border anew, which is not timed.

#include "baselines/mpi_packed.hpp"
#include "baselines/mpi_planes.hpp"
#include "baselines/mpi_types.hpp"
#include "baselines/petsc.hpp"
#include "baselines/section.hpp"
#include "baselines/shared_window.hpp"
#include "perf.hpp"
#include "plan_of_transport.hpp"
#include "shapes.hpp"

#include <distview/comm/make_dist_view.hpp>
#include <distview/comm/padding_exchange_plan.hpp>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace {

using namespace distview;
using perf::Data;
using perf::Exec;
using perf::Section;

/// Not the library's own: its plans receive on that one, and would take the baselines' messages for theirs.
MPI_Comm baseline_communicator() {
    static const MPI_Comm own = [] {
        MPI_Comm duplicate = MPI_COMM_NULL;
        MPI_Comm_dup(MPI_COMM_WORLD, &duplicate);
        return duplicate;
    }();
    return own;
}

/// The contenders of one shape, each verified when it is added.
class Field {
public:
    Field(benchmark::State& state, const Section& section) : m_state(state), m_section(section) {}

    void add(const std::string& name, double* array, const std::function<void()>& exchange) {
        perf::set(m_section, array);
        exchange();
        correct = perf::verify(m_state, perf::is_filled(m_section, array), "padding of " + name) &&
                  correct;
        contenders.push_back(
            {name, exchange, [this, array] { perf::rewrite_border(m_section, array); }});
    }
    /// A part of one, which alone does not fill the padding; `before` leaves caches and buffers as
    /// the parts before it do.
    void add_part(const std::string& name, const std::function<void()>& work,
                  const std::function<void()>& before) {
        contenders.push_back({name, work, before});
    }

    std::vector<perf::Contender> contenders;
    bool correct = true;

private:
    benchmark::State& m_state;
    Section m_section;
};

/// What the bars ask for, from the medians of contest().
void add_ratios(benchmark::State& state, const std::vector<perf::Contender>& contenders,
                const std::vector<double>& medians) {
    const auto of = [&](const std::string& name) {
        for (std::size_t i = 0; i < contenders.size(); ++i)
            if (contenders[i].name == name) return medians[i];
        return 0.0;
    };
    auto& counters = state.counters;
    counters["direct_over_floor"] = of("direct") / of("floor");
    counters["direct_over_best_floor"] =
        of("direct") / std::min({of("floor"), of("floor_rows"), of("floor_packed")});
    if (of("packed_message") == 0) return; // one rank

    counters["packed_over_parts"] =
        of("packed") / (of("packed_pack") + of("own") + of("packed_message") + of("packed_unpack"));
    counters["types_over_parts"] =
        of("types") / (of("types_pack") + of("own") + of("packed_message") + of("types_unpack"));
    double best = of("packed");
    for (const char* name : {"types", "planes", "dmda", "forest"})
        if (of(name) > 0) best = std::min(best, of(name));
    if (of("planes") > 0)
        counters["planes_over_parts"] = of("planes") / (of("planes_wrap") + of("planes_message"));
    counters["best_mpi_us"] = best * 1e6;
    counters["best_mpi_over_floor"] = best / of("floor");
    counters["best_mpi_over_direct"] = best / of("direct");
    counters["message_over_best_mpi"] = of("message") / best;
}

template <int Rank>
void padding_exchange(benchmark::State& state) {
    const Exec exec;
    const Communicator& comm = perf::communicator();
    const Section section = perf::make_section<Rank>(perf::smoke() ? 8 : state.range(0),
                                                     state.range(1), state.range(2) != 0);
    const ArrayLayout layout = perf::make_layout<Rank>(section);
    // Theirs is an array as anybody would allocate it, and so is `private`, which we must pack: nobody
    // would keep its memory while MPI uses it.
    const DistView<Data<Rank>, Kokkos::LayoutRight, Kokkos::HostSpace> plain(exec, "plain", layout,
                                                                             comm.rank());
    const auto shared = make_dist_view<Data<Rank>, Kokkos::LayoutRight, Kokkos::HostSpace>(
        exec, comm, layout, "shared");
    double* const array = plain.view().data();
    const auto rewrite = [&] { perf::rewrite_border(section, array); };

    Field field(state, section);
    auto direct = perf::plan_of_transport("direct", comm, layout);
    field.add("direct", shared.view().data(), [&] { direct.execute(exec, shared); });
    auto message = perf::plan_of_transport("message", comm, layout);
    field.add("message", shared.view().data(), [&] { message.execute(exec, shared); });
    field.add("private", array, [&] { message.execute(exec, plain); });
    perf::SharedWindow window(baseline_communicator(), section);
    field.add("floor", window.array(), [&] { window.execute_boxes(); });
    field.add("floor_rows", window.array(), [&] { window.execute_rows(); });
    field.add("floor_packed", window.array(), [&] { window.execute_packed(); });

    perf::MpiPacked packed(baseline_communicator(), section, array);
    perf::MpiTypes types(baseline_communicator(), section, array);
    std::unique_ptr<perf::MpiPlanes> planes;
    if (section.ranks > 1) {
        field.add("packed", array, [&] { packed.execute(); });
        field.add("types", array, [&] { types.execute(); });
        field.add_part("own", [&] { packed.copy_own(); }, rewrite);
        field.add_part("packed_pack", [&] { packed.pack(); }, [&] { packed.message(), rewrite(); });
        field.add_part(
            "packed_message", [&] { packed.message(); }, [&] { rewrite(), packed.pack(); });
        field.add_part(
            "packed_unpack", [&] { packed.unpack(); },
            [&] { rewrite(), packed.pack(), packed.message(); });
        field.add_part("types_pack", [&] { types.pack(); }, rewrite);
        field.add_part("types_unpack", [&] { types.unpack(); }, rewrite);
    }
    if (perf::MpiPlanes::applies(section)) {
        planes = std::make_unique<perf::MpiPlanes>(baseline_communicator(), section, array);
        field.add("planes", array, [&] { planes->execute(); });
        field.add_part(
            "planes_wrap", [&] { planes->wrap(); }, [&] { planes->message(), rewrite(); });
        field.add_part(
            "planes_message", [&] { planes->message(); }, [&] { rewrite(), planes->wrap(); });
    }
#ifdef DISTVIEW_PERF_HAVE_PETSC
    const perf::Petsc petsc(baseline_communicator());
    perf::PetscDmda dmda(petsc, section, array);
    field.add("dmda", array, [&] { dmda.execute(); });
    perf::PetscForest forest(petsc, section, array);
    field.add("forest", array, [&] { forest.execute(); });
#endif
    if (!field.correct) return;

    const std::vector<double> medians = perf::contest(state, exec, field.contenders);
    add_ratios(state, field.contenders, medians);
    state.counters["sent_bytes"] = static_cast<double>(packed.sent_bytes());
    state.counters["local_bytes"] = static_cast<double>(8 * direct.schedule().local_elements());
}

// Few cells come with many repetitions. The last argument: whether ranks split the fastest axis.
#define DISTVIEW_SHAPE(rank, n, width, times)                                                      \
    BENCHMARK(padding_exchange<rank>)                                                              \
        ->ArgNames({"n", "width", "fastest"})                                                      \
        ->Args({n, width, 0})                                                                      \
        ->Args({n, width, 1})                                                                      \
        ->Iterations(times)                                                                        \
        ->UseManualTime()                                                                          \
        ->Unit(benchmark::kMicrosecond)
DISTVIEW_SHAPE(3, 64, 1, 300);
DISTVIEW_SHAPE(3, 128, 1, 150);
DISTVIEW_SHAPE(3, 256, 1, 60);
DISTVIEW_SHAPE(3, 128, 3, 100);
DISTVIEW_SHAPE(2, 1024, 1, 300);
DISTVIEW_SHAPE(2, 4096, 1, 150);

} // namespace
