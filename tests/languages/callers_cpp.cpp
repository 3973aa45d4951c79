// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C++ calls the functions of C, C++ and Fortran, and passes them to the library. Errors and failed checks are exceptions.

#include "callees.h"
#include "fibonacci.hpp"

#include <distview/core/error.hpp>

#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

namespace {

struct Language {
    const char* name;
    decltype(&c_particle_offsets) particle_offsets;
    decltype(&c_particle_mass) particle_mass;
    decltype(&c_particle_move) particle_move;
    decltype(&c_raw) raw;
    decltype(&c_sum_float64_2) sum_float64_2;
    decltype(&c_hold) hold;
    decltype(&c_let_go) let_go;
    decltype(&c_fibonacci) fibonacci;
    decltype(&c_distribution) distribution;
    decltype(&c_kernel) kernel;
    decltype(&c_combine) combine;
};
#define LANGUAGE(L)                                                                                \
    {#L,                                                                                           \
     L##_particle_offsets,                                                                         \
     L##_particle_mass,                                                                            \
     L##_particle_move,                                                                            \
     L##_raw,                                                                                      \
     L##_sum_float64_2,                                                                            \
     L##_hold,                                                                                     \
     L##_let_go,                                                                                   \
     L##_fibonacci,                                                                                \
     L##_distribution,                                                                             \
     L##_kernel,                                                                                   \
     L##_combine}
const std::array<Language, 3> languages{{LANGUAGE(c), LANGUAGE(cpp), LANGUAGE(fortran)}};

void check(bool right, const char* what) {
    if (!right) throw std::logic_error(what);
}
#define CHECK(condition) check(condition, #condition)

/// Throws the library's exception for a status of C.
void ok(int status) {
    const std::string text = distview_last_error()->message;
    switch (status) {
    case DISTVIEW_SUCCESS: return;
    case DISTVIEW_LAYOUT_ERROR: throw distview::LayoutError(text);
    case DISTVIEW_SHAPE_ERROR: throw distview::ShapeError(text);
    case DISTVIEW_USAGE_ERROR: throw distview::UsageError(text);
    default: throw distview::Error(text);
    }
}

/// Requires that a call throws exactly Class, caught as Base, with a text that contains `part`.
template <class Class, class Base, class Function>
void throws(const char* part, Function&& function) {
    try {
        function();
    } catch (const Base& error) {
        if (dynamic_cast<const Class*>(&error) && std::strstr(error.what(), part)) return;
        throw std::logic_error(std::string("another error: ") + error.what());
    }
    throw std::logic_error(std::string("no error: ") + part);
}

struct Release {
    void operator()(distview_array* array) const { distview_array_release(array); }
    void operator()(distview_layout* layout) const { distview_layout_release(layout); }
    void operator()(distview_padding_plan* plan) const { distview_padding_plan_release(plan); }
};
template <class T>
using Handle = std::unique_ptr<T, Release>;

template <class T>
std::pair<Handle<distview_array>, T*> make(std::initializer_list<std::int64_t> extents, int element,
                                           int order) {
    distview_array* array = nullptr;
    void* data = nullptr;
    ok(make_array(static_cast<int>(extents.size()), extents.begin(), element, order, &array,
                  &data));
    return {Handle<distview_array>(array), static_cast<T*>(data)};
}

void test_struct(const Language& of) {
    std::array<std::int64_t, PARTICLE_MEMBERS + 1> offsets{};
    of.particle_offsets(offsets.data());
    CHECK(
        (offsets == std::array<std::int64_t, PARTICLE_MEMBERS + 1>{
                        offsetof(particle, position), offsetof(particle, kind),
                        offsetof(particle, alive), offsetof(particle, tag),
                        offsetof(particle, charge), offsetof(particle, owner), sizeof(particle)}));
    particle p{{1, 2, 3}, 5, true, {'a', 'b', 'c'}, 0.5F, &p};
    CHECK(of.particle_mass(p) == 1 + 4 + 12 + 40 + 16 + 0.5 + 'c' + 1000);
    of.particle_move(&p);
    CHECK(p.position[0] == 2 && p.position[1] == 4 && p.position[2] == 6 && p.kind == -5 &&
          !p.alive);
    CHECK(std::memcmp(p.tag, "cba", 3) == 0 && p.charge == -0.5F && p.owner == nullptr);
    const auto [array, all] =
        make<particle>({5}, DISTVIEW_OPAQUE(sizeof(particle)), DISTVIEW_ROW_MAJOR);
    for (int i = 0; i < 5; ++i) {
        all[i].position[2] = i;
        of.particle_move(&all[i]);
        CHECK(of.particle_mass(all[i]) == 1 + 4 + 4 * (i + 3) + 16);
    }
}

template <class T>
void test_raw_of(const Language& of, int element) {
    for (const int order : {DISTVIEW_ROW_MAJOR, DISTVIEW_COLUMN_MAJOR}) {
        const auto [array, a] = make<T>({3, 4}, element, order);
        for (int k = 0; k < 12; ++k) a[k] = static_cast<T>(static_cast<float>(k - 6));
        distview_local_copy_options options{};
        options.intent = DISTVIEW_INOUT;
        options.order = DISTVIEW_COLUMN_MAJOR;
        distview_local_copy_bytes bytes{-1, -1};
        ok(distview_with_local_copy(array.get(), &options, of.raw, nullptr, &bytes));
        const std::int64_t copied = order == DISTVIEW_COLUMN_MAJOR ? 0 : 12 * sizeof(T);
        CHECK(bytes.copied_in == copied && bytes.copied_out == copied);
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 4; ++j) {
                const int k = order == DISTVIEW_COLUMN_MAJOR ? i + 3 * j : 4 * i + j;
                CHECK(a[k] == static_cast<T>(static_cast<float>((k - 6) * (i + 1 + 10 * (j + 1)))));
            }
    }
}
void test_raw(const Language& of) {
    test_raw_of<std::int32_t>(of, DISTVIEW_INT32);
    test_raw_of<std::int64_t>(of, DISTVIEW_INT64);
    test_raw_of<float>(of, DISTVIEW_FLOAT32);
    test_raw_of<double>(of, DISTVIEW_FLOAT64);
    test_raw_of<std::complex<float>>(of, DISTVIEW_COMPLEX64);
    test_raw_of<std::complex<double>>(of, DISTVIEW_COMPLEX128);
    distview_plain_array rows{};
    throws<distview::ShapeError, distview::Error>("expected a(m, n) without gaps",
                                                  [&] { ok(of.raw(&rows, nullptr)); });
}

void test_generic(const Language& of) {
    for (const int order : {DISTVIEW_ROW_MAJOR, DISTVIEW_COLUMN_MAJOR}) {
        double sum = 0;
        const auto [array, a] = make<double>({3, 4}, DISTVIEW_FLOAT64, order);
        for (int k = 0; k < 12; ++k) a[k] = k;
        ok(of.sum_float64_2(array.get(), &sum));
        CHECK(sum == 66);
        throws<distview::ShapeError, distview::Error>(
            "expected 2 axes of float64, got 1 of element 33554440", [&] {
                ok(of.sum_float64_2(make<double>({3}, DISTVIEW_FLOAT64, order).first.get(), &sum));
            });
        throws<distview::ShapeError, distview::Error>(
            "expected 2 axes of float64, got 2 of element 8", [&] {
                ok(of.sum_float64_2(make<double>({3, 4}, DISTVIEW_INT64, order).first.get(), &sum));
            });
    }
}

void test_objects(const Language& of) {
    const int before = ended_arrays();
    distview_array* made = nullptr;
    ok(make_counted(&made));
    {
        const Handle<distview_array> array(made);
        of.hold(made);
        const Handle<distview_array> another(distview_array_retain(made));
    }
    CHECK(ended_arrays() == before);
    of.let_go(made);
    CHECK(ended_arrays() == before + 1);
}

// Exception classes must survive: from C++ through C, and from C++ through Fortran.
void test_fibonacci(decltype(&c_fibonacci) callee) {
    const auto [array, data] = make<double>({1}, DISTVIEW_FLOAT64, DISTVIEW_ROW_MAJOR);
    const auto call = [&, handle = array.get()](std::int64_t n, std::int64_t depth) {
        fibonacci asked{n, depth, 1000, -1};
        throw_error(distview_with_local_copy(handle, nullptr, callee, &asked, nullptr));
        return asked.result;
    };
    CHECK(call(10, 100) == 55);
    throws<NegativeValue, FibonacciError>("fibonacci: expected n >= 0", [&] { call(-1, 100); });
    throws<TooDeep, Exceeded>("fibonacci: too deep", [&] { call(10, 3); });
    throws<TooBig, Exceeded>("fibonacci: too big", [&] { call(20, 100); });
}

void test_virtual(const Language& of) {
    std::int64_t extent = 7, index = -1;
    distview_layout* made = nullptr;
    ok(make_backwards(of.distribution, &extent, &made));
    const Handle<distview_layout> layout(made);
    for (std::int64_t i = 0; i < 7; ++i) {
        ok(distview_layout_to_global(made, 0, 0, i, &index));
        CHECK(index == 6 - i);
    }
    distview_array* array = nullptr;
    distview_padding_plan* plan = nullptr;
    double* from = nullptr;
    ok(make_padded(&array, &from, &plan));
    const Handle<distview_array> array_handle(array);
    const Handle<distview_padding_plan> plan_handle(plan);
    std::array<double, 10> to{};
    for (int i = 1; i <= 8; ++i) from[i] = i * i;
    std::array<double*, 2> user{from, to.data()};
    ok(distview_padding_plan_apply(plan, 1, &array, of.kernel, user.data()));
    for (int i = 1; i <= 8; ++i) CHECK(to[i] == from[i - 1] + from[i + 1]);
    int operation = 0;
    ok(distview_operation_create(of.combine, nullptr, &operation));
    from[0] = 100;
    from[9] = 200;
    ok(distview_padding_plan_combine(plan, operation, 1, &array));
    CHECK(from[1] == 2 * 1 + 200 && from[8] == 2 * 64 + 100 && from[2] == 4);
    distview_operation_free(operation);
}

void test_contracts() {
    for (const int level :
         {DISTVIEW_CONTRACTS_OFF, DISTVIEW_CONTRACTS_CHEAP, DISTVIEW_CONTRACTS_FULL}) {
        distview_array *array = nullptr, *none = nullptr;
        distview_padding_plan* plan = nullptr;
        double* data = nullptr;
        ok(make_padded(&array, &data, &plan));
        const Handle<distview_array> array_handle(array);
        const Handle<distview_padding_plan> plan_handle(plan);
        ok(distview_set_contracts(level));
        CHECK(distview_contracts() == level);
        ok(distview_padding_plan_execute(plan, 1, &array));
        if (level != DISTVIEW_CONTRACTS_OFF)
            throws<distview::UsageError, distview::Error>(
                "got a null pointer", [&] { ok(distview_padding_plan_execute(plan, 1, &none)); });
        int usable = -1;
        ok(distview_padding_plan_is_usable(plan, &usable));
        CHECK(usable == 1 || level == DISTVIEW_CONTRACTS_CHEAP);
        throws<distview::UsageError, distview::Error>("got 3",
                                                      [] { ok(distview_set_contracts(3)); });
    }
    ok(distview_set_contracts(DISTVIEW_CONTRACTS_CHEAP));
}

// Conversion up: each class of the library is an Error and a std::exception. Down: dynamic_cast, which may fail.
void test_inheritance() {
    const auto fail = [] {
        distview_layout* layout = nullptr;
        const int grid = 1;
        distview_axis axis{};
        axis.extent = -5;
        ok(distview_layout_create(1, &grid, &axis, &layout));
    };
    throws<distview::LayoutError, distview::Error>("-5", fail);
    throws<distview::Error, std::runtime_error>("-5", fail);
    throws<distview::LayoutError, std::exception>("-5", fail);
    try {
        fail();
    } catch (const distview::Error& error) {
        CHECK(dynamic_cast<const distview::ShapeError*>(&error) == nullptr);
    }
}

int failures = 0;
template <class Function>
void run(const char* what, const char* implementer, Function&& function) {
    try {
        function();
        std::printf("languages %s cpp %s ok\n", what, implementer);
    } catch (const std::exception& error) {
        ++failures;
        std::printf("%s\nlanguages %s cpp %s failed\n", error.what(), what, implementer);
    }
}

} // namespace

int main() {
    if (begin_calls() != DISTVIEW_SUCCESS) return 2;
    for (const Language& of : languages) {
        run("struct", of.name, [&] { test_struct(of); });
        run("raw", of.name, [&] { test_raw(of); });
        run("generic", of.name, [&] { test_generic(of); });
        run("objects", of.name, [&] { test_objects(of); });
        run("exceptions", of.name, [&] { test_fibonacci(of.fibonacci); });
        run("virtual", of.name, [&] { test_virtual(of); });
    }
    run("exceptions", "fortran_by_cpp", [] { test_fibonacci(fortran_fibonacci_by_cpp); });
    run("contracts", "library", test_contracts);
    run("inheritance", "library", test_inheritance);
    return end_calls() == DISTVIEW_SUCCESS && failures == 0 ? 0 : 1;
}
