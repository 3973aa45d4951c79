// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/hypre/solve.hpp>

#include <HYPRE_krylov.h>
#include <HYPRE_parcsr_ls.h>

#include <functional>

namespace distview::hypre::impl {

/// What differs between the IJ and the Struct interface, and between preconditioners, for solve_with_gradients().
struct Method {
    using Create = HYPRE_Int (*)(MPI_Comm, HYPRE_Solver*);
    using Destroy = HYPRE_Int (*)(HYPRE_Solver);

    Create create_gradients = nullptr;
    Destroy destroy_gradients = nullptr;
    mv_InterfaceInterpreter algebra{}; ///< of vectors
    HYPRE_Int (*set_ones)(HYPRE_Vector) = nullptr;

    Create create_preconditioner = nullptr; ///< null if there is nothing to set up
    Destroy destroy_preconditioner = nullptr;
    std::function<void(HYPRE_Solver)> tune{};
    HYPRE_PtrToSolverFcn set_up = nullptr;
    HYPRE_PtrToSolverFcn apply = nullptr; ///< null for none
};

/// hypre's conjugate gradients. Throws CallFailed, but not where they do not converge.
SolveResult solve_with_gradients(MPI_Comm comm, const Method& method, HYPRE_Matrix a,
                                 HYPRE_Vector b, HYPRE_Vector x, const SolveOptions& options);

} // namespace distview::hypre::impl
