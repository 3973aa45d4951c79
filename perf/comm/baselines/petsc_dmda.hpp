// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "section.hpp"

#ifdef DISTVIEW_PERF_HAVE_PETSC

#include <petscdmda.h>

#include <array>
#include <cstddef>
#include <type_traits>

namespace distview::perf {

/// PETSc's distributed array: DMLocalToLocal, which updates the padding of a local vector in place.
/// (DMGlobalToLocal would copy all owned cells as well.)
class PetscDmda {
public:
    PetscDmda(MPI_Comm comm, const Section& section) {
        static_assert(std::is_same_v<PetscScalar, double>, "PETSc of real double is needed");
        PETSC_COMM_WORLD = comm;
        PetscInitializeNoArguments();
        std::array<PetscInt, 3> cells{};
        std::array<PetscInt, 3> ranks{1, 1, 1};
        std::array<DMBoundaryType, 3> boundary{};
        ranks[static_cast<std::size_t>(section.split_axis)] = section.ranks;
        PetscInt width = 0;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            cells[axis] = static_cast<PetscInt>(section.cells[axis]) * ranks[axis];
            const bool padded = section.width[axis] > 0;
            boundary[axis] = padded ? DM_BOUNDARY_PERIODIC : DM_BOUNDARY_NONE;
            if (padded) width = static_cast<PetscInt>(section.width[axis]);
        }
        // PETSc's x is the fastest axis.
        DMDACreate3d(comm, boundary[2], boundary[1], boundary[0], DMDA_STENCIL_BOX, cells[2],
                     cells[1], cells[0], static_cast<PetscMPIInt>(ranks[2]),
                     static_cast<PetscMPIInt>(ranks[1]), static_cast<PetscMPIInt>(ranks[0]), 1,
                     width, nullptr, nullptr, nullptr, &m_grid);
        DMSetUp(m_grid);
        DMCreateLocalVector(m_grid, &m_local);
        VecGetArray(m_local, &m_array);
        VecRestoreArray(m_local, &m_array); // the memory stays where it is
    }
    ~PetscDmda() {
        VecDestroy(&m_local);
        DMDestroy(&m_grid);
    }
    PetscDmda(const PetscDmda&) = delete;
    PetscDmda& operator=(const PetscDmda&) = delete;

    /// The section, in the same order as ours.
    double* array() { return m_array; }

    void execute() {
        DMLocalToLocalBegin(m_grid, m_local, INSERT_VALUES, m_local);
        DMLocalToLocalEnd(m_grid, m_local, INSERT_VALUES, m_local);
    }

private:
    DM m_grid = nullptr;
    Vec m_local = nullptr;
    double* m_array = nullptr;
};

} // namespace distview::perf

#endif
