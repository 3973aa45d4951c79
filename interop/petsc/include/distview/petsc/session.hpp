// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/communicator.hpp>

namespace distview::petsc {

/// Starts PETSc for a program, and stops it.
///
///     distview::Runtime runtime(argc, argv);
///     distview::Communicator comm(...);
///     distview::petsc::Session session(comm, argc, argv);    // -log_view, -ksp_view ... from the command line
///
/// If PETSc is initialised already, before or after MPI, the session neither starts nor stops it; objects of PETSc only
/// need PETSc to be running. PETSC_COMM_WORLD becomes a duplicate of `comm`, which may have only some of the program's
/// processes. PETSc installs no signal handlers. If a session still exists in MPI_Finalize, it stops PETSc there.
///
/// Vectors and matrices may outlive the session: destroying them then does nothing.
///
/// Collective: construction and destruction, over comm
/// Errors:     UsageError if PETSc is initialised on some ranks only, SolverError if it does not start (thrown on all
///             ranks)
class Session {
public:
    explicit Session(const Communicator& comm, int argc = 0, const char* const* argv = nullptr);
    ~Session();
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;
};

/// Whether PETSc is initialised and not yet finalised.
///
/// Collective: no (local)
bool is_running() noexcept;

} // namespace distview::petsc
