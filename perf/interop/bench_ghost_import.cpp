// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ghosts of a graph that joins each cell of a cube to the 26 cells it touches: our plan against the Tpetra::Import of the
// same lists. Ranks split one axis; the edges are walls. Before each timed exchange every rank rewrites the cells that
// others read, which is not timed. Tpetra imports into another vector (copying the owned part, too) or in place.

#include "../comm/plan_of_transport.hpp"
#include "perf.hpp"
#include "touching_cubes.hpp"

#include <distview/comm/ghost_exchange_plan.hpp>
#include <distview/comm/make_dist_view.hpp>
#include <distview/tpetra/trilinos.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace {

using namespace distview;
using perf::Exec;
using Vector = DistView<double*, Kokkos::LayoutRight, Kokkos::HostSpace>;

using Cubes = perf::TouchingCubes;

/// One set of vectors, and the contenders that use them.
class Place {
public:
    Place(benchmark::State& state, const Exec& exec, const Cubes& cubes)
        : m_state(state), m_exec(exec), m_cubes(cubes), m_ghosted(ghosted(cubes)),
          m_plan(plan("direct")), m_message(plan("message")), m_import(m_plan),
          m_ours(make("ours")), m_owned(make("owned")), m_all(make("all")),
          m_source(m_import.source(), m_owned),
          m_target(m_import.target(), m_all, tpetra::Rows::with_ghosts),
          m_in_place(m_import.target(), m_owned, tpetra::Rows::with_ghosts) {
        add("ghosts", m_ours, m_ours, [this] { m_plan.execute(m_exec, m_ours); });
        add("message", m_ours, m_ours, [this] { m_message.execute(m_exec, m_ours); });
        add("tpetra", m_owned, m_all, [this] { import_to(m_target); });
        add("tpetra_in_place", m_owned, m_owned, [this] { import_to(m_in_place); });
    }
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;

    const std::vector<perf::Contender>& contenders() const { return m_contenders; }
    bool correct() const { return m_correct; }
    std::int64_t ghosts() const { return m_ghosted.ghosts; }

private:
    static GhostedLayout ghosted(const Cubes& cubes) {
        const Cubes::Indices own = cubes.own();
        return make_ghosted_layout(comm(), own, cubes.touched(own));
    }
    static const Communicator& comm() { return perf::communicator(); }
    GhostExchangePlan plan(const char* transport) const {
        return perf::made_for_transport(transport,
                                        [&] { return GhostExchangePlan(comm(), m_ghosted); });
    }
    Vector make(const char* name) const {
        return make_dist_view<double*, Kokkos::LayoutRight, Kokkos::HostSpace>(m_exec, name, comm(),
                                                                               m_ghosted.layout);
    }
    void import_to(const tpetra::MultiVector& target) const {
        tpetra::rcp(target)->doImport(*tpetra::rcp(m_source), *tpetra::rcp(m_import),
                                      Tpetra::INSERT);
    }

    void add(const std::string& name, const Vector& from, const Vector& to,
             const std::function<void()>& work) {
        Kokkos::deep_copy(to.view(), -1.0);
        Kokkos::deep_copy(from.view(), -1.0);
        for (std::int64_t l = 0; l < m_ghosted.owned; ++l)
            from.view()(l) = Cubes::value_at(from.global_index(0, LocalIndex(l)).value());
        work();
        bool correct = true;
        for (std::size_t l = 0; l < to.view().extent(0); ++l)
            correct = correct &&
                      to.view()(l) == Cubes::value_at(to.global_index(0, LocalIndex(l)).value());
        m_correct = perf::verify(m_state, correct, "what " + name + " filled") && m_correct;
        std::vector<double*> given;
        for (std::int64_t l = 0; l < m_ghosted.owned; ++l)
            if (m_cubes.is_given(from.global_index(0, LocalIndex(l)).value()))
                given.push_back(&from.view()(l));
        m_contenders.push_back({name, work, [given] { perf::rewrite(given); }});
    }

    benchmark::State& m_state;
    Exec m_exec;
    Cubes m_cubes;
    GhostedLayout m_ghosted;
    GhostExchangePlan m_plan;
    GhostExchangePlan m_message;
    tpetra::GhostImport m_import;
    Vector m_ours, m_owned, m_all;
    tpetra::MultiVector m_source, m_target, m_in_place;
    std::vector<perf::Contender> m_contenders;
    bool m_correct = true;
};

/// Arguments: cells along each axis and rank, and whether ranks split the fastest axis.
void ghost_import(benchmark::State& state) {
    const Exec exec;
    const Cubes cubes{perf::smoke() ? 6 : state.range(0), state.range(1) != 0 ? 2u : 0u};
    std::vector<std::unique_ptr<Place>> places;
    std::vector<std::vector<perf::Contender>> contenders;
    for (int i = 0; i < perf::iterations(5); ++i) {
        Place& place = *places.emplace_back(std::make_unique<Place>(state, exec, cubes));
        if (!place.correct()) return;
        contenders.push_back(place.contenders());
    }
    const std::vector<double> medians = perf::contest(state, exec, contenders);
    state.counters["ghosts"] = static_cast<double>(places.front()->ghosts());
    state.counters["tpetra_over_ghosts"] = medians[2] / medians[0];
    state.counters["in_place_over_ghosts"] = medians[3] / medians[0];
}
BENCHMARK(ghost_import)
    ->ArgNames({"n", "fastest"})
    ->Args({64, 0})
    ->Args({64, 1})
    ->Iterations(300)
    ->UseManualTime()
    ->Unit(benchmark::kMicrosecond);

} // namespace
