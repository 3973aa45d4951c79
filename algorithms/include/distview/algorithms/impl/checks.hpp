// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/algorithms/cells.hpp>
#include <distview/algorithms/impl/cell_loop.hpp>
#include <distview/comm/agreement.hpp>
#include <distview/comm/communicator.hpp>
#include <distview/core/checked_events.hpp>
#include <distview/core/checking.hpp>
#include <distview/core/element_type.hpp>
#include <distview/core/error.hpp>
#include <distview/core/text.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace distview::impl {

/// Throws UsageError unless a section is this rank's section of an array over all of comm.
void check_array(const char* caller, const Communicator& comm, const ArrayLayout& layout,
                 int process);

/// The shift from positions in a section of `from` to positions of the same cells in a section of `to`; only padding
/// may differ between the two. Throws ShapeError if their cells differ. Bit d of `skipped`: cells along axis d are not
/// compared.
Extents shift_between(const char* caller, const ArrayLayout& from, int from_process,
                      const ArrayLayout& to, int to_process, Cells cells,
                      std::uint32_t skipped = 0);

/// A section that is matched with another one; its label is created only for errors.
struct SectionPlace {
    const ArrayLayout& layout;
    int process;
    const void* view;
    std::string (*label_of)(const void* view);

    std::string label() const { return label_of(view); }
};
template <DistViewLike View>
SectionPlace place_of(const View& view) {
    return {view.layout(), view.process(), &view,
            [](const void* its) { return static_cast<const View*>(its)->label(); }};
}

/// Advice on aligning an array `from` whose cells differ from `to`'s. `may_differ`: axes whose extents may differ.
std::string advice(const SectionPlace& to, const SectionPlace& from,
                   const std::function<bool(int)>& may_differ = {});

/// Runs local work before a collective call, or between two. It keeps an exception and skips the work that follows, so
/// that this rank still reaches the calls in which other ranks wait for it.
class Alone {
public:
    template <class Action>
    void operator()(Action&& action) {
        if (m_failure) return;
        try {
            std::forward<Action>(action)();
        } catch (...) {
            m_failure = std::current_exception();
        }
    }
    const std::exception_ptr& failure() const noexcept { return m_failure; }

private:
    std::exception_ptr m_failure;
};

/// Arguments that must be equal on all ranks.
struct CommonArguments {
    const ArrayLayout* layout = nullptr;
    Cells cells = Cells::interior;
    ElementType element{};
    std::span<const std::uint64_t> arrays{}; ///< DistView::identity()
    int root = 0;
    std::size_t result_bytes = 0; ///< of a reduction
    const char* order = "";       ///< of a sort

    std::uint64_t digest() const;
    std::vector<Argument> list() const;
};

/// Agrees on this rank's failure in computing and on the arguments.
void agree_on_arguments(const Communicator& comm, const Caller& caller,
                        const std::exception_ptr& failure, const CommonArguments& arguments);

/// In the checking mode, throws UsageError if elements of sections are poison.
template <DistViewLike... Views>
void check_elements(const char* caller, const Views&... views) {
    const auto check = [caller](const auto& state) {
        if (state && state->checked) require_no_poison(caller, *state->checked);
    };
    if (is_checking()) (check(state_of(views)), ...);
}

/// Runs `action`, which may throw, also on some ranks only; agrees on its outcome, on arrays and on other arguments.
template <class Action, DistViewLike View, DistViewLike... Others>
void compute_alike(const Caller& caller, const Communicator& comm, CommonArguments arguments,
                   Action&& action, const View& view, const Others&... others) {
    const std::array arrays{view.identity(), others.identity()...};
    arguments.layout = &view.layout();
    arguments.element = element_type<typename View::non_const_value_type>();
    arguments.arrays = arrays;
    Alone alone;
    alone([&] {
        check_array(caller.name, comm, view.layout(), view.process());
        action();
    });
    agree_on_arguments(comm, caller, alone.failure(), arguments);
}

template <int Rank>
struct Shift {
    std::int64_t by[CellBox<Rank>::axes] = {};
};

/// Same; the error also names a call that aligns `from` with `to`.
template <DistViewLike To, DistViewLike From>
Shift<To::rank()> shift_between(const char* caller, const To& to, const From& from, Cells cells) {
    Extents all{};
    try {
        all =
            shift_between(caller, to.layout(), to.process(), from.layout(), from.process(), cells);
    } catch (const ShapeError& error) {
        throw ShapeError(text(error.what(), advice(place_of(to), place_of(from))));
    }
    Shift<To::rank()> shift;
    for (int d = 0; d < To::rank(); ++d) shift.by[d] = all[static_cast<std::size_t>(d)];
    return shift;
}

/// The elements of a view that a kernel visits: `rank` extents, and `rank` strides in bytes.
struct VisitedCells {
    const char* first = nullptr;
    std::int64_t element_bytes = 0;
    std::size_t rank = 0;
    Extents extents{};
    Extents strides{};
};

/// The elements of a view at position * factor + shift for the positions of `box`, which is not empty; a factor is 1 or
/// 0. Null: all shifts are 0, all factors 1.
template <ViewLike View, int Rank>
VisitedCells visited_cells(const View& view, const CellBox<Rank>& box,
                           const std::int64_t* shift = nullptr,
                           const std::int64_t* factor = nullptr) {
    constexpr auto size = static_cast<std::int64_t>(sizeof(typename View::value_type));
    VisitedCells cells{reinterpret_cast<const char*>(view.data()), size, Rank, {}, {}};
    for (std::size_t d = 0; d < Rank; ++d) {
        const bool spreads = factor && factor[d] == 0;
        cells.strides[d] = static_cast<std::int64_t>(view.stride(d)) * size;
        cells.extents[d] = spreads ? 1 : box.end[d] - box.begin[d];
        cells.first += ((spreads ? 0 : box.begin[d]) + (shift ? shift[d] : 0)) * cells.strides[d];
    }
    return cells;
}

/// Throws UsageError if cells that are written share memory with other cells that are read.
void require_apart(const char* caller, const VisitedCells& to, const VisitedCells& from);

/// A view read and written at the positions of another array's section.
template <ViewLike View>
struct ShiftedView {
    View view;
    Shift<static_cast<int>(View::rank())> shift;

    template <class... Indices>
    KOKKOS_FORCEINLINE_FUNCTION decltype(auto) operator()(Indices... at) const {
        return element(std::make_integer_sequence<int, static_cast<int>(sizeof...(Indices))>(),
                       at...);
    }

private:
    template <int... Axis, class... Indices>
    KOKKOS_FORCEINLINE_FUNCTION decltype(auto) element(std::integer_sequence<int, Axis...>,
                                                       Indices... at) const {
        return view((at + static_cast<Indices>(shift.by[Axis]))...);
    }
};

} // namespace distview::impl
