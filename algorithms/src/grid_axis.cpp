// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/algorithms/grid_axis.hpp>

#include <distview/comm/collectives.hpp>
#include <distview/core/hash.hpp>
#include <distview/core/text.hpp>

#include <algorithm>
#include <utility>

namespace distview {

namespace {

constexpr std::size_t most_exchanges = 4;

} // namespace

GridAxis::GridAxis(const Communicator& comm, const ProcessGrid& grid, int axis)
    : m_comm(comm), m_grid(grid), m_axis(axis) {
    const CollectiveCall call(comm, "GridAxis");
    impl::Alone alone;
    Hash digest;
    alone([&] {
        require<UsageError>(axis >= 0 && axis < grid.rank(), [&] {
            return text("GridAxis: expected an axis in [0, ", grid.rank(), "), got ", axis);
        });
        require<UsageError>(grid.size() == comm.size(), [&] {
            return text("GridAxis: expected a grid of ", comm.size(), " processes, got ",
                        grid.describe());
        });
        m_lines = impl::GridLines(grid, axis, comm.rank());
        m_exchanges.reserve(most_exchanges);
        for (int d = 0; d < grid.rank(); ++d) digest.add(grid.extent(d));
        digest.add(axis);
    });
    agree(comm, "GridAxis", alone.failure(), digest.value(),
          [&] { return std::vector<Argument>{{"grid", grid.describe()}, {"axis", text(axis)}}; });
}

std::size_t GridAxis::workspace_bytes() const {
    std::size_t bytes = 0;
    for (const auto& exchange : m_exchanges) bytes += exchange->workspace_bytes();
    return bytes;
}

std::vector<std::int64_t> GridAxis::lengths_of_lines(const Call& call, std::int64_t own,
                                                     const ElementType& element) const {
    impl::Alone alone;
    std::vector<std::int64_t> all, lengths;
    alone([&] {
        require<UsageError>(call.root >= 0 && call.root < extent(), [&] {
            return text(call.name, ": expected a root in [0, ", extent(), "), got ", call.root);
        });
        all.resize(static_cast<std::size_t>(m_comm.size()));
        lengths.resize(static_cast<std::size_t>(m_lines.count));
    });
    agree(m_comm, call.name, alone.failure(),
          hash_of(call.root, element.bytes, element.kind, call.operation), [&] {
              return std::vector<Argument>{{"root", text(call.root)},
                                           {"element type", describe(element)},
                                           {"operation", call.operation}};
          });
    impl::all_gather(m_comm, &own, all.data(), sizeof(own)); // all ranks reach this call
    for (int line = 0; line < m_lines.count; ++line) {
        const int first = m_lines.process(line, 0);
        lengths[static_cast<std::size_t>(line)] = all[static_cast<std::size_t>(first)];
        for (int place = 1; place < m_lines.length; ++place) {
            const int other = m_lines.process(line, place);
            require<ShapeError>(
                all[static_cast<std::size_t>(other)] == all[static_cast<std::size_t>(first)], [&] {
                    return text(
                        call.name,
                        ": expected equal numbers of elements on all processes of a line, got ",
                        all[static_cast<std::size_t>(first)], " on rank ", first, " and ",
                        all[static_cast<std::size_t>(other)], " on rank ", other);
                });
        }
    }
    return lengths;
}

void GridAxis::move_to_end(std::size_t position) {
    const auto kept = m_exchanges.begin() + static_cast<std::ptrdiff_t>(position);
    std::rotate(kept, kept + 1, m_exchanges.end());
}

void GridAxis::add(std::unique_ptr<impl::LineExchangeBase> exchange) {
    if (m_exchanges.size() >= most_exchanges) m_exchanges.erase(m_exchanges.begin());
    m_exchanges.push_back(std::move(exchange));
}

} // namespace distview
