// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <mpi.h>

#include <utility>

namespace distview::testing {

/// A communicator that is freed with its owner. Collective to make and to destroy.
class OwnedComm {
public:
    explicit OwnedComm(MPI_Comm comm) : m_comm(comm) {}
    OwnedComm(OwnedComm&& other) noexcept : m_comm(std::exchange(other.m_comm, MPI_COMM_NULL)) {}
    OwnedComm& operator=(OwnedComm&&) = delete;
    ~OwnedComm() { free(); }

    MPI_Comm get() const { return m_comm; }
    void free() {
        if (m_comm != MPI_COMM_NULL) MPI_Comm_free(&m_comm);
    }

private:
    MPI_Comm m_comm;
};

inline int world_rank() {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

inline int world_size() {
    int size = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    return size;
}

/// A new communicator of all processes, not used by the library so far.
inline OwnedComm duplicate_world() {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    return OwnedComm(comm);
}

/// The processes of one color, ordered by key.
inline OwnedComm split_world(int color, int key) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, color, key, &comm);
    return OwnedComm(comm);
}

/// All processes from last to first.
inline OwnedComm reversed_world() { return split_world(0, -world_rank()); }

} // namespace distview::testing
