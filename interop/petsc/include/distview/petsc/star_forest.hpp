// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/petsc/handle.hpp>

#include <petscsf.h>

namespace distview {
// Programs with a plan include its header themselves; it takes long to compile.
class Communicator;
class GatherPlan;
class GhostExchangePlan;
struct GhostedLayout;
} // namespace distview

namespace distview::petsc {

using StarForest = Handle<PetscSF>;

/// A PetscSF with the communication of a plan: PetscSFBcastBegin() and PetscSFBcastEnd() are execute(),
/// PetscSFReduceBegin() and PetscSFReduceEnd() with MPI_SUM are combine(exec, Sum{}, ...).
///
///     petsc::StarForest forest = petsc::star_forest(ghosts);     // roots are owned elements of u, leaves its ghosts
///     double* const all = u.view().data();
///     PetscSFBcastBegin(forest, MPI_DOUBLE, all, all, MPI_REPLACE);
///
/// For a ghost plan, roots and leaves are the elements of a section. For a gather plan, leaves are the entries of this
/// rank's list. star_forest() executes the plan once, on an array of element numbers, to find the origin of each leaf.
///
/// Collective: over the plan's communicator
/// Indices:    roots, and leaves of a ghost plan, count the elements of a section with padding and ghosts in C order,
///             from 0
/// Shapes:     layouts of up to four axes; sections in C order (LayoutRight) without gaps
/// Cost:       one execution of the plan, which keeps the tables for it; PETSc's own tables
/// Errors:     UsageError if PETSc is not running, the layout has more axes, or a PetscInt does not count a section;
///             those of execute(); SolverError of PETSc (thrown on all ranks)
StarForest star_forest(GhostExchangePlan& plan);
StarForest star_forest(GatherPlan& plan);

/// The layout of arrays whose ghosts a PetscSF fills. This rank owns an element for each of its roots; its ghosts are
/// the roots of other ranks to which its leaves are connected. The k-th leaf is at positions[k].
///
///     const GhostedLayout ghosted = petsc::ghosted_layout(comm, forest);
///     GhostExchangePlan plan(comm, ghosted);
///
/// Collective: over comm, which has the ranks of the forest
/// Indices:    labels count the roots of all ranks, those of lower ranks first
/// Cost:       that of make_ghosted_layout()
/// Errors:     UsageError if PETSc is not running, the forest has other ranks or no graph; SolverError of PETSc (thrown on
///             all ranks)
GhostedLayout ghosted_layout(const Communicator& comm, PetscSF forest);

} // namespace distview::petsc
