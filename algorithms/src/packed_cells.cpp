// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/algorithms/impl/packed_cells.hpp>

#include <distview/algorithms/impl/whole_layout.hpp>
#include <distview/comm/agreement.hpp>
#include <distview/core/error.hpp>
#include <distview/core/text.hpp>

namespace distview::impl {

namespace {

LocalRange cell_range(const AxisLayout& axis, int p, Cells cells) {
    return cells == Cells::owned ? axis.owned_local(p) : axis.interior_local(p);
}

} // namespace

PackedSection::Row PackedSection::row(std::int64_t element) const {
    Row row;
    const auto last = static_cast<std::int64_t>(m_offsets.back().size());
    row.begin = element % last;
    row.length = last - row.begin;
    element /= last;
    for (std::size_t d = m_offsets.size() - 1; d-- > 0;) {
        const auto extent = static_cast<std::int64_t>(m_offsets[d].size());
        const std::int64_t offset = m_offsets[d][static_cast<std::size_t>(element % extent)];
        row.wanted = row.wanted && offset >= 0;
        row.base += offset;
        element /= extent;
    }
    return row;
}

GatherGeometry::GatherGeometry(const char* caller, const ArrayLayout& layout, Cells cells, int root,
                               std::size_t element_bytes)
    : m_layout(layout), m_cells(cells), m_element_bytes(static_cast<std::int64_t>(element_bytes)) {
    const int n_processes = layout.process_count();
    require<UsageError>(root >= 0 && root < n_processes, [&] {
        return text(caller, ": expected a root in [0, ", n_processes, "), got ", root);
    });
    for (int d = 0; d < layout.rank(); ++d) {
        const AxisLayout& axis = layout.axis(d);
        m_extents[static_cast<std::size_t>(d)] =
            cells == Cells::owned ? axis.protocol_size() : axis.size();
    }
}

void GatherGeometry::complete(const char* caller, const Communicator& comm) {
    m_layout = whole_layout(caller, comm, m_layout);
    agree_on(comm, caller, [&] {
        for (int d = 0; d < m_layout.rank(); ++d) {
            const AxisLayout& axis = m_layout.axis(d);
            if (axis.type() != DistType::unstructured) continue;
            const std::int64_t* const labels = axis.as_unstructured().all_labels();
            m_labels[static_cast<std::size_t>(d)].assign(labels, labels + axis.size());
        }
        for (int p = 0; p < m_layout.process_count(); ++p) {
            const GridCoordinates at = m_layout.coordinates(p);
            std::int64_t bytes = m_element_bytes;
            for (int d = 0; d < m_layout.rank(); ++d)
                bytes *=
                    cell_range(m_layout.axis(d), at[static_cast<std::size_t>(d)], m_cells).size();
            m_sizes.push_back(bytes);
        }
    });
}

void GatherGeometry::check_extents(const char* caller, const Extents& extents) const {
    require<ShapeError>(extents == m_extents, [&] {
        const auto n = static_cast<std::size_t>(m_layout.rank());
        return text(caller, ": expected an array of extents ",
                    tuple_text(std::span(m_extents).first(n)), ", got ",
                    tuple_text(std::span(extents).first(n)));
    });
}

PackedSection GatherGeometry::packed_section(int process, const Extents& strides,
                                             Copies copies) const {
    PackedSection section;
    const GridCoordinates at = m_layout.coordinates(process);
    for (std::size_t d = 0; d < static_cast<std::size_t>(m_layout.rank()); ++d) {
        const AxisLayout& axis = m_layout.axis(static_cast<int>(d));
        const LocalRange range = cell_range(axis, at[d], m_cells);
        // With Cells::owned, boundary padding precedes the interior.
        const std::int64_t before =
            axis.is_block() && m_cells == Cells::owned ? axis.as_block().boundary().low : 0;
        std::vector<std::int64_t> offsets;
        for (LocalIndex l = range.begin; l < range.end; ++l) {
            const GlobalIndex g = axis.to_global(at[d], l);
            std::int64_t index = g + before;
            if (axis.type() == DistType::unstructured) {
                const auto& labels = m_labels[d];
                index = std::lower_bound(labels.begin(), labels.end(), g.value()) - labels.begin();
                if (copies == Copies::of_owner && axis.owner(g) != at[d]) {
                    offsets.push_back(-1);
                    continue;
                }
            }
            offsets.push_back(index * strides[d]);
        }
        section.m_offsets.push_back(std::move(offsets));
    }
    // An array without axes is stored as one element along an axis that is never indexed.
    if (section.m_offsets.empty()) section.m_offsets.push_back({0});
    return section;
}

} // namespace distview::impl
