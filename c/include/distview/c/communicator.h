// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DISTVIEW_C_COMMUNICATOR_H
#define DISTVIEW_C_COMMUNICATOR_H

#include <distview/c/types.h>

#ifndef DISTVIEW_WITHOUT_MPI_H
#include <mpi.h>
#endif

/// The library's own duplicate of an MPI communicator: its messages cannot meet those of the program.
typedef struct distview_communicator distview_communicator;

DISTVIEW_BEGIN_C

#ifndef DISTVIEW_WITHOUT_MPI_H
/// Collective: over `comm`, the first time it comes; later handles share the duplicate
/// Errors:     USAGE_ERROR if MPI does not run, and for MPI_COMM_NULL and intercommunicators
DISTVIEW_API int distview_communicator_create(MPI_Comm comm, distview_communicator** result);
/// The duplicate. Collective calls on it must not be mixed with the library's, nor messages sent on it.
DISTVIEW_API int distview_communicator_mpi(const distview_communicator* comm, MPI_Comm* mpi);
/// The same ranks in another order, as distview_place_on_nodes() finds one: rank p of the result is rank ranks[p] of
/// comm. It is the caller's, who frees it when what was made with it is gone.
///
/// Collective: over comm; all ranks pass the same
/// Errors:     USAGE_ERROR unless each rank is named once (on all ranks)
DISTVIEW_API int distview_communicator_order_ranks(const distview_communicator* comm,
                                                   const int* ranks, MPI_Comm* result);
#endif
/// The same with an integer handle of Fortran's (MPI_Fint, an int with all MPIs known): for Fortran, and for languages
/// that cannot read mpi.h, for which DISTVIEW_WITHOUT_MPI_H leaves out what needs it.
///
/// Collective: as distview_communicator_create()
DISTVIEW_API int distview_communicator_create_f(int comm, distview_communicator** result);
/// distview_communicator_order_ranks() with an integer handle of Fortran's, as distview_communicator_create_f().
DISTVIEW_API int distview_communicator_order_ranks_f(const distview_communicator* comm,
                                                     const int* ranks, int* result);

DISTVIEW_API distview_communicator* distview_communicator_retain(distview_communicator* comm);
DISTVIEW_API void distview_communicator_release(distview_communicator* comm);

DISTVIEW_API int distview_communicator_rank(const distview_communicator* comm, int* rank);
DISTVIEW_API int distview_communicator_size(const distview_communicator* comm, int* size);
/// The node of every rank: the lowest rank with which it shares memory. `nodes` gets as many numbers as there are ranks.
///
/// Collective: over comm
DISTVIEW_API int distview_communicator_nodes(const distview_communicator* comm, int* nodes);

/// Sets how many seconds a rank waits for others in a collective call before that is a DEADLINE_ERROR, whose text names
/// the ranks that are missing and what they were seen in last; 0, the default, is for ever. The communicator, of which all
/// handles have one deadline, is lost after it. docs/deadlines.md says what it does not see.
///
/// Collective: no; all ranks set the same
/// Errors:     USAGE_ERROR if it is negative or no finite number
DISTVIEW_API int distview_communicator_set_deadline(distview_communicator* comm, double seconds);
/// Has a report of all plans made from now on written when the communicator is closed, or MPI ends, by rank 0 into a
/// file of that name: JSON lines if the name ends in ".json", else text; NULL or "": none. docs/report.md shows one.
///
/// Collective: no; all ranks set the same
/// Cost:       executions of plans look at the clock, some 0.3 us each
DISTVIEW_API int distview_communicator_set_report(distview_communicator* comm, const char* file);

/// Returns when all ranks have called it.
///
/// Collective: over comm
DISTVIEW_API int distview_communicator_barrier(const distview_communicator* comm);

/// Frees the duplicate, which is else freed with the communicator that it was made from, or by MPI_Finalize. What was
/// made with it can only be released then.
///
/// Collective: over comm
DISTVIEW_API int distview_communicator_close(distview_communicator* comm);

/// Ends a step of the program that may have failed on some ranks: returns on all ranks the status, and sets the error,
/// of the lowest rank whose `status` is not 0; that rank's text is what its distview_last_error() says.
///
///     int status = read_input(...);                          // which may call distview_set_error()
///     status = distview_communicator_agree(comm, "read_input", status);
///
/// A rank with a status waits for the others wherever they are: calls of theirs that wait for it, on its node, fail.
///
/// Collective: over comm
DISTVIEW_API int distview_communicator_agree(const distview_communicator* comm, const char* caller,
                                             int status);

/// Sets `any` to 1 on all ranks if `flag` is not 0 on any, else to 0. `caller`, the same on all ranks, is the call that
/// errors name, the function itself if it is NULL: a binding asks so what its ranks are to do together.
///
///     int grows;
///     int status = distview_communicator_any(comm, "refine", cells > room, &grows);
///
/// Collective: over comm
DISTVIEW_API int distview_communicator_any(const distview_communicator* comm, const char* caller,
                                           int flag, int* any);

/// Counts a collective call that this rank has refused to make, as a binding does that looks at arguments before it calls
/// the library. Returns `status`, with its text, at once; ranks that make the call in its place get an error that names
/// `caller` where they wait for this one. Afterwards all are in step.
///
/// Collective: over comm, in place of a call that is
DISTVIEW_API int distview_communicator_refuse(const distview_communicator* comm, const char* caller,
                                              int status);

DISTVIEW_END_C

#endif
