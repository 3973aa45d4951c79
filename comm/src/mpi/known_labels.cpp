// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/mpi/known_labels.hpp>

#include <distview/comm/agreement.hpp>
#include <distview/comm/impl/mpi/sparse_exchange.hpp>
#include <distview/core/error.hpp>
#include <distview/core/hash.hpp>
#include <distview/core/text.hpp>

#include <cstddef>
#include <vector>

namespace distview::impl {

bool is_partly_known(const AxisLayout& axis) {
    return axis.type() == DistType::unstructured && axis.as_unstructured().known_process() >= 0;
}

bool is_partly_known(const ArrayLayout& layout) {
    for (int d = 0; d < layout.rank(); ++d)
        if (is_partly_known(layout.axis(d))) return true;
    return false;
}

void check_known_labels(const char* caller, const ArrayLayout& layout, int process,
                        const char* what) {
    if (process < 0) return;
    const GridCoordinates at = layout.coordinates(process);
    for (int d = 0; d < layout.rank(); ++d) {
        if (!is_partly_known(layout.axis(d))) continue;
        const int known = layout.axis(d).as_unstructured().known_process();
        const int expected = at[static_cast<std::size_t>(d)];
        require<LayoutError>(known == expected, [&] {
            return text(caller, ": axis ", d, " of the ", what,
                        ": expected the indices of this process's coordinate ", expected,
                        ", got the indices of coordinate ", known);
        });
    }
}

int first_beside(const ArrayLayout& layout, int process, int axis) {
    const GridCoordinates mine = layout.coordinates(process);
    int first = 0;
    for (int d = 0; d < layout.rank(); ++d)
        first =
            first * layout.grid().extent(d) + (d == axis ? mine[static_cast<std::size_t>(d)] : 0);
    return first;
}

std::span<const std::int64_t> owned_labels(const AxisLayout& axis, int coordinate) {
    return {axis.as_unstructured().labels(coordinate),
            static_cast<std::size_t>(axis.owned_local(coordinate).size())};
}

void require_same_labels(const Communicator& comm, const char* caller, const ArrayLayout& layout) {
    for (int d = 0; d < layout.rank(); ++d) {
        const AxisLayout& axis = layout.axis(d);
        if (!is_partly_known(axis) || layout.grid().extent(d) == comm.size()) continue;
        const int first = first_beside(layout, comm.rank(), d);
        const int coordinate = layout.coordinates(comm.rank())[static_cast<std::size_t>(d)];
        Hash digest;
        digest.add(axis.local_extent(coordinate));
        for (const std::int64_t label : owned_labels(axis, coordinate)) digest.add(label);
        const std::uint64_t mine = digest.value();
        exchange_records<std::uint64_t>(
            comm, caller,
            [&] { return std::vector<Parcel<std::uint64_t>>{{first, std::span(&mine, 1)}}; },
            [&](int rank, std::uint64_t theirs) {
                require<LayoutError>(theirs == mine, [&] {
                    return text(caller, ": expected processes with the same coordinate along axis ",
                                d, " to list the same indices, got different lists on ranks ", rank,
                                " and ", comm.rank());
                });
            });
    }
}

} // namespace distview::impl
