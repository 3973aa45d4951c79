// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/algorithms/for_each.hpp>
#include <distview/algorithms/impl/inspected_elements.hpp>
#include <distview/comm/agreement.hpp>
#include <distview/comm/communicator.hpp>
#include <distview/comm/gather_plan.hpp>
#include <distview/core/dist_view.hpp>
#include <distview/core/memory_overlap.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace distview {

namespace impl {

/// Computes an inner cell, whose elements are all this process's; indices are positions in the section of `to`.
template <class Functor, class Elements, ViewLike To, int Rank>
struct InnerCell {
    static constexpr bool takes_narrow_indices = false;
    Functor functor;
    Elements elements;
    To to;
    std::int64_t shift[Rank]; ///< of global indices

    template <class... Positions>
    KOKKOS_FORCEINLINE_FUNCTION void operator()(Positions... at) const {
        call(std::make_integer_sequence<int, Rank>(), at...);
    }

private:
    template <int... Axis, class... Positions>
    KOKKOS_FORCEINLINE_FUNCTION void call(std::integer_sequence<int, Axis...>,
                                          Positions... at) const {
        to(at...) = functor(elements, (static_cast<std::int64_t>(at) + shift[Axis])...);
    }
};

/// Computes one of the outer cells, given by its number.
template <class Functor, class From, class To, int Rank, class MemorySpace>
struct OuterCell {
    using Table = Kokkos::View<const std::int64_t*, MemorySpace>;
    Functor functor;
    To* to;
    Table cells, cell_at, first, addresses;
    Kokkos::View<std::int64_t, MemorySpace> overruns;

    KOKKOS_FUNCTION void operator()(std::int64_t n) const {
        call(n, std::make_integer_sequence<int, Rank>());
    }

private:
    template <int... Axis>
    KOKKOS_FORCEINLINE_FUNCTION void call(std::int64_t n,
                                          std::integer_sequence<int, Axis...>) const {
        const ReplayedElements<From> elements(addresses.data() + first(n),
                                              addresses.data() + first(n + 1), overruns.data());
        to[cell_at(n)] = functor(elements, cells(n * Rank + Axis)...);
    }
};

} // namespace impl

/// A loop over the cells of an array that reads elements of another array by global index, on any process:
///
///     struct Average {                                  // u: elements by global index, as if all were local
///         template <class Elements>
///         KOKKOS_FUNCTION double operator()(const Elements& u, std::int64_t i, std::int64_t j) const {
///             return 0.25 * (u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1));
///         }
///     };
///     InspectedLoop loop(exec, comm, u, v, Average(), {{1, n - 1}, {1, n - 1}});  // inspects the functor
///     loop.execute(exec);                               // v(i, j) = functor(u, i, j) for these cells
///
/// The constructor runs the functor for every cell, with elements that record their indices, and creates a GatherPlan
/// from these indices. execute() computes cells that need only this process's elements directly from its memory, while
/// elements of other processes are transferred; the remaining cells then read the received elements. Arrays need no
/// padding and may have any layouts. They must not share memory, since cells are computed while others still read the
/// elements.
///
/// The functor must request the same elements, in the same order, in every run: indices must not depend on values.
/// During the inspection every element reads as value_type().
///
/// A functor reads elements and returns the value of its own cell. To store or add values to other ranks' elements, use
/// GatherPlan::combine(), or GlobalAccess if the owners are on the same node.
///
/// Cells get the same bits as from the same stencil on an array with padding if both round alike. Compile with
/// -ffp-contract=off, or write Kokkos::fma: otherwise compilers may fuse multiplications and additions in only one of
/// them.
///
/// Collective: the constructor and execute(), over comm
/// Indices:    global, std::int64_t: the interior's from 0; labels of unstructured axes
/// Space:      on `exec`; all work has finished when execute() returns. The inspection runs on the host
/// Cost:       inspection: the functor runs once or twice a cell; some 10 ns for each element that a cell requests.
///             Memory: 8 bytes for each element requested by an outer cell (see outer_cells()). execute(): one
///             GatherPlan::execute() and one agreement, no other collective; the first call binds the plan
/// Source:     inspector and executor: Saltz, Crowley, Mirchandaney, Berryman, "Run-time scheduling and execution of
///             loops on message passing machines", 1990
template <DistViewLike From, DistViewLike To, class Functor>
class InspectedLoop {
public:
    static_assert(From::rank() > 0 && To::rank() > 0, "InspectedLoop: expected arrays with axes");
    static_assert(!std::is_const_v<typename To::value_type>,
                  "InspectedLoop: expected a writable array of cells, got const elements");

    /// `cells`: a range of global indices, with step 1, for each axis of `to`; all interior cells if omitted.
    ///
    /// Errors: UsageError if the functor requests an element that no process owns, if `cells` does not have a range with
    ///         step 1 for each axis, if the arrays share memory, or if a layout's grid does not match the
    ///         communicator; ShapeError if an array is not this rank's section (on all ranks)
    template <ExecutionSpace Exec>
        requires(AccessibleFrom<From, Exec> && AccessibleFrom<To, Exec>)
    InspectedLoop(const Exec& exec, const Communicator& comm, const From& from, const To& to,
                  const Functor& functor, const std::vector<IndexRange>& cells = {})
        : m_comm(comm), m_from(from), m_to(to), m_functor(functor) {
        const CollectiveCall call(comm, name);
        impl::Inspection found = agree_on(comm, name, [&] {
            check(from.process(), from.layout());
            check(to.process(), to.layout());
            require<UsageError>(
                !memory_overlaps(AnyDistView(from).section(), AnyDistView(to).section()), [&] {
                    return text(name, ": expected arrays that share no memory, got '", from.label(),
                                "' and '", to.label(), "'");
                });
            return inspect(cells);
        });
        const IndexList list = agree_on(comm, name, [&] {
            IndexList elements(From::rank());
            elements.add_elements(found.brought);
            return elements;
        });
        m_plan.emplace(GatherPlan(comm, from.layout(), list));
        agree_on(comm, name, [&] {
            m_brought = Kokkos::View<From_value*, MemorySpace>(
                Kokkos::view_alloc(exec, impl::view_label("InspectedLoop", "brought")),
                static_cast<std::size_t>(m_plan->size()));
            make_outer(exec, std::move(found));
            exec.fence(impl::label_of("distview::InspectedLoop: tables are there"));
        });
    }

    /// to(i, j, ...) = functor(from, i, j, ...) for the loop's cells.
    ///
    /// Errors: UsageError if the functor requests more elements for an outer cell than during the inspection (thrown on
    ///         all ranks; other deviations are not detected); those of GatherPlan::execute()
    template <ExecutionSpace Exec>
    void execute(const Exec& exec) {
        const CollectiveCall call(m_comm, execute_name);
        auto handle = m_plan->start(exec, m_from, m_brought);
        if (m_inner)
            for_each(exec, impl::label_of("distview::InspectedLoop::inner"), m_to, *m_inner,
                     m_inner_box);
        handle.finish();
        impl::note_written(m_to);
        agree_on(m_comm, execute_name, [&] {
            Kokkos::parallel_for(
                impl::label_of("distview::InspectedLoop::outer"),
                Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, outer_cells()),
                *m_outer);
            std::int64_t overruns = 0;
            Kokkos::deep_copy(exec, overruns, m_outer->overruns);
            exec.fence(impl::label_of("distview::InspectedLoop: cells are computed"));
            if (overruns != 0) {
                Kokkos::deep_copy(exec, m_outer->overruns, std::int64_t{0});
                exec.fence(impl::label_of("distview::InspectedLoop: the next call counts anew"));
            }
            require<UsageError>(overruns == 0, "InspectedLoop: the functor read more elements than "
                                               "during inspection; its indices must not depend "
                                               "on values");
        });
    }

    /// Number of elements of other processes that every execution receives.
    std::int64_t brought() const { return m_plan->size(); }
    /// Number of cells computed after the transfer: cells that need elements of other processes; or all cells, if
    /// either array has axes other than blocks or the remaining cells do not form a box.
    std::int64_t outer_cells() const {
        return static_cast<std::int64_t>(m_outer->cell_at.extent(0));
    }

private:
    static constexpr const char* name = "InspectedLoop";
    static constexpr const char* execute_name = "InspectedLoop::execute";
    using From_value = typename From::non_const_value_type;
    using MemorySpace = typename From::memory_space;
    using Own = impl::OwnElements<typename From::view_type, From::rank()>;
    using Inner = impl::InnerCell<Functor, Own, typename To::view_type, To::rank()>;
    using Outer =
        impl::OuterCell<Functor, From_value, typename To::value_type, To::rank(), MemorySpace>;

    void check(int process, const ArrayLayout& layout) const {
        require<UsageError>(layout.process_count() == m_comm.size(), [&] {
            return text(name, ": expected a process grid for the ", m_comm.size(),
                        " ranks of the communicator, got one for ", layout.process_count());
        });
        require<ShapeError>(process == m_comm.rank(), [&] {
            return text(name, ": expected the section of process ", m_comm.rank(),
                        ", got the section of process ", process);
        });
    }

    /// Also creates the inner kernel.
    impl::Inspection inspect(const std::vector<IndexRange>& cells) {
        impl::Inspector inspector(m_from.layout(), m_to.layout(), m_comm.rank(),
                                  impl::strides_of(m_from.view()), impl::strides_of(m_to.view()),
                                  cells);
        impl::Inspection found = inspector.inspect(
            [&](const std::vector<std::int64_t>& cell, std::vector<std::int64_t>& indices) {
                const impl::RecordedElements<From_value, From::rank()> recorded(indices);
                ask(recorded, cell, std::make_integer_sequence<int, To::rank()>());
            });
        if (is_empty(found.inner, To::rank())) return found;
        m_inner_box = found.inner;
        m_inner.emplace(Inner{m_functor, Own(m_from.view(), inspector.shift()), m_to.view(), {}});
        for (int d = 0; d < To::rank(); ++d) {
            const LocalIndex begin = found.inner[static_cast<std::size_t>(d)].begin;
            m_inner->shift[d] = m_to.global_index(d, begin).value() - begin.value();
        }
        return found;
    }

    template <ExecutionSpace Exec>
    void make_outer(const Exec& exec, impl::Inspection found) {
        for (std::int64_t& place : found.places) {
            const From_value* const element =
                place < 0 ? m_brought.data() + ~place : m_from.view().data() + place;
            place = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(element));
        }
        m_outer.emplace(
            Outer{m_functor, m_to.view().data(), table(exec, found.cells),
                  table(exec, found.cell_at), table(exec, found.first), table(exec, found.places),
                  Kokkos::View<std::int64_t, MemorySpace>(
                      Kokkos::view_alloc(exec, impl::view_label("InspectedLoop", "overruns")))});
    }

    template <class Elements, int... Axis>
    void ask(const Elements& elements, const std::vector<std::int64_t>& cell,
             std::integer_sequence<int, Axis...>) const {
        (void)m_functor(elements, cell[static_cast<std::size_t>(Axis)]...);
    }

    template <ExecutionSpace Exec>
    static Kokkos::View<const std::int64_t*, MemorySpace>
    table(const Exec& exec, const std::vector<std::int64_t>& numbers) {
        const Kokkos::View<const std::int64_t*, Kokkos::HostSpace,
                           Kokkos::MemoryTraits<Kokkos::Unmanaged>>
            host(numbers.data(), numbers.size());
        const Kokkos::View<std::int64_t*, MemorySpace> result(
            Kokkos::view_alloc(exec, Kokkos::WithoutInitializing,
                               impl::view_label("InspectedLoop", "table")),
            numbers.size());
        Kokkos::deep_copy(exec, result, host);
        exec.fence(impl::label_of("distview::InspectedLoop: the host's table may go"));
        return result;
    }

    Communicator m_comm;
    From m_from;
    To m_to;
    Functor m_functor;
    std::optional<GatherPlan> m_plan;
    Kokkos::View<From_value*, MemorySpace> m_brought;
    LocalBox m_inner_box{};
    std::optional<Inner> m_inner;
    std::optional<Outer> m_outer;
};

/// Collective: over comm
template <ExecutionSpace Exec, DistViewLike From, DistViewLike To, class Functor>
InspectedLoop(const Exec&, const Communicator&, const From&, const To&, const Functor&)
    -> InspectedLoop<From, To, Functor>;

} // namespace distview
