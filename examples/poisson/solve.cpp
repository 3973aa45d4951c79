// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "solve.hpp"

#include "iteration_files.hpp"
#include "linear_system.hpp"
#include "stack.hpp"
#include "timing.hpp"

#include <memory>
#include <optional>

namespace poisson {

namespace {

using program::timed;

void require_cells(const Options& options, const distview::ProcessGrid& grid) {
    for (int d = 0; d < options.shape.axes; ++d)
        distview::require<distview::UsageError>(options.shape.n[d] >= grid.extent(d), [&] {
            return distview::text("expected at least one cell for every process, got ",
                                  options.shape.n[d], " cells for ", grid.extent(d),
                                  " processes along axis ", d);
        });
}

template <int Axes, class Space>
Report solve_on(const Space& exec, const distview::Communicator& comm, const Options& options,
                const distview::ProcessGrid& grid) {
    using System = LinearSystem<Axes, Space>;
    Report report{.options = options, .grid = grid, .threads = exec.concurrency(), .result = {}};
    std::optional<System> system;
    std::optional<distview::ConjugateGradient<typename System::Vector>> solver;
    report.setup_seconds = timed(exec, comm, [&] {
        system.emplace(exec, comm, options.shape, grid);
        solver.emplace(exec, comm, system->layout(),
                       distview::ConjugateGradientOptions{.tolerance = options.tolerance,
                                                          .max_iterations = options.max_iterations,
                                                          .reproducible = options.reproducible});
    });
    const typename System::Vector u = system->make("u");
    IterationFiles files(comm, options);
    const auto watch = [&](const distview::ConjugateGradientState<typename System::Vector>& state) {
        files.update(exec, state);
    };
    report.solve_seconds = timed(exec, comm, [&] {
        report.result = options.precondition == Precondition::jacobi
                            ? solver->solve(exec, system->stencil(), system->jacobi(),
                                            system->right_side(), u, watch)
                            : solver->solve(exec, system->stencil(), distview::NoPreconditioner{},
                                            system->right_side(), u, watch);
        files.finish(report.result);
    });
    report.restart_iteration = files.restart_iteration();
    report.checkpoints = files.checkpoints();
    report.error_max = system->error(u);
    return report;
}

/// The iteration of a solver library, on the host.
template <int Axes>
Report solve_by_stack(const program::Exec& exec, const distview::Communicator& comm,
                      const Options& options, const distview::ProcessGrid& grid) {
    Report report{.options = options, .grid = grid, .threads = exec.concurrency(), .result = {}};
    std::optional<Stack<Axes>> stack;
    std::unique_ptr<StackSolver> solver;
    const std::int64_t copied = distview::bytes_copied_at_the_door();
    report.setup_seconds = timed(exec, comm, [&] {
        stack.emplace(exec, comm, options, grid);
        solver = make_solver(*stack);
    });
    report.solve_seconds = timed(exec, comm, [&] { report.result = solver->solve(); });
    report.bytes_copied_at_the_door = distview::all_reduce(
        comm, distview::ReduceOperation::sum, distview::bytes_copied_at_the_door() - copied);
    report.error_max = stack->system.error(stack->u);
    return report;
}

template <class Space>
Report solve_in(const Space& exec, const distview::Communicator& comm, const Options& options,
                const distview::ProcessGrid& grid) {
    return options.shape.axes == 2 ? solve_on<2>(exec, comm, options, grid)
                                   : solve_on<3>(exec, comm, options, grid);
}

} // namespace

Report solve(const distview::Communicator& comm, const Options& options,
             const distview::ProcessGrid& grid) {
    require_cells(options, grid);
    if (options.solver != Solver::cg) {
        require_stack(options.solver);
        return options.shape.axes == 2 ? solve_by_stack<2>(program::Exec(), comm, options, grid)
                                       : solve_by_stack<3>(program::Exec(), comm, options, grid);
    }
#ifdef KOKKOS_ENABLE_CUDA
    if (options.space == "cuda") return solve_in(Kokkos::Cuda(), comm, options, grid);
#endif
    return solve_in(program::Exec(), comm, options, grid);
}

} // namespace poisson
