// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/algorithms/exact_sum.hpp>

#include <distview/comm/collectives.hpp>
#include <distview/core/error.hpp>
#include <distview/core/text.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace distview {

namespace {

constexpr std::size_t most_at_once = impl::exact_block;

} // namespace

void ExactSum::add(std::span<const double> numbers) {
    int bound = 0;
    for (std::size_t i = 0; i < numbers.size(); i += most_at_once) {
        const double* const x = numbers.data() + i;
        const impl::NumberRow row{x, x,
                                  static_cast<int>(std::min(numbers.size() - i, most_at_once))};
        impl::add_numbers(m_sum, bound, std::span(&row, 1));
    }
}

void ExactSum::add_products(std::span<const double> x, std::span<const double> y) {
    require<ShapeError>(x.size() == y.size(), [&] {
        return text("ExactSum::add_products: expected x and y of equal length, got ", x.size(),
                    " and ", y.size());
    });
    int bound = 0;
    for (std::size_t i = 0; i < x.size(); i += most_at_once) {
        const impl::NumberRow row{x.data() + i, y.data() + i,
                                  static_cast<int>(std::min(x.size() - i, most_at_once))};
        impl::add_products(m_sum, bound, std::span(&row, 1));
    }
}

void all_reduce(const Communicator& comm, std::span<ExactSum> sums) {
    static_assert(sizeof(ExactSum) % sizeof(std::int64_t) == 0);
    for (ExactSum& sum : sums) sum.m_sum.normalize();
    // A sum consists of 64-bit integers only.
    const std::span<std::int64_t> words(reinterpret_cast<std::int64_t*>(sums.data()),
                                        sums.size_bytes() / sizeof(std::int64_t));
    all_reduce(comm, ReduceOperation::sum, words);
}

} // namespace distview
