// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/algorithms/impl/exact_sum.hpp>
#include <distview/comm/communicator.hpp>
#include <distview/core/assert.hpp>

#include <span>

namespace distview {

/// The exact sum of float64 numbers and of products of two numbers, for programs whose numbers are not in an array.
///
///     ExactSum energy;
///     for (const Particle& p : particles) energy.add_product(p.mass, p.potential);
///     all_reduce(comm, energy);
///     const double total = energy.rounded(); // the same bits for any number of ranks, in any order
///
/// No number and no product is rounded, overflows or underflows; NaN and infinities are added as in IEEE 754. A sum has
/// room for 2^63 numbers. sum(), dot() and the norms compute this with {.reproducible = true}.
///
/// Collective: no (local)
/// Cost:       some 1100 bytes; 10 ns a number if added one by one, less than 1 ns a number if many are passed at once
class ExactSum {
public:
    ExactSum() { m_sum.clear(); }

    void add(double number) { m_sum.add(number); }
    void add_product(double x, double y) { m_sum.add_product(x, y); }
    void add(std::span<const double> numbers);
    /// Errors: ShapeError if x and y differ in length
    void add_products(std::span<const double> x, std::span<const double> y);
    ExactSum& operator+=(const ExactSum& other) {
        m_sum.add(other.m_sum);
        return *this;
    }

    /// The sum rounded once to the nearest double, ties to even; +0 if it is zero.
    double rounded() const { return m_sum.rounded(); }
    /// The square root of the sum, which must not be negative, rounded once.
    double rounded_root() const {
        DISTVIEW_ASSERT(!(rounded() < 0));
        return m_sum.rounded_root();
    }

private:
    friend void all_reduce(const Communicator& comm, std::span<ExactSum> sums);
    impl::ExactSum<true> m_sum;
};

/// Replaces every sum by its total over all ranks.
///
/// Collective: over comm
/// Cost:       one agreement, one MPI_Allreduce of some 1100 bytes a sum
/// Errors:     UsageError if ranks differ in the number of sums (thrown on all ranks)
void all_reduce(const Communicator& comm, std::span<ExactSum> sums);
inline void all_reduce(const Communicator& comm, ExactSum& sum) {
    all_reduce(comm, std::span<ExactSum>(&sum, 1));
}

} // namespace distview
