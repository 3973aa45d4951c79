// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls that create and free MPI objects.
#include "mpi_tally.hpp"

namespace distview::testing::impl {

namespace {

// MPI libraries differ in whether handles are distinct types or all int, so the kind is named at
// each call instead of being deduced.
int created(int status, bool is_object, std::int64_t MpiHandles::* kind) {
    if (status == MPI_SUCCESS && is_object) {
        add_handles(kind, 1);
    }
    return status;
}

} // namespace

void link_object_wrappers() {}

} // namespace distview::testing::impl

using namespace distview::testing;
using namespace distview::testing::impl;

#define DISTVIEW_UNPACK(...) __VA_ARGS__

// Every creating function has the new handle as its last argument, which is called `result`.
#define DISTVIEW_WRAP_CREATE(name, kind, exists, parameters, arguments)                            \
    int MPI_##name(DISTVIEW_UNPACK parameters) {                                                   \
        const InsideMpi inside;                                                                    \
        const int status = PMPI_##name(DISTVIEW_UNPACK arguments);                                 \
        return created(status, exists, &MpiHandles::kind);                                         \
    }

#define DISTVIEW_WRAP_FREE(name, type, kind, exists)                                               \
    int MPI_##name(type* handle) {                                                                 \
        const InsideMpi inside;                                                                    \
        const bool existed = exists(*handle);                                                      \
        const int status = PMPI_##name(handle);                                                    \
        if (status == MPI_SUCCESS && existed) {                                                    \
            add_handles(&MpiHandles::kind, -1);                                                    \
        }                                                                                          \
        return status;                                                                             \
    }

#define DISTVIEW_WRAP_COMM(name, parameters, arguments)                                            \
    int MPI_##name(DISTVIEW_UNPACK parameters) {                                                   \
        const InsideMpi inside;                                                                    \
        note_collective("MPI_" #name);                                                             \
        const int status = PMPI_##name(DISTVIEW_UNPACK arguments);                                 \
        return created(status, is_comm(*result), &MpiHandles::communicators);                      \
    }
#define DISTVIEW_WRAP_TYPE(name, parameters, arguments)                                            \
    DISTVIEW_WRAP_CREATE(name, datatypes, is_type(*result), parameters, arguments)
#define DISTVIEW_WRAP_GROUP(name, parameters, arguments)                                           \
    DISTVIEW_WRAP_CREATE(name, groups, is_group(*result), parameters, arguments)
#define DISTVIEW_WRAP_WIN(name, parameters, arguments)                                             \
    int MPI_##name(DISTVIEW_UNPACK parameters) {                                                   \
        const InsideMpi inside;                                                                    \
        note_collective("MPI_" #name);                                                             \
        const int status = PMPI_##name(DISTVIEW_UNPACK arguments);                                 \
        return created(status, is_win(*result), &MpiHandles::windows);                             \
    }
#define DISTVIEW_WRAP_INFO(name, parameters, arguments)                                            \
    DISTVIEW_WRAP_CREATE(name, infos, is_info(*result), parameters, arguments)

namespace {

bool is_comm(MPI_Comm comm) { return comm != MPI_COMM_NULL; }
bool is_type(MPI_Datatype type) { return type != MPI_DATATYPE_NULL; }
bool is_group(MPI_Group group) { return group != MPI_GROUP_NULL && group != MPI_GROUP_EMPTY; }
bool is_win(MPI_Win win) { return win != MPI_WIN_NULL; }
bool is_op(MPI_Op op) { return op != MPI_OP_NULL; }
bool is_info(MPI_Info info) { return info != MPI_INFO_NULL; }

} // namespace

extern "C" {

DISTVIEW_WRAP_COMM(Comm_dup, (MPI_Comm comm, MPI_Comm* result), (comm, result))
DISTVIEW_WRAP_COMM(Comm_dup_with_info, (MPI_Comm comm, MPI_Info info, MPI_Comm* result),
                   (comm, info, result))
DISTVIEW_WRAP_COMM(Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm* result),
                   (comm, color, key, result))
DISTVIEW_WRAP_COMM(Comm_split_type,
                   (MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* result),
                   (comm, type, key, info, result))
DISTVIEW_WRAP_COMM(Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm* result),
                   (comm, group, result))
DISTVIEW_WRAP_COMM(Comm_create_group, (MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* result),
                   (comm, group, tag, result))
DISTVIEW_WRAP_COMM(Cart_create,
                   (MPI_Comm comm, int n_dims, const int dims[], const int periods[], int reorder,
                    MPI_Comm* result),
                   (comm, n_dims, dims, periods, reorder, result))
DISTVIEW_WRAP_COMM(Cart_sub, (MPI_Comm comm, const int remain[], MPI_Comm* result),
                   (comm, remain, result))
DISTVIEW_WRAP_COMM(Graph_create,
                   (MPI_Comm comm, int n_nodes, const int index[], const int edges[], int reorder,
                    MPI_Comm* result),
                   (comm, n_nodes, index, edges, reorder, result))
DISTVIEW_WRAP_COMM(Dist_graph_create,
                   (MPI_Comm comm, int n, const int nodes[], const int degrees[],
                    const int targets[], const int weights[], MPI_Info info, int reorder,
                    MPI_Comm* result),
                   (comm, n, nodes, degrees, targets, weights, info, reorder, result))
DISTVIEW_WRAP_COMM(Dist_graph_create_adjacent,
                   (MPI_Comm comm, int n_sources, const int sources[], const int source_weights[],
                    int n_targets, const int targets[], const int target_weights[], MPI_Info info,
                    int reorder, MPI_Comm* result),
                   (comm, n_sources, sources, source_weights, n_targets, targets, target_weights,
                    info, reorder, result))
DISTVIEW_WRAP_COMM(Intercomm_create,
                   (MPI_Comm local, int local_leader, MPI_Comm peer, int remote_leader, int tag,
                    MPI_Comm* result),
                   (local, local_leader, peer, remote_leader, tag, result))
DISTVIEW_WRAP_COMM(Intercomm_merge, (MPI_Comm comm, int high, MPI_Comm* result),
                   (comm, high, result))

int MPI_Comm_idup(MPI_Comm comm, MPI_Comm* result, MPI_Request* request) {
    const InsideMpi inside;
    note_collective("MPI_Comm_idup");
    const int status = PMPI_Comm_idup(comm, result, request);
    created(status, *request != MPI_REQUEST_NULL, &MpiHandles::requests);
    return created(status, true, &MpiHandles::communicators);
}

DISTVIEW_WRAP_FREE(Comm_free, MPI_Comm, communicators, is_comm)
DISTVIEW_WRAP_FREE(Comm_disconnect, MPI_Comm, communicators, is_comm)

DISTVIEW_WRAP_TYPE(Type_contiguous, (int count, MPI_Datatype type, MPI_Datatype* result),
                   (count, type, result))
DISTVIEW_WRAP_TYPE(Type_vector,
                   (int count, int length, int stride, MPI_Datatype type, MPI_Datatype* result),
                   (count, length, stride, type, result))
DISTVIEW_WRAP_TYPE(Type_create_hvector,
                   (int count, int length, MPI_Aint stride, MPI_Datatype type,
                    MPI_Datatype* result),
                   (count, length, stride, type, result))
DISTVIEW_WRAP_TYPE(Type_indexed,
                   (int count, const int lengths[], const int offsets[], MPI_Datatype type,
                    MPI_Datatype* result),
                   (count, lengths, offsets, type, result))
DISTVIEW_WRAP_TYPE(Type_create_hindexed,
                   (int count, const int lengths[], const MPI_Aint offsets[], MPI_Datatype type,
                    MPI_Datatype* result),
                   (count, lengths, offsets, type, result))
DISTVIEW_WRAP_TYPE(Type_create_indexed_block,
                   (int count, int length, const int offsets[], MPI_Datatype type,
                    MPI_Datatype* result),
                   (count, length, offsets, type, result))
DISTVIEW_WRAP_TYPE(Type_create_hindexed_block,
                   (int count, int length, const MPI_Aint offsets[], MPI_Datatype type,
                    MPI_Datatype* result),
                   (count, length, offsets, type, result))
DISTVIEW_WRAP_TYPE(Type_create_struct,
                   (int count, const int lengths[], const MPI_Aint offsets[],
                    const MPI_Datatype types[], MPI_Datatype* result),
                   (count, lengths, offsets, types, result))
DISTVIEW_WRAP_TYPE(Type_create_subarray,
                   (int n_dims, const int sizes[], const int subsizes[], const int starts[],
                    int order, MPI_Datatype type, MPI_Datatype* result),
                   (n_dims, sizes, subsizes, starts, order, type, result))
DISTVIEW_WRAP_TYPE(Type_create_darray,
                   (int size, int rank, int n_dims, const int sizes[], const int distributions[],
                    const int args[], const int processes[], int order, MPI_Datatype type,
                    MPI_Datatype* result),
                   (size, rank, n_dims, sizes, distributions, args, processes, order, type, result))
DISTVIEW_WRAP_TYPE(Type_create_resized,
                   (MPI_Datatype type, MPI_Aint lower, MPI_Aint extent, MPI_Datatype* result),
                   (type, lower, extent, result))
DISTVIEW_WRAP_TYPE(Type_dup, (MPI_Datatype type, MPI_Datatype* result), (type, result))
DISTVIEW_WRAP_FREE(Type_free, MPI_Datatype, datatypes, is_type)

DISTVIEW_WRAP_GROUP(Comm_group, (MPI_Comm comm, MPI_Group* result), (comm, result))
DISTVIEW_WRAP_GROUP(Comm_remote_group, (MPI_Comm comm, MPI_Group* result), (comm, result))
DISTVIEW_WRAP_GROUP(Win_get_group, (MPI_Win win, MPI_Group* result), (win, result))
DISTVIEW_WRAP_GROUP(Group_union, (MPI_Group a, MPI_Group b, MPI_Group* result), (a, b, result))
DISTVIEW_WRAP_GROUP(Group_intersection, (MPI_Group a, MPI_Group b, MPI_Group* result),
                    (a, b, result))
DISTVIEW_WRAP_GROUP(Group_difference, (MPI_Group a, MPI_Group b, MPI_Group* result), (a, b, result))
DISTVIEW_WRAP_GROUP(Group_incl, (MPI_Group group, int n, const int ranks[], MPI_Group* result),
                    (group, n, ranks, result))
DISTVIEW_WRAP_GROUP(Group_excl, (MPI_Group group, int n, const int ranks[], MPI_Group* result),
                    (group, n, ranks, result))
DISTVIEW_WRAP_GROUP(Group_range_incl, (MPI_Group group, int n, int ranges[][3], MPI_Group* result),
                    (group, n, ranges, result))
DISTVIEW_WRAP_GROUP(Group_range_excl, (MPI_Group group, int n, int ranges[][3], MPI_Group* result),
                    (group, n, ranges, result))
DISTVIEW_WRAP_FREE(Group_free, MPI_Group, groups, is_group)

DISTVIEW_WRAP_WIN(Win_create,
                  (void* base, MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm,
                   MPI_Win* result),
                  (base, size, unit, info, comm, result))
DISTVIEW_WRAP_WIN(Win_allocate,
                  (MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void* base,
                   MPI_Win* result),
                  (size, unit, info, comm, base, result))
DISTVIEW_WRAP_WIN(Win_allocate_shared,
                  (MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void* base,
                   MPI_Win* result),
                  (size, unit, info, comm, base, result))
DISTVIEW_WRAP_WIN(Win_create_dynamic, (MPI_Info info, MPI_Comm comm, MPI_Win* result),
                  (info, comm, result))
DISTVIEW_WRAP_FREE(Win_free, MPI_Win, windows, is_win)

DISTVIEW_WRAP_CREATE(Op_create, ops, is_op(*result),
                     (MPI_User_function * function, int commutes, MPI_Op* result),
                     (function, commutes, result))
DISTVIEW_WRAP_FREE(Op_free, MPI_Op, ops, is_op)

DISTVIEW_WRAP_INFO(Info_create, (MPI_Info * result), (result))
DISTVIEW_WRAP_INFO(Info_dup, (MPI_Info info, MPI_Info* result), (info, result))
DISTVIEW_WRAP_INFO(Comm_get_info, (MPI_Comm comm, MPI_Info* result), (comm, result))
DISTVIEW_WRAP_INFO(Win_get_info, (MPI_Win win, MPI_Info* result), (win, result))
DISTVIEW_WRAP_FREE(Info_free, MPI_Info, infos, is_info)

} // extern "C"
