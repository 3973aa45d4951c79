// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Point-to-point calls that name a peer.
#include "mpi_tally.hpp"

namespace distview::testing::impl {

namespace {

int created_request(int status, const MPI_Request* request) {
    if (status == MPI_SUCCESS && *request != MPI_REQUEST_NULL) {
        add_handles(&MpiHandles::requests, 1);
    }
    return status;
}

} // namespace

void link_message_wrappers() {}

} // namespace distview::testing::impl

using namespace distview::testing;
using namespace distview::testing::impl;

#define DISTVIEW_WRAP_SEND(name)                                                                   \
    int MPI_##name(const void* buffer, int count, MPI_Datatype type, int peer, int tag,            \
                   MPI_Comm comm) {                                                                \
        const InsideMpi inside;                                                                    \
        note_message(Direction::send, count, type, peer, comm);                                    \
        return PMPI_##name(buffer, count, type, peer, tag, comm);                                  \
    }

#define DISTVIEW_WRAP_ISEND(name)                                                                  \
    int MPI_##name(const void* buffer, int count, MPI_Datatype type, int peer, int tag,            \
                   MPI_Comm comm, MPI_Request* request) {                                          \
        const InsideMpi inside;                                                                    \
        note_message(Direction::send, count, type, peer, comm);                                    \
        return created_request(PMPI_##name(buffer, count, type, peer, tag, comm, request),         \
                               request);                                                           \
    }

#define DISTVIEW_WRAP_SEND_INIT(name)                                                              \
    int MPI_##name(const void* buffer, int count, MPI_Datatype type, int peer, int tag,            \
                   MPI_Comm comm, MPI_Request* request) {                                          \
        const InsideMpi inside;                                                                    \
        const int status = PMPI_##name(buffer, count, type, peer, tag, comm, request);             \
        if (status == MPI_SUCCESS) {                                                               \
            note_persistent(Direction::send, count, type, peer, comm, *request);                   \
        }                                                                                          \
        return created_request(status, request);                                                   \
    }

extern "C" {

DISTVIEW_WRAP_SEND(Send)
DISTVIEW_WRAP_SEND(Bsend)
DISTVIEW_WRAP_SEND(Ssend)
DISTVIEW_WRAP_SEND(Rsend)
DISTVIEW_WRAP_ISEND(Isend)
DISTVIEW_WRAP_ISEND(Ibsend)
DISTVIEW_WRAP_ISEND(Issend)
DISTVIEW_WRAP_ISEND(Irsend)
DISTVIEW_WRAP_SEND_INIT(Send_init)
DISTVIEW_WRAP_SEND_INIT(Bsend_init)
DISTVIEW_WRAP_SEND_INIT(Ssend_init)
DISTVIEW_WRAP_SEND_INIT(Rsend_init)

int MPI_Recv(void* buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
             MPI_Status* status) {
    const InsideMpi inside;
    note_message(Direction::receive, count, type, peer, comm);
    return PMPI_Recv(buffer, count, type, peer, tag, comm, status);
}

int MPI_Irecv(void* buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
              MPI_Request* request) {
    const InsideMpi inside;
    note_message(Direction::receive, count, type, peer, comm);
    return created_request(PMPI_Irecv(buffer, count, type, peer, tag, comm, request), request);
}

int MPI_Recv_init(void* buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
                  MPI_Request* request) {
    const InsideMpi inside;
    const int status = PMPI_Recv_init(buffer, count, type, peer, tag, comm, request);
    if (status == MPI_SUCCESS) {
        note_persistent(Direction::receive, count, type, peer, comm, *request);
    }
    return created_request(status, request);
}

int MPI_Mrecv(void* buffer, int count, MPI_Datatype type, MPI_Message* message,
              MPI_Status* status) {
    const InsideMpi inside;
    note_message(Direction::receive, count, type, MPI_ANY_SOURCE, MPI_COMM_WORLD);
    return PMPI_Mrecv(buffer, count, type, message, status);
}

int MPI_Imrecv(void* buffer, int count, MPI_Datatype type, MPI_Message* message,
               MPI_Request* request) {
    const InsideMpi inside;
    note_message(Direction::receive, count, type, MPI_ANY_SOURCE, MPI_COMM_WORLD);
    return created_request(PMPI_Imrecv(buffer, count, type, message, request), request);
}

int MPI_Sendrecv(const void* send_buffer, int send_count, MPI_Datatype send_type, int destination,
                 int send_tag, void* receive_buffer, int receive_count, MPI_Datatype receive_type,
                 int source, int receive_tag, MPI_Comm comm, MPI_Status* status) {
    const InsideMpi inside;
    note_message(Direction::send, send_count, send_type, destination, comm);
    note_message(Direction::receive, receive_count, receive_type, source, comm);
    return PMPI_Sendrecv(send_buffer, send_count, send_type, destination, send_tag, receive_buffer,
                         receive_count, receive_type, source, receive_tag, comm, status);
}

int MPI_Sendrecv_replace(void* buffer, int count, MPI_Datatype type, int destination, int send_tag,
                         int source, int receive_tag, MPI_Comm comm, MPI_Status* status) {
    const InsideMpi inside;
    note_message(Direction::send, count, type, destination, comm);
    note_message(Direction::receive, count, type, source, comm);
    return PMPI_Sendrecv_replace(buffer, count, type, destination, send_tag, source, receive_tag,
                                 comm, status);
}

} // extern "C"
