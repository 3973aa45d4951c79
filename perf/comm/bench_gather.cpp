// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements by global index: a plan gathers and combines lists of random elements. Baselines: a hand-written MPI_Alltoallv
// whose indices were exchanged before, and, for gathering, MPI_Get and MPI_Win_flush for each element.

#include "baselines/mpi_lists.hpp"
#include "perf.hpp"
#include "plan_of_transport.hpp"

#include <distview/comm/gather_plan.hpp>
#include <distview/comm/make_dist_view.hpp>

#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace distview;
using perf::Exec;
using Indices = std::vector<std::int64_t>;
using Array = DistView<double*, Kokkos::LayoutRight, Kokkos::HostSpace>;
using List = Kokkos::View<double*, Kokkos::HostSpace>;

double value_at(std::int64_t index) { return static_cast<double>(index % 999983); }
double contribution(int rank, std::int64_t k) { return static_cast<double>((k + rank) % 251); }

/// Lists of random elements of an array with `extent` elements a rank; `others`: only elements of other ranks.
struct Draw {
    std::int64_t extent = 0;
    std::int64_t count = 0;
    bool others = false;

    ArrayLayout layout() const {
        const int ranks = perf::communicator().size();
        return {ProcessGrid{ranks}, {block(extent * ranks)}};
    }
    Indices list_of(int rank) const {
        const int ranks = perf::communicator().size();
        std::mt19937_64 random(static_cast<unsigned>(rank) + 1);
        std::uniform_int_distribution<std::int64_t> draw(
            0, extent * (others && ranks > 1 ? ranks - 1 : ranks) - 1);
        Indices list(static_cast<std::size_t>(count));
        for (std::int64_t& index : list) {
            index = draw(random);
            if (others && ranks > 1 && index >= rank * extent) index += extent;
        }
        return list;
    }
    std::vector<perf::ElementPlace> elements(const Indices& list) const {
        std::vector<perf::ElementPlace> result;
        for (const std::int64_t index : list)
            result.emplace_back(static_cast<int>(index / extent), static_cast<int>(index % extent));
        return result;
    }
};

/// One set of arrays, and the contenders that use them.
class Place {
public:
    Place(benchmark::State& state, const Exec& exec, const Draw& draw)
        : m_state(state), m_exec(exec), m_draw(draw), m_list(draw.list_of(comm.rank())),
          m_shared(make_dist_view<double*, Kokkos::LayoutRight, Kokkos::HostSpace>(
              exec, "shared", comm, draw.layout())),
          m_plain(exec, "plain", draw.layout(), comm.rank()), m_values("values", m_list.size()),
          m_by_hand(perf::baseline_communicator(), draw.elements(m_list)) {
        const auto plan = [&](const char* transport) {
            return perf::made_for_transport(transport, [&] {
                return std::make_unique<GatherPlan>(comm, draw.layout(), IndexList(m_list));
            });
        };
        m_direct = plan("direct");
        m_message = plan("message");
    }
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;

    /// `scale`: the MPI_Get contenders fetch only one element in `scale`.
    void add_gathers(std::int64_t scale) {
        for (const Array& array : {m_shared, m_plain})
            for (std::size_t i = 0; i < array.view().size(); ++i)
                array.view()(i) = value_at(array.global_index(0, LocalIndex(i)).value());
        const auto few = m_list.size() / static_cast<std::size_t>(scale);
        for (auto* const gets : {&m_gets, &m_gets_of_mpi})
            gets->emplace(perf::baseline_communicator(), draw_of(few), m_plain.view().data(),
                          m_plain.view().size(), gets == &m_gets_of_mpi);
        add_gather("direct", m_list.size(),
                   [this] { m_direct->execute(m_exec, m_shared, m_values); });
        add_gather("alltoallv", m_list.size(),
                   [this] { m_by_hand.gather(m_plain.view().data(), m_values.data()); });
        add_gather("message", m_list.size(),
                   [this] { m_message->execute(m_exec, m_plain, m_values); });
        add_gather("few_gets", few, [this] { m_gets->gather(m_values.data()); });
        add_gather("few_gets_of_mpi", few, [this] { m_gets_of_mpi->gather(m_values.data()); });
    }
    void add_combinations() {
        add_combination("direct", m_shared,
                        [this] { m_direct->combine(m_exec, Sum{}, m_values, m_shared); });
        add_combination("alltoallv", m_plain,
                        [this] { m_by_hand.add(m_values.data(), m_plain.view().data()); });
        add_combination("message", m_plain,
                        [this] { m_message->combine(m_exec, Sum{}, m_values, m_plain); });
    }

    const std::vector<perf::Contender>& contenders() const { return m_contenders; }
    bool correct() const { return m_correct; }

private:
    std::vector<perf::ElementPlace> draw_of(std::size_t count) const {
        return m_draw.elements(
            {m_list.begin(), m_list.begin() + static_cast<std::ptrdiff_t>(count)});
    }
    void add(const std::string& name, bool correct, const std::function<void()>& work) {
        m_correct = perf::verify(m_state, correct, "what " + name + " moved") && m_correct;
        m_contenders.push_back({name, work});
    }
    void add_gather(const std::string& name, std::size_t count, const std::function<void()>& work) {
        Kokkos::deep_copy(m_values, -1.0);
        work();
        bool correct = true;
        for (std::size_t k = 0; k < count; ++k)
            correct = correct && m_values(k) == value_at(m_list[k]);
        add(name, correct, work);
    }
    void add_combination(const std::string& name, const Array& array,
                         const std::function<void()>& work) {
        std::vector<double> expected(array.view().size(), 1.0);
        for (int rank = 0; rank < comm.size(); ++rank) {
            std::int64_t k = 0;
            for (const auto& [owner, position] : m_draw.elements(m_draw.list_of(rank))) {
                const double value = contribution(rank, k++);
                if (owner == comm.rank()) expected[static_cast<std::size_t>(position)] += value;
            }
        }
        for (std::size_t k = 0; k < m_list.size(); ++k)
            m_values(k) = contribution(comm.rank(), static_cast<std::int64_t>(k));
        Kokkos::deep_copy(array.view(), 1.0);
        work();
        add(name, std::equal(expected.begin(), expected.end(), array.view().data()), work);
    }

    const Communicator& comm = perf::communicator();
    benchmark::State& m_state;
    Exec m_exec;
    Draw m_draw;
    Indices m_list;
    Array m_shared;
    Array m_plain;
    List m_values;
    perf::MpiLists m_by_hand;
    std::optional<perf::MpiGets> m_gets;        ///< from m_plain
    std::optional<perf::MpiGets> m_gets_of_mpi; ///< from memory that MPI allocated
    std::unique_ptr<GatherPlan> m_direct;
    std::unique_ptr<GatherPlan> m_message;
    std::vector<perf::Contender> m_contenders;
    bool m_correct = true;
};

/// Times the contenders in several places, because the pages of an array influence its time as much as the code does.
template <class Add>
std::vector<double> contest(benchmark::State& state, const Draw& draw, const Add& add) {
    const Exec exec;
    std::vector<std::unique_ptr<Place>> places;
    std::vector<std::vector<perf::Contender>> contenders;
    for (int i = 0; i < perf::iterations(5); ++i) {
        Place& place = *places.emplace_back(std::make_unique<Place>(state, exec, draw));
        add(place);
        if (!place.correct()) return {};
        contenders.push_back(place.contenders());
    }
    return perf::contest(state, exec, contenders);
}

/// Arguments: elements of a rank's section, elements of its list, and whether other ranks own all of them.
Draw draw_of(const benchmark::State& state) {
    if (perf::smoke()) return {1000, 500, state.range(2) != 0};
    return {state.range(0), state.range(1), state.range(2) != 0};
}

void gather(benchmark::State& state) {
    const std::int64_t scale = perf::smoke() ? 10 : 100;
    const std::vector<double> medians =
        contest(state, draw_of(state), [&](Place& place) { place.add_gathers(scale); });
    if (medians.empty()) return;
    const std::size_t first = medians.size() - 2;
    for (std::size_t i = 0; i < 2; ++i) {
        const std::string name = i == 0 ? "gets" : "gets_of_mpi";
        const double seconds = medians[first + i] * static_cast<double>(scale);
        state.counters[name + "_us"] = seconds * 1e6;
        state.counters[name + "_ratio"] = seconds / medians.front();
    }
}
BENCHMARK(gather)
    ->ArgNames({"extent", "count", "others"})
    ->ArgsProduct({{1000000, 8000000}, {1000000}, {0, 1}})
    ->Iterations(40)
    ->UseManualTime()
    ->Unit(benchmark::kMicrosecond);

void combine(benchmark::State& state) {
    contest(state, draw_of(state), [](Place& place) { place.add_combinations(); });
}
BENCHMARK(combine)
    ->ArgNames({"extent", "count", "others"})
    ->ArgsProduct({{1000000, 8000000}, {1000000}, {0, 1}})
    ->Iterations(40)
    ->UseManualTime()
    ->Unit(benchmark::kMicrosecond);

} // namespace
