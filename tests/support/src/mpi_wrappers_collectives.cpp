// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collective and one-sided calls: counted by name.
#include "mpi_tally.hpp"

namespace distview::testing::impl {

void link_collective_wrappers() {}

} // namespace distview::testing::impl

using namespace distview::testing;
using namespace distview::testing::impl;

// Wraps a blocking collective and its nonblocking twin, which has a request as an additional
// argument. Parameters and arguments are each enclosed in parentheses.
#define DISTVIEW_UNPACK(...) __VA_ARGS__
#define DISTVIEW_WRAP_COLLECTIVE(blocking, nonblocking, parameters, arguments)                     \
    int MPI_##blocking(DISTVIEW_UNPACK parameters) {                                               \
        const InsideMpi inside;                                                                    \
        note_collective("MPI_" #blocking);                                                         \
        return PMPI_##blocking(DISTVIEW_UNPACK arguments);                                         \
    }                                                                                              \
    int MPI_##nonblocking(DISTVIEW_UNPACK parameters, MPI_Request* request) {                      \
        const InsideMpi inside;                                                                    \
        note_collective("MPI_" #nonblocking);                                                      \
        const int status = PMPI_##nonblocking(DISTVIEW_UNPACK arguments, request);                 \
        if (status == MPI_SUCCESS && *request != MPI_REQUEST_NULL) {                               \
            add_handles(&MpiHandles::requests, 1);                                                 \
        }                                                                                          \
        return status;                                                                             \
    }

#define DISTVIEW_WRAP_ONE_SIDED(name, parameters, arguments)                                       \
    int MPI_##name(DISTVIEW_UNPACK parameters) {                                                   \
        const InsideMpi inside;                                                                    \
        note_one_sided("MPI_" #name);                                                              \
        return PMPI_##name(DISTVIEW_UNPACK arguments);                                             \
    }

extern "C" {

DISTVIEW_WRAP_COLLECTIVE(Barrier, Ibarrier, (MPI_Comm comm), (comm))
DISTVIEW_WRAP_COLLECTIVE(Bcast, Ibcast,
                         (void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm),
                         (buffer, count, type, root, comm))
DISTVIEW_WRAP_COLLECTIVE(Gather, Igather,
                         (const void* send, int send_count, MPI_Datatype send_type, void* recv,
                          int recv_count, MPI_Datatype recv_type, int root, MPI_Comm comm),
                         (send, send_count, send_type, recv, recv_count, recv_type, root, comm))
DISTVIEW_WRAP_COLLECTIVE(Gatherv, Igatherv,
                         (const void* send, int send_count, MPI_Datatype send_type, void* recv,
                          const int counts[], const int displacements[], MPI_Datatype recv_type,
                          int root, MPI_Comm comm),
                         (send, send_count, send_type, recv, counts, displacements, recv_type, root,
                          comm))
DISTVIEW_WRAP_COLLECTIVE(Scatter, Iscatter,
                         (const void* send, int send_count, MPI_Datatype send_type, void* recv,
                          int recv_count, MPI_Datatype recv_type, int root, MPI_Comm comm),
                         (send, send_count, send_type, recv, recv_count, recv_type, root, comm))
DISTVIEW_WRAP_COLLECTIVE(Scatterv, Iscatterv,
                         (const void* send, const int counts[], const int displacements[],
                          MPI_Datatype send_type, void* recv, int recv_count,
                          MPI_Datatype recv_type, int root, MPI_Comm comm),
                         (send, counts, displacements, send_type, recv, recv_count, recv_type, root,
                          comm))
DISTVIEW_WRAP_COLLECTIVE(Allgather, Iallgather,
                         (const void* send, int send_count, MPI_Datatype send_type, void* recv,
                          int recv_count, MPI_Datatype recv_type, MPI_Comm comm),
                         (send, send_count, send_type, recv, recv_count, recv_type, comm))
DISTVIEW_WRAP_COLLECTIVE(Allgatherv, Iallgatherv,
                         (const void* send, int send_count, MPI_Datatype send_type, void* recv,
                          const int counts[], const int displacements[], MPI_Datatype recv_type,
                          MPI_Comm comm),
                         (send, send_count, send_type, recv, counts, displacements, recv_type,
                          comm))
DISTVIEW_WRAP_COLLECTIVE(Alltoall, Ialltoall,
                         (const void* send, int send_count, MPI_Datatype send_type, void* recv,
                          int recv_count, MPI_Datatype recv_type, MPI_Comm comm),
                         (send, send_count, send_type, recv, recv_count, recv_type, comm))
DISTVIEW_WRAP_COLLECTIVE(Alltoallv, Ialltoallv,
                         (const void* send, const int send_counts[], const int send_offsets[],
                          MPI_Datatype send_type, void* recv, const int recv_counts[],
                          const int recv_offsets[], MPI_Datatype recv_type, MPI_Comm comm),
                         (send, send_counts, send_offsets, send_type, recv, recv_counts,
                          recv_offsets, recv_type, comm))
DISTVIEW_WRAP_COLLECTIVE(Alltoallw, Ialltoallw,
                         (const void* send, const int send_counts[], const int send_offsets[],
                          const MPI_Datatype send_types[], void* recv, const int recv_counts[],
                          const int recv_offsets[], const MPI_Datatype recv_types[], MPI_Comm comm),
                         (send, send_counts, send_offsets, send_types, recv, recv_counts,
                          recv_offsets, recv_types, comm))
DISTVIEW_WRAP_COLLECTIVE(Reduce, Ireduce,
                         (const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op,
                          int root, MPI_Comm comm),
                         (send, recv, count, type, op, root, comm))
DISTVIEW_WRAP_COLLECTIVE(Allreduce, Iallreduce,
                         (const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op,
                          MPI_Comm comm),
                         (send, recv, count, type, op, comm))
DISTVIEW_WRAP_COLLECTIVE(Reduce_scatter, Ireduce_scatter,
                         (const void* send, void* recv, const int counts[], MPI_Datatype type,
                          MPI_Op op, MPI_Comm comm),
                         (send, recv, counts, type, op, comm))
DISTVIEW_WRAP_COLLECTIVE(Reduce_scatter_block, Ireduce_scatter_block,
                         (const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op,
                          MPI_Comm comm),
                         (send, recv, count, type, op, comm))
DISTVIEW_WRAP_COLLECTIVE(Scan, Iscan,
                         (const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op,
                          MPI_Comm comm),
                         (send, recv, count, type, op, comm))
DISTVIEW_WRAP_COLLECTIVE(Exscan, Iexscan,
                         (const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op,
                          MPI_Comm comm),
                         (send, recv, count, type, op, comm))
DISTVIEW_WRAP_COLLECTIVE(Neighbor_allgather, Ineighbor_allgather,
                         (const void* send, int send_count, MPI_Datatype send_type, void* recv,
                          int recv_count, MPI_Datatype recv_type, MPI_Comm comm),
                         (send, send_count, send_type, recv, recv_count, recv_type, comm))
DISTVIEW_WRAP_COLLECTIVE(Neighbor_alltoall, Ineighbor_alltoall,
                         (const void* send, int send_count, MPI_Datatype send_type, void* recv,
                          int recv_count, MPI_Datatype recv_type, MPI_Comm comm),
                         (send, send_count, send_type, recv, recv_count, recv_type, comm))
DISTVIEW_WRAP_COLLECTIVE(Neighbor_alltoallv, Ineighbor_alltoallv,
                         (const void* send, const int send_counts[], const int send_offsets[],
                          MPI_Datatype send_type, void* recv, const int recv_counts[],
                          const int recv_offsets[], MPI_Datatype recv_type, MPI_Comm comm),
                         (send, send_counts, send_offsets, send_type, recv, recv_counts,
                          recv_offsets, recv_type, comm))
DISTVIEW_WRAP_COLLECTIVE(Neighbor_alltoallw, Ineighbor_alltoallw,
                         (const void* send, const int send_counts[], const MPI_Aint send_offsets[],
                          const MPI_Datatype send_types[], void* recv, const int recv_counts[],
                          const MPI_Aint recv_offsets[], const MPI_Datatype recv_types[],
                          MPI_Comm comm),
                         (send, send_counts, send_offsets, send_types, recv, recv_counts,
                          recv_offsets, recv_types, comm))

DISTVIEW_WRAP_ONE_SIDED(Put,
                        (const void* origin, int count, MPI_Datatype type, int target,
                         MPI_Aint offset, int target_count, MPI_Datatype target_type, MPI_Win win),
                        (origin, count, type, target, offset, target_count, target_type, win))
DISTVIEW_WRAP_ONE_SIDED(Get,
                        (void* origin, int count, MPI_Datatype type, int target, MPI_Aint offset,
                         int target_count, MPI_Datatype target_type, MPI_Win win),
                        (origin, count, type, target, offset, target_count, target_type, win))
DISTVIEW_WRAP_ONE_SIDED(Accumulate,
                        (const void* origin, int count, MPI_Datatype type, int target,
                         MPI_Aint offset, int target_count, MPI_Datatype target_type, MPI_Op op,
                         MPI_Win win),
                        (origin, count, type, target, offset, target_count, target_type, op, win))
DISTVIEW_WRAP_ONE_SIDED(Fetch_and_op,
                        (const void* origin, void* result, MPI_Datatype type, int target,
                         MPI_Aint offset, MPI_Op op, MPI_Win win),
                        (origin, result, type, target, offset, op, win))
DISTVIEW_WRAP_ONE_SIDED(Compare_and_swap,
                        (const void* origin, const void* compare, void* result, MPI_Datatype type,
                         int target, MPI_Aint offset, MPI_Win win),
                        (origin, compare, result, type, target, offset, win))

} // extern "C"
