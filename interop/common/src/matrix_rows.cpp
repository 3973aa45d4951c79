// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/interop/matrix_rows.hpp>

#include <distview/comm/agreement.hpp>
#include <distview/core/text.hpp>

#include <algorithm>
#include <cstddef>

namespace distview {

MatrixRow::MatrixRow(const RowNumbering& numbering) : m_numbering(numbering) {
    const ArrayLayout& layout = numbering.layout();
    const GridCoordinates at = layout.coordinates(numbering.communicator().rank());
    for (int d = 0; d < layout.rank(); ++d) {
        const auto axis = static_cast<std::size_t>(d);
        if (!layout.axis(d).is_block()) continue;
        const GlobalRange mine = layout.axis(d).as_block().interior(at[axis]);
        m_first[axis] = mine.begin;
        m_extents[axis] = mine.size();
    }
}

void MatrixRow::add(double value, std::initializer_list<std::int64_t> offset) {
    const ArrayLayout& layout = m_numbering.layout();
    require<UsageError>(static_cast<int>(offset.size()) == layout.rank(), [&] {
        return text("MatrixRow::add: expected an offset for each of ", layout.rank(), " axes, got ",
                    tuple_text(offset));
    });
    std::array<GlobalIndex, max_rank> index = m_index;
    bool is_mine = m_numbering.is_contiguous();
    std::int64_t cell = 0;
    for (std::size_t d = 0; d < offset.size(); ++d) {
        const std::int64_t step = offset.begin()[d];
        index[d] += step;
        // Most columns belong to this process; they need no division.
        const std::int64_t position = index[d] - m_first[d];
        is_mine = is_mine && position >= 0 && position < m_extents[d];
        cell = cell * m_extents[d] + position;
    }
    if (is_mine) {
        add_entry(m_number - m_cell + cell, value);
        return;
    }
    for (std::size_t d = 0; d < offset.size(); ++d) {
        const std::int64_t step = offset.begin()[d];
        const AxisLayout& axis = layout.axis(static_cast<int>(d));
        if (axis.type() == DistType::unstructured) {
            require<UsageError>(step == 0, [&] {
                return text("MatrixRow::add: expected the offset 0 along axis ", d,
                            ", whose indices are labels, got ", step, "; use add_at() for labels");
            });
            continue;
        }
        const std::int64_t n = axis.size();
        if (axis.periodic()) index[d] = GlobalIndex(((index[d].value() % n) + n) % n);
        if (index[d] < 0 || index[d] >= n) return;
    }
    add_cell(value, std::span<const GlobalIndex>(index).first(offset.size()));
}

void MatrixRow::add_cell(double value, std::span<const GlobalIndex> index) {
    const std::int64_t column = m_numbering.row(index);
    require<UsageError>(column >= 0, [&] {
        return text(
            "MatrixRow::add_at: expected the index of a cell whose row this process knows, got ",
            tuple_text(index));
    });
    add_entry(column, value);
}

// Insertion keeps the order: rows have few entries, which arrive nearly in order.
void MatrixRow::add_entry(std::int64_t column, double value) {
    auto at = m_entries.end();
    while (at != m_entries.begin() && (at - 1)->column > column) --at;
    if (at != m_entries.begin() && (at - 1)->column == column)
        (at - 1)->value += value;
    else
        m_entries.insert(at, {column, value});
}

/// Makes and empties MatrixRow objects.
class MatrixRowsBuilder {
public:
    MatrixRowsBuilder(const RowNumbering& numbering, MatrixRows& rows)
        : m_row(numbering), m_rows(rows) {}

    void add_row(std::int64_t cell, const impl::RowFunction& function) {
        const RowNumbering& numbering = m_rows.numbering;
        m_row.m_cell = cell;
        m_row.m_number = numbering.row_of_cell(cell);
        if (cell == 0 || !step()) m_row.m_index = numbering.index(m_row.m_number);
        m_row.m_entries.clear();
        function(m_row, m_row.m_index.data());
        for (const auto& [column, value] : m_row.m_entries) {
            m_rows.columns.push_back(column);
            m_rows.values.push_back(value);
        }
        m_rows.offsets.push_back(static_cast<std::int64_t>(m_rows.columns.size()));
    }

private:
    /// Advances to the next cell along the last axis; false if the axis is not block or ends here.
    bool step() {
        const std::size_t last = static_cast<std::size_t>(m_rows.numbering.layout().rank()) - 1;
        if (m_row.m_index[last] + 1 - m_row.m_first[last] >= m_row.m_extents[last]) return false;
        m_row.m_index[last] += 1;
        return true;
    }

    MatrixRow m_row;
    MatrixRows& m_rows;
};

namespace impl {

void require_matrix_rows(const char* caller, const MatrixRows& rows) {
    require<UsageError>(rows.local_rows() == rows.numbering.local_rows(), [&] {
        return text(caller, ": expected the numbering's ", rows.numbering.local_rows(),
                    " rows on this rank, got ", rows.local_rows());
    });
    const auto entries = static_cast<std::int64_t>(rows.columns.size());
    require<UsageError>(
        rows.offsets.front() == 0 && std::ranges::is_sorted(rows.offsets) &&
            rows.offsets.back() == entries && rows.values.size() == rows.columns.size(),
        [&] {
            return text(caller,
                        ": expected offsets that ascend from 0 to the number of entries, got ",
                        rows.offsets.front(), " to ", rows.offsets.back(), " for ", entries,
                        " columns and ", rows.values.size(), " values");
        });
    for (std::size_t r = 0; r + 1 < rows.offsets.size(); ++r) {
        std::int64_t before = -1;
        for (auto e = static_cast<std::size_t>(rows.offsets[r]);
             e < static_cast<std::size_t>(rows.offsets[r + 1]); ++e) {
            const std::int64_t column = rows.columns[e];
            require<UsageError>(column > before && column < rows.numbering.rows(), [&] {
                return text(caller, ": expected columns from 0 to ", rows.numbering.rows() - 1,
                            " in ascending order within a row, got ", column,
                            before < 0 ? text(" as the first column") : text(" after ", before),
                            " in row ", rows.numbering.row_of_cell(static_cast<std::int64_t>(r)));
            });
            before = column;
        }
    }
}

MatrixRows assemble_rows(const RowNumbering& numbering, const RowFunction& function) {
    return agree_on(numbering.communicator(), "assemble", [&] {
        require<UsageError>(function != nullptr, [&] {
            return text("assemble: expected a function with the parameters MatrixRow& and ",
                        numbering.layout().rank(),
                        " GlobalIndex (at most 4), got other parameters");
        });
        MatrixRows rows{numbering};
        rows.offsets.reserve(static_cast<std::size_t>(numbering.local_rows()) + 1);
        MatrixRowsBuilder builder(numbering, rows);
        for (std::int64_t cell = 0; cell < numbering.local_rows(); ++cell)
            builder.add_row(cell, function);
        return rows;
    });
}

} // namespace impl

} // namespace distview
