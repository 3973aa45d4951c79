// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/communicator.hpp>

#include <mpi.h>

namespace distview::testing {

/// Groups the ranks of a communicator by color, in the order of keys. Color 0 and key -rank reverse the order of all
/// ranks: layouts and sizes stay the same, the contents of ranks do not.
///
/// Collective: construction and destruction, over the communicator
class OtherRanks {
public:
    OtherRanks(const Communicator& of, int color, int key)
        : m_raw(split(of, color, key)), comm(m_raw) {}
    ~OtherRanks() { MPI_Comm_free(&m_raw); }
    OtherRanks(const OtherRanks&) = delete;
    OtherRanks& operator=(const OtherRanks&) = delete;

private:
    static MPI_Comm split(const Communicator& of, int color, int key) {
        MPI_Comm raw = MPI_COMM_NULL;
        MPI_Comm_split(of.mpi(), color, key, &raw);
        return raw;
    }

    MPI_Comm m_raw;

public:
    const Communicator comm;
};

} // namespace distview::testing
