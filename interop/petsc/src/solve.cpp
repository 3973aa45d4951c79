// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/petsc/solve.hpp>

#include <distview/comm/agreement.hpp>
#include <distview/comm/collectives.hpp>
#include <distview/core/text.hpp>
#include <distview/petsc/checked.hpp>
#include <distview/petsc/handle.hpp>
#include <distview/petsc/vector.hpp>

#include "owned.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>

namespace distview::petsc {

namespace {

void require_alike(const Communicator& comm, const SolveOptions& options) {
    const std::hash<std::string> hash;
    const std::string all =
        text(options.method, ' ', options.preconditioner, ' ', exact_text(options.tolerance), ' ',
             options.max_iterations, ' ', options.has_to_converge);
    agree(comm, "petsc::solve", nullptr, hash(all), [&] {
        return std::vector<Argument>{{"method", options.method},
                                     {"preconditioner", options.preconditioner},
                                     {"tolerance", exact_text(options.tolerance)},
                                     {"max_iterations", text(options.max_iterations)},
                                     {"has_to_converge", text(options.has_to_converge)}};
    });
}

/// PETSc compares local sizes as well, but a rank whose sizes fit waits for the others in the next call.
void require_arguments(const Communicator& comm, Mat a, Vec b, Vec x, const SolveOptions& options) {
    checked(comm, "petsc::solve", [&]() -> int {
        require<UsageError>(options.tolerance >= 0 && options.max_iterations >= 0, [&] {
            return text("petsc::solve: expected a tolerance >= 0 and max_iterations >= 0, got ",
                        options.tolerance, " and ", options.max_iterations);
        });
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
                            "petsc::solve: expected a solution that can be written, got one whose "
                            "elements are const, or a Vec that is locked");
        require<ShapeError>(rows == given && columns == wanted, [&] {
            return text("petsc::solve: expected a right side of ", rows, " and a solution of ",
                        columns, " elements on this rank, as the matrix has rows and columns, got ",
                        given, " and ", wanted);
        });
        return PETSC_SUCCESS;
    });
}

/// A call of PETSc's that fails leaves the vectors locked that it has read: unlocks one at the end of a scope.
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

/// What made a preconditioner fail, such as a zero pivot: of blocks, what made that of this rank fail.
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

/// GAMG factorises its coarsest level, which is singular where the matrix is: what comes out is rounding, and the iteration
/// breaks down. Singular values tell what is zero.
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
    if (!has_blocks) PetscFunctionReturn(PETSC_SUCCESS); // the user has asked for another one
    PetscCall(PCBJacobiGetSubKSP(preconditioner, &count, nullptr, &blocks));
    for (PetscInt n = 0; n < count; ++n) {
        PetscCall(KSPGetPC(blocks[n], &preconditioner));
        PetscCall(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(preconditioner), PCLU,
                                         &is_factorised));
        if (is_factorised) PetscCall(PCSetType(preconditioner, PCSVD));
    }
    PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

SolveResult solve(const Communicator& comm, Mat a, Vec b, Vec x, const SolveOptions& options) {
    const CollectiveCall call(comm, "petsc::solve");
    require_alike(comm, options);
    require_arguments(comm, a, b, x, options);
    SolveResult result;
    KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
    PCFailedReason failed = PC_NOERROR, in_block = PC_NOERROR;
    checked(comm, "petsc::solve", [&]() -> int {
        for (const Vec vector : {b, x}) mark_written(vector);
        const Unlocking unlocking_b(b), unlocking_x(x);
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
        // It applies the preconditioner once, and refuses to start from anything.
        PetscBool is_preonly = PETSC_FALSE;
        PetscCall(
            PetscObjectTypeCompare(reinterpret_cast<PetscObject>(solver), KSPPREONLY, &is_preonly));
        if (is_preonly) PetscCall(KSPSetInitialGuessNonzero(solver, PETSC_FALSE));
        result.history.resize(
            static_cast<std::size_t>(std::clamp(options.max_iterations, 0, 100'000)) + 1);
        PetscCall(KSPSetResidualHistory(solver, result.history.data(),
                                        static_cast<PetscCount>(result.history.size()),
                                        PETSC_TRUE));
        PetscCall(VecNorm(b, NORM_2, &result.right_side));
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
        result.iterations = static_cast<int>(iterations);
        result.converged = reason > 0;
        result.reason = words ? words : "";
        if (reason == KSP_DIVERGED_PC_FAILED) PetscCall(find_failure(solver, failed, in_block));
        return PETSC_SUCCESS;
    });
    if (reason == KSP_DIVERGED_PC_FAILED) {
        // Blocks fail on some ranks only; of a block that failed, the others know no more than that.
        const int known = all_reduce(comm, ReduceOperation::max, static_cast<int>(in_block));
        result.reason += text(", ", PCFailedReasons[known > 0 ? known : static_cast<int>(failed)]);
    }
    if (!result.converged &&
        (options.has_to_converge || result.reason.find("FAILED") != std::string::npos))
        throw SolverError(text("petsc::solve: expected a residual of at most ", options.tolerance,
                               " of the right side's, got ", result.reason, " with a residual of ",
                               result.residual, " after ", result.iterations, " iterations"),
                          0);
    return result;
}

} // namespace distview::petsc
