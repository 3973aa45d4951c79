// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "callees.h"
#include "fibonacci.hpp"

#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

namespace {

std::int64_t find_fibonacci(const fibonacci& asked, std::int64_t n, std::int64_t depth) {
    if (n < 0) throw NegativeValue("fibonacci: expected n >= 0");
    if (depth > asked.max_depth) throw TooDeep("fibonacci: too deep");
    const std::int64_t value =
        n < 2 ? n
              : find_fibonacci(asked, n - 1, depth + 1) + find_fibonacci(asked, n - 2, depth + 1);
    if (value > asked.max_value) throw TooBig("fibonacci: too big");
    return value;
}

template <class T>
void raw(T* a, std::int64_t m, std::int64_t n) {
    for (std::int64_t j = 0; j < n; ++j)
        for (std::int64_t i = 0; i < m; ++i)
            a[i + m * j] *= static_cast<T>(static_cast<float>(i + 1 + 10 * (j + 1)));
}

/// The elements of a handle's array, with type T and `rank` axes.
template <class T, int rank>
distview_memory cast(const distview_array* array, int element) {
    distview_memory memory;
    if (distview_array_memory(array, &memory) != DISTVIEW_SUCCESS)
        throw std::runtime_error(distview_last_error()->message);
    if (memory.rank != rank || memory.element != element)
        throw std::invalid_argument("sum_float64_2: expected " + std::to_string(rank) +
                                    " axes of float64, got " + std::to_string(memory.rank) +
                                    " of element " + std::to_string(memory.element));
    return memory;
}

} // namespace

void cpp_particle_offsets(std::int64_t* offsets) {
    static_assert(std::is_standard_layout_v<particle> && std::is_trivially_copyable_v<particle>);
    const std::array<std::size_t, PARTICLE_MEMBERS + 1> of{offsetof(particle, position),
                                                           offsetof(particle, kind),
                                                           offsetof(particle, alive),
                                                           offsetof(particle, tag),
                                                           offsetof(particle, charge),
                                                           offsetof(particle, owner),
                                                           sizeof(particle)};
    for (std::size_t i = 0; i < of.size(); ++i) offsets[i] = static_cast<std::int64_t>(of[i]);
}
double cpp_particle_mass(particle p) {
    return p.position[0] + 2 * p.position[1] + 4 * p.position[2] + 8 * p.kind + 16 * p.alive +
           static_cast<double>(p.charge) + p.tag[2] + (p.owner ? 1000 : 0);
}
void cpp_particle_move(particle* p) {
    for (int d = 0; d < 3; ++d) p->position[d] += d + 1;
    p->kind = -p->kind;
    p->alive = !p->alive;
    std::swap(p->tag[0], p->tag[2]);
    p->charge = -p->charge;
    p->owner = nullptr;
}

int cpp_raw(const distview_plain_array* a, void*) {
    if (a->rank != 2 || a->order != DISTVIEW_COLUMN_MAJOR ||
        a->leading_dimension != a->extents[0] || !a->data)
        return distview_set_error(DISTVIEW_SHAPE_ERROR, nullptr,
                                  "raw: expected a(m, n) without gaps");
    const auto call = [&](auto zero) {
        raw(static_cast<decltype(zero)*>(a->data), a->extents[0], a->extents[1]);
        return static_cast<int>(DISTVIEW_SUCCESS);
    };
    switch (a->element) {
    case DISTVIEW_INT32: return call(std::int32_t{});
    case DISTVIEW_INT64: return call(std::int64_t{});
    case DISTVIEW_FLOAT32: return call(float{});
    case DISTVIEW_FLOAT64: return call(double{});
    case DISTVIEW_COMPLEX64: return call(std::complex<float>{});
    case DISTVIEW_COMPLEX128: return call(std::complex<double>{});
    default: return distview_set_error(DISTVIEW_SHAPE_ERROR, nullptr, "raw: expected numbers");
    }
}

int cpp_sum_float64_2(const distview_array* array, double* sum) {
    try {
        const distview_memory memory = cast<double, 2>(array, DISTVIEW_FLOAT64);
        *sum = 0;
        for (std::int64_t i = 0; i < memory.extents[0]; ++i)
            for (std::int64_t j = 0; j < memory.extents[1]; ++j)
                *sum += *reinterpret_cast<double*>(static_cast<char*>(memory.data) +
                                                   i * memory.strides[0] + j * memory.strides[1]);
        return DISTVIEW_SUCCESS;
    } catch (const std::exception& error) {
        return distview_set_error(DISTVIEW_SHAPE_ERROR, nullptr, error.what());
    }
}

distview_array* cpp_hold(distview_array* array) { return distview_array_retain(array); }
void cpp_let_go(distview_array* array) { distview_array_release(array); }

int cpp_fibonacci_of(fibonacci* asked) {
    try {
        asked->result = find_fibonacci(*asked, asked->n, 0);
        return DISTVIEW_SUCCESS;
    } catch (const NegativeValue& error) {
        return distview_set_error(DISTVIEW_OTHER_ERROR, "NegativeValue", error.what());
    } catch (const TooDeep& error) {
        return distview_set_error(DISTVIEW_OTHER_ERROR, "TooDeep", error.what());
    } catch (const TooBig& error) {
        return distview_set_error(DISTVIEW_OTHER_ERROR, "TooBig", error.what());
    }
}
int cpp_fibonacci(const distview_plain_array*, void* user) {
    return cpp_fibonacci_of(static_cast<fibonacci*>(user));
}

int cpp_distribution(std::int64_t index, int* process, std::int64_t* position, void* user) {
    *process = 0;
    *position = *static_cast<std::int64_t*>(user) - 1 - index;
    return DISTVIEW_SUCCESS;
}
int cpp_kernel(int rank, const std::int64_t* begin, const std::int64_t* end, void* user) {
    auto* const arrays = static_cast<double**>(user);
    if (rank != 1) return DISTVIEW_SHAPE_ERROR;
    for (std::int64_t i = begin[0]; i < end[0]; ++i)
        arrays[1][i] = arrays[0][i - 1] + arrays[0][i + 1];
    return DISTVIEW_SUCCESS;
}
int cpp_combine(void* here, const void* incoming, std::int32_t element, void*) {
    if (element != DISTVIEW_FLOAT64) return DISTVIEW_SHAPE_ERROR;
    *static_cast<double*>(here) =
        2 * *static_cast<double*>(here) + *static_cast<const double*>(incoming);
    return DISTVIEW_SUCCESS;
}
