// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DISTVIEW_C_OTHER_PROGRAM_H
#define DISTVIEW_C_OTHER_PROGRAM_H

#include <distview/c/communicator.h>
#include <distview/c/layout.h>
#include <distview/c/redistribution.h>
#include <distview/c/types.h>

/// The program at the other end of an intercommunicator, to redistribute arrays to and from: C++'s OtherProgram. That
/// one may be written in any language that DistView has a face for.
///
///     distview_other_program* viewer;                                  // in the model, which has `a`
///     distview_other_program_create(intercommunicator, &viewer);
///     distview_other_program_plan(viewer, 1, layout_of_a, NULL, &plan);
///     distview_redistribution_plan_execute(plan, a, NULL);
///
///     distview_other_program* model;                                   // in the viewer, which gets `b`
///     distview_other_program_create(intercommunicator, &model);
///     distview_other_program_plan(model, 0, layout_of_b, NULL, &plan);
///     distview_redistribution_plan_execute(plan, NULL, b);
typedef struct distview_other_program distview_other_program;

DISTVIEW_BEGIN_C

#ifndef DISTVIEW_WITHOUT_MPI_H
/// Collective: over both programs, the first time the intercommunicator comes
/// Errors:     USAGE_ERROR if MPI does not run, for MPI_COMM_NULL and for communicators of one group
DISTVIEW_API int distview_other_program_create(MPI_Comm intercommunicator,
                                               distview_other_program** result);
#endif
/// The same with an integer handle of Fortran's.
DISTVIEW_API int distview_other_program_create_f(int intercommunicator,
                                                 distview_other_program** result);
DISTVIEW_API distview_other_program* distview_other_program_retain(distview_other_program* other);
DISTVIEW_API void distview_other_program_release(distview_other_program* other);

/// The communicator of the ranks of both programs.
DISTVIEW_API int distview_other_program_communicator(const distview_other_program* other,
                                                     distview_communicator** result);
/// Number of ranks of this program, which of them this one is, and the number of the other program's. Any may be NULL.
DISTVIEW_API int distview_other_program_sizes(const distview_other_program* other, int* own_size,
                                              int* own_rank, int* other_size);
/// The layout that the other program passes, of what this one passes; with NULL this one says nothing, and so has the
/// other one's layout no axes if that says nothing.
///
/// Collective: over both programs
/// Errors:     USAGE_ERROR for a null pointer: on that rank, and others learn that it does something else
DISTVIEW_API int distview_other_program_exchange(const distview_other_program* other,
                                                 const distview_layout* mine,
                                                 distview_layout** theirs);
/// A plan that moves elements to the other program (`sends` is 1), or from it (`sends` is 0 there). Each program passes
/// the layout of its own array, with one process for each of its ranks: process p is rank p of the intercommunicator's
/// local group. It passes NULL for the other's array.
///
/// Options are those of both, but for from_ranks and to_ranks, which are not looked at. Where the programs are written
/// in C and in C++, they execute the plan; execute_scaled, combine and plans that conjugate work between C and Fortran,
/// and between C++ and C++.
///
/// Collective: over both programs
/// Errors:     USAGE_ERROR if both programs send, or both receive; those of distview_redistribution_plan_create() (on
///             all ranks). USAGE_ERROR if the layout has another number of processes than this program has ranks, or
///             for a null pointer: on that rank, and others learn that it does something else
DISTVIEW_API int distview_other_program_plan(const distview_other_program* other, int sends,
                                             const distview_layout* mine,
                                             const distview_redistribution_options* options,
                                             distview_redistribution_plan** result);

DISTVIEW_END_C

#endif
