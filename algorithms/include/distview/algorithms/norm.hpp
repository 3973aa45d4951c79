// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/algorithms/impl/numbers.hpp>
#include <distview/algorithms/sum.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace distview {

namespace impl {

template <ViewLike View>
struct MagnitudeReduction : Addition<double> {
    explicit MagnitudeReduction(const View& elements) : view(elements) {}
    View view;

    template <class... Indices>
    KOKKOS_FORCEINLINE_FUNCTION void operator()(double& value, Indices... at) const {
        value += magnitude<typename View::non_const_value_type>(view(at...));
    }
};

template <ViewLike View>
struct SquareReduction : Addition<double> {
    SquareReduction(const View& elements, double scale) : view(elements), factor(scale) {}
    View view;
    double factor;

    template <class... Indices>
    KOKKOS_FORCEINLINE_FUNCTION void operator()(double& value, Indices... at) const {
        value += squared_magnitude<typename View::non_const_value_type>(view(at...), factor);
    }
};

template <ViewLike View>
struct LargestMagnitudeReduction {
    using value_type = double;
    static constexpr int lanes = 32;
    View view;

    KOKKOS_FUNCTION static void init(double& value) { value = 0; }
    /// A NaN on either side gives NaN; see ExtremumReduction.
    KOKKOS_FORCEINLINE_FUNCTION static void join(double& value, const double& other) {
        const double a = value;
        const double b = other;
        const double greater = b < a ? a : b;
        value = is_nan(a) ? a : greater;
    }
    template <class... Indices>
    KOKKOS_FORCEINLINE_FUNCTION void operator()(double& value, Indices... at) const {
        join(value, magnitude<typename View::non_const_value_type>(view(at...)));
    }
};

template <ExecutionSpace Exec, DistViewLike View>
double sum_of_squares(const Caller& caller, const Exec& exec, const Communicator& comm,
                      const View& view, Cells cells, double factor) {
    using Reduction = SquareReduction<typename View::view_type>;
    return reduce<Reduction>(caller, comm, view, cells,
                             [&] {
                                 return reduce_section(caller, exec, view, cells,
                                                       Reduction(view.view(), factor));
                             })
        .value;
}

template <ExecutionSpace Exec, DistViewLike View>
double largest_magnitude(const Caller& caller, const Exec& exec, const Communicator& comm,
                         const View& view, Cells cells) {
    using Reduction = LargestMagnitudeReduction<typename View::view_type>;
    return reduce<Reduction>(
               caller, comm, view, cells,
               [&] { return reduce_section(caller, exec, view, cells, Reduction{view.view()}); })
        .value;
}

} // namespace impl

/// Returns the sum of the absolute values of all cells, on every rank; 0 without cells.
///
/// Computed in double for all element types. Everything else is as in sum().
///
/// Collective: over comm; all ranks pass sections of the same array
template <ExecutionSpace Exec, NumericDistView View>
    requires AccessibleFrom<View, Exec>
double norm1(const Exec& exec, const Communicator& comm, const View& view,
             Cells cells = Cells::interior) {
    static constexpr impl::Caller caller("norm1");
    using Reduction = impl::MagnitudeReduction<typename View::view_type>;
    return impl::reduce<Reduction>(caller, comm, view, cells,
                                   [&] {
                                       return impl::reduce_section(caller, exec, view, cells,
                                                                   Reduction(view.view()));
                                   })
        .value;
}

/// Same, with options; see ReductionOptions.
///
/// If reproducible, the absolute values are converted to double (for complex numbers, rounded by hypot()), added up
/// exactly, and the sum is rounded once.
///
/// Collective: over comm; all ranks pass sections of the same array, and equal options
/// Cost:       that of the reproducible sum() of real numbers
template <ExecutionSpace Exec, NumericDistView View>
    requires AccessibleFrom<View, Exec>
double norm1(const Exec& exec, const Communicator& comm, const View& view,
             const ReductionOptions& options) {
    static constexpr impl::Caller caller("norm1(reproducible)");
    if (!options.reproducible) return norm1(exec, comm, view, options.cells);
    return impl::exact_sums(caller, exec, comm, view, options.cells,
                            impl::MagnitudeTerms<typename View::view_type>(view.view()))
        .sums[0]
        .rounded();
}

/// Returns the square root of the sum of the squared absolute values, on every rank; 0 without cells.
///
/// Computed in double for all element types. If the squares leave the range of double, the cells are scaled and added
/// up again: the norm is correct whenever a double can represent it. Everything else is as in sum().
///
/// Collective: over comm; all ranks pass sections of the same array
/// Cost:       that of sum(); three times as much if squares overflow or underflow, twice if all are 0
template <ExecutionSpace Exec, NumericDistView View>
    requires AccessibleFrom<View, Exec>
double norm2(const Exec& exec, const Communicator& comm, const View& view,
             Cells cells = Cells::interior) {
    static constexpr impl::Caller caller("norm2");
    const CollectiveCall call(comm, caller.name);
    using limits = std::numeric_limits<double>;
    const double squares = impl::sum_of_squares(caller, exec, comm, view, cells, 1.0);
    // Below this value, squares may have been rounded to the spacing of subnormal numbers.
    constexpr double least = limits::min() / limits::epsilon();
    if (!(squares < least || squares > limits::max())) return std::sqrt(squares);

    const double largest = impl::largest_magnitude(caller, exec, comm, view, cells);
    if (!(largest > 0) || std::isinf(largest)) return largest;
    // Scaling by a power of two is exact. The exponent is limited: the inverse of a subnormal number would be infinite.
    const double factor = std::ldexp(1.0, std::min(-std::ilogb(largest), limits::max_exponent - 1));
    return std::sqrt(impl::sum_of_squares(caller, exec, comm, view, cells, factor)) / factor;
}

/// Same, with options; see ReductionOptions.
///
/// If reproducible, the squares of the cells (or of their real and imaginary parts) are added up exactly, and the
/// square root of that sum is rounded once. 64-bit integers count as the nearest doubles.
///
/// Collective: over comm; all ranks pass sections of the same array, and equal options
/// Cost:       that of the reproducible dot() of real numbers; for float, that of the reproducible sum()
template <ExecutionSpace Exec, NumericDistView View>
    requires AccessibleFrom<View, Exec>
double norm2(const Exec& exec, const Communicator& comm, const View& view,
             const ReductionOptions& options) {
    static constexpr impl::Caller caller("norm2(reproducible)");
    if (!options.reproducible) return norm2(exec, comm, view, options.cells);
    return impl::exact_sums(caller, exec, comm, view, options.cells,
                            impl::SquareTerms<typename View::view_type>(view.view()))
        .sums[0]
        .rounded_root();
}

/// Returns the largest absolute value, on every rank; 0 without cells, NaN if any cell is NaN.
///
/// Computed in double for all element types. Everything else is as in sum().
///
/// Collective: over comm; all ranks pass sections of the same array
template <ExecutionSpace Exec, NumericDistView View>
    requires AccessibleFrom<View, Exec>
double norm_inf(const Exec& exec, const Communicator& comm, const View& view,
                Cells cells = Cells::interior) {
    static constexpr impl::Caller caller("norm_inf");
    return impl::largest_magnitude(caller, exec, comm, view, cells);
}

/// Same, with options; see ReductionOptions.
///
/// A maximum does not depend on the order of the cells: the result is the same with and without `reproducible`.
///
/// Collective: over comm; all ranks pass sections of the same array, and equal options
/// Cost:       that of the call without options
template <ExecutionSpace Exec, NumericDistView View>
    requires AccessibleFrom<View, Exec>
double norm_inf(const Exec& exec, const Communicator& comm, const View& view,
                const ReductionOptions& options) {
    return norm_inf(exec, comm, view, options.cells);
}

} // namespace distview
