// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "petsc_runtime.hpp"
#include "section.hpp"

#ifdef DISTVIEW_PERF_HAVE_PETSC

#include <petscdmda.h>
#include <petscsf.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace distview::perf {

/// PETSc's distributed array: DMLocalToLocal updates the padding of a local vector in place, but also copies every
/// cell onto itself; DMGlobalToLocal would copy the cells from a second vector.
class PetscDmda {
public:
    PetscDmda(const Petsc& petsc, const Section& section, double* array) : m_comm(petsc.comm()) {
        static_assert(std::is_same_v<PetscScalar, double>, "PETSc of real double is needed");
        std::array<PetscInt, 3> cells{};
        std::array<PetscInt, 3> ranks{1, 1, 1};
        std::array<DMBoundaryType, 3> boundary{};
        ranks[static_cast<std::size_t>(section.split_axis)] = section.ranks;
        PetscInt width = 0; // one for all axes; unused at ends of DM_BOUNDARY_NONE axes
        for (std::size_t axis = 0; axis < 3; ++axis) {
            cells[axis] = static_cast<PetscInt>(section.cells[axis]) * ranks[axis];
            const bool padded = section.width[axis] > 0;
            boundary[axis] = padded ? DM_BOUNDARY_PERIODIC : DM_BOUNDARY_NONE;
            if (padded) width = static_cast<PetscInt>(section.width[axis]);
        }
        // PETSc's x is the fastest axis.
        PetscCallAbort(m_comm,
                       DMDACreate3d(m_comm, boundary[2], boundary[1], boundary[0], DMDA_STENCIL_BOX,
                                    cells[2], cells[1], cells[0], ranks[2], ranks[1], ranks[0], 1,
                                    width, nullptr, nullptr, nullptr, &m_grid));
        PetscCallAbort(m_comm, DMSetUp(m_grid));
        // PETSc's local vector has the same shape and order as our section.
        PetscCallAbort(m_comm, VecCreateSeqWithArray(PETSC_COMM_SELF, 1,
                                                     static_cast<PetscInt>(section.size()), array,
                                                     &m_local));
    }
    ~PetscDmda() {
        PetscCallAbort(m_comm, VecDestroy(&m_local));
        PetscCallAbort(m_comm, DMDestroy(&m_grid));
    }
    PetscDmda(const PetscDmda&) = delete;
    PetscDmda& operator=(const PetscDmda&) = delete;

    void execute() {
        PetscCallAbort(m_comm, DMLocalToLocalBegin(m_grid, m_local, INSERT_VALUES, m_local));
        PetscCallAbort(m_comm, DMLocalToLocalEnd(m_grid, m_local, INSERT_VALUES, m_local));
    }

private:
    MPI_Comm m_comm;
    DM m_grid = nullptr;
    Vec m_local = nullptr;
};

/// The expert's choice in PETSc where DMDA copies too much: a star forest (the mechanism below DMDA) whose
/// leaves are only the elements of the padding.
class PetscForest {
public:
    PetscForest(const Petsc& petsc, const Section& section, double* array)
        : m_comm(petsc.comm()), m_array(array) {
        std::vector<PetscInt> leaves;
        std::vector<Root> roots;
        const std::array<int, 3> owners{section.below(), section.rank, section.above()};
        for (const int side : {-1, 0, 1})
            for (const Box& box : boxes(section, side))
                for_each_offset(section, box, [&](std::int64_t offset) {
                    leaves.push_back(static_cast<PetscInt>(box.destination + offset));
                    roots.push_back({{owners[static_cast<std::size_t>(side + 1)],
                                      static_cast<PetscInt>(box.source + offset)}});
                });
        PetscCallAbort(m_comm, PetscSFCreate(m_comm, &m_forest));
        PetscCallAbort(m_comm, PetscSFSetFromOptions(m_forest));
        PetscCallAbort(m_comm, PetscSFSetGraph(m_forest, static_cast<PetscInt>(section.size()),
                                               static_cast<PetscInt>(leaves.size()), leaves.data(),
                                               PETSC_COPY_VALUES, roots.data(), PETSC_COPY_VALUES));
        PetscCallAbort(m_comm, PetscSFSetUp(m_forest));
    }
    ~PetscForest() { PetscCallAbort(m_comm, PetscSFDestroy(&m_forest)); }
    PetscForest(const PetscForest&) = delete;
    PetscForest& operator=(const PetscForest&) = delete;

    void execute() {
        PetscCallAbort(m_comm,
                       PetscSFBcastBegin(m_forest, MPIU_SCALAR, m_array, m_array, MPI_REPLACE));
        PetscCallAbort(m_comm,
                       PetscSFBcastEnd(m_forest, MPIU_SCALAR, m_array, m_array, MPI_REPLACE));
    }

private:
    /// A named subtype of PetscSFNode: nvcc 13 fails on a vector of PETSc's struct, which is unnamed.
    struct Root : PetscSFNode {};

    template <class Visit>
    static void for_each_offset(const Section& section, const Box& box, const Visit& visit) {
        for (std::int64_t k = 0; k < box.extent[0]; ++k)
            for (std::int64_t j = 0; j < box.extent[1]; ++j)
                for (std::int64_t i = 0; i < box.extent[2]; ++i)
                    visit(k * section.stride(0) + j * section.stride(1) + i);
    }

    MPI_Comm m_comm;
    double* m_array;
    PetscSF m_forest = nullptr;
};

} // namespace distview::perf

#endif
