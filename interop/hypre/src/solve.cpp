// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/hypre/solve.hpp>

#include "call.hpp"
#include "gradients.hpp"

#include <distview/comm/agreement.hpp>
#include <distview/comm/mpi_error.hpp>
#include <distview/core/text.hpp>
#include <distview/hypre/checked.hpp>

#include <HYPRE_parcsr_ls.h>
#include <HYPRE_struct_ls.h>

#include <exception>
#include <functional>
#include <ios>
#include <utility>

namespace distview::hypre {

using impl::call;
using impl::Method;

namespace {

/// hypre's functions take objects of its stacks as generic pointers.
template <class To, class From>
To as(From from) {
    return reinterpret_cast<To>(from);
}

Method ij_method(const char* caller, const Matrix&, const SolveOptions& options) {
    Method method;
    const std::string& name = options.preconditioner;
    method.create_gradients = [](MPI_Comm comm, HYPRE_Solver* solver) {
        return HYPRE_ParCSRPCGCreate(comm, solver);
    };
    method.destroy_gradients = &HYPRE_ParCSRPCGDestroy;
    method.set_ones = [](HYPRE_Vector ones) {
        return HYPRE_ParVectorSetConstantValues(as<HYPRE_ParVector>(ones), 1);
    };
    call(HYPRE_ParCSRSetupInterpreter(&method.algebra));
    if (name == "jacobi") {
        method.apply = as<HYPRE_PtrToSolverFcn>(&HYPRE_ParCSRDiagScale);
    } else if (name == "boomeramg") {
        method.create_preconditioner = [](MPI_Comm, HYPRE_Solver* solver) {
            return HYPRE_BoomerAMGCreate(solver);
        };
        method.destroy_preconditioner = &HYPRE_BoomerAMGDestroy;
        method.set_up = as<HYPRE_PtrToSolverFcn>(&HYPRE_BoomerAMGSetup);
        method.apply = as<HYPRE_PtrToSolverFcn>(&HYPRE_BoomerAMGSolve);
        method.tune = [&options](HYPRE_Solver solver) {
            call(HYPRE_BoomerAMGSetTol(solver, 0));
            call(HYPRE_BoomerAMGSetMaxIter(solver, 1));
            call(HYPRE_BoomerAMGSetPrintLevel(solver, 0));
            if (!options.constant_null_space) return;
            // Symmetric Gauss-Seidel: of the coarsest level, too, 1 is in the null space.
            call(HYPRE_BoomerAMGSetMinCoarseSize(solver, 4));
            call(HYPRE_BoomerAMGSetCycleRelaxType(solver, 6, 3));
        };
    } else {
        require<UsageError>(name == "none", [&] {
            return text(caller, ": expected a preconditioner none, jacobi or boomeramg, got ",
                        name);
        });
    }
    return method;
}

Method struct_method(const char* caller, const StructMatrix& a, const SolveOptions& options) {
    Method method;
    const std::string& name = options.preconditioner;
    method.create_gradients = [](MPI_Comm comm, HYPRE_Solver* solver) {
        return HYPRE_StructPCGCreate(comm, as<HYPRE_StructSolver*>(solver));
    };
    method.destroy_gradients = [](HYPRE_Solver solver) {
        return HYPRE_StructPCGDestroy(as<HYPRE_StructSolver>(solver));
    };
    method.set_ones = [](HYPRE_Vector ones) {
        return HYPRE_StructVectorSetConstantValues(as<HYPRE_StructVector>(ones), 1);
    };
    call(HYPRE_StructSetupInterpreter(&method.algebra));
    if (name == "jacobi") {
        method.apply = as<HYPRE_PtrToSolverFcn>(&HYPRE_StructDiagScale);
    } else if (name == "pfmg") {
        method.create_preconditioner = [](MPI_Comm comm, HYPRE_Solver* solver) {
            return HYPRE_StructPFMGCreate(comm, as<HYPRE_StructSolver*>(solver));
        };
        method.destroy_preconditioner = [](HYPRE_Solver solver) {
            return HYPRE_StructPFMGDestroy(as<HYPRE_StructSolver>(solver));
        };
        method.set_up = as<HYPRE_PtrToSolverFcn>(&HYPRE_StructPFMGSetup);
        method.apply = as<HYPRE_PtrToSolverFcn>(&HYPRE_StructPFMGSolve);
        // Red and black in turn, symmetric. hypre has room for the entries of 7 cells there: with corners
        // it writes beyond its stack, whence weighted Jacobi.
        method.tune = [relax = a.has_corners() ? 1 : 2](HYPRE_Solver solver) {
            const auto pfmg = as<HYPRE_StructSolver>(solver);
            call(HYPRE_StructPFMGSetTol(pfmg, 0));
            call(HYPRE_StructPFMGSetMaxIter(pfmg, 1));
            call(HYPRE_StructPFMGSetZeroGuess(pfmg));
            call(HYPRE_StructPFMGSetRelaxType(pfmg, relax));
        };
    } else {
        require<UsageError>(name == "none", [&] {
            return text(caller, ": expected a preconditioner none, jacobi or pfmg, got ", name);
        });
    }
    return method;
}

void require_alike(const Communicator& comm, const SolveOptions& options) {
    const std::hash<std::string> hash;
    const std::string all = text(options.preconditioner, ' ', exact_text(options.tolerance), ' ',
                                 options.max_iterations, ' ', options.has_to_converge, ' ',
                                 options.constant_null_space);
    agree(comm, "hypre::solve", nullptr, hash(all), [&] {
        return std::vector<Argument>{{"preconditioner", options.preconditioner},
                                     {"tolerance", exact_text(options.tolerance)},
                                     {"max_iterations", text(options.max_iterations)},
                                     {"has_to_converge", text(options.has_to_converge)},
                                     {"constant_null_space", text(options.constant_null_space)}};
    });
}

/// An object of a communicator with the same ranks in the same order.
void require_processes(const Communicator& comm, const RowNumbering& rows, const char* name) {
    int relation = MPI_UNEQUAL;
    check_mpi(MPI_Comm_compare(comm.mpi(), rows.communicator().mpi(), &relation),
              "MPI_Comm_compare");
    require<UsageError>(relation == MPI_IDENT || relation == MPI_CONGRUENT, [&] {
        return text("hypre::solve: expected ", name, " of the communicator's ", comm.size(),
                    " processes, got one of others, ", rows.communicator().size());
    });
}

void require_stencil(const Matrix&, const SolveOptions&) {}
/// hypre ends the program by others.
void require_stencil(const StructMatrix& a, const SolveOptions& options) {
    require<UsageError>(options.preconditioner != "pfmg" || a.suits_pfmg(),
                        "hypre::solve: pfmg: expected a matrix whose stencil has 5 or 9 entries on "
                        "2 axes, or 7, 19 or 27 on 3, got another one (ij_matrix() and boomeramg "
                        "take any)");
}

/// By a zero some preconditioners fail on its rank alone, in the middle of collective calls.
template <class Matrix>
void require_diagonal(const Communicator& comm, const Matrix& a, const SolveOptions& options) {
    if (options.preconditioner == "none") return;
    std::exception_ptr failure;
    if (a.zero_on_diagonal() >= 0)
        failure = std::make_exception_ptr(Error(
            text("hypre::solve: ", options.preconditioner,
                 ": expected no zero on the diagonal, got one in row ", a.zero_on_diagonal())));
    distview::impl::agree_on_solver(comm, "hypre::solve", failure,
                                    failure ? HYPRE_ERROR_GENERIC : 0);
}

template <class Matrix, class Vector>
void require_arguments(const Communicator& comm, const Matrix& a, const Vector& b, const Vector& x,
                       const SolveOptions& options) {
    require<UsageError>(a.get() && b.get() && x.get(),
                        "hypre::solve: expected a matrix and two vectors, got one whose object "
                        "was moved to another");
    require<UsageError>(options.tolerance >= 0 && options.max_iterations >= 0, [&] {
        return text("hypre::solve: expected a tolerance >= 0 and max_iterations >= 0, got ",
                    options.tolerance, " and ", options.max_iterations);
    });
    require_processes(comm, a.rows(), "a matrix");
    require_processes(comm, b.rows(), "a right side");
    require_processes(comm, x.rows(), "a solution");
    for (const Vector* vector : {&b, &x})
        require<UsageError>(vector->rows().layout() == a.rows().layout() &&
                                vector->rows().order() == a.rows().order(),
                            [&] {
                                return text("hypre::solve: expected vectors of the matrix's ",
                                            a.rows().layout().describe(), "\ngot one of a ",
                                            vector->rows().layout().describe());
                            });
    require_stencil(a, options);
    require<UsageError>(x.is_writable(), "hypre::solve: expected a solution whose elements are not "
                                         "const, got const ones");
}

template <class HypreVector, class HypreMatrix, class Matrix, class Vector>
SolveResult solve_with(const Communicator& comm, const Matrix& a, const Vector& b, const Vector& x,
                       const SolveOptions& options,
                       Method (*method_of)(const char*, const Matrix&, const SolveOptions&)) {
    const CollectiveCall naming(comm, "hypre::solve");
    require_alike(comm, options);
    agree_on(comm, "hypre::solve", [&] { require_arguments(comm, a, b, x, options); });
    require_diagonal(comm, a, options);
    b.put();
    x.put();
    SolveResult result;
    checked(comm, "hypre::solve", [&] {
        result =
            impl::solve_with_gradients(impl::comm_of(comm), method_of("hypre::solve", a, options),
                                       as<HYPRE_Matrix>(static_cast<HypreMatrix>(a)),
                                       as<HYPRE_Vector>(static_cast<HypreVector>(b)),
                                       as<HYPRE_Vector>(static_cast<HypreVector>(x)), options);
        return 0;
    });
    x.fetch();
    if (!result.converged && options.has_to_converge)
        throw SolverError(text("hypre::solve: expected a residual of at most ", options.tolerance,
                               " of the right side's, got ", result.reason, " with a residual of ",
                               result.residual, " after ", result.iterations, " iterations"),
                          HYPRE_ERROR_CONV);
    return result;
}

} // namespace

SolveResult solve(const Communicator& comm, const Matrix& a, const Vector& b, const Vector& x,
                  const SolveOptions& options) {
    return solve_with<HYPRE_ParVector, HYPRE_ParCSRMatrix>(comm, a, b, x, options, &ij_method);
}

SolveResult solve(const Communicator& comm, const StructMatrix& a, const StructVector& b,
                  const StructVector& x, const SolveOptions& options) {
    return solve_with<HYPRE_StructVector, HYPRE_StructMatrix>(comm, a, b, x, options,
                                                              &struct_method);
}

} // namespace distview::hypre
