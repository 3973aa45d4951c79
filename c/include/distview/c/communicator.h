// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DISTVIEW_C_COMMUNICATOR_H
#define DISTVIEW_C_COMMUNICATOR_H

#include <distview/c/types.h>

#ifndef DISTVIEW_WITHOUT_MPI_H
#include <mpi.h>
#endif

/// The library's own duplicate of an MPI communicator: its messages cannot be confused with the program's.
typedef struct distview_communicator distview_communicator;

DISTVIEW_BEGIN_C

#ifndef DISTVIEW_WITHOUT_MPI_H
/// Collective: over `comm` at its first use; later handles share the duplicate
/// Errors:     USAGE_ERROR if MPI does not run, and for MPI_COMM_NULL and intercommunicators
DISTVIEW_API int distview_communicator_create(MPI_Comm comm, distview_communicator** result);
/// The duplicate. The program must not send messages on it, nor mix collective calls on it with the library's.
DISTVIEW_API int distview_communicator_mpi(const distview_communicator* comm, MPI_Comm* mpi);
/// The same ranks in another order, for example from distview_place_on_nodes(): rank p of the result is rank ranks[p]
/// of comm. The caller owns the result, and frees it after the objects made with it.
///
/// Collective: over comm; all ranks pass the same order
/// Errors:     USAGE_ERROR unless `ranks` names each rank once (on all ranks)
DISTVIEW_API int distview_communicator_order_ranks(const distview_communicator* comm,
                                                   const int* ranks, MPI_Comm* result);
#endif
/// distview_communicator_create() with an integer handle of Fortran (MPI_Fint, an int in all known MPIs): for Fortran,
/// and for languages that cannot read mpi.h. DISTVIEW_WITHOUT_MPI_H leaves out declarations that need mpi.h.
///
/// Collective: as distview_communicator_create()
DISTVIEW_API int distview_communicator_create_f(int comm, distview_communicator** result);
/// distview_communicator_order_ranks() with an integer handle of Fortran as its result.
DISTVIEW_API int distview_communicator_order_ranks_f(const distview_communicator* comm,
                                                     const int* ranks, int* result);

DISTVIEW_API distview_communicator* distview_communicator_retain(distview_communicator* comm);
DISTVIEW_API void distview_communicator_release(distview_communicator* comm);

DISTVIEW_API int distview_communicator_rank(const distview_communicator* comm, int* rank);
DISTVIEW_API int distview_communicator_size(const distview_communicator* comm, int* size);
/// The node of every rank: the lowest rank with which it shares memory. `nodes` gets one number per rank.
///
/// Collective: over comm
DISTVIEW_API int distview_communicator_nodes(const distview_communicator* comm, int* nodes);

/// Sets how many seconds a rank waits for others in a collective call. After that the call is a DEADLINE_ERROR; its text
/// names the missing ranks and their last known call. 0, the default, means no limit. All handles of a communicator share
/// one deadline; after the error the communicator is unusable. docs/deadlines.md lists waits that it does not cover.
///
/// Collective: no; all ranks set the same
/// Errors:     USAGE_ERROR if `seconds` is negative or not finite
DISTVIEW_API int distview_communicator_set_deadline(distview_communicator* comm, double seconds);
/// Requests a report of all plans made from now on. Rank 0 writes it to `file` when the communicator is closed or MPI
/// ends: JSON lines if the name ends in ".json", else text. NULL or "": no report. docs/report.md shows a report.
///
/// Collective: no; all ranks set the same
/// Cost:       each execution of a plan reads the clock, some 0.3 us
DISTVIEW_API int distview_communicator_set_report(distview_communicator* comm, const char* file);

/// Returns when all ranks have called it.
///
/// Collective: over comm
DISTVIEW_API int distview_communicator_barrier(const distview_communicator* comm);

/// Frees the duplicate now, rather than with the original communicator or in MPI_Finalize. Afterwards objects made with
/// it can only be released.
///
/// Collective: over comm
DISTVIEW_API int distview_communicator_close(distview_communicator* comm);

/// Ends a step of the program that may have failed on some ranks. If `status` is not 0 on some ranks, all ranks return
/// the status of the lowest of them and get its error, with the text of that rank's distview_last_error().
///
///     int status = read_input(...);                          // may call distview_set_error()
///     status = distview_communicator_agree(comm, "read_input", status);
///
/// A rank with an error waits here until all ranks arrive. If ranks on its node wait for it in other calls, these fail.
///
/// Collective: over comm
DISTVIEW_API int distview_communicator_agree(const distview_communicator* comm, const char* caller,
                                             int status);

/// Sets `any` to 1 on all ranks if `flag` is not 0 on any rank, else to 0. Language bindings use it to choose what all
/// ranks do together. `caller`, the same on all ranks, is the call that errors name; NULL: this function.
///
///     int grows;
///     int status = distview_communicator_any(comm, "refine", cells > room, &grows);
///
/// Collective: over comm
DISTVIEW_API int distview_communicator_any(const distview_communicator* comm, const char* caller,
                                           int flag, int* any);

/// Counts a collective call that this rank has refused to make: for bindings that check arguments before they call the
/// library. Returns `status`, with its text, at once. Ranks that make the call get an error that names `caller` where
/// they wait for this rank. Afterwards all ranks are in step.
///
/// Collective: over comm, in place of a collective call
DISTVIEW_API int distview_communicator_refuse(const distview_communicator* comm, const char* caller,
                                              int status);

DISTVIEW_END_C

#endif
