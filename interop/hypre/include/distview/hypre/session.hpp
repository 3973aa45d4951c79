// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/communicator.hpp>

namespace distview::hypre {

/// Starts hypre for a program, and stops it.
///
///     distview::Runtime runtime(argc, argv);
///     distview::Communicator comm(...);
///     distview::hypre::Session session(comm);
///
/// hypre that is initialised already, by the program or by PETSc, is left alone, also at the end; doors only ask that it
/// is there. Where a session still lives in MPI_Finalize, hypre is stopped there. After a session another one may follow.
///
/// Vectors and matrices may outlive the session: destroying them does nothing then. Another session can use them.
///
/// Collective: construction, over comm
/// Errors:     UsageError if hypre is initialised on some ranks only, SolverError if it does not start (thrown on all
///             ranks)
class Session {
public:
    explicit Session(const Communicator& comm);
    ~Session();
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;
};

/// Whether hypre is initialised and not yet finalised.
///
/// Collective: no (local)
bool is_running() noexcept;

/// Whether this hypre's IJ vectors are arrays' own memory (from 2.33 on), or copies of it.
///
/// Collective: no (local)
bool takes_memory() noexcept;

} // namespace distview::hypre
