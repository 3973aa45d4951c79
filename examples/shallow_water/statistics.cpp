// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "statistics.hpp"

#include <distview/comm/collectives.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

namespace shallow_water {

namespace {

/// A sum that also carries the rounding errors (Neumaier), so that the drift of an invariant is caused by
/// the model and not by the sum.
class ExactSum {
public:
    void add(double value) {
        const double total = m_sum + value;
        m_lost +=
            std::abs(m_sum) >= std::abs(value) ? (m_sum - total) + value : (value - total) + m_sum;
        m_sum = total;
    }
    double value() const { return m_sum + m_lost; }

private:
    double m_sum = 0;
    double m_lost = 0;
};

/// splitmix64's finaliser.
std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

template <class Real>
std::uint64_t bits(Real value) {
    if constexpr (sizeof(Real) == 4)
        return std::bit_cast<std::uint32_t>(value);
    else
        return std::bit_cast<std::uint64_t>(value);
}

} // namespace

template <class Real>
Statistics statistics(const distview::Communicator& comm, const Section& section,
                      std::int64_t row_length, const Field<Real>& field) {
    ExactSum sum, squares, weighted;
    std::int64_t nans = 0;
    double least = std::numeric_limits<double>::infinity();
    double most = -least;
    std::uint64_t digest = 0;
    for (int j = 0; j < section.ny; ++j) {
        const std::int64_t row = (section.first_row + j) * row_length + section.first_column;
        for (int i = 0; i < section.nx; ++i) {
            const std::int64_t cell = row + i;
            const auto value = static_cast<double>(field(j, i));
            sum.add(value);
            squares.add(value * value);
            weighted.add(value * static_cast<double>(cell % 1009 + 1));
            nans += std::isnan(value) ? 1 : 0;
            least = std::min(least, value);
            most = std::max(most, value);
            digest += mix(static_cast<std::uint64_t>(cell) * 0x9e3779b97f4a7c15u +
                          mix(bits(field(j, i))));
        }
    }
    using distview::ReduceOperation;
    std::array<double, 3> sums{sum.value(), squares.value(), weighted.value()};
    distview::all_reduce(comm, ReduceOperation::sum, std::span<double>(sums));
    std::array<double, 2> extremes{least, -most};
    distview::all_reduce(comm, ReduceOperation::min, std::span<double>(extremes));
    // Comparisons lose a NaN, but the result must show it.
    if (distview::all_reduce(comm, ReduceOperation::sum, nans) > 0)
        extremes.fill(std::numeric_limits<double>::quiet_NaN());
    digest = distview::all_reduce(comm, ReduceOperation::sum, digest);
    return {sums[0], extremes[0], -extremes[1], std::sqrt(sums[1]), sums[2], digest};
}

template Statistics statistics(const distview::Communicator&, const Section&, std::int64_t,
                               const Field<float>&);
template Statistics statistics(const distview::Communicator&, const Section&, std::int64_t,
                               const Field<double>&);

} // namespace shallow_water
