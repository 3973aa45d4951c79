// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/petsc/solve.hpp>

#include <distview/comm/agreement.hpp>
#include <distview/comm/collectives.hpp>
#include <distview/core/text.hpp>
#include <distview/petsc/checked.hpp>
#include <distview/petsc/handle.hpp>
#include <distview/petsc/session.hpp>
#include <distview/petsc/vector.hpp>

#include "owned.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <exception>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace distview::petsc {

namespace {

void require_alike(const Communicator& comm, const SolveOptions& options) {
    std::exception_ptr failure;
    std::size_t digest = 0;
    try {
        digest = std::hash<std::string>()(
            text(options.method, ' ', options.preconditioner, ' ', exact_text(options.tolerance),
                 ' ', options.max_iterations, ' ', options.has_to_converge, ' ', options.prefix));
    } catch (...) {
        failure = std::current_exception();
    }
    agree(comm, "petsc::solve", failure, digest, [&] {
        return std::vector<Argument>{{"method", options.method},
                                     {"preconditioner", options.preconditioner},
                                     {"tolerance", exact_text(options.tolerance)},
                                     {"max_iterations", text(options.max_iterations)},
                                     {"has_to_converge", text(options.has_to_converge)},
                                     {"prefix", options.prefix}};
    });
}

void require_options(const SolveOptions& options) {
    require<UsageError>(options.tolerance >= 0 && options.max_iterations >= 0, [&] {
        return text("petsc::solve: expected a tolerance >= 0 and max_iterations >= 0, got ",
                    options.tolerance, " and ", options.max_iterations);
    });
}

/// PETSc compares local sizes, too, but a rank whose sizes fit would wait in the next call for the ranks that fail.
void require_arguments(const Communicator& comm, Mat a, Vec b, Vec x, const SolveOptions& options) {
    checked(comm, "petsc::solve", [&]() -> int {
        require_options(options);
        PetscInt rows = 0, columns = 0, given = 0, wanted = 0, readers = 0;
        for (const PetscObject object :
             {reinterpret_cast<PetscObject>(a), reinterpret_cast<PetscObject>(b),
              reinterpret_cast<PetscObject>(x)})
            impl::require_processes("petsc::solve", comm, object);
        PetscCall(MatGetLocalSize(a, &rows, &columns));
        PetscCall(VecGetLocalSize(b, &given));
        PetscCall(VecGetLocalSize(x, &wanted));
        PetscCall(VecLockGet(x, &readers));
        require<UsageError>(readers == 0,
                            "petsc::solve: expected a writable solution x, got one with const "
                            "elements, or a locked Vec");
        // If a method overwrites b and reads it again (gmres at a restart), it solves other equations.
        const PetscScalar *right_side = nullptr, *solution = nullptr;
        PetscCall(VecGetArrayReadAndMemType(b, &right_side, nullptr)); // in any memory space
        PetscCall(VecGetArrayReadAndMemType(x, &solution, nullptr));
        const bool is_one = given > 0 && right_side == solution;
        PetscCall(VecRestoreArrayReadAndMemType(b, &right_side));
        PetscCall(VecRestoreArrayReadAndMemType(x, &solution));
        require<UsageError>(!is_one,
                            "petsc::solve: expected b and x in separate memory, got arrays that "
                            "share memory");
        require<ShapeError>(rows == given && columns == wanted, [&] {
            return text("petsc::solve: expected a right side of ", rows, " and a solution of ",
                        columns, " elements on this rank, as the matrix has rows and columns, got ",
                        given, " and ", wanted);
        });
        return PETSC_SUCCESS;
    });
}

/// Unlocks a vector at the end of a scope: after a failed call of PETSc, the vectors that it was reading stay locked.
class Unlocking {
public:
    explicit Unlocking(Vec vector) : m_vector(vector) { (void)VecLockGet(vector, &m_before); }
    ~Unlocking() {
        PetscInt readers = 0;
        (void)VecLockGet(m_vector, &readers);
        for (; readers > m_before; --readers) (void)VecLockReadPop(m_vector);
    }
    Unlocking(const Unlocking&) = delete;
    Unlocking& operator=(const Unlocking&) = delete;

private:
    Vec m_vector;
    PetscInt m_before = 0;
};

/// Finds why a preconditioner failed (a zero pivot, for instance) and, for block Jacobi, why this rank's block failed.
PetscErrorCode find_failure(KSP solver, PCFailedReason& failed, PCFailedReason& in_block) {
    PC preconditioner = nullptr;
    PetscBool has_blocks = PETSC_FALSE;
    PetscFunctionBeginUser;
    PetscCall(KSPGetPC(solver, &preconditioner));
    PetscCall(PCGetFailedReason(preconditioner, &failed));
    PetscCall(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(preconditioner), PCBJACOBI,
                                     &has_blocks));
    if (!has_blocks) PetscFunctionReturn(PETSC_SUCCESS);
    KSP* blocks = nullptr;
    PetscInt count = 0;
    PetscCall(PCBJacobiGetSubKSP(preconditioner, &count, nullptr, &blocks));
    for (PetscInt n = 0; n < count; ++n) {
        PCFailedReason of_block = PC_NOERROR;
        PetscCall(KSPGetPC(blocks[n], &preconditioner));
        PetscCall(PCGetFailedReason(preconditioner, &of_block));
        if (of_block != PC_NOERROR) in_block = of_block;
    }
    PetscFunctionReturn(PETSC_SUCCESS);
}

/// GAMG factorises its coarsest level. If the matrix is singular, so is that level: its factors are rounding errors,
/// and the iteration breaks down. A singular value decomposition detects the zeros.
PetscErrorCode make_coarsest_regular(KSP solver, Mat a) {
    MatNullSpace space = nullptr;
    PC preconditioner = nullptr;
    PetscBool is_gamg = PETSC_FALSE, has_blocks = PETSC_FALSE, is_factorised = PETSC_FALSE;
    PetscFunctionBeginUser;
    PetscCall(MatGetNullSpace(a, &space));
    PetscCall(KSPGetPC(solver, &preconditioner));
    PetscCall(
        PetscObjectTypeCompare(reinterpret_cast<PetscObject>(preconditioner), PCGAMG, &is_gamg));
    if (!space || !is_gamg) PetscFunctionReturn(PETSC_SUCCESS);
    KSP coarsest = nullptr, *blocks = nullptr;
    PetscInt count = 0;
    PetscCall(KSPSetUp(solver)); // makes the levels
    PetscCall(PCMGGetCoarseSolve(preconditioner, &coarsest));
    PetscCall(KSPGetPC(coarsest, &preconditioner));
    PetscCall(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(preconditioner), PCBJACOBI,
                                     &has_blocks));
    if (!has_blocks) PetscFunctionReturn(PETSC_SUCCESS); // the user chose another coarse solver
    PetscCall(PCBJacobiGetSubKSP(preconditioner, &count, nullptr, &blocks));
    for (PetscInt n = 0; n < count; ++n) {
        PetscCall(KSPGetPC(blocks[n], &preconditioner));
        PetscCall(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(preconditioner), PCLU,
                                         &is_factorised));
        if (is_factorised) PetscCall(PCSetType(preconditioner, PCSVD));
    }
    PetscFunctionReturn(PETSC_SUCCESS);
}

/// Makes a method stop by the residual b - A x, as ConjugateGradient does. By default gmres uses the preconditioned
/// residual, which may be small while A x is far from b. Norms and sides from the command line stay.
PetscErrorCode take_norms_of_residual(KSP solver) {
    const char* prefix = nullptr;
    PetscBool has_side = PETSC_FALSE, has_norm = PETSC_FALSE;
    PetscBool on_left = PETSC_FALSE, on_right = PETSC_FALSE;
    const auto object = reinterpret_cast<PetscObject>(solver);
    PetscFunctionBeginUser;
    PetscCall(KSPGetOptionsPrefix(solver, &prefix));
    PetscCall(PetscOptionsHasName(nullptr, prefix, "-ksp_pc_side", &has_side));
    PetscCall(PetscOptionsHasName(nullptr, prefix, "-ksp_norm_type", &has_norm));
    PetscCall(PetscObjectTypeCompareAny(object, &on_left, KSPCG, KSPBICG, ""));
    // With the preconditioner on the right, others (cgs, tfqmr, bcgsl, ...) lose the initial x.
    PetscCall(PetscObjectTypeCompareAny(object, &on_right, KSPGMRES, KSPLGMRES, KSPDGMRES,
                                        KSPPGMRES, KSPBCGS, ""));
    if (has_norm || (has_side && on_right) || !(on_left || on_right))
        PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(KSPSetNormType(solver, KSP_NORM_UNPRECONDITIONED));
    if (on_right) PetscCall(KSPSetPCSide(solver, PC_RIGHT));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/// Finds the right side that KSPSolve() uses. If the null space of the transposed matrix is known, that is a copy of b
/// without its part in the null space; `owner` keeps the copy.
PetscErrorCode find_right_side(KSP solver, Vec b, Handle<Vec>& owner, Vec& right_side) {
    Mat of_preconditioner = nullptr;
    MatNullSpace space = nullptr;
    PetscFunctionBeginUser;
    right_side = b;
    PetscCall(KSPGetOperators(solver, nullptr, &of_preconditioner));
    PetscCall(MatGetTransposeNullSpace(of_preconditioner, &space));
    if (!space) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(VecDuplicate(b, &right_side));
    owner = Handle<Vec>(right_side);
    PetscCall(VecCopy(b, right_side));
    PetscCall(MatNullSpaceRemove(space, right_side));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/// The norm of b - A x.
PetscErrorCode find_residual(Mat a, Vec b, Vec x, PetscReal& norm) {
    Vec residual = nullptr;
    PetscFunctionBeginUser;
    PetscCall(VecDuplicate(b, &residual));
    const Handle<Vec> owner(residual);
    PetscCall(MatMult(a, x, residual));
    PetscCall(VecAYPX(residual, -1, b));
    PetscCall(VecNorm(residual, NORM_2, &norm));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/// PETSc reports divergence if a residual exceeds 1e5 times the right side, even the residual of the initial x. Raises
/// this limit by the ratio of the initial residual to the residual of x = 0.
PetscErrorCode allow_far_start(KSP solver, Mat a, Vec b, Vec x, PetscReal right_side) {
    PetscReal start = 0, first = 0, limit = 0;
    PetscFunctionBeginUser;
    PetscCall(VecNorm(x, NORM_INFINITY, &start));
    if (!(start > 0) || !(right_side > 0)) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(find_residual(a, b, x, first));
    PetscCall(KSPGetTolerances(solver, nullptr, nullptr, &limit, nullptr));
    if (first > right_side && std::isfinite(limit * (first / right_side)))
        PetscCall(KSPSetTolerances(solver, PETSC_DEFAULT, PETSC_DEFAULT,
                                   limit * (first / right_side), PETSC_DEFAULT));
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode make_solver(Mat a, const SolveOptions& options, KSP& solver) {
    PC preconditioner = nullptr;
    PetscBool is_preonly = PETSC_FALSE;
    PetscFunctionBeginUser;
    PetscCall(KSPCreate(PetscObjectComm(reinterpret_cast<PetscObject>(a)), &solver));
    Handle<KSP> owner(solver); // destroys the solver if a call fails
    PetscCall(KSPSetOperators(solver, a, a));
    PetscCall(KSPSetType(solver, options.method.c_str()));
    PetscCall(KSPGetPC(solver, &preconditioner));
    PetscCall(PCSetType(preconditioner, options.preconditioner.c_str()));
    // PETSc refuses tolerances of 1 and more, which end an iteration from x = 0 before it begins.
    const double tolerance = std::min(options.tolerance, std::nextafter(1.0, 0.0));
    PetscCall(KSPSetTolerances(solver, tolerance, 0, PETSC_DEFAULT, options.max_iterations));
    PetscCall(KSPSetInitialGuessNonzero(solver, PETSC_TRUE));
    if (!options.prefix.empty()) PetscCall(KSPSetOptionsPrefix(solver, options.prefix.c_str()));
    PetscCall(KSPSetFromOptions(solver));
    PetscCall(take_norms_of_residual(solver)); // after the command line may have changed the method
    // preonly applies the preconditioner once, and accepts no initial x.
    PetscCall(
        PetscObjectTypeCompare(reinterpret_cast<PetscObject>(solver), KSPPREONLY, &is_preonly));
    if (is_preonly) PetscCall(KSPSetInitialGuessNonzero(solver, PETSC_FALSE));
    PetscCall(PetscObjectReference(reinterpret_cast<PetscObject>(solver)));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/// Requires what the preconditioner reads of the diagonal: without it PETSc fails on one rank, in the middle of calls in
/// which the other ranks wait. Others (fieldsplit, lu of other libraries, ...) solve systems without a full diagonal.
int require_diagonal(const char* caller, KSP solver, Mat a) {
    PC preconditioner = nullptr;
    PCType type = nullptr;
    PetscBool is_jacobi = PETSC_FALSE, needs_entries = PETSC_FALSE, is_assembled = PETSC_FALSE;
    PetscBool has_diagonal = PETSC_TRUE, is_missing = PETSC_FALSE;
    PetscInt row = 0;
    PetscCall(KSPGetPC(solver, &preconditioner));
    PetscCall(PCGetType(preconditioner, &type));
    const auto object = reinterpret_cast<PetscObject>(preconditioner);
    PetscCall(PetscObjectTypeCompare(object, PCJACOBI, &is_jacobi));
    PetscCall(PetscObjectTypeCompareAny(object, &needs_entries, PCGAMG, PCBJACOBI, PCASM, PCGASM,
                                        PCSOR, PCILU, PCICC, ""));
    PetscCall(PetscObjectTypeCompareAny(reinterpret_cast<PetscObject>(a), &is_assembled, MATSEQAIJ,
                                        MATMPIAIJ, ""));
    if (is_jacobi) PetscCall(MatHasOperation(a, MATOP_GET_DIAGONAL, &has_diagonal));
    if (needs_entries && is_assembled) PetscCall(MatMissingDiagonal(a, &is_missing, &row));
    const std::string begin = text(caller, ": ", type, ": expected ");
    if (!has_diagonal)
        throw SolverError(begin + "a matrix that gives its diagonal, got one that does not: pass "
                                  "`diagonal` to shell_matrix()",
                          PETSC_ERR_SUP);
    if (is_missing)
        throw SolverError(
            text(begin, "an entry on the diagonal of each row, got none in row ", row),
            PETSC_ERR_ARG_WRONGSTATE);
    return PETSC_SUCCESS;
}

Handle<KSP> new_solver(const Communicator& comm, const char* caller, Mat a,
                       const SolveOptions& options) {
    Handle<KSP> owner;
    checked(comm, caller, [&]() -> int {
        KSP solver = nullptr;
        PetscCall(make_solver(a, options, solver));
        owner = Handle<KSP>(solver);
        return PETSC_SUCCESS;
    });
    checked(comm, caller, [&] { return require_diagonal(caller, owner, a); });
    return owner;
}

/// PETSc's report of a solution; failures of preconditioners are local to this rank.
struct Outcome {
    SolveResult result{};
    KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
    PCFailedReason failed = PC_NOERROR, in_block = PC_NOERROR;
};

Outcome run_solver(const Communicator& comm, KSP solver, Mat a, Vec b, Vec x,
                   const SolveOptions& options) {
    Outcome outcome;
    auto& [result, reason, failed, in_block] = outcome;
    // Allocates before PETSc communicates: if memory ended on this rank later, the others would wait in PETSc's calls.
    agree_on(comm, "petsc::solve", [&] {
        result.history.resize(
            static_cast<std::size_t>(std::clamp(options.max_iterations, 0, 100'000)) + 1);
    });
    Handle<Vec> copy; // of the right side
    const auto run = [&]() -> int {
        PetscReal limit = 0; // of divergence
        Vec right_side = nullptr;
        for (const Vec vector : {b, x}) mark_written(vector);
        const Unlocking unlocking_b(b), unlocking_x(x);
        PetscBool is_preonly = PETSC_FALSE, is_gcr = PETSC_FALSE;
        PetscCall(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(solver), KSPGCR, &is_gcr));
        PetscCall(
            PetscObjectTypeCompare(reinterpret_cast<PetscObject>(solver), KSPPREONLY, &is_preonly));
        PetscCall(find_right_side(solver, b, copy, right_side));
        PetscCall(VecNorm(right_side, NORM_2, &result.right_side));
        if (result.right_side == 0 && !is_preonly) {
            // If the right side is 0, only a residual of 0 meets the tolerance: PETSc would iterate until numbers
            // underflow.
            KSPNormType norms = KSP_NORM_NONE;
            PetscCall(KSPGetNormType(solver, &norms));
            PetscCall(VecSet(x, 0));
            result.converged = true;
            result.history.assign(norms == KSP_NORM_NONE ? 0 : 1, 0);
            result.reason = KSPConvergedReasons[KSP_CONVERGED_ATOL];
            return PETSC_SUCCESS;
        }
        PetscCall(KSPGetTolerances(solver, nullptr, nullptr, &limit, nullptr));
        PetscCall(KSPSetResidualHistory(solver, result.history.data(),
                                        static_cast<PetscCount>(result.history.size()),
                                        PETSC_TRUE));
        if (!is_preonly) PetscCall(allow_far_start(solver, a, right_side, x, result.right_side));
        PetscCall(make_coarsest_regular(solver, a));
        PetscCall(KSPSolve(solver, b, x));

        PetscInt iterations = 0, told = 0;
        const char* words = nullptr;
        PetscCall(KSPGetConvergedReason(solver, &reason));
        PetscCall(KSPGetConvergedReasonString(solver, &words));
        PetscCall(KSPGetIterationNumber(solver, &iterations));
        PetscCall(KSPGetResidualNorm(solver, &result.residual));
        PetscCall(KSPGetResidualHistory(solver, nullptr, &told));
        result.history.resize(static_cast<std::size_t>(told));
        PetscCall(KSPSetResidualHistory(solver, nullptr, 0, PETSC_TRUE)); // PETSc must not keep it
        PetscCall(KSPSetTolerances(solver, PETSC_DEFAULT, PETSC_DEFAULT, limit, PETSC_DEFAULT));
        result.iterations = static_cast<int>(iterations);
        // gcr reports convergence after the maximum number of iterations.
        KSPNormType norms = KSP_NORM_NONE;
        PetscCall(KSPGetNormType(solver, &norms));
        if (norms == KSP_NORM_NONE) {
            result.history.clear(); // zeros, or empty
            PetscCall(find_residual(a, right_side, x, result.residual));
        }
        const bool tells_by_count = reason == KSP_CONVERGED_ITS && is_gcr && norms != KSP_NORM_NONE;
        result.converged = reason > 0 && !tells_by_count;
        result.reason = words ? words : "";
        if (reason == KSP_DIVERGED_PC_FAILED) PetscCall(find_failure(solver, failed, in_block));
        return PETSC_SUCCESS;
    };
    try {
        checked(comm, "petsc::solve", run);
    } catch (...) {
        if (is_running()) (void)KSPSetResidualHistory(solver, nullptr, 0, PETSC_TRUE);
        throw;
    }
    return outcome;
}

/// Adds why a preconditioner failed. Throws SolverError if it did, or a solution that has to converge did not.
SolveResult result_of(const Communicator& comm, Outcome outcome, const SolveOptions& options) {
    auto& [result, reason, failed, in_block] = outcome;
    if (reason == KSP_DIVERGED_PC_FAILED) {
        // A block may fail on some ranks only; the other ranks know only that a block failed.
        const int known = all_reduce(comm, ReduceOperation::max, static_cast<int>(in_block));
        const int code = known > 0 ? known : static_cast<int>(failed);
        agree_on(comm, "petsc::solve",
                 [&] { result.reason += text(", ", PCFailedReasons[code]); });
    }
    if (!result.converged &&
        (options.has_to_converge || result.reason.find("FAILED") != std::string::npos))
        throw SolverError(text("petsc::solve: expected a residual of at most ", options.tolerance,
                               " times the norm of the right side, ", result.right_side, ", got ",
                               result.reason, " with a residual of ", result.residual, " after ",
                               result.iterations, " iterations"),
                          0);
    return std::move(result); // a copy would allocate: an error of this rank alone
}

} // namespace

Solver::Solver(const Communicator& comm, Mat a, const SolveOptions& options)
    : m_comm(comm), m_options(options) {
    const CollectiveCall call(comm, "petsc::Solver");
    require_alike(comm, options);
    checked(comm, "petsc::Solver", [&]() -> int {
        require_options(options);
        impl::require_processes("petsc::Solver", comm, reinterpret_cast<PetscObject>(a));
        return PETSC_SUCCESS;
    });
    m_solver = new_solver(comm, "petsc::Solver", a, options);
}

SolveResult Solver::solve(Vec b, Vec x) {
    const CollectiveCall call(m_comm, "petsc::Solver::solve");
    Mat a = nullptr;
    checked(m_comm, "petsc::Solver::solve", [&]() -> int {
        require<UsageError>(
            !m_has_failed,
            "petsc::Solver::solve: expected a solver without an unfinished call, got "
            "one whose earlier call failed halfway (an operator threw, or PETSc "
            "failed); make another Solver");
        impl::require_processes("petsc::Solver::solve", m_comm,
                                reinterpret_cast<PetscObject>(m_solver.get()));
        PetscCall(KSPGetOperators(m_solver, &a, nullptr));
        return PETSC_SUCCESS;
    });
    require_arguments(m_comm, a, b, x, m_options);
    m_has_failed = true; // until run_solver() returns
    Outcome outcome = run_solver(m_comm, m_solver, a, b, x, m_options);
    m_has_failed = false;
    return result_of(m_comm, std::move(outcome), m_options);
}

SolveResult solve(const Communicator& comm, Mat a, Vec b, Vec x, const SolveOptions& options) {
    const CollectiveCall call(comm, "petsc::solve");
    require_alike(comm, options);
    require_arguments(comm, a, b, x, options);
    const Handle<KSP> owner = new_solver(comm, "petsc::solve", a, options);
    return result_of(comm, run_solver(comm, owner, a, b, x, options), options);
}

} // namespace distview::petsc
