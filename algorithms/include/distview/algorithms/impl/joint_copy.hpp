// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/algorithms/impl/checks.hpp>
#include <distview/algorithms/impl/local_boxes.hpp>
#include <distview/algorithms/impl/local_copier.hpp>
#include <distview/comm/agreement.hpp>
#include <distview/comm/collectives.hpp>
#include <distview/comm/redistribution_plan.hpp>

#include <cstddef>
#include <exception>
#include <span>
#include <vector>

namespace distview::impl {

/// Redistributions between a distributed array and the copies of single ranks.
template <ExecutionSpace Exec, DistViewLike View>
class CopyMover {
public:
    using Copier = LocalCopier<Exec, View>;

    CopyMover(const Exec& exec, const Communicator& comm, const View& view, Copier& copier)
        : m_exec(exec), m_comm(comm), m_view(view), m_copier(copier) {}

    /// Brings cells to the copy of rank `rank`.
    void bring(const CellRange& cells, int rank) {
        const ArrayLayout single = single_layout(cells, View::rank());
        RedistributionPlan plan(m_comm, m_view.layout(), single,
                                {.from_slice = slices_of(cells, View::rank()), .to_ranks = {rank}});
        const Here here(m_copier, single, m_comm.rank() == rank);
        plan.execute(m_exec, m_view, here.pointer);
        if (here.pointer) m_copier.count_in();
    }
    /// Takes what has been written to the copy of rank `rank` back.
    void take(const CellRange& cells, int rank) {
        const ArrayLayout single = single_layout(cells, View::rank());
        RedistributionPlan plan(m_comm, single, m_view.layout(),
                                {.to_slice = slices_of(cells, View::rank()), .from_ranks = {rank}});
        const Here here(m_copier, single, m_comm.rank() == rank);
        if (here.pointer) m_copier.count_out();
        if constexpr (can_tell_untouched<typename Copier::Value>) {
            if (m_copier.tells_untouched())
                return plan.combine(m_exec, KeepUntouched(), here.pointer, m_view);
        }
        plan.execute(m_exec, here.pointer, m_view);
    }

private:
    /// The copy where it is, and a null pointer elsewhere.
    struct Here {
        Here(const Copier& copier, const ArrayLayout& layout, bool is_here) {
            if (is_here) view = copier.single(layout);
            pointer = is_here ? &view : nullptr;
        }
        typename Copier::Single view;
        const typename Copier::Single* pointer;
    };

    Exec m_exec;
    const Communicator& m_comm;
    View m_view;
    Copier& m_copier;
};

/// A call of with_local_copy() in which all ranks take part: the cells that each of them wants, brought, passed to the
/// function and taken back.
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

    /// Makes ranks agree on arguments, and tells them what each one wants: find_cells() says what this one does.
    template <class FindCells>
    void claim(FindCells&& find_cells) {
        std::exception_ptr failure;
        try {
            check_array(m_caller.name.c_str(), m_comm, m_view.layout(), m_view.process());
            m_copier.check_intent();
            m_mine = find_cells();
            make_room();
            m_wanted.resize(static_cast<std::size_t>(m_comm.size()));
        } catch (...) {
            failure = std::current_exception();
        }
        agree_on_local_copy(m_comm, m_caller, failure,
                            {&m_view.layout(),
                             Cells::interior,
                             element_type<typename View::non_const_value_type>(),
                             {m_view.identity()},
                             m_root},
                            m_arguments);
        all_gather(m_comm, &m_mine, m_wanted.data(), sizeof(m_mine));
        if (m_arguments.part == LocalPart::box && m_copier.writes())
            check_disjoint(m_caller.name.c_str(), m_wanted, rank);
        m_copier.note_intent();
    }

    void bring() {
        if (m_copier.needs_elements() && m_everywhere)
            bring_everywhere();
        else if (m_copier.needs_elements())
            for_each_elsewhere([&](const CellRange& cells, int p) { mover().bring(cells, p); });
        if (m_mine.is_elsewhere)
            m_copier.ready();
        else
            m_copier.copy_in();
    }

    template <class Function>
    void call(Function&& function) {
        std::exception_ptr failure;
        try {
            if (m_arguments.part != LocalPart::whole_on_root || m_comm.rank() == m_root)
                m_copier.call(function);
        } catch (...) {
            failure = std::current_exception();
        }
        agree(m_comm, m_caller.name.c_str(), failure);
    }

    void take() {
        if (m_everywhere) return m_copier.copy_part_out();
        if constexpr (Copier::is_writable)
            if (m_copier.writes())
                for_each_elsewhere([&](const CellRange& cells, int p) { mover().take(cells, p); });
        if (m_mine.is_elsewhere)
            m_copier.drop();
        else
            m_copier.copy_out();
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

    CopyMover<Exec, View> mover() { return {m_exec, m_comm, m_view, m_copier}; }

    template <class Action>
    void for_each_elsewhere(const Action& action) const {
        for (int p = 0; p < m_comm.size(); ++p)
            if (const CellRange& cells = m_wanted[static_cast<std::size_t>(p)]; cells.is_elsewhere)
                action(cells, p);
    }

    void bring_everywhere() {
        if (!m_mine.is_elsewhere) return; // an array without cells
        if constexpr (AccessibleFrom<View, Kokkos::DefaultHostExecutionSpace>) {
            mover().bring(m_mine, 0);
            const auto& memory = m_copier.memory();
            broadcast(m_comm, 0, std::as_writable_bytes(std::span(memory.data(), memory.size())));
            if (m_comm.rank() != 0) m_copier.count_in();
        } else {
            for (int p = 0; p < m_comm.size(); ++p) mover().bring(m_mine, p);
        }
    }

    const Caller& m_caller;
    Exec m_exec;
    const Communicator& m_comm;
    View m_view;
    LocalCopyArguments m_arguments;
    int m_root;
    bool m_everywhere; ///< whether every rank gets a copy of everything
    Copier m_copier;
    CellRange m_mine;
    std::vector<CellRange> m_wanted; ///< by rank
};

/// with_local_copy() where all ranks take part; find_cells() says which cells this rank wants.
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
