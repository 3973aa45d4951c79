// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/petsc/solve.hpp>

#include <distview/comm/agreement.hpp>
#include <distview/core/text.hpp>
#include <distview/petsc/checked.hpp>
#include <distview/petsc/handle.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <ios>

namespace distview::petsc {

namespace {

void require_alike(const Communicator& comm, const SolveOptions& options) {
    const std::hash<std::string> hash;
    const std::string all =
        text(options.method, ' ', options.preconditioner, ' ', std::hexfloat, options.tolerance,
             ' ', options.max_iterations, ' ', options.has_to_converge);
    agree(comm, "petsc::solve", nullptr, hash(all), [&] {
        return std::vector<Argument>{{"method", options.method},
                                     {"preconditioner", options.preconditioner},
                                     {"tolerance", text(options.tolerance)},
                                     {"max_iterations", text(options.max_iterations)}};
    });
}

/// PETSc's words for what made a preconditioner fail, such as a zero pivot.
PetscErrorCode describe_failure(KSP solver, std::string& reason) {
    PC preconditioner = nullptr;
    PCFailedReason failed = PC_NOERROR;
    PetscFunctionBeginUser;
    PetscCall(KSPGetPC(solver, &preconditioner));
    PetscCall(PCGetFailedReason(preconditioner, &failed));
    if (failed != PC_NOERROR) reason += text(", ", PCFailedReasons[failed]);
    PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

SolveResult solve(const Communicator& comm, Mat a, Vec b, Vec x, const SolveOptions& options) {
    const CollectiveCall call(comm, "petsc::solve");
    require_alike(comm, options);
    SolveResult result;
    checked(comm, "petsc::solve", [&]() -> int {
        KSP solver = nullptr;
        PC preconditioner = nullptr;
        PetscCall(KSPCreate(PetscObjectComm(reinterpret_cast<PetscObject>(a)), &solver));
        const Handle<KSP> owner(solver);
        PetscCall(KSPSetOperators(solver, a, a));
        PetscCall(KSPSetType(solver, options.method.c_str()));
        PetscCall(KSPGetPC(solver, &preconditioner));
        PetscCall(PCSetType(preconditioner, options.preconditioner.c_str()));
        // As ConjugateGradient stops, where the method can.
        PetscBool is_cg = PETSC_FALSE;
        PetscCall(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(solver), KSPCG, &is_cg));
        if (is_cg) PetscCall(KSPSetNormType(solver, KSP_NORM_UNPRECONDITIONED));
        PetscCall(
            KSPSetTolerances(solver, options.tolerance, 0, PETSC_DEFAULT, options.max_iterations));
        PetscCall(KSPSetInitialGuessNonzero(solver, PETSC_TRUE));
        PetscCall(KSPSetFromOptions(solver));
        result.history.resize(
            static_cast<std::size_t>(std::clamp(options.max_iterations, 0, 100'000)) + 1);
        PetscCall(KSPSetResidualHistory(solver, result.history.data(),
                                        static_cast<PetscCount>(result.history.size()),
                                        PETSC_TRUE));
        PetscCall(VecNorm(b, NORM_2, &result.right_side));
        PetscCall(KSPSolve(solver, b, x));

        KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
        PetscInt iterations = 0, told = 0;
        const char* words = nullptr;
        PetscCall(KSPGetConvergedReason(solver, &reason));
        PetscCall(KSPGetConvergedReasonString(solver, &words));
        PetscCall(KSPGetIterationNumber(solver, &iterations));
        PetscCall(KSPGetResidualNorm(solver, &result.residual));
        PetscCall(KSPGetResidualHistory(solver, nullptr, &told));
        result.history.resize(static_cast<std::size_t>(told));
        result.iterations = static_cast<int>(iterations);
        result.converged = reason > 0;
        result.reason = words ? words : "";
        if (reason == KSP_DIVERGED_PC_FAILED) PetscCall(describe_failure(solver, result.reason));
        return PETSC_SUCCESS;
    });
    if (!result.converged &&
        (options.has_to_converge || result.reason.find("FAILED") != std::string::npos))
        throw SolverError(text("petsc::solve: expected a residual of at most ", options.tolerance,
                               " of the right side's, got ", result.reason, " with a residual of ",
                               result.residual, " after ", result.iterations, " iterations"),
                          0);
    return result;
}

} // namespace distview::petsc
