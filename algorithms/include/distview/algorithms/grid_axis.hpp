// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/algorithms/impl/line_exchange.hpp>
#include <distview/algorithms/operations.hpp>
#include <distview/comm/communicator.hpp>
#include <distview/core/element_type.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <vector>

namespace distview {

namespace impl {
struct GridAxisAccess;

/// A Kokkos::View that lines of processes exchange. Elements are exchanged in C order, whatever their order in memory.
template <class View, class Exec>
concept ExchangedView = ViewLike<View> && AccessibleFrom<View, Exec> &&
                        std::is_trivially_copyable_v<typename View::non_const_value_type> &&
                        !std::is_const_v<typename View::value_type>;

/// An operation in the element type itself, also for Sum and Product.
template <class Op, class T>
struct Elementwise {
    using value_type = T;
    Op op;
    KOKKOS_FORCEINLINE_FUNCTION T join(const T& a, const T& b) const {
        return static_cast<T>(op(a, b));
    }
};
} // namespace impl

/// Broadcast and reduction along one axis of a process grid: among processes that differ only in one coordinate.
///
/// Example: in a 2 x 3 grid, axis 1 has two lines, the rows of processes (0, 0) (0, 1) (0, 2) and (1, 0) (1, 1) (1, 2).
/// Each line has three places. Lines do not exchange anything with each other.
///
///     GridAxis row(comm, layout.grid(), 1);
///     row.broadcast(exec, 2, panel);              // copies the panel of (i, 2) to all (i, j)
///     row.all_reduce(exec, Sum{}, partial);       // the sum over j, on all (i, j)
///
/// Works on plain Kokkos Views of any memory layout; lines may differ in their extents. A line needs no communicator of
/// its own: a RedistributionPlan moves the elements, within a node through memory shared by its processes. If a place
/// receives at most 64 KiB from all places, or a line has two places, every place gets all values and joins them.
/// Otherwise values are cut into one slice for each place; each place joins its slice and sends the result back. In
/// both cases values are joined place after place in ascending order: the result has the same bits on all places and in
/// every run.
///
/// Keep a GridAxis for repeated calls: it holds the plans and buffers of the last four combinations of extents, element
/// sizes and memory spaces. axis_reduce() and scans accept a GridAxis instead of a communicator.
/// Like a plan it is movable, not copyable, and used by one thread at a time.
///
/// Collective: every call that has an execution space, over the communicator, in the same order on all ranks
/// Shapes:     equal numbers of elements on the processes of a line
/// Space:      kernels on `exec`, which have finished on return
/// Cost:       two agreements and an MPI_Allgather of 8 bytes a rank; the first call with these extents also allocates
///             buffers (three times the elements) and creates plans. For n elements on P places, every place sends and
///             receives 2 n (P - 1) / P elements, or n (P - 1) if values are not cut into slices
/// Errors:     UsageError if there is no such axis or place, or the grid does not have comm.size() processes;
///             ShapeError if the processes of a line pass different numbers of elements; UsageError if ranks pass
///             different places, element types or operations (function objects of a program are not told apart)
///             (thrown on all ranks)
/// Example:    tests/unit/algorithms/test_grid_axis.cpp
class GridAxis {
public:
    /// Collective: over comm; one agreement, no other communication
    GridAxis(const Communicator& comm, const ProcessGrid& grid, int axis);
    GridAxis(GridAxis&&) noexcept = default;
    GridAxis& operator=(GridAxis&&) noexcept = default;

    const Communicator& communicator() const noexcept { return m_comm; }
    const ProcessGrid& grid() const noexcept { return m_grid; }
    int axis() const noexcept { return m_axis; }
    /// Number of processes in a line.
    int extent() const noexcept { return m_lines.length; }
    /// This process's coordinate along the axis.
    int coordinate() const noexcept { return m_lines.place; }
    /// Bytes of all kept buffers and plans.
    std::size_t workspace_bytes() const;

    /// Copies the view of the process with coordinate `root` in the line to all views of the line.
    ///
    /// Touches: reads the view of `root`, writes the views of all other processes
    template <ExecutionSpace Exec, impl::ExchangedView<Exec> View>
    void broadcast(const Exec& exec, int root, const View& view) {
        const auto run = [&](auto& lines, const impl::Caller& caller, impl::Alone& alone) {
            lines.broadcast(root, caller, alone, exec);
        };
        exchange(exec, {"GridAxis::broadcast", root, ""}, view, coordinate() == root,
                 coordinate() != root, run);
    }
    /// Joins the views of the line's processes with `op`, element by element, in the view of the process with
    /// coordinate `root`.
    ///
    /// `op` is Sum, Product, Minimum, Maximum or an associative function object T(T here, T incoming). T is the element
    /// type, and `op` computes in it: to add up floats in double, convert them first.
    ///
    /// Touches: reads all views, writes the view of `root`
    template <ExecutionSpace Exec, class Op, impl::ExchangedView<Exec> View>
        requires JoinsElements<Op, typename View::value_type>
    void reduce(const Exec& exec, const Op& op, int root, const View& view) {
        const auto run = [&](auto& lines, const impl::Caller& caller, impl::Alone& alone) {
            lines.reduce_to(root, caller, alone, exec,
                            impl::Elementwise<Op, typename View::value_type>{op});
        };
        exchange(exec, {"GridAxis::reduce", root, impl::operation_name<Op>}, view, true,
                 coordinate() == root, run);
    }
    /// Same, with the result on all processes of the line.
    ///
    /// Touches: reads and writes all views
    template <ExecutionSpace Exec, class Op, impl::ExchangedView<Exec> View>
        requires JoinsElements<Op, typename View::value_type>
    void all_reduce(const Exec& exec, const Op& op, const View& view) {
        const auto run = [&](auto& lines, const impl::Caller& caller, impl::Alone& alone) {
            lines.reduce_to_all(caller, alone, exec,
                                impl::Elementwise<Op, typename View::value_type>{op});
        };
        exchange(exec, {"GridAxis::all_reduce", 0, impl::operation_name<Op>}, view, true, true,
                 run);
    }

private:
    friend impl::GridAxisAccess;
    struct Call {
        const char* name;
        int root;
        const char* operation; ///< empty without one
    };
    /// Returns the number of elements of every line; agrees on these numbers and on the call's arguments.
    std::vector<std::int64_t> lengths_of_lines(const Call& call, std::int64_t own,
                                               const ElementType& element) const;

    template <ExecutionSpace Exec, ViewLike View, class Run>
    void exchange(const Exec& exec, const Call& call, const View& view, bool reads, bool writes,
                  const Run& run) {
        using T = typename View::value_type;
        const CollectiveCall collective(m_comm, call.name);
        const impl::Caller caller(call.name);
        const std::vector<std::int64_t> lengths =
            lengths_of_lines(call, static_cast<std::int64_t>(view.size()), element_type<T>());
        const Extents strides = impl::strides_of(view);
        const impl::AxisLoop loop(static_cast<int>(View::rank()), -1, impl::extents_of(view),
                                  strides, strides, false);
        constexpr std::int64_t tile = impl::lines_at_once<T, Exec>;
        jointly(call.name, [&](impl::Alone& alone) {
            auto& lines = keep<typename Exec::memory_space>(exec, lengths, sizeof(T));
            T* const own = lines.template own<T>();
            alone([&] {
                lines.set_all_places(exec);
                if (reads)
                    impl::launch_units(caller, exec, loop, 1,
                                       impl::BufferKernel<T, T, impl::AsIs, true, tile>{
                                           loop, view.data(), own, {}});
            });
            run(lines, caller, alone);
            alone([&] {
                if (writes)
                    impl::launch_units(caller, exec, loop, 1,
                                       impl::BufferKernel<T, T, impl::AsIs, false, tile>{
                                           loop, own, view.data(), {}});
                exec.fence(caller.label(": the buffers may be used again"));
            });
        });
    }

    /// Calls action(alone), which makes the same collective calls on all ranks and passes local work between them to
    /// `alone`. Either all ranks throw or none; after an error, exchanges that may be incomplete are created anew.
    template <class Action>
    void jointly(const char* name, const Action& action) {
        try {
            impl::Alone alone;
            action(alone);
            agree(m_comm, name, alone.failure());
        } catch (...) {
            m_exchanges.clear();
            throw;
        }
    }

    /// The exchange of these numbers of values in the processes of each line; created by the first call.
    template <class MemorySpace, ExecutionSpace Exec>
    impl::LineExchange<MemorySpace>& keep(const Exec& exec, const std::vector<std::int64_t>& values,
                                          std::size_t value_bytes) {
        using Lines = impl::LineExchange<MemorySpace>;
        const auto bytes = static_cast<std::int64_t>(value_bytes);
        for (std::size_t i = 0; i < m_exchanges.size(); ++i) {
            auto* const kept = dynamic_cast<Lines*>(m_exchanges[i].get());
            if (!kept || !kept->is_for(values, bytes)) continue;
            move_to_end(i);
            return *kept;
        }
        auto made = agree_on(m_comm, "GridAxis", [&] {
            return std::make_unique<Lines>(exec, m_comm, m_lines, values, bytes);
        });
        Lines& result = *made;
        add(std::move(made));
        return result;
    }
    void move_to_end(std::size_t position);
    void add(std::unique_ptr<impl::LineExchangeBase> exchange);

    Communicator m_comm;
    ProcessGrid m_grid;
    int m_axis = 0;
    impl::GridLines m_lines;
    std::vector<std::unique_ptr<impl::LineExchangeBase>> m_exchanges; ///< the latest one last
};

namespace impl {
/// Gives algorithms along the axis access to private members.
struct GridAxisAccess {
    static const GridLines& lines(const GridAxis& axis) { return axis.m_lines; }
    template <class Action>
    static void jointly(GridAxis& axis, const Caller& caller, const Action& action) {
        axis.jointly(caller.name, action);
    }
    template <class MemorySpace, ExecutionSpace Exec>
    static LineExchange<MemorySpace>& keep(GridAxis& axis, const Exec& exec,
                                           const std::vector<std::int64_t>& values,
                                           std::size_t value_bytes) {
        return axis.keep<MemorySpace>(exec, values, value_bytes);
    }
};
} // namespace impl

} // namespace distview
