// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DISTVIEW_C_OTHER_PROGRAM_H
#define DISTVIEW_C_OTHER_PROGRAM_H

#include <distview/c/communicator.h>
#include <distview/c/layout.h>
#include <distview/c/redistribution.h>
#include <distview/c/types.h>

/// The program at the other end of an intercommunicator, for redistributing arrays between both programs: C++'s
/// OtherProgram. The other program may be written in any language with a face of DistView.
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
/// Collective: over both programs at the intercommunicator's first use
/// Errors:     USAGE_ERROR if MPI does not run, for MPI_COMM_NULL and for intracommunicators
DISTVIEW_API int distview_other_program_create(MPI_Comm intercommunicator,
                                               distview_other_program** result);
#endif
/// The same with an integer handle of Fortran.
DISTVIEW_API int distview_other_program_create_f(int intercommunicator,
                                                 distview_other_program** result);
DISTVIEW_API distview_other_program* distview_other_program_retain(distview_other_program* other);
DISTVIEW_API void distview_other_program_release(distview_other_program* other);

/// The communicator of the ranks of both programs.
DISTVIEW_API int distview_other_program_communicator(const distview_other_program* other,
                                                     distview_communicator** result);
/// Number of ranks of this program, this process's rank, and number of ranks of the other program. Each pointer may
/// be NULL.
DISTVIEW_API int distview_other_program_sizes(const distview_other_program* other, int* own_size,
                                              int* own_rank, int* other_size);
/// Exchanges layouts: passes `mine` to the other program and returns the other program's layout. If a program passes
/// NULL, the other program gets a layout without axes.
///
/// Collective: over both programs
/// Errors:     USAGE_ERROR for a null pointer: on that rank; other ranks get an error, since that rank does not join their call
DISTVIEW_API int distview_other_program_exchange(const distview_other_program* other,
                                                 const distview_layout* mine,
                                                 distview_layout** theirs);
/// A plan that moves elements from the program that passes `sends` 1 to the program that passes 0. Each program passes
/// the layout of its own array, with one process for each of its ranks: process p is rank p of the intercommunicator's
/// local group. In executions it passes NULL for the other program's array.
///
/// Both programs pass the same options; from_ranks and to_ranks are ignored. A program in C and a program in C++ can only
/// execute the plan; execute_scaled, combine and conjugating plans work between C and Fortran, and between C++ and C++.
///
/// Collective: over both programs
/// Errors:     USAGE_ERROR if both programs send, or both receive; those of distview_redistribution_plan_create() (on
///             all ranks). USAGE_ERROR if the layout's number of processes is not this program's number of ranks, or
///             for a null pointer: on that rank; other ranks get an error, since that rank does not join their call
DISTVIEW_API int distview_other_program_plan(const distview_other_program* other, int sends,
                                             const distview_layout* mine,
                                             const distview_redistribution_options* options,
                                             distview_redistribution_plan** result);

DISTVIEW_END_C

#endif
