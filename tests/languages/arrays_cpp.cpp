// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C++ implementation of arrays.h: typed views of the memory; errors are exceptions up to the C interface.

#include "arrays.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

using Index = std::array<std::int64_t, DISTVIEW_MAX_RANK>;
struct Text {
    std::array<char, 8> letters{};
    bool operator==(const Text&) const = default;
};

/// A typed view of a handle's memory: elements of type T by their indices, with any strides.
template <class T>
class Section {
public:
    explicit Section(const distview_memory& memory) : m_memory(memory) {}
    T& operator()(const Index& index) const {
        std::int64_t offset = 0;
        for (int d = 0; d < m_memory.rank; ++d) offset += index[d] * m_memory.strides[d];
        return *reinterpret_cast<T*>(static_cast<char*>(m_memory.data) + offset);
    }
    int rank() const { return m_memory.rank; }
    std::int64_t extent(int d) const { return m_memory.extents[d]; }
    template <class Function>
    void for_each(Function&& function) const {
        Index index{};
        walk(index, rank() - 1, function);
    }

private:
    template <class Function>
    void walk(Index& index, int d, Function& function) const {
        for (index[d] = 0; index[d] < extent(d); ++index[d])
            if (d > 0)
                walk(index, d - 1, function);
            else
                function(index);
    }
    distview_memory m_memory;
};

template <class T>
T pattern(int rank, const Index& index, T) {
    std::int64_t product = 1;
    int sum = 0;
    for (int d = 0; d < rank; ++d) {
        product *= index[d] + d + 1;
        sum += static_cast<int>(index[d]);
    }
    const int power = rank == 1 ? -sum : 2 * static_cast<int>(index[0]) - sum;
    if constexpr (std::is_same_v<T, bool>) {
        return sum % 2 == 0;
    } else if constexpr (std::is_same_v<T, char>) {
        return static_cast<char>('a' + sum % 26);
    } else if constexpr (std::is_same_v<T, std::int64_t>) {
        constexpr std::array<std::int64_t, 8> primes{2, 3, 5, 7, 11, 13, 17, 19};
        return rank == 1 ? primes[index[0]] : product;
    } else if constexpr (std::is_floating_point_v<T>) {
        return std::ldexp(T(1), power);
    } else if constexpr (std::is_pointer_v<T>) {
        return sum == 0 ? nullptr : reinterpret_cast<T>(static_cast<std::intptr_t>(16 * product));
    } else if constexpr (std::is_same_v<T, Text>) {
        char letters[24];
        std::snprintf(letters, sizeof letters, "é%-6d", static_cast<int>(product));
        Text text;
        std::copy_n(letters, 8, text.letters.begin());
        return text;
    } else if constexpr (std::is_same_v<T, colour>) {
        return std::array{colour_red, colour_green, colour_blue}[sum % 3];
    } else if constexpr (std::is_integral_v<T>) {
        return static_cast<T>(product);
    } else {
        using Real = typename T::value_type;
        return {std::ldexp(Real(1), sum), std::ldexp(Real(1), -sum)};
    }
}

/// Calls function(T(), element type) for the type T of a kind.
template <class Function>
auto with_type(int kind, Function&& function) {
    switch (kind) {
    case KIND_BOOL: return function(bool{}, DISTVIEW_BOOL);
    case KIND_CHAR: return function(char{}, DISTVIEW_CHAR);
    case KIND_INT32: return function(std::int32_t{}, DISTVIEW_INT32);
    case KIND_INT64: return function(std::int64_t{}, DISTVIEW_INT64);
    case KIND_FLOAT: return function(float{}, DISTVIEW_FLOAT32);
    case KIND_DOUBLE: return function(double{}, DISTVIEW_FLOAT64);
    case KIND_FCOMPLEX: return function(std::complex<float>{}, DISTVIEW_COMPLEX64);
    case KIND_DCOMPLEX: return function(std::complex<double>{}, DISTVIEW_COMPLEX128);
    case KIND_OPAQUE: return function(static_cast<void*>(nullptr), DISTVIEW_OPAQUE(8));
    case KIND_STRING: return function(Text{}, DISTVIEW_OPAQUE(8));
    default: return function(colour{}, DISTVIEW_INT32);
    }
}

void check(int status) {
    if (status != DISTVIEW_SUCCESS) throw std::runtime_error(distview_last_error()->message);
}

/// Owns a handle; the destructor releases it.
class Array {
public:
    explicit Array(distview_array* handle) : m_handle(handle) {}
    Array(Array&& other) noexcept : m_handle(std::exchange(other.m_handle, nullptr)) {}
    ~Array() { distview_array_release(m_handle); }
    distview_array* release() { return std::exchange(m_handle, nullptr); }
    Array every_second(const distview_layout* layout) const {
        Index extents{};
        check(distview_layout_extents(layout, extents.data()));
        std::array<distview_slice, DISTVIEW_MAX_RANK> slices;
        std::transform(extents.begin(), extents.end(), slices.begin(),
                       [](std::int64_t extent) { return distview_slice{1, extent / 2, 2}; });
        distview_array* result = nullptr;
        check(distview_array_slice(m_handle, slices.data(), &result));
        return Array(result);
    }

private:
    distview_array* m_handle;
};

template <class Function>
int guard(Function&& function) {
    try {
        function();
        return DISTVIEW_SUCCESS;
    } catch (const std::exception& error) {
        const int status = distview_last_error()->status;
        return distview_set_error(status ? status : DISTVIEW_OTHER_ERROR, nullptr, error.what());
    }
}

template <class T>
Section<T> section_of(const distview_array* array, int element) {
    distview_memory memory;
    check(distview_array_memory(array, &memory));
    if (memory.element != element)
        throw std::invalid_argument("C++: expected another element type");
    return Section<T>(memory);
}

struct alignas(16) Lent {
    std::array<char, 16> bytes;
};
std::vector<Lent>& lent() {
    static std::vector<Lent> memory(LENT_BYTES / 16);
    return memory;
}

distview_memory describe(const distview_layout* layout, int element, int order) {
    distview_memory memory{};
    memory.data = lent().data();
    memory.element = element;
    check(distview_layout_rank(layout, &memory.rank));
    check(distview_layout_local_extents(layout, 0, memory.extents));
    memory.order = order == ORDER_SLICE ? +DISTVIEW_COLUMN_MAJOR : order;
    std::int64_t stride = 2 * (element % 16777216);
    for (int k = 1; k <= memory.rank; ++k) {
        memory.strides[k % memory.rank] = stride;
        stride *= memory.extents[k % memory.rank] + 1;
    }
    if (stride == 0 || std::count(memory.extents, memory.extents + memory.rank, 0) > 0)
        memory.data = nullptr;
    return memory;
}

} // namespace

int cpp_borrow(const distview_communicator* comm, const distview_layout* layout, int kind,
               int order, distview_array** result) {
    return guard([&] {
        with_type(kind, [&](auto, int element) {
            const distview_memory memory = describe(layout, element, order);
            std::memset(static_cast<void*>(lent().data()), 0x5a, LENT_BYTES);
            distview_array* made = nullptr;
            check(distview_array_borrow(comm, layout, &memory, &made));
            Array array(made);
            *result = order == ORDER_SLICE ? array.every_second(layout).release() : array.release();
        });
    });
}

int cpp_create(const distview_communicator* comm, const distview_layout* layout, int kind,
               int order, distview_array** result) {
    return guard([&] {
        with_type(kind, [&](auto, int element) {
            distview_array* made = nullptr;
            const int of_parent = order == ORDER_SLICE ? +DISTVIEW_COLUMN_MAJOR : order;
            check(distview_array_create(comm, layout, element, of_parent, &made));
            Array array(made);
            *result = order == ORDER_SLICE ? array.every_second(layout).release() : array.release();
        });
    });
}

void* cpp_memory() { return lent().data(); }

int cpp_fill(const distview_array* array, int kind) {
    return guard([&] {
        with_type(kind, [&](auto zero, int element) {
            const auto section = section_of<decltype(zero)>(array, element);
            section.for_each(
                [&](const Index& i) { section(i) = pattern(section.rank(), i, zero); });
        });
    });
}

int cpp_reverse(const distview_array* array, int kind) {
    return guard([&] {
        with_type(kind, [&](auto zero, int element) {
            const auto section = section_of<decltype(zero)>(array, element);
            section.for_each([&](Index i) {
                Index there = i;
                there[0] = section.extent(0) - 1 - i[0];
                if (i[0] < there[0]) std::swap(section(i), section(there));
            });
        });
    });
}

std::int64_t cpp_count_wrong(const distview_array* array, int kind, int reversed,
                             const void* address) {
    std::int64_t wrong = 0;
    const int status = guard([&] {
        with_type(kind, [&](auto zero, int element) {
            const auto section = section_of<decltype(zero)>(array, element);
            section.for_each([&](const Index& i) {
                Index of = i;
                if (reversed) of[0] = section.extent(0) - 1 - i[0];
                wrong += !(section(i) == pattern(section.rank(), of, zero));
                if (i == Index{}) wrong += static_cast<const void*>(&section(i)) != address;
            });
        });
    });
    return status == DISTVIEW_SUCCESS ? wrong : -1;
}

distview_array* cpp_retain(distview_array* array) { return distview_array_retain(array); }
void cpp_release(distview_array* array) { Array ends_here(array); }
