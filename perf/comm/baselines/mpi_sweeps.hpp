// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <mpi.h>

#include <array>

namespace distview::perf {

/// The textbook exchange of a periodic brick with padding of one cell: MPI_Sendrecv of subarray types on a Cartesian
/// communicator, one axis after the other, so that the later axes carry the corners.
class MpiSweeps {
public:
    /// `grid`: processes along each axis, ranks in MPI_Cart_create()'s order; `extents`: cells, padding included.
    MpiSweeps(MPI_Comm comm, const std::array<int, 3>& grid, const std::array<int, 3>& extents,
              double* array)
        : m_array(array) {
        const std::array<int, 3> periodic{1, 1, 1};
        MPI_Cart_create(comm, 3, grid.data(), periodic.data(), 0, &m_comm);
        for (int axis = 0; axis < 3; ++axis) {
            Axis& a = m_axes[static_cast<std::size_t>(axis)];
            const int n = extents[static_cast<std::size_t>(axis)];
            MPI_Cart_shift(m_comm, axis, 1, &a.below, &a.above);
            a.planes = {plane(extents, axis, 0), plane(extents, axis, 1),
                        plane(extents, axis, n - 2), plane(extents, axis, n - 1)};
        }
    }
    ~MpiSweeps() {
        for (Axis& axis : m_axes)
            for (MPI_Datatype& type : axis.planes) MPI_Type_free(&type);
        MPI_Comm_free(&m_comm);
    }
    MpiSweeps(const MpiSweeps&) = delete;
    MpiSweeps& operator=(const MpiSweeps&) = delete;

    void execute() const {
        for (const Axis& axis : m_axes) {
            const auto& [low_padding, low, high, high_padding] = axis.planes;
            MPI_Sendrecv(m_array, 1, high, axis.above, 0, m_array, 1, low_padding, axis.below, 0,
                         m_comm, MPI_STATUS_IGNORE);
            MPI_Sendrecv(m_array, 1, low, axis.below, 1, m_array, 1, high_padding, axis.above, 1,
                         m_comm, MPI_STATUS_IGNORE);
        }
    }

private:
    struct Axis {
        int below = 0;
        int above = 0;
        std::array<MPI_Datatype, 4> planes{}; ///< padding, first and last cells, padding
    };
    static MPI_Datatype plane(const std::array<int, 3>& extents, int axis, int at) {
        std::array<int, 3> part = extents;
        std::array<int, 3> starts{};
        part[static_cast<std::size_t>(axis)] = 1;
        starts[static_cast<std::size_t>(axis)] = at;
        MPI_Datatype type = MPI_DATATYPE_NULL;
        MPI_Type_create_subarray(3, extents.data(), part.data(), starts.data(), MPI_ORDER_C,
                                 MPI_DOUBLE, &type);
        MPI_Type_commit(&type);
        return type;
    }

    double* m_array;
    MPI_Comm m_comm = MPI_COMM_NULL;
    std::array<Axis, 3> m_axes;
};

} // namespace distview::perf
