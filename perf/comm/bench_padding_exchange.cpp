// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Filling the padding of a periodic array, corners included: a plan, reading in place and by messages, against
// exchanges that experts write by hand for this shape, and against the floor: plain copies from memory that ranks
// share. Ranks split one axis. Before each timed exchange every rank rewrites its border, which is not timed.

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
#include <optional>
#include <string>
#include <vector>

namespace {

using namespace distview;
using perf::Data;
using perf::Exec;
using perf::Section;

/// The contenders of one shape, each verified when it is added, and the arrays that they work on.
///
/// The baselines and `private` work on an array from an ordinary allocation: no program leaves such an array
/// untouched while MPI uses it, so the plan of `private` must pack.
template <int Rank>
class Place {
public:
    Place(benchmark::State& state, const Exec& exec, const Section& section,
          const ArrayLayout& layout)
        : m_state(state), m_exec(exec), m_section(section),
          m_plain(exec, "plain", layout, perf::communicator().rank()),
          m_shared(make_dist_view<Data<Rank>, Kokkos::LayoutRight, Kokkos::HostSpace>(
              exec, "shared", perf::communicator(), layout)),
          m_direct(perf::plan_of_transport("direct", perf::communicator(), layout)),
          m_message(perf::plan_of_transport("message", perf::communicator(), layout)),
          m_window(perf::baseline_communicator(), section),
          m_packed(perf::baseline_communicator(), section, array()),
          m_types(perf::baseline_communicator(), section, array()) {
        double* const shared = m_shared.view().data();
        const bool alone = section.ranks == 1;
        // Order: no contender follows one that works on the same array and would leave it in the caches.
        add("direct", shared, [this] { m_direct.execute(m_exec, m_shared); });
        if (!alone) add("packed", array(), [this] { m_packed.execute(); });
        add("floor", m_window.array(), [this] { m_window.execute_boxes(); });
        if (!alone) add("types", array(), [this] { m_types.execute(); });
        add("message", shared, [this] { m_message.execute(m_exec, m_shared); });
        add("private", array(), [this] { m_message.execute(m_exec, m_plain); });
        add("floor_rows", m_window.array(), [this] { m_window.execute_rows(); });
        if (perf::MpiPlanes::applies(section)) {
            m_planes.emplace(perf::baseline_communicator(), m_section, array());
            add("planes", array(), [this] { m_planes->execute(); });
        }
        add("floor_packed", m_window.array(), [this] { m_window.execute_packed(); });
        if (!alone) add_parts();
    }
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;

#ifdef DISTVIEW_PERF_HAVE_PETSC
    void add_petsc(const perf::Petsc& petsc) {
        m_dmda.emplace(petsc, m_section, array());
        add("dmda", array(), [this] { m_dmda->execute(); });
        m_forest.emplace(petsc, m_section, array());
        add("forest", array(), [this] { m_forest->execute(); });
    }
#endif

    const std::vector<perf::Contender>& contenders() const { return m_contenders; }
    bool correct() const { return m_correct; }
    void add_counters() const {
        m_state.counters["sent_bytes"] = static_cast<double>(m_packed.sent_bytes());
        m_state.counters["local_bytes"] =
            static_cast<double>(8 * m_direct.schedule().local_elements());
    }

private:
    double* array() const { return m_plain.view().data(); }

    void add(const std::string& name, double* array, const std::function<void()>& exchange) {
        perf::set(m_section, array);
        exchange();
        m_correct =
            perf::verify(m_state, perf::is_filled(m_section, array), "padding of " + name) &&
            m_correct;
        m_contenders.push_back(
            {name, exchange, [this, array] { perf::rewrite_border(m_section, array); }});
    }
    /// A part of a contender, which alone does not fill the padding; `before` leaves caches and buffers in the
    /// state in which the preceding parts leave them.
    void add_part(const std::string& name, const std::function<void()>& work,
                  const std::function<void()>& before) {
        m_contenders.push_back({name, work, before});
    }
    void rewrite() const { perf::rewrite_border(m_section, array()); }

    void add_parts() {
        add_part("own", [this] { m_packed.copy_own(); }, [this] { rewrite(); });
        add_part(
            "packed_pack", [this] { m_packed.pack(); }, [this] { m_packed.message(), rewrite(); });
        add_part(
            "packed_message", [this] { m_packed.message(); },
            [this] { rewrite(), m_packed.pack(); });
        add_part(
            "packed_unpack", [this] { m_packed.unpack(); },
            [this] { rewrite(), m_packed.pack(), m_packed.message(); });
        add_part("types_pack", [this] { m_types.pack(); }, [this] { rewrite(); });
        add_part("types_unpack", [this] { m_types.unpack(); }, [this] { rewrite(); });
        if (!m_planes) return;
        add_part(
            "planes_wrap", [this] { m_planes->wrap(); },
            [this] { m_planes->message(), rewrite(); });
        add_part(
            "planes_message", [this] { m_planes->message(); },
            [this] { rewrite(), m_planes->wrap(); });
    }

    using Array = DistView<Data<Rank>, Kokkos::LayoutRight, Kokkos::HostSpace>;
    benchmark::State& m_state;
    Exec m_exec;
    Section m_section;
    Array m_plain;
    Array m_shared;
    PaddingExchangePlan m_direct;
    PaddingExchangePlan m_message;
    perf::SharedWindow m_window;
    perf::MpiPacked m_packed;
    perf::MpiTypes m_types;
    std::optional<perf::MpiPlanes> m_planes;
#ifdef DISTVIEW_PERF_HAVE_PETSC
    std::optional<perf::PetscDmda> m_dmda;
    std::optional<perf::PetscForest> m_forest;
#endif
    std::vector<perf::Contender> m_contenders;
    bool m_correct = true;
};

/// Adds the ratios that the performance targets limit, from the medians of contest().
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
    if (of("packed_message") == 0) return; // a single rank sends no messages

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
    const Section section = perf::make_section<Rank>(perf::smoke() ? 8 : state.range(0),
                                                     state.range(1), state.range(2) != 0);
    const ArrayLayout layout = perf::make_layout<Rank>(section);
#ifdef DISTVIEW_PERF_HAVE_PETSC
    const perf::Petsc petsc(perf::baseline_communicator());
#endif
    constexpr int place_count = 5;
    std::vector<std::unique_ptr<Place<Rank>>> places;
    std::vector<std::vector<perf::Contender>> contenders;
    for (int i = 0; i < place_count; ++i) {
        Place<Rank>& place =
            *places.emplace_back(std::make_unique<Place<Rank>>(state, exec, section, layout));
#ifdef DISTVIEW_PERF_HAVE_PETSC
        place.add_petsc(petsc);
#endif
        if (!place.correct()) return;
        contenders.push_back(place.contenders());
    }
    add_ratios(state, contenders.front(), perf::contest(state, exec, contenders));
    places.front()->add_counters();
}

// Shapes with few cells get many repetitions. The last argument: whether ranks split the fastest axis.
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
