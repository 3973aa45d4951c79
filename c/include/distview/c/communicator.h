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
#endif
/// The same with an integer handle of Fortran's (MPI_Fint, an int with all MPIs known): for Fortran, and for languages
/// that cannot read mpi.h, for which DISTVIEW_WITHOUT_MPI_H leaves out what needs it.
///
/// Collective: as distview_communicator_create()
DISTVIEW_API int distview_communicator_create_f(int comm, distview_communicator** result);

DISTVIEW_API distview_communicator* distview_communicator_retain(distview_communicator* comm);
DISTVIEW_API void distview_communicator_release(distview_communicator* comm);

DISTVIEW_API int distview_communicator_rank(const distview_communicator* comm, int* rank);
DISTVIEW_API int distview_communicator_size(const distview_communicator* comm, int* size);

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
/// Collective: over comm
DISTVIEW_API int distview_communicator_agree(const distview_communicator* comm, const char* caller,
                                             int status);

DISTVIEW_END_C

#endif
