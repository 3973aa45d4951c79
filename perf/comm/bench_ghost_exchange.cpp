// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ghosts of a graph that joins each cell of a cube to the cells it touches. Baselines: the padding of the same cells,
// and a hand-written MPI_Alltoallv. Ranks split one axis; the edges are walls. Before each timed exchange every rank
// rewrites the cells that others read, which is not timed.

#include "baselines/mpi_lists.hpp"
#include "perf.hpp"
#include "plan_of_transport.hpp"
#include "touching_cubes.hpp"

#include <distview/comm/ghost_exchange_plan.hpp>
#include <distview/comm/make_dist_view.hpp>
#include <distview/comm/padding_exchange_plan.hpp>

#include <mpi.h>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace distview;
using perf::Exec;
using Indices = std::vector<std::int64_t>;
using Vector = DistView<double*, Kokkos::LayoutRight, Kokkos::HostSpace>;
using Cube = DistView<double***, Kokkos::LayoutRight, Kokkos::HostSpace>;

/// The cubes also as a block layout with padding.
struct Cubes : perf::TouchingCubes {
    ArrayLayout padded() const {
        std::vector<int> grid(3, 1);
        grid[split_axis] = perf::communicator().size();
        std::vector<AxisSpec> axes;
        for (const int processes : grid) axes.push_back(block(n * processes, {.padding = 1}));
        return {ProcessGrid(grid), axes};
    }
    perf::ElementPlace place(Cell cell) const {
        const std::int64_t owner = cell[split_axis] / n;
        cell[split_axis] %= n;
        return {static_cast<int>(owner), static_cast<int>((cell[0] * n + cell[1]) * n + cell[2])};
    }
};

/// One set of arrays, and the contenders that use them.
class Place {
public:
    Place(benchmark::State& state, const Exec& exec, const Cubes& cubes)
        : m_state(state), m_exec(exec), m_cubes(cubes), m_own(cubes.own()),
          m_ghosted(make_ghosted_layout(comm, m_own, cubes.touched(m_own))),
          m_padded(make_dist_view<double***, Kokkos::LayoutRight, Kokkos::HostSpace>(
              exec, "padded", comm, cubes.padded())),
          m_vector(make_dist_view<double*, Kokkos::LayoutRight, Kokkos::HostSpace>(
              exec, "vector", comm, m_ghosted.layout)),
          m_by_hand(perf::baseline_communicator(), elements(), static_cast<int>(m_ghosted.owned)),
          m_padding(perf::plan_of_transport("direct", comm, cubes.padded())),
          m_padding_message(perf::plan_of_transport("message", comm, cubes.padded())),
          m_direct(plan("direct")), m_message(plan("message")),
          m_indices(static_cast<std::size_t>(m_ghosted.ghosts), 1) {
        for (const int position : m_by_hand.given_positions()) {
            m_given.push_back(m_vector.view().data() + position);
            m_given_padded.push_back(padded(m_own[static_cast<std::size_t>(position)]));
        }
        add("ghosts", m_given, [this] { m_direct.execute(m_exec, m_vector); });
        add("padding", m_given_padded, [this] { m_padding.execute(m_exec, m_padded); });
        add("alltoallv", m_given,
            [this] { m_by_hand.gather(m_vector.view().data(), m_vector.view().data()); });
        add("message", m_given, [this] { m_message.execute(m_exec, m_vector); });
        add("padding_message", m_given_padded,
            [this] { m_padding_message.execute(m_exec, m_padded); });
        m_contenders.push_back({"indices", [this] {
                                    std::int64_t sum = 0;
                                    for (const std::int64_t index : m_indices) sum += index;
                                    benchmark::DoNotOptimize(sum);
                                }});
    }
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;

    const std::vector<perf::Contender>& contenders() const { return m_contenders; }
    bool correct() const { return m_correct; }
    std::int64_t ghosts() const { return m_ghosted.ghosts; }

private:
    GhostExchangePlan plan(const char* transport) const {
        return perf::made_for_transport(transport,
                                        [&] { return GhostExchangePlan(comm, m_ghosted); });
    }
    /// The ghosts of this rank.
    std::vector<perf::ElementPlace> elements() const {
        std::vector<perf::ElementPlace> result;
        for (std::int64_t i = m_ghosted.owned; i < m_ghosted.owned + m_ghosted.ghosts; ++i)
            result.push_back(
                m_cubes.place(m_cubes.cell(m_vector.global_index(0, LocalIndex(i)).value())));
        return result;
    }
    /// The address of an own cell in the padded array.
    double* padded(std::int64_t index) const {
        const Cubes::Cell cell = m_cubes.cell(index);
        std::array<std::int64_t, 3> at{};
        for (std::size_t d = 0; d < 3; ++d) {
            const auto axis = static_cast<int>(d);
            const LocalIndex first = m_padded.interior_range(axis).begin;
            at[d] = cell[d] - m_padded.global_index(axis, first).value() + first.value();
        }
        return &m_padded.view()(at[0], at[1], at[2]);
    }

    /// The state before an exchange: ghosts and padding are -1.
    void set() const {
        Kokkos::deep_copy(m_padded.view(), -1.0);
        Kokkos::deep_copy(m_vector.view(), -1.0);
        for (std::size_t i = 0; i < m_own.size(); ++i)
            m_vector.view()(i) = *padded(m_own[i]) = Cubes::value_at(m_own[i]);
    }
    bool is_filled_vector() const {
        for (std::size_t i = 0; i < m_vector.view().size(); ++i)
            if (m_vector.view()(i) !=
                Cubes::value_at(m_vector.global_index(0, LocalIndex(i)).value()))
                return false;
        return true;
    }
    bool is_filled_cube() const {
        const auto view = m_padded.view();
        for (std::size_t i = 0; i < view.extent(0); ++i)
            for (std::size_t j = 0; j < view.extent(1); ++j)
                for (std::size_t k = 0; k < view.extent(2); ++k) {
                    const Cubes::Cell cell{m_padded.global_index(0, LocalIndex(i)).value(),
                                           m_padded.global_index(1, LocalIndex(j)).value(),
                                           m_padded.global_index(2, LocalIndex(k)).value()};
                    if (m_cubes.contains(cell) &&
                        view(i, j, k) != Cubes::value_at(m_cubes.index(cell)))
                        return false;
                }
        return true;
    }
    void add(const std::string& name, const std::vector<double*>& given,
             const std::function<void()>& work) {
        set();
        work();
        const bool correct = &given == &m_given ? is_filled_vector() : is_filled_cube();
        m_correct = perf::verify(m_state, correct, "what " + name + " filled") && m_correct;
        m_contenders.push_back({name, work, [&given] { perf::rewrite(given); }});
    }

    const Communicator& comm = perf::communicator();
    benchmark::State& m_state;
    Exec m_exec;
    Cubes m_cubes;
    Indices m_own;
    GhostedLayout m_ghosted;
    Cube m_padded;
    Vector m_vector;
    perf::MpiLists m_by_hand;
    PaddingExchangePlan m_padding;
    PaddingExchangePlan m_padding_message;
    GhostExchangePlan m_direct;
    GhostExchangePlan m_message;
    Indices m_indices; ///< one index a ghost: the least memory that a list of ghosts needs
    std::vector<double*> m_given;
    std::vector<double*> m_given_padded;
    std::vector<perf::Contender> m_contenders;
    bool m_correct = true;
};

/// Arguments: cells along each axis and rank, and whether ranks split the fastest axis.
void ghost_exchange(benchmark::State& state) {
    const Exec exec;
    const Cubes cubes{{perf::smoke() ? 6 : state.range(0), state.range(1) != 0 ? 2u : 0u}};
    std::vector<std::unique_ptr<Place>> places;
    std::vector<std::vector<perf::Contender>> contenders;
    for (int i = 0; i < perf::iterations(5); ++i) {
        Place& place = *places.emplace_back(std::make_unique<Place>(state, exec, cubes));
        if (!place.correct()) return;
        contenders.push_back(place.contenders());
    }
    const std::vector<double> medians = perf::contest(state, exec, contenders);
    state.counters["ghosts"] = static_cast<double>(places.front()->ghosts());
    state.counters["over_padding"] = medians[0] / medians[1];
    state.counters["over_bar"] = medians[0] / (1.2 * medians[1] + medians.back());
}
BENCHMARK(ghost_exchange)
    ->ArgNames({"n", "fastest"})
    ->Args({64, 0})
    ->Args({64, 1})
    ->Iterations(300)
    ->UseManualTime()
    ->Unit(benchmark::kMicrosecond);

} // namespace
