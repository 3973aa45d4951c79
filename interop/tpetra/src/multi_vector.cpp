// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "guarded.hpp"
#include "states.hpp"

#include <distview/core/text.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace distview::tpetra {

namespace impl {

namespace {

using Dual = TrilinosVector::dual_view_type;

constexpr bool on_host =
    Kokkos::SpaceAccessibility<Kokkos::HostSpace, Device::memory_space>::accessible;

/// Position of a section's columns in memory.
struct Columns {
    double* data = nullptr;
    std::int64_t count = 1;
    std::int64_t stride = 0;
};

LocalRange range_of(const Section& section, int d, Rows rows) {
    const AxisLayout& axis = section.layout.axis(d);
    const int at = section.layout.coordinates(section.process)[static_cast<std::size_t>(d)];
    if (rows == Rows::with_ghosts && axis.type() == DistType::unstructured)
        return {LocalIndex(0), LocalIndex(axis.local_extent(at))};
    return axis.interior_local(at);
}

/// The axes whose extent on this process is not 1, the fastest in memory first, without the axis `fields` (-1 if the
/// section has no fields).
std::vector<int> axes_by_stride(const Section& section, Rows rows, int fields) {
    std::vector<int> axes;
    for (int d = 0; d < section.layout.rank(); ++d)
        if (d != fields && range_of(section, d, rows).size() != 1) axes.push_back(d);
    std::sort(axes.begin(), axes.end(), [&](int a, int b) {
        return section.strides[static_cast<std::size_t>(a)] <
               section.strides[static_cast<std::size_t>(b)];
    });
    return axes;
}

/// The slowest axis in memory if it can count k fields: k elements on one process. Otherwise -1.
int field_axis(const Section& section, std::int64_t k) {
    const int last = section.layout.rank() - 1;
    const int d = section.is_first_slowest ? 0 : last;
    const bool fits =
        last >= 0 && section.layout.axis(d).size() == k && section.layout.axis(d).grid_size() == 1;
    return fits ? d : -1;
}

/// The layout with an additional first axis of `count` fields.
ArrayLayout with_fields(std::int64_t count, const ArrayLayout& layout) {
    std::vector<int> grid{1};
    std::vector<AxisSpec> axes{block(count)};
    for (int d = 0; d < layout.rank(); ++d) {
        grid.push_back(layout.grid().extent(d));
        axes.push_back(axis_spec(layout.axis(d)));
    }
    return {ProcessGrid(std::span<const int>(grid)), axes};
}

/// Throws ShapeError unless the array has the layout of the map's numbering and is in C order. Local.
void require_numbering(const Section& section, const RowNumbering& rows, const Columns& columns,
                       int fields) {
    const bool has_layout =
        fields < 0 ? section.layout == rows.layout()
                   : fields == 0 && section.layout == with_fields(columns.count, rows.layout());
    require<ShapeError>(has_layout, [&] {
        return text(
            "tpetra::MultiVector: expected an array without padding, with the layout of "
            "the map's RowNumbering, a ",
            (fields < 0 ? rows.layout() : with_fields(columns.count, rows.layout())).describe(),
            "\ngot '", section.label, "', a ", section.layout.describe(),
            "\nmake_solver_arrays() makes a padded array and one without padding");
    });
    const std::vector<int> axes = axes_by_stride(section, Rows::interior, fields);
    const bool is_ordered = rows.local_rows() == 0 || std::is_sorted(axes.rbegin(), axes.rend());
    require<ShapeError>(is_ordered, [&] {
        return text("tpetra::MultiVector: expected '", section.label,
                    "' in C order (LayoutRight), the order of the map's rows, got axes in another "
                    "order in memory");
    });
}

Columns columns_of(const Section& section, const Map& map, std::int64_t map_size, Rows rows) {
    const std::int64_t size = section.layout.size();
    Columns found{section.data, 1, std::max<std::int64_t>(map.local_size(), 1)};
    int fields = -1;
    if (rows == Rows::interior && map_size > 0 && size != map_size && size % map_size == 0) {
        found.count = size / map_size;
        fields = field_axis(section, found.count);
        require<ShapeError>(fields >= 0, [&] {
            return text("tpetra::MultiVector: expected the axis of '", section.label,
                        "' that varies slowest in memory to have ", found.count,
                        " elements on one process, one for each column of ", map_size,
                        " rows, got a ", section.layout.describe());
        });
        found.stride = section.strides[static_cast<std::size_t>(fields)];
    }
    if (map.state()->numbering && rows == Rows::interior)
        require_numbering(section, *map.state()->numbering, found, fields);

    std::int64_t here = 1, offset = 0;
    for (int d = 0; d < section.layout.rank(); ++d) {
        const LocalRange range = range_of(section, d, rows);
        offset += range.begin.value() * section.strides[static_cast<std::size_t>(d)];
        if (d != fields) here *= range.size();
    }
    require<ShapeError>(here == map.local_size(), [&] {
        return text("tpetra::MultiVector: expected ", map.local_size(), " elements of '",
                    section.label, "' on this process, one for each row of the map, got ", here);
    });
    if (here == 0) return {section.data, found.count, 1};

    std::int64_t run = 1;
    for (const int d : axes_by_stride(section, rows, fields)) {
        require<ShapeError>(section.strides[static_cast<std::size_t>(d)] == run, [&] {
            return text("tpetra::MultiVector: expected the elements of '", section.label,
                        "' contiguous in memory, got a stride of ",
                        section.strides[static_cast<std::size_t>(d)], " instead of ", run,
                        " along axis ", d, "; pass an array without padding");
        });
        run *= range_of(section, d, rows).size();
    }
    require<ShapeError>(found.count == 1 || found.stride >= here, [&] {
        return text("tpetra::MultiVector: expected the fields of '", section.label, "' at least ",
                    here, " elements apart in memory, the length of a field, got ", found.stride,
                    " elements");
    });
    found.data += offset;
    return found;
}

/// A DualView of the columns and of their mirror on the host; it owns neither memory.
Dual dual_view(double* data, double* mirror, std::int64_t rows, const Columns& columns) {
    const auto n = static_cast<std::size_t>(rows), k = static_cast<std::size_t>(columns.count);
    const auto stride = static_cast<std::size_t>(std::max(columns.stride, std::int64_t(1)));
    // A LayoutLeft view's stride is its extent: make views as long as the stride, and cut them to the rows.
    const typename Dual::t_dev device(data, stride, k);
    const typename Dual::t_host host(mirror, stride, k);
    const std::pair<std::size_t, std::size_t> cut(0, n);
    Dual dual(Kokkos::subview(device, cut, Kokkos::ALL()),
              Kokkos::subview(host, cut, Kokkos::ALL()));
    if constexpr (!on_host) dual.modify_device();
    return dual;
}

} // namespace

void require_reachable(const char* caller, const char* what, const char* space) {
    const std::string_view own = Device::memory_space::name();
    require<UsageError>(own == space, [&] {
        return text(caller, ": expected ", what, " in ", own,
                    ", the memory space of the installed Tpetra, got arrays in ", space);
    });
}

} // namespace impl

MultiVector::MultiVector(const Map& map, const impl::Section& section, Rows rows) {
    const Communicator& comm = map.communicator();
    const CollectiveCall call(comm, "tpetra::MultiVector");
    const std::int64_t map_size = map.size();
    std::shared_ptr<impl::VectorState> state;
    const impl::Columns columns = agree_on(comm, "tpetra::MultiVector", [&] {
        require<UsageError>(
            section.process == comm.rank() && section.layout.process_count() == comm.size(), [&] {
                return text("tpetra::MultiVector: expected the section of process ", comm.rank(),
                            " of ", comm.size(), ", got the section of process ", section.process,
                            " of ", section.layout.process_count());
            });
        // If Tpetra works on the host, it reaches all host memory, whatever the name of its space.
        if (!(impl::on_host && section.is_host_accessible))
            impl::require_reachable("tpetra::MultiVector", "arrays", section.space);
        state = std::make_shared<impl::VectorState>(impl::VectorState{map, section.array});
        const impl::Columns found = impl::columns_of(section, map, map_size, rows);
        for (std::int64_t k = 0; k < found.count; ++k)
            state->columns.push_back(found.data ? found.data + k * found.stride : nullptr);
        return found;
    });
    impl::guarded(comm, "tpetra::MultiVector", [&] {
        double* mirror = columns.data;
        if constexpr (!impl::on_host) {
            state->host_mirror.resize(static_cast<std::size_t>(columns.stride * columns.count));
            mirror = state->host_mirror.data();
        }
        state->vector = Teuchos::rcp(new impl::TrilinosVector(
            map.state()->map, impl::dual_view(columns.data, mirror, map.local_size(), columns)));
    });
    m_state = std::move(state);
}

const Map& MultiVector::map() const { return m_state->map; }
int MultiVector::columns() const { return static_cast<int>(m_state->columns.size()); }
double* MultiVector::data(int column) const {
    require<UsageError>(column >= 0 && column < columns(), [&] {
        return text("tpetra::MultiVector::data: expected a column in [0, ", columns(), "), got ",
                    column);
    });
    return m_state->columns[static_cast<std::size_t>(column)];
}

Teuchos::RCP<Tpetra::MultiVector<double>> rcp(const MultiVector& vector) {
    return vector.state()->vector;
}

} // namespace distview::tpetra
