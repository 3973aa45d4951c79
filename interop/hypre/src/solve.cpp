// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/hypre/solve.hpp>

#include "call.hpp"
#include "iteration.hpp"
#include "limits.hpp"

#include <distview/comm/agreement.hpp>
#include <distview/comm/mpi_error.hpp>
#include <distview/core/text.hpp>
#include <distview/hypre/checked.hpp>

#include <HYPRE_parcsr_ls.h>
#include <HYPRE_struct_ls.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace distview::hypre {

using impl::call;
using impl::Method;

namespace {

/// hypre's functions accept objects of both interfaces as generic pointers.
template <class To, class From>
To as(From from) {
    return reinterpret_cast<To>(from);
}

/// Calls of the Struct interface for solvers as generic pointers.
template <auto Create>
HYPRE_Int created(MPI_Comm comm, HYPRE_Solver* solver) {
    return Create(comm, as<HYPRE_StructSolver*>(solver));
}
template <auto Destroy>
HYPRE_Int destroyed(HYPRE_Solver solver) {
    return Destroy(as<HYPRE_StructSolver>(solver));
}

const char* name_of(KrylovMethod method) {
    return method == KrylovMethod::gmres      ? "gmres"
           : method == KrylovMethod::bicgstab ? "bicgstab"
                                              : "pcg";
}

Method method_of(const Matrix& a, const SolveOptions& options) {
    Method method;
    switch (options.method) {
    case KrylovMethod::pcg:
        method.create = &HYPRE_ParCSRPCGCreate;
        method.destroy = &HYPRE_ParCSRPCGDestroy;
        break;
    case KrylovMethod::gmres:
        method.create = &HYPRE_ParCSRGMRESCreate;
        method.destroy = &HYPRE_ParCSRGMRESDestroy;
        break;
    case KrylovMethod::bicgstab:
        method.create = &HYPRE_ParCSRBiCGSTABCreate;
        method.destroy = &HYPRE_ParCSRBiCGSTABDestroy;
        break;
    }
    method.set_to = [](HYPRE_Vector vector, double value) {
        return HYPRE_ParVectorSetConstantValues(as<HYPRE_ParVector>(vector), value);
    };
    method.subtract_product = [](HYPRE_Matrix matrix, HYPRE_Vector x, HYPRE_Vector y) {
        return HYPRE_ParCSRMatrixMatvec(-1, as<HYPRE_ParCSRMatrix>(matrix), as<HYPRE_ParVector>(x),
                                        1, as<HYPRE_ParVector>(y));
    };
    call(HYPRE_ParCSRSetupInterpreter(&method.algebra));
    if (options.preconditioner == "jacobi") {
        method.apply = as<HYPRE_PtrToSolverFcn>(&HYPRE_ParCSRDiagScale);
    } else if (options.preconditioner == "boomeramg") {
        method.create_preconditioner = [](MPI_Comm, HYPRE_Solver* solver) {
            return HYPRE_BoomerAMGCreate(solver);
        };
        method.destroy_preconditioner = &HYPRE_BoomerAMGDestroy;
        method.set_up = as<HYPRE_PtrToSolverFcn>(&HYPRE_BoomerAMGSetup);
        method.apply = as<HYPRE_PtrToSolverFcn>(&HYPRE_BoomerAMGSolve);
        method.tune = [is_singular = options.constant_null_space,
                       unknowns = a.rows().unknowns_per_cell()](HYPRE_Solver solver) {
            // Rows of a rank begin with a cell's first unknown: hypre counts on from there.
            call(HYPRE_BoomerAMGSetNumFunctions(solver, unknowns));
            call(HYPRE_BoomerAMGSetTol(solver, 0));
            call(HYPRE_BoomerAMGSetMaxIter(solver, 1));
            call(HYPRE_BoomerAMGSetPrintLevel(solver, 0));
            if (!is_singular) return;
            // Symmetric Gauss-Seidel: the coarsest level is singular too, with 1 in its null space.
            call(HYPRE_BoomerAMGSetMinCoarseSize(solver, 4));
            call(HYPRE_BoomerAMGSetCycleRelaxType(solver, 6, 3));
        };
    }
    return method;
}

Method method_of(const StructMatrix& a, const SolveOptions& options) {
    Method method;
    switch (options.method) {
    case KrylovMethod::pcg:
        method.create = &created<&HYPRE_StructPCGCreate>;
        method.destroy = &destroyed<&HYPRE_StructPCGDestroy>;
        break;
    case KrylovMethod::gmres:
        method.create = &created<&HYPRE_StructGMRESCreate>;
        method.destroy = &destroyed<&HYPRE_StructGMRESDestroy>;
        break;
    case KrylovMethod::bicgstab:
        method.create = &created<&HYPRE_StructBiCGSTABCreate>;
        method.destroy = &destroyed<&HYPRE_StructBiCGSTABDestroy>;
        break;
    }
    method.set_to = [](HYPRE_Vector vector, double value) {
        return HYPRE_StructVectorSetConstantValues(as<HYPRE_StructVector>(vector), value);
    };
    method.subtract_product = [](HYPRE_Matrix matrix, HYPRE_Vector x, HYPRE_Vector y) {
        return HYPRE_StructMatrixMatvec(-1, as<HYPRE_StructMatrix>(matrix),
                                        as<HYPRE_StructVector>(x), 1, as<HYPRE_StructVector>(y));
    };
    call(HYPRE_StructSetupInterpreter(&method.algebra));
    if (options.preconditioner == "jacobi") {
        method.apply = as<HYPRE_PtrToSolverFcn>(&HYPRE_StructDiagScale);
    } else if (options.preconditioner == "pfmg") {
        method.create_preconditioner = &created<&HYPRE_StructPFMGCreate>;
        method.destroy_preconditioner = &destroyed<&HYPRE_StructPFMGDestroy>;
        method.set_up = as<HYPRE_PtrToSolverFcn>(&HYPRE_StructPFMGSetup);
        method.apply = as<HYPRE_PtrToSolverFcn>(&HYPRE_StructPFMGSolve);
        // Symmetric red-black relaxation. hypre has room there for the entries of 7 cells and, with corners,
        // writes beyond its stack: such stencils use weighted Jacobi.
        method.tune = [relax = a.has_corners() ? 1 : 2](HYPRE_Solver solver) {
            const auto pfmg = as<HYPRE_StructSolver>(solver);
            call(HYPRE_StructPFMGSetTol(pfmg, 0));
            call(HYPRE_StructPFMGSetMaxIter(pfmg, 1));
            call(HYPRE_StructPFMGSetZeroGuess(pfmg));
            call(HYPRE_StructPFMGSetRelaxType(pfmg, relax));
        };
    }
    return method;
}

void require_alike(const Communicator& comm, const char* caller, const SolveOptions& options) {
    std::exception_ptr failure;
    std::size_t digest = 0;
    try {
        digest = std::hash<std::string>()(
            text(name_of(options.method), ' ', options.restart, ' ', options.preconditioner, ' ',
                 exact_text(options.tolerance), ' ', options.max_iterations, ' ',
                 options.has_to_converge, ' ', options.constant_null_space));
    } catch (...) {
        failure = std::current_exception();
    }
    agree(comm, caller, failure, digest, [&] {
        return std::vector<Argument>{{"method", name_of(options.method)},
                                     {"restart", text(options.restart)},
                                     {"preconditioner", options.preconditioner},
                                     {"tolerance", exact_text(options.tolerance)},
                                     {"max_iterations", text(options.max_iterations)},
                                     {"has_to_converge", text(options.has_to_converge)},
                                     {"constant_null_space", text(options.constant_null_space)}};
    });
}

/// Throws UsageError unless the numbering's communicator has the same ranks in the same order.
void require_processes(const Communicator& comm, const char* caller, const RowNumbering& rows,
                       const char* name) {
    int relation = MPI_UNEQUAL;
    check_mpi(MPI_Comm_compare(comm.mpi(), rows.communicator().mpi(), &relation),
              "MPI_Comm_compare");
    require<UsageError>(relation == MPI_IDENT || relation == MPI_CONGRUENT, [&] {
        return text(caller, ": expected ", name, " over the communicator's ", comm.size(),
                    " processes in the same order, got one over ", rows.communicator().size(),
                    " processes, other ones or in another order");
    });
}

void require_preconditioner(const char* caller, const std::string& name, const char* multigrid) {
    require<UsageError>(name == "none" || name == "jacobi" || name == multigrid, [&] {
        return text(caller, ": expected a preconditioner none, jacobi or ", multigrid, ", got ",
                    name);
    });
}

void require_suitable(const char* caller, const Matrix&, const SolveOptions& options) {
    require_preconditioner(caller, options.preconditioner, "boomeramg");
}
/// With another stencil, pfmg would abort the program.
void require_suitable(const char* caller, const StructMatrix& a, const SolveOptions& options) {
    require_preconditioner(caller, options.preconditioner, "pfmg");
    require<UsageError>(options.preconditioner != "pfmg" || a.suits_pfmg(), [&] {
        return text(caller, ": pfmg: expected a matrix whose stencil has 5 or 9 entries on 2 axes, "
                            "or 7, 19 or 27 on 3, got another stencil; boomeramg with ij_matrix() "
                            "accepts any");
    });
}

/// A zero makes some preconditioners fail on its rank alone, in the middle of collective calls.
template <class A>
void require_diagonal(const Communicator& comm, const char* caller, const A& a,
                      const SolveOptions& options) {
    if (options.preconditioner == "none") return;
    std::exception_ptr failure;
    try {
        if (a.zero_on_diagonal() >= 0)
            throw SolverError(text(caller, ": ", options.preconditioner,
                                   ": expected no zero on the diagonal, got one in row ",
                                   a.zero_on_diagonal()),
                              HYPRE_ERROR_GENERIC);
    } catch (...) {
        failure = std::current_exception();
    }
    distview::impl::agree_on_solver(comm, caller, failure);
}

/// How often set_values() changed the matrix.
std::int64_t changes_of(const Matrix& a) { return a.changes(); }
std::int64_t changes_of(const StructMatrix&) { return 0; }

/// How many numbers of this rank a vector of gmres adds to hypre's one array; Struct vectors have an array each.
std::int64_t numbers_of_vector(const Matrix& a) { return a.rows().local_rows(); }
std::int64_t numbers_of_vector(const StructMatrix&) { return 1; }

template <class A>
void require_matrix(const Communicator& comm, const char* caller, const A& a,
                    const SolveOptions& options) {
    require<UsageError>(options.tolerance >= 0 && options.max_iterations >= 0, [&] {
        return text(caller, ": expected a tolerance >= 0 and max_iterations >= 0, got ",
                    options.tolerance, " and ", options.max_iterations);
    });
    require<UsageError>(options.restart >= 1, [&] {
        return text(caller, ": expected a restart after 1 iteration or more, got ",
                    options.restart);
    });
    if (options.method == KrylovMethod::gmres)
        impl::require_restart(caller, impl::effective_restart(options), numbers_of_vector(a));
    require<UsageError>(a.get(), [&] {
        return text(caller, ": expected a matrix, got one whose object was moved to another");
    });
    require_processes(comm, caller, a.rows(), "a matrix");
    require_suitable(caller, a, options);
}

template <class A, class Vector>
void require_vectors(const Communicator& comm, const char* caller, const A& a, const Vector& b,
                     const Vector& x) {
    for (const Vector* vector : {&b, &x}) impl::require_object(caller, vector->get());
    require_processes(comm, caller, b.rows(), "a right side");
    require_processes(comm, caller, x.rows(), "a solution");
    for (const Vector* vector : {&b, &x})
        require<UsageError>(
            vector->rows().layout() == a.rows().layout() &&
                vector->rows().order() == a.rows().order(),
            [&] {
                return text(caller, ": expected vectors with the matrix's layout and order\n",
                            distview::impl::describe(a.rows()), "\ngot a vector with ",
                            distview::impl::describe(vector->rows()));
            });
    require<UsageError>(x.is_writable(), [&] {
        return text(caller, ": expected a solution whose elements are not const, got const ones");
    });
    // A hypre that uses the arrays' memory would write x while it reads b; so would any hypre if both are one vector.
    const std::int64_t count = a.rows().local_rows();
    const std::less<const double*> before; // also orders pointers to unrelated arrays
    const bool is_apart =
        !before(b.data(), x.data() + count) || !before(x.data(), b.data() + count);
    require<UsageError>(count == 0 || is_apart, [&] {
        return text(caller, ": expected b and x in separate memory, got arrays that share memory");
    });
}

HYPRE_Matrix generic(const Matrix& a) {
    return as<HYPRE_Matrix>(static_cast<HYPRE_ParCSRMatrix>(a));
}
HYPRE_Matrix generic(const StructMatrix& a) { return as<HYPRE_Matrix>(a.get()); }
HYPRE_Vector generic(const Vector& v) { return as<HYPRE_Vector>(static_cast<HYPRE_ParVector>(v)); }
HYPRE_Vector generic(const StructVector& v) { return as<HYPRE_Vector>(v.get()); }

/// Makes `iteration` if it is null, and drops it after a failed call of hypre, which may leave any state.
template <class A, class Vector>
SolveResult solve_with(std::unique_ptr<impl::Iteration>& iteration, const Communicator& comm,
                       const char* caller, const A& a, const Vector& b, const Vector& x,
                       const SolveOptions& options) {
    b.put();
    x.put();
    SolveResult result;
    try {
        checked(comm, caller, [&] {
            const MPI_Comm duplicate = impl::comm_of(comm); // first: the other ranks wait in it
            if (!iteration)
                iteration = std::make_unique<impl::Iteration>(duplicate, method_of(a, options),
                                                              generic(a), generic(b), options);
            iteration->make_room(result);
            return 0;
        }); // before hypre communicates: memory or the program's tune() may fail on one rank
        // hypre's flag is local: ranks agree before the next collective call.
        if (!iteration->is_set_up())
            checked(comm, caller, [&] {
                iteration->set_up(generic(b), generic(x));
                return 0;
            });
        checked(comm, caller, [&] {
            iteration->run(generic(b), generic(x), result);
            return 0;
        });
        checked(comm, caller, [&] {
            iteration->conclude(generic(x), result);
            return 0;
        });
    } catch (...) {
        iteration.reset();
        throw;
    }
    x.fetch();
    if (!result.converged && options.has_to_converge)
        throw SolverError(text(caller, ": expected a residual of at most ", options.tolerance,
                               " times the norm of the right side, ", result.right_side, ", got ",
                               result.reason, " with a residual of ", result.residual, " after ",
                               result.iterations, " iterations"),
                          HYPRE_ERROR_CONV);
    return result;
}

template <class A, class Vector>
SolveResult solve_once(const Communicator& comm, const A& a, const Vector& b, const Vector& x,
                       const SolveOptions& options) {
    constexpr const char* caller = "hypre::solve";
    const CollectiveCall naming(comm, caller);
    require_alike(comm, caller, options);
    agree_on(comm, caller, [&] {
        require_matrix(comm, caller, a, options);
        require_vectors(comm, caller, a, b, x);
    });
    require_diagonal(comm, caller, a, options);
    std::unique_ptr<impl::Iteration> iteration;
    return solve_with(iteration, comm, caller, a, b, x, options);
}

} // namespace

SolveResult solve(const Communicator& comm, const Matrix& a, const Vector& b, const Vector& x,
                  const SolveOptions& options) {
    return solve_once(comm, a, b, x, options);
}

SolveResult solve(const Communicator& comm, const StructMatrix& a, const StructVector& b,
                  const StructVector& x, const SolveOptions& options) {
    return solve_once(comm, a, b, x, options);
}

template <class A>
    requires std::same_as<A, Matrix> || std::same_as<A, StructMatrix>
Solver<A>::Solver(const Communicator& comm, const A& a, const SolveOptions& options)
    : m_comm(comm), m_a(a), m_options(options), m_changes(changes_of(a)) {
    constexpr const char* caller = "hypre::Solver";
    const CollectiveCall naming(comm, caller);
    require_alike(comm, caller, options);
    agree_on(comm, caller, [&] { require_matrix(comm, caller, a, options); });
    require_diagonal(comm, caller, a, options);
    checked(comm, caller, [] { return 0; }); // throws unless hypre is running
}

template <class A>
    requires std::same_as<A, Matrix> || std::same_as<A, StructMatrix>
Solver<A>::~Solver() = default;

template <class A>
    requires std::same_as<A, Matrix> || std::same_as<A, StructMatrix>
SolveResult Solver<A>::solve(const Vector& b, const Vector& x) {
    constexpr const char* caller = "hypre::Solver::solve";
    const CollectiveCall naming(m_comm, caller);
    agree_on(m_comm, caller, [&] {
        require_vectors(m_comm, caller, m_a, b, x);
        // hypre's set-up keeps the communicator of the first vectors for its messages.
        for (const Vector* vector : {&b, &x})
            require<UsageError>(
                vector->rows().communicator().mpi() == m_a.rows().communicator().mpi(), [&] {
                    return text(caller, ": expected vectors over the communicator of the matrix, "
                                        "got one over another communicator of the same processes");
                });
    });
    if (const std::int64_t changes = changes_of(m_a); changes != m_changes) {
        require_diagonal(m_comm, caller, m_a, m_options);
        m_iteration.reset();
        m_changes = changes;
    }
    return solve_with(m_iteration, m_comm, caller, m_a, b, x, m_options);
}

template class Solver<Matrix>;
template class Solver<StructMatrix>;

} // namespace distview::hypre
