// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls on requests. A request ends when its variable becomes MPI_REQUEST_NULL: on completion for
// ordinary requests, by MPI_Request_free for persistent ones.
#include "mpi_tally.hpp"

#include <algorithm>

namespace distview::testing::impl {

namespace {

/// Counts the requests that a call sets to MPI_REQUEST_NULL.
class EndedRequests {
public:
    EndedRequests(int count, const MPI_Request* requests)
        : m_count(count), m_requests(requests), m_before(alive()) {}
    EndedRequests(const EndedRequests&) = delete;
    EndedRequests& operator=(const EndedRequests&) = delete;
    ~EndedRequests() { add_handles(&MpiHandles::requests, alive() - m_before); }

private:
    std::int64_t alive() const {
        return m_count - std::count(m_requests, m_requests + m_count, MPI_REQUEST_NULL);
    }

    int m_count;
    const MPI_Request* m_requests;
    std::int64_t m_before;
};

} // namespace

void link_request_wrappers() {}

} // namespace distview::testing::impl

using namespace distview::testing;
using namespace distview::testing::impl;

extern "C" {

int MPI_Start(MPI_Request* request) {
    const InsideMpi inside;
    note_start(*request);
    return PMPI_Start(request);
}

int MPI_Startall(int count, MPI_Request requests[]) {
    const InsideMpi inside;
    std::for_each(requests, requests + count, note_start);
    return PMPI_Startall(count, requests);
}

int MPI_Wait(MPI_Request* request, MPI_Status* status) {
    const InsideMpi inside;
    const EndedRequests ended(1, request);
    return PMPI_Wait(request, status);
}

int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]) {
    const InsideMpi inside;
    const EndedRequests ended(count, requests);
    return PMPI_Waitall(count, requests, statuses);
}

int MPI_Waitany(int count, MPI_Request requests[], int* index, MPI_Status* status) {
    const InsideMpi inside;
    const EndedRequests ended(count, requests);
    return PMPI_Waitany(count, requests, index, status);
}

int MPI_Waitsome(int count, MPI_Request requests[], int* done, int indices[],
                 MPI_Status statuses[]) {
    const InsideMpi inside;
    const EndedRequests ended(count, requests);
    return PMPI_Waitsome(count, requests, done, indices, statuses);
}

int MPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
    const InsideMpi inside;
    const EndedRequests ended(1, request);
    return PMPI_Test(request, flag, status);
}

int MPI_Testall(int count, MPI_Request requests[], int* flag, MPI_Status statuses[]) {
    const InsideMpi inside;
    const EndedRequests ended(count, requests);
    return PMPI_Testall(count, requests, flag, statuses);
}

int MPI_Testany(int count, MPI_Request requests[], int* index, int* flag, MPI_Status* status) {
    const InsideMpi inside;
    const EndedRequests ended(count, requests);
    return PMPI_Testany(count, requests, index, flag, status);
}

int MPI_Testsome(int count, MPI_Request requests[], int* done, int indices[],
                 MPI_Status statuses[]) {
    const InsideMpi inside;
    const EndedRequests ended(count, requests);
    return PMPI_Testsome(count, requests, done, indices, statuses);
}

int MPI_Request_free(MPI_Request* request) {
    const InsideMpi inside;
    const EndedRequests ended(1, request);
    forget_persistent(*request);
    return PMPI_Request_free(request);
}

} // extern "C"
