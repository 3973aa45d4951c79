// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/algorithms/impl/checks.hpp>
#include <distview/algorithms/impl/local_boxes.hpp>
#include <distview/algorithms/impl/local_copier.hpp>
#include <distview/comm/agreement.hpp>
#include <distview/comm/collectives.hpp>
#include <distview/comm/redistribution_plan.hpp>

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace distview::impl {

/// A call of with_local_copy() in which all ranks take part: brings the cells that each rank requests, passes them to
/// the function, and takes them back.
template <ExecutionSpace Exec, DistViewLike View>
class JointCopy {
public:
    static constexpr int rank = View::rank();
    using Copier = LocalCopier<Exec, View>;

    JointCopy(const Caller& caller, const Exec& exec, const Communicator& comm, const View& view,
              const LocalCopyArguments& arguments, int root)
        : m_caller(caller), m_exec(exec), m_comm(comm), m_view(view), m_arguments(arguments),
          m_root(root),
          m_everywhere(arguments.part == LocalPart::whole_everywhere && comm.size() > 1),
          m_copier(caller, exec, view, arguments) {}

    /// Agrees on arguments, and exchanges the ranks' requests; find_cells() returns this rank's request.
    template <class FindCells>
    void claim(FindCells&& find_cells) {
        Alone alone;
        alone([&] {
            check_array(m_caller.name, m_comm, m_view.layout(), m_view.process());
            m_copier.check_intent();
            m_mine = find_cells();
            make_room();
            m_wanted.resize(static_cast<std::size_t>(m_comm.size()));
        });
        agree_on_local_copy(m_comm, m_caller, alone.failure(),
                            {&m_view.layout(), Cells::interior,
                             element_type<typename View::non_const_value_type>(),
                             std::array{m_view.identity()}, m_root},
                            m_arguments);
        all_gather(m_comm, &m_mine, m_wanted.data(), sizeof(m_mine));
        if (m_arguments.part == LocalPart::box && m_copier.writes())
            check_disjoint(m_caller.name, m_wanted, rank);
        m_copier.note_intent();
    }

    void bring() {
        if (m_copier.needs_elements() && m_everywhere)
            bring_everywhere();
        else if (m_copier.needs_elements())
            for_each_elsewhere([&](const CellRange& cells, int p) { bring(cells, p); });
    }

    template <class Function>
    void call(Function&& function) {
        agree_on(m_comm, m_caller.name, [&] {
            if (m_mine.is_elsewhere)
                m_copier.ready();
            else
                m_copier.copy_in();
            if (m_arguments.part != LocalPart::whole_on_root || m_comm.rank() == m_root)
                m_copier.call(function);
            if (!m_copier.writes()) m_copier.drop();
        });
    }

    void take() {
        if (!m_copier.writes()) return;
        if constexpr (Copier::is_writable)
            if (!m_everywhere)
                for_each_elsewhere([&](const CellRange& cells, int p) { take(cells, p); });
        agree_on(m_comm, m_caller.name, [&] {
            if (m_everywhere)
                m_copier.copy_part_out();
            else if (m_mine.is_elsewhere)
                m_copier.drop();
            else
                m_copier.copy_out();
        });
    }

    const Copier& copier() const noexcept { return m_copier; }

private:
    void make_room() {
        const auto here = find_in_section(m_view.layout(), m_view.process(), m_mine);
        const bool is_empty = cell_count(m_mine, rank) == 0;
        m_mine.is_elsewhere = !is_empty && (m_everywhere || !here);
        if (is_empty)
            m_copier.take_none(m_mine.count);
        else if (m_mine.is_elsewhere)
            m_copier.make_room(m_mine.count);
        else
            m_copier.take(*here);
    }

    /// The copy of rank `at`, on that rank, as an array of that rank alone.
    struct Single {
        ArrayLayout layout;
        std::vector<AxisSlice> slices; ///< of the distributed array
        std::vector<int> ranks;
        std::optional<typename Copier::Single> copy{};

        const typename Copier::Single* here() const { return copy ? &*copy : nullptr; }
    };
    template <class Prepare>
    Single single(const CellRange& cells, int at, const Prepare& prepare) {
        return agree_on(m_comm, m_caller.name, [&] {
            Single result{single_layout(cells, rank), slices_of(cells, rank), {at}};
            if (m_comm.rank() == at) {
                result.copy.emplace(m_copier.single(result.layout));
                prepare();
            }
            return result;
        });
    }
    /// Brings cells to the copy of rank `to`.
    void bring(const CellRange& cells, int to) {
        Single one = single(cells, to, [] {});
        RedistributionPlan plan(
            m_comm, m_view.layout(), one.layout,
            {.from_slice = std::move(one.slices), .to_ranks = std::move(one.ranks)});
        plan.execute(m_exec, m_view, one.here());
        if (one.copy) m_copier.count_in();
    }
    /// Takes the elements that were written to the copy of rank `from` back.
    void take(const CellRange& cells, int from) {
        Single one = single(cells, from, [&] { m_copier.count_out(); });
        RedistributionPlan plan(
            m_comm, one.layout, m_view.layout(),
            {.to_slice = std::move(one.slices), .from_ranks = std::move(one.ranks)});
        if constexpr (can_tell_untouched<typename Copier::Value>) {
            if (m_copier.tells_untouched())
                return plan.combine(m_exec, KeepUntouched(), one.here(), m_view);
        }
        plan.execute(m_exec, one.here(), m_view);
    }

    template <class Action>
    void for_each_elsewhere(const Action& action) const {
        for (int p = 0; p < m_comm.size(); ++p)
            if (const CellRange& cells = m_wanted[static_cast<std::size_t>(p)]; cells.is_elsewhere)
                action(cells, p);
    }

    void bring_everywhere() {
        if (!m_mine.is_elsewhere) return; // an array without cells
        if constexpr (AccessibleFrom<View, Kokkos::DefaultHostExecutionSpace>) {
            bring(m_mine, 0);
            const auto& memory = m_copier.memory();
            broadcast(m_comm, 0, std::as_writable_bytes(std::span(memory.data(), memory.size())));
            if (m_comm.rank() != 0) m_copier.count_in();
        } else {
            for (int p = 0; p < m_comm.size(); ++p) bring(m_mine, p);
        }
    }

    const Caller& m_caller;
    Exec m_exec;
    const Communicator& m_comm;
    View m_view;
    LocalCopyArguments m_arguments;
    int m_root;
    bool m_everywhere; ///< whether every rank gets a copy of the whole array
    Copier m_copier;
    CellRange m_mine;
    std::vector<CellRange> m_wanted; ///< by rank
};

/// with_local_copy() if all ranks take part; find_cells() returns the cells that this rank requests.
template <ExecutionSpace Exec, DistViewLike View, class FindCells, class Function>
LocalCopyBytes copy_jointly(const Caller& caller, const Exec& exec, const Communicator& comm,
                            const View& view, const LocalCopyArguments& arguments, int root,
                            FindCells&& find_cells, Function&& function) {
    const CollectiveCall call(comm, caller.name);
    JointCopy<Exec, View> copy(caller, exec, comm, view, arguments, root);
    copy.claim(find_cells);
    copy.bring();
    copy.call(function);
    copy.take();
    return copy.copier().bytes();
}

} // namespace distview::impl
