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
/// If the program or PETSc initialised hypre already, the session neither starts nor stops it; objects of hypre only
/// need hypre to be running. A session that still exists in MPI_Finalize stops hypre there. Another session may follow.
///
/// Vectors and matrices may outlive the session: destroying them then does nothing. Another session can use them.
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

/// Whether IJ vectors of this hypre use the arrays' own memory (from 2.33 on) or copy it.
///
/// Collective: no (local)
bool takes_memory() noexcept;

} // namespace distview::hypre
