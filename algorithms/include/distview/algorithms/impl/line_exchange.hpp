// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/algorithms/impl/axis_kernels.hpp>
#include <distview/algorithms/impl/grid_lines.hpp>
#include <distview/comm/make_dist_view.hpp>
#include <distview/comm/redistribution_plan.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace distview::impl {

/// The exchanges that a GridAxis keeps, in any memory space.
class LineExchangeBase {
public:
    LineExchangeBase(std::vector<std::int64_t> values, std::int64_t value_bytes)
        : m_values(std::move(values)), m_value_bytes(value_bytes) {}
    virtual ~LineExchangeBase() = default;
    LineExchangeBase(const LineExchangeBase&) = delete;
    LineExchangeBase& operator=(const LineExchangeBase&) = delete;

    virtual std::size_t workspace_bytes() const = 0;
    bool is_for(const std::vector<std::int64_t>& values, std::int64_t value_bytes) const {
        return m_value_bytes == value_bytes && m_values == values;
    }

private:
    std::vector<std::int64_t> m_values;
    std::int64_t m_value_bytes;
};

/// Plans and buffers for given numbers of values, of a given size, in the processes of each line of a process grid.
///
/// Callers write this process's values to own<Value>() and find the result there, on `exec`. Values are joined place
/// after place in ascending order, so that results have the same bits whatever messages carry them.
template <class MemorySpace>
class LineExchange final : public LineExchangeBase {
public:
    /// Local; ranks must agree on its outcome.
    template <ExecutionSpace Exec>
    LineExchange(const Exec& exec, const Communicator& comm, const GridLines& lines,
                 const std::vector<std::int64_t>& values, std::int64_t value_bytes)
        : LineExchangeBase(values, value_bytes), m_comm(comm), m_lines(lines),
          m_words(lines, values, value_bytes), m_ranks(lines.by_place()),
          m_places(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing,
                                      view_label("GridAxis", "places")),
                   static_cast<std::size_t>(lines.length)) {
        m_own = allocate(exec, m_words.own_words());
        if (lines.length > 1) m_all = allocate(exec, m_words.all_words());
        if (m_words.is_sliced()) m_slice = allocate(exec, m_words.slice_bytes() / 8);
    }

    std::int64_t values() const { return m_words.values(); }
    template <class Value>
    Value* own() const {
        return reinterpret_cast<Value*>(m_own.data());
    }
    /// Sets the places whose values count, ascending; the same on all processes of the line. Other values are ignored.
    template <ExecutionSpace Exec>
    void set_places(const Exec& exec, const std::vector<int>& places) {
        if (places == m_places_host) return;
        const Kokkos::View<const int*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>
            places_host(places.data(), places.size());
        Kokkos::deep_copy(exec, Kokkos::subview(m_places, std::pair(std::size_t{0}, places.size())),
                          places_host);
        exec.fence(label_of("distview::GridAxis: the caller may drop the list of places"));
        m_places_host = places;
    }
    template <ExecutionSpace Exec>
    void set_all_places(const Exec& exec) {
        std::vector<int> places(static_cast<std::size_t>(m_lines.length));
        std::iota(places.begin(), places.end(), 0);
        set_places(exec, places);
    }

    // Collective; `alone` keeps exceptions of this rank's kernels.

    /// Joins the values of all places, on all places.
    template <class Operation, ExecutionSpace Exec>
    void reduce_to_all(const Caller& caller, Alone& alone, const Exec& exec,
                       const Operation& operation) {
        if (m_lines.length == 1) return;
        collect(exec);
        join(caller, alone, exec, operation, m_words.is_sliced() ? m_slice : m_own);
        if (m_words.is_sliced())
            move(
                exec, Move::slices_to_all, 0, [&] { return section(m_words.own_slice(), m_slice); },
                [&] { return section(m_words.slices_everywhere(), m_own); });
    }
    /// Same, on place `root` only; own() is unspecified on other places.
    template <class Operation, ExecutionSpace Exec>
    void reduce_to(int root, const Caller& caller, Alone& alone, const Exec& exec,
                   const Operation& operation) {
        if (m_lines.length == 1) return;
        if (m_words.is_sliced()) {
            collect(exec);
            join(caller, alone, exec, operation, m_slice);
            move(
                exec, Move::slices_to_root, root,
                [&] { return section(m_words.own_slice(), m_slice); },
                [&] { return section(m_words.slices_at(root), m_own); });
        } else {
            move(
                exec, Move::to_root, root, [&] { return section(m_words.own(), m_own); },
                [&] { return section(m_words.at_root(root), m_all); });
            if (m_lines.place == root) join(caller, alone, exec, operation, m_own);
        }
    }
    /// Joins the values of the places before this one; own() is unspecified in the first place that counts.
    template <class Operation, ExecutionSpace Exec>
    void scan(const Caller& caller, Alone& alone, const Exec& exec, const Operation& operation) {
        if (m_lines.length == 1) return;
        collect(exec);
        const ScanPlaces<Operation> kernel{
            reinterpret_cast<char*>(m_all.data()),  m_words.slice_bytes(), m_places.data(),
            static_cast<int>(m_places_host.size()), m_lines.length,        operation};
        alone([&] { launch_flat(caller, exec, m_words.own_slice_values(), kernel); });
        if (m_words.is_sliced())
            move(
                exec, Move::back, 0, [&] { return section(m_words.slices_of_all(), m_all); },
                [&] { return section(m_words.own(), m_own); });
        else
            copy_words(caller, alone, exec, m_lines.place * m_words.slice_bytes() / 8,
                       m_words.slice_bytes() / 8);
    }
    /// Copies the values of place `root` to all places.
    template <ExecutionSpace Exec>
    void broadcast(int root, const Caller& caller, Alone& alone, const Exec& exec) {
        if (m_lines.length == 1) return;
        move(
            exec, Move::from_root, root, [&] { return section(m_words.only_at(root), m_own); },
            [&] { return section(m_words.everywhere(), m_all); });
        copy_words(caller, alone, exec, 0, m_words.own_words());
    }

    std::size_t workspace_bytes() const override {
        std::size_t bytes = 8 * (m_own.size() + m_all.size() + m_slice.size());
        for (const auto& [key, step] : m_steps) bytes += step.plan->workspace_bytes();
        return bytes;
    }

private:
    using Words = DistView<std::uint64_t***, Kokkos::LayoutRight, MemorySpace>;
    using Buffer = Kokkos::View<std::uint64_t*, MemorySpace>;
    enum class Move { transpose, to_all, to_root, back, slices_to_all, slices_to_root, from_root };
    struct Step {
        Words from;
        Words to;
        std::optional<RedistributionPlan> plan{};
    };

    /// Allocates zeros, if possible in memory that the node's other processes can read.
    template <ExecutionSpace Exec>
    Buffer allocate(const Exec& exec, std::int64_t words) {
        const auto count = static_cast<std::size_t>(std::max<std::int64_t>(words, 2));
        Buffer buffer;
        if constexpr (std::is_same_v<MemorySpace, Kokkos::HostSpace>)
            if (std::shared_ptr<void> memory = allocate_shared(m_comm, 8 * count)) {
                buffer = Buffer(static_cast<std::uint64_t*>(memory.get()), count);
                m_memory.push_back(std::move(memory));
            }
        if (!buffer.data())
            buffer = Buffer(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing,
                                               view_label("GridAxis", "buffer")),
                            count);
        Kokkos::deep_copy(exec, buffer, std::uint64_t{0});
        return buffer;
    }

    /// Brings the values that this process joins to m_all: a slice of all places' values, or all of them.
    template <ExecutionSpace Exec>
    void collect(const Exec& exec) {
        const auto own = [&] { return section(m_words.own(), m_own); };
        if (m_words.is_sliced())
            move(exec, Move::transpose, 0, own,
                 [&] { return section(m_words.slices_of_all(), m_all); });
        else
            move(exec, Move::to_all, 0, own, [&] { return section(m_words.of_all(), m_all); });
    }

    template <class Operation, ExecutionSpace Exec>
    void join(const Caller& caller, Alone& alone, const Exec& exec, const Operation& operation,
              const Buffer& to) {
        using Value = typename Operation::value_type;
        const JoinPlaces<Operation> kernel{reinterpret_cast<const char*>(m_all.data()),
                                           m_words.slice_bytes(),
                                           m_places.data(),
                                           static_cast<int>(m_places_host.size()),
                                           reinterpret_cast<Value*>(to.data()),
                                           operation};
        if (kernel.count > 0)
            alone([&] { launch_flat(caller, exec, m_words.own_slice_values(), kernel); });
    }
    /// Copies words of m_all to m_own.
    template <ExecutionSpace Exec>
    void copy_words(const Caller& caller, Alone& alone, const Exec& exec, std::int64_t first,
                    std::int64_t count) {
        alone([&] {
            launch_flat(caller, exec, count, CopyWords{m_all.data() + first, m_own.data()});
        });
    }

    Words section(const ArrayLayout& layout, const Buffer& words) const {
        const int process = m_lines.place * m_lines.count + m_lines.line;
        const Extents extents = layout.local_extents(process);
        return {layout, process,
                typename Words::view_type(words.data(), static_cast<std::size_t>(extents[0]),
                                          static_cast<std::size_t>(extents[1]),
                                          static_cast<std::size_t>(extents[2]))};
    }

    /// Moves values from the section from() to the section to(); the first call creates the plan.
    template <ExecutionSpace Exec, class From, class To>
    void move(const Exec& exec, Move what, int root, const From& from, const To& to) {
        auto step = m_steps.find({what, root});
        if (step == m_steps.end()) {
            RedistributionOptions options;
            step = agree_on(m_comm, "GridAxis", [&] {
                options.fill_padding = true;
                options.from_ranks = m_ranks;
                options.to_ranks = m_ranks;
                return m_steps.emplace(std::pair(what, root), Step{from(), to()}).first;
            });
            step->second.plan.emplace(RedistributionPlan(m_comm, step->second.from.layout(),
                                                         step->second.to.layout(), options));
        }
        step->second.plan->execute(exec, step->second.from, step->second.to);
    }

    Communicator m_comm;
    GridLines m_lines;
    LineWords m_words;
    std::vector<int> m_ranks;
    std::vector<std::shared_ptr<void>> m_memory; ///< of buffers that Kokkos has not allocated
    Buffer m_own;
    Buffer m_all;
    Buffer m_slice;
    Kokkos::View<int*, MemorySpace> m_places;
    std::vector<int> m_places_host;
    std::map<std::pair<Move, int>, Step> m_steps;
};

} // namespace distview::impl
