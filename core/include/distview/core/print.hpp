// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/dist_view.hpp>

#include <iomanip>
#include <ostream>
#include <sstream>
#include <string>

namespace distview {

namespace impl {

/// Element at a run-time multi-index.
template <ViewLike View, class Indices>
decltype(auto) element(const View& view, const Indices& at) {
    return [&]<std::size_t... Axis>(std::index_sequence<Axis...>) -> decltype(auto) {
        return view(at[Axis]...);
    }(std::make_index_sequence<View::rank()>());
}

} // namespace impl

/// Writes a section as readable text: one line per row of the last axis, communication padding and ghosts in
/// parentheses, boundary padding in square brackets.
///
///     u: process 1 of 2, section (10)
///       (7)    8    9   10   11   12   13   14   15  [16]
///
/// Collective: no (local)
/// Space:      host only; work that writes the view must have finished
/// Cost:       meant for small arrays
template <DistViewLike View>
    requires AccessibleFrom<View, Kokkos::DefaultHostExecutionSpace>
void print(std::ostream& out, const View& view) {
    constexpr int rank = View::rank();
    Extents extents{};
    std::int64_t count =
        view.view().data() ? 1 : 0; // a default-constructed array without axes has no element
    for (int d = 0; d < rank; ++d) {
        const auto extent =
            static_cast<std::int64_t>(view.view().extent(static_cast<std::size_t>(d)));
        extents[static_cast<std::size_t>(d)] = extent;
        count = extent == 0 ? 0 : count * extent;
    }
    out << view.label() << ": process " << view.process() << " of " << view.layout().process_count()
        << ", section (";
    for (int d = 0; d < rank; ++d) out << (d ? ", " : "") << extents[static_cast<std::size_t>(d)];
    out << ")\n";

    Extents at{};
    for (std::int64_t i = 0; i < count; ++i) {
        bool owned = true;
        bool interior = true;
        for (int d = 0; d < rank; ++d) {
            const LocalIndex l(at[static_cast<std::size_t>(d)]);
            owned = owned && view.owned_range(d).contains(l);
            interior = interior && view.interior_range(d).contains(l);
        }
        std::ostringstream element;
        element << impl::element(view.view(), at);
        const char* open = interior ? "" : owned ? "[" : "(";
        const char* close = interior ? " " : owned ? "]" : ")";
        out << std::setw(12) << open + element.str() + close;

        int d = rank - 1;
        for (; d >= 0; --d) {
            auto& index = at[static_cast<std::size_t>(d)];
            if (++index < extents[static_cast<std::size_t>(d)]) break;
            index = 0;
            out << '\n';
        }
    }
    if (rank == 0) out << '\n';
}

} // namespace distview
