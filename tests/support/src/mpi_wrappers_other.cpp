// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Other calls of a running program: the wrappers only keep MPI's own allocations from counting.
#include "mpi_tally.hpp"

namespace distview::testing::impl {

void link_other_wrappers() {}

} // namespace distview::testing::impl

using namespace distview::testing;
using namespace distview::testing::impl;

#define DISTVIEW_UNPACK(...) __VA_ARGS__
#define DISTVIEW_WRAP(name, parameters, arguments)                                                 \
    int MPI_##name(DISTVIEW_UNPACK parameters) {                                                   \
        const InsideMpi inside;                                                                    \
        return PMPI_##name(DISTVIEW_UNPACK arguments);                                             \
    }

extern "C" {

DISTVIEW_WRAP(Comm_rank, (MPI_Comm comm, int* rank), (comm, rank))
DISTVIEW_WRAP(Comm_size, (MPI_Comm comm, int* size), (comm, size))
DISTVIEW_WRAP(Comm_compare, (MPI_Comm a, MPI_Comm b, int* result), (a, b, result))
DISTVIEW_WRAP(Comm_get_attr, (MPI_Comm comm, int key, void* value, int* flag),
              (comm, key, value, flag))
DISTVIEW_WRAP(Comm_set_attr, (MPI_Comm comm, int key, void* value), (comm, key, value))
DISTVIEW_WRAP(Comm_delete_attr, (MPI_Comm comm, int key), (comm, key))
DISTVIEW_WRAP(Comm_create_keyval,
              (MPI_Comm_copy_attr_function * copy, MPI_Comm_delete_attr_function* remove, int* key,
               void* state),
              (copy, remove, key, state))
DISTVIEW_WRAP(Comm_free_keyval, (int* key), (key))
DISTVIEW_WRAP(Comm_set_errhandler, (MPI_Comm comm, MPI_Errhandler handler), (comm, handler))
DISTVIEW_WRAP(Comm_get_errhandler, (MPI_Comm comm, MPI_Errhandler* handler), (comm, handler))
DISTVIEW_WRAP(Comm_call_errhandler, (MPI_Comm comm, int code), (comm, code))
DISTVIEW_WRAP(Comm_set_name, (MPI_Comm comm, const char* name), (comm, name))
DISTVIEW_WRAP(Comm_get_name, (MPI_Comm comm, char* name, int* size), (comm, name, size))
DISTVIEW_WRAP(Comm_set_info, (MPI_Comm comm, MPI_Info info), (comm, info))
DISTVIEW_WRAP(Comm_test_inter, (MPI_Comm comm, int* flag), (comm, flag))
DISTVIEW_WRAP(Errhandler_free, (MPI_Errhandler * handler), (handler))
DISTVIEW_WRAP(Error_string, (int code, char* text, int* size), (code, text, size))
DISTVIEW_WRAP(Error_class, (int code, int* error_class), (code, error_class))

DISTVIEW_WRAP(Group_rank, (MPI_Group group, int* rank), (group, rank))
DISTVIEW_WRAP(Group_size, (MPI_Group group, int* size), (group, size))
DISTVIEW_WRAP(Group_compare, (MPI_Group a, MPI_Group b, int* result), (a, b, result))
DISTVIEW_WRAP(Group_translate_ranks,
              (MPI_Group a, int n, const int ranks[], MPI_Group b, int translated[]),
              (a, n, ranks, b, translated))

DISTVIEW_WRAP(Type_commit, (MPI_Datatype * type), (type))
DISTVIEW_WRAP(Type_size, (MPI_Datatype type, int* size), (type, size))
// MPI 4.1 deprecates the function.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
DISTVIEW_WRAP(Type_size_x, (MPI_Datatype type, MPI_Count* size), (type, size))
#pragma GCC diagnostic pop
DISTVIEW_WRAP(Type_get_extent, (MPI_Datatype type, MPI_Aint* lower, MPI_Aint* extent),
              (type, lower, extent))
DISTVIEW_WRAP(Get_address, (const void* location, MPI_Aint* address), (location, address))
DISTVIEW_WRAP(Pack,
              (const void* in, int count, MPI_Datatype type, void* out, int size, int* position,
               MPI_Comm comm),
              (in, count, type, out, size, position, comm))
DISTVIEW_WRAP(Unpack,
              (const void* in, int size, int* position, void* out, int count, MPI_Datatype type,
               MPI_Comm comm),
              (in, size, position, out, count, type, comm))
DISTVIEW_WRAP(Reduce_local, (const void* in, void* inout, int count, MPI_Datatype type, MPI_Op op),
              (in, inout, count, type, op))

DISTVIEW_WRAP(Probe, (int peer, int tag, MPI_Comm comm, MPI_Status* status),
              (peer, tag, comm, status))
DISTVIEW_WRAP(Iprobe, (int peer, int tag, MPI_Comm comm, int* flag, MPI_Status* status),
              (peer, tag, comm, flag, status))
DISTVIEW_WRAP(Mprobe, (int peer, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status),
              (peer, tag, comm, message, status))
DISTVIEW_WRAP(Improbe,
              (int peer, int tag, MPI_Comm comm, int* flag, MPI_Message* message,
               MPI_Status* status),
              (peer, tag, comm, flag, message, status))
DISTVIEW_WRAP(Cancel, (MPI_Request * request), (request))
DISTVIEW_WRAP(Test_cancelled, (const MPI_Status* status, int* flag), (status, flag))
DISTVIEW_WRAP(Get_count, (const MPI_Status* status, MPI_Datatype type, int* count),
              (status, type, count))
DISTVIEW_WRAP(Request_get_status, (MPI_Request request, int* flag, MPI_Status* status),
              (request, flag, status))

DISTVIEW_WRAP(Alloc_mem, (MPI_Aint size, MPI_Info info, void* base), (size, info, base))
DISTVIEW_WRAP(Free_mem, (void* base), (base))
DISTVIEW_WRAP(Info_set, (MPI_Info info, const char* key, const char* value), (info, key, value))
DISTVIEW_WRAP(Win_shared_query, (MPI_Win win, int rank, MPI_Aint* size, int* unit, void* base),
              (win, rank, size, unit, base))
DISTVIEW_WRAP(Win_get_attr, (MPI_Win win, int key, void* value, int* flag), (win, key, value, flag))
DISTVIEW_WRAP(Win_set_errhandler, (MPI_Win win, MPI_Errhandler handler), (win, handler))
DISTVIEW_WRAP(Win_attach, (MPI_Win win, void* base, MPI_Aint size), (win, base, size))
DISTVIEW_WRAP(Win_detach, (MPI_Win win, const void* base), (win, base))
DISTVIEW_WRAP(Win_fence, (int assertion, MPI_Win win), (assertion, win))
DISTVIEW_WRAP(Win_lock, (int type, int rank, int assertion, MPI_Win win),
              (type, rank, assertion, win))
DISTVIEW_WRAP(Win_unlock, (int rank, MPI_Win win), (rank, win))
DISTVIEW_WRAP(Win_lock_all, (int assertion, MPI_Win win), (assertion, win))
DISTVIEW_WRAP(Win_unlock_all, (MPI_Win win), (win))
DISTVIEW_WRAP(Win_flush, (int rank, MPI_Win win), (rank, win))
DISTVIEW_WRAP(Win_flush_all, (MPI_Win win), (win))
DISTVIEW_WRAP(Win_flush_local, (int rank, MPI_Win win), (rank, win))
DISTVIEW_WRAP(Win_flush_local_all, (MPI_Win win), (win))
DISTVIEW_WRAP(Win_sync, (MPI_Win win), (win))

DISTVIEW_WRAP(Cart_coords, (MPI_Comm comm, int rank, int n, int coords[]), (comm, rank, n, coords))
DISTVIEW_WRAP(Cart_rank, (MPI_Comm comm, const int coords[], int* rank), (comm, coords, rank))
DISTVIEW_WRAP(Cart_get, (MPI_Comm comm, int n, int dims[], int periods[], int coords[]),
              (comm, n, dims, periods, coords))
DISTVIEW_WRAP(Cart_shift, (MPI_Comm comm, int axis, int step, int* source, int* destination),
              (comm, axis, step, source, destination))
DISTVIEW_WRAP(Initialized, (int* flag), (flag))
DISTVIEW_WRAP(Finalized, (int* flag), (flag))
DISTVIEW_WRAP(Query_thread, (int* level), (level))
DISTVIEW_WRAP(Is_thread_main, (int* flag), (flag))
DISTVIEW_WRAP(Get_processor_name, (char* name, int* size), (name, size))
DISTVIEW_WRAP(Get_library_version, (char* text, int* size), (text, size))

} // extern "C"
