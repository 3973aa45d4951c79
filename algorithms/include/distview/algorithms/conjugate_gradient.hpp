// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/algorithms/fill.hpp>
#include <distview/algorithms/impl/cell_loop.hpp>
#include <distview/algorithms/impl/gradient_terms.hpp>
#include <distview/comm/make_dist_view.hpp>
#include <distview/comm/padding_exchange_plan.hpp>

#include <distview/core/hash.hpp>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace distview {

/// An operator given by its elements: functor(u, i, j, ...) is element (i, j, ...) of A u.
///
///     const auto laplace = KOKKOS_LAMBDA(const View& u, int i, int j) {
///         return 4 * u(i, j) - u(i - 1, j) - u(i + 1, j) - u(i, j - 1) - u(i, j + 1);
///     };
///     solver.solve(exec, StencilOperator{plan, laplace}, b, x);
///
/// u is a view of a section, padding included, whose padding `plan` has filled; indices are local, as in for_each().
/// The plan is for a single field with the layout of the arrays, and must stay alive while the operator is used.
/// Boundary padding that the plan does not fill is zero.
///
/// Collective: no (local)
template <class Functor>
struct StencilOperator {
    PaddingExchangePlan& plan;
    Functor functor;
};
/// Collective: no (local)
template <class Functor>
StencilOperator(PaddingExchangePlan&, Functor) -> StencilOperator<Functor>;

/// No preconditioning: z = r.
struct NoPreconditioner {};

/// A preconditioner that works cell by cell, such as Jacobi's: functor(r, i, j, ...) is element (i, j, ...) of
/// z = M^-1 r, where the number r is the residual's element there. z is never stored.
///
///     PointPreconditioner{KOKKOS_LAMBDA(double r, int i, int j) { return r / diagonal(i, j); }}
///
/// Collective: no (local)
template <class Functor>
struct PointPreconditioner {
    Functor functor;
};
/// Collective: no (local)
template <class Functor>
PointPreconditioner(Functor) -> PointPreconditioner<Functor>;

struct ConjugateGradientOptions {
    /// The iteration stops when the norm of the residual is at most this factor times the norm of the right side.
    double tolerance = 1e-10;
    int max_iterations = 1000;
    /// Whether scalar products are exact sums, rounded once: the history then does not depend on ranks and layout.
    bool reproducible = false;
};

enum class ConjugateGradientStop {
    converged,
    max_iterations,
    /// p * A p or r * z was not positive: the operator or preconditioner is not positive definite, or an element is
    /// NaN. Or a scalar product is outside the range of double: it is infinite, or b * b of a nonzero b is so small
    /// that squares of the residual would be rounded to zero (if the norm of b is below 1e-138 or above 1e154: scale b)
    breakdown,
};

/// The result of solve(), the same on every rank.
///
/// Collective: no (local)
struct ConjugateGradientResult {
    ConjugateGradientStop stop = ConjugateGradientStop::max_iterations;
    int iterations = 0;
    double residual = 0;   ///< the last norm of the residual b - A x, as updated by the iteration
    double right_side = 0; ///< the norm of b
    std::vector<double> history; ///< norms of the residuals, from that of the initial x on

    bool converged() const noexcept { return stop == ConjugateGradientStop::converged; }
};

/// An iteration between two steps: everything from which the next step continues.
///
/// The references are to the iteration's own arrays and numbers. Writing them lets the iteration continue from a state
/// that was stored in a file.
///
/// Collective: no (local)
template <class Vector>
struct ConjugateGradientState {
    const Vector& x;
    const Vector& r; ///< the residual
    const Vector& p; ///< the direction
    double& rr;      ///< r * r
    double& rz;      ///< r * M^-1 r
    /// Number of steps done, and the norms before each of them; the norm of `r` is added next.
    ConjugateGradientResult& result;
};

namespace impl {
/// The watch of an iteration without a watch function.
struct NoWatch {
    template <class State>
    void operator()(const State&) const noexcept {}
};

// Variable templates outside of the class: nvcc does not pass specializations inside a class on to GCC 12.
template <class T>
inline constexpr bool is_pointwise = false;
template <class Functor>
inline constexpr bool is_pointwise<PointPreconditioner<Functor>> = true;
template <class T>
inline constexpr bool is_stencil = false;
template <class Functor>
inline constexpr bool is_stencil<StencilOperator<Functor>> = true;
} // namespace impl

/// Preconditioned conjugate gradients, matrix-free: solves A x = b with a symmetric positive definite A.
///
///     ConjugateGradient<decltype(x)> solver(exec, comm, layout, {.tolerance = 1e-8});
///     const auto result = solver.solve(exec, StencilOperator{plan, laplace}, b, x);
///
/// An operator is a StencilOperator, or any object that writes q = A p to the interior of q if called as
/// op(exec, p, q). A preconditioner is NoPreconditioner, a PointPreconditioner, or any object called as m(exec, r, z).
/// With a StencilOperator and no preconditioner, or a PointPreconditioner, an iteration makes three passes over memory:
/// q = A p and p * q; r = r - alpha q, r * r and r * z; x = x + alpha p and p = z + beta p.
///
/// A may be singular if b is orthogonal to its null space (periodic or Neumann sides: b sums up to zero); x is then
/// determined up to the null space.
///
/// With `reproducible`, the history and every element of x have the same bits for any number of ranks and threads and
/// any layout, provided that the operator's elements have: its functor must compute an element by the same sequence of
/// operations wherever the element is. Compile it with -ffp-contract=off, or write Kokkos::fma: otherwise compilers
/// fuse some multiplications and additions and not others. Builds for different processors may still differ.
///
/// Collective: construction and solve(), over the communicator
/// Shapes:     all arrays have the layout passed to the constructor
/// Cost:       three arrays (four with a preconditioner called as m(exec, r, z))
/// Example:    examples/poisson
template <WritableDistView Vector>
    requires std::floating_point<typename Vector::non_const_value_type>
class ConjugateGradient {
public:
    using value_type = typename Vector::non_const_value_type;

    /// Errors: those of make_dist_view(); UsageError if options differ between ranks (thrown on all ranks)
    template <ExecutionSpace Exec>
    ConjugateGradient(const Exec& exec, const Communicator& comm, const ArrayLayout& layout,
                      const ConjugateGradientOptions& options = {})
        : m_comm(comm), m_layout(layout), m_options(options) {
        const CollectiveCall call(comm, "ConjugateGradient");
        agree_on_options();
        m_p = make(exec, "p");
        m_q = make(exec, "q");
        m_r = make(exec, "r");
        exec.fence(impl::label_of("distview::ConjugateGradient: any instance may solve"));
    }

    /// Solves A x = b, starting from the present x.
    ///
    /// Space:   kernels on `exec`, which have finished on return
    /// Touches: writes the interior of x, and its padding if the operator does; reads the interior of b
    /// Cost:    an iteration is one application of the operator, three kernels and two collectives of one or two
    ///          numbers (of some 1100 bytes each if reproducible); a preconditioner function adds one kernel and one
    ///          collective. If b is zero or nearly so, the solution needs one more kernel and collective. One
    ///          allocation for the history, more beyond 10 000 iterations
    /// Watch:   `watch(state)`, if passed, is called on all ranks before each step and at the end, with a
    ///          ConjugateGradientState whose arrays kernels on `exec` may still write. It may store the state as a
    ///          checkpoint. When state.result.iterations is 0, it may write a stored state into `state`: the iteration
    ///          continues from there, with the same bits.
    /// Errors:  ShapeError if b or x has another layout (thrown on all ranks); those of operator and preconditioner
    template <ExecutionSpace Exec, class Operator, class Preconditioner, DistViewLike RightSide,
              std::invocable<const ConjugateGradientState<Vector>&> Watch = impl::NoWatch>
        requires(AccessibleFrom<Vector, Exec> && AccessibleFrom<RightSide, Exec>)
    ConjugateGradientResult solve(const Exec& exec, const Operator& a, const Preconditioner& m,
                                  const RightSide& b, const Vector& x, const Watch& watch = {}) {
        const CollectiveCall call(m_comm, "ConjugateGradient::solve");
        ConjugateGradientResult result;
        agree_on(m_comm, "ConjugateGradient::solve", [&] {
            require_layout(b.layout(), b.process(), "b");
            require_layout(x.layout(), x.process(), "x");
            result.history.reserve(
                static_cast<std::size_t>(std::clamp(m_options.max_iterations, 0, 10'000)) + 1);
        });
        if constexpr (std::same_as<Preconditioner, NoPreconditioner>) {
            iterate(exec, a, impl::SameElement{}, [] {}, b, x, watch, result);
        } else if constexpr (impl::is_pointwise<Preconditioner>) {
            const impl::ElementOfFunctor element{m.functor};
            iterate(exec, a, element, [] {}, b, x, watch, result);
        } else {
            static_assert(
                std::invocable<const Preconditioner&, const Exec&, const Vector&, const Vector&>,
                "ConjugateGradient: a preconditioner is NoPreconditioner, a PointPreconditioner, "
                "or a functor that is called as m(exec, r, z)");
            if (!m_has_z) m_z = make(exec, "z");
            m_has_z = true;
            const impl::ElementOfArray<typename Vector::view_type> element{m_z.view()};
            iterate(exec, a, element, [&] { m(exec, m_r, m_z); }, b, x, watch, result);
        }
        return result;
    }
    template <ExecutionSpace Exec, class Operator, DistViewLike RightSide>
    ConjugateGradientResult solve(const Exec& exec, const Operator& a, const RightSide& b,
                                  const Vector& x) {
        return solve(exec, a, NoPreconditioner{}, b, x);
    }

private:
    using View = typename Vector::view_type;

    struct Norms {
        double rr;
        double rz;
    };

    void agree_on_options() const {
        const std::uint64_t digest = hash_of(m_layout.fingerprint(), m_options.tolerance,
                                             m_options.max_iterations, m_options.reproducible);
        agree(m_comm, "ConjugateGradient", nullptr, digest, [this] {
            return std::vector<Argument>{
                {"layout", impl::describe_fully(m_layout)},
                {"tolerance", text(m_options.tolerance)},
                {"max_iterations", text(m_options.max_iterations)},
                {"reproducible", m_options.reproducible ? "true" : "false"}};
        });
    }
    void require_layout(const ArrayLayout& layout, int process, const char* name) const {
        require<ShapeError>(layout == m_layout && process == m_p.process(), [&] {
            return text("ConjugateGradient::solve: expected ", name, " as the section of process ",
                        m_p.process(), " of a ", m_layout.describe(),
                        "\ngot the section of process ", process, " of a ", layout.describe());
        });
    }
    /// Creates an array of zeros, padding included.
    template <ExecutionSpace Exec>
    Vector make(const Exec& exec, const char* name) const {
        return make_dist_view<typename View::data_type, typename View::array_layout,
                              typename View::memory_space>(
            exec, impl::view_label("ConjugateGradient", name), m_comm, m_layout);
    }

    template <ExecutionSpace Exec, class Terms>
    auto sums(const impl::Caller& caller, const Exec& exec, const Terms& terms) const {
        return impl::fused_sums(caller, exec, m_comm, m_p, m_options.reproducible, terms);
    }

    /// Whether b * b does not represent the size of b. For a larger b, the squares of a residual reduced by the
    /// tolerance (at least the rounding error) are normal numbers.
    template <ExecutionSpace Exec, DistViewLike RightSide>
    bool is_out_of_range(const impl::Caller& caller, const Exec& exec, const RightSide& b,
                         double bb) const {
        using limits = std::numeric_limits<double>;
        constexpr double least = limits::min() / (limits::epsilon() * limits::epsilon());
        if (!(bb < least)) return !std::isfinite(bb);
        return sums(caller, exec, impl::NonZeroTerms(b.view()))[0] > 0;
    }

    /// to = A from; returns from * to.
    template <ExecutionSpace Exec, class Operator>
    double apply(const Exec& exec, const Operator& a, const Vector& from, const Vector& to) const {
        static constexpr impl::Caller caller("ConjugateGradient::apply");
        if constexpr (impl::is_stencil<Operator>) {
            a.plan.execute(exec, from);
            return sums(caller, exec, impl::ApplyTerms(from.view(), to.view(), a.functor))[0];
        } else {
            static_assert(
                std::invocable<const Operator&, const Exec&, const Vector&, const Vector&>,
                "ConjugateGradient: an operator is a StencilOperator or a functor that is called "
                "as "
                "op(exec, p, q)");
            a(exec, from, to);
            return sums(caller, exec, impl::ProductTerms(from.view(), to.view()))[0];
        }
    }

    /// r = r - alpha q and z = M^-1 r.
    template <ExecutionSpace Exec, class Element, class Precondition>
    Norms update(const Exec& exec, double alpha, const Element& element,
                 const Precondition& precondition) const {
        static constexpr impl::Caller caller("ConjugateGradient::update");
        const auto step = static_cast<value_type>(alpha);
        impl::note_written(m_r); // a preconditioner may exchange its padding
        constexpr bool stores_z = std::same_as<Element, impl::ElementOfArray<View>>;
        if constexpr (stores_z) {
            const double rr =
                sums(caller, exec,
                     impl::UpdateTerms(step, m_q.view(), m_r.view(), impl::SameElement{}))[0];
            precondition();
            return {rr, sums(caller, exec, impl::ProductTerms(m_r.view(), m_z.view()))[0]};
        } else {
            const auto found =
                sums(caller, exec, impl::UpdateTerms(step, m_q.view(), m_r.view(), element));
            return {found.front(), found.back()};
        }
    }

    template <ExecutionSpace Exec, class Operator, class Element, class Precondition,
              DistViewLike RightSide, class Watch>
    void iterate(const Exec& exec, const Operator& a, const Element& element,
                 const Precondition& precondition, const RightSide& b, const Vector& x,
                 const Watch& watch, ConjugateGradientResult& result) {
        static constexpr impl::Caller start("ConjugateGradient::start");
        static constexpr impl::Caller direction("ConjugateGradient::direction");
        apply(exec, a, x, m_q);
        const double bb =
            sums(start, exec, impl::ResidualTerms(b.view(), m_q.view(), m_r.view()))[0];
        result.right_side = std::sqrt(bb);
        const double target = m_options.tolerance * result.right_side;
        const bool out_of_range = is_out_of_range(start, exec, b, bb);
        Norms norms = update(exec, 0, element, precondition);
        impl::launch_for(start, exec, m_p, Cells::interior,
                         impl::FirstDirectionBody<View, Element>{m_p.view(), m_r.view(), element});
        impl::note_written(m_p);

        for (;; ++result.iterations) {
            if constexpr (!std::same_as<Watch, impl::NoWatch>) {
                watch(ConjugateGradientState<Vector>{x, m_r, m_p, norms.rr, norms.rz, result});
                for (const Vector* written : {&x, &std::as_const(m_r), &std::as_const(m_p)})
                    impl::note_written(*written);
            }
            result.residual = std::sqrt(norms.rr);
            result.history.push_back(result.residual);
            // Infinite and zero norms would pass the test against the target, and do not show that anything is solved.
            if (out_of_range || !std::isfinite(norms.rr)) {
                result.stop = ConjugateGradientStop::breakdown;
                break;
            }
            if (result.residual <= target) {
                result.stop = ConjugateGradientStop::converged;
                break;
            }
            if (result.iterations >= m_options.max_iterations) break;
            const double pq = apply(exec, a, m_p, m_q);
            if (!(pq > 0 && norms.rz > 0 && std::isfinite(pq) && std::isfinite(norms.rz))) {
                result.stop = ConjugateGradientStop::breakdown;
                break;
            }
            const double alpha = norms.rz / pq;
            const double rz = norms.rz;
            norms = update(exec, alpha, element, precondition);
            const double beta = norms.rz / rz;
            impl::launch_for(direction, exec, x, Cells::interior,
                             impl::DirectionBody<View, Element>{
                                 static_cast<value_type>(alpha), static_cast<value_type>(beta),
                                 x.view(), m_p.view(), m_r.view(), element});
            impl::note_written(x);
            impl::note_written(m_p);
        }
        exec.fence(impl::label_of("distview::ConjugateGradient::solve: x is complete"));
    }

    Communicator m_comm;
    ArrayLayout m_layout;
    ConjugateGradientOptions m_options;
    Vector m_p, m_q, m_r, m_z;
    bool m_has_z = false;
};

} // namespace distview
