// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C calls the functions of C, C++ and Fortran, and passes them to the library.

#include "../c/check.h"
#include "callees.h"

#include <complex.h>
#include <stddef.h>

struct language {
    const char* name;
    void (*particle_offsets)(int64_t*);
    double (*particle_mass)(struct particle);
    void (*particle_move)(struct particle*);
    int (*raw)(const distview_plain_array*, void*);
    int (*sum_float64_2)(const distview_array*, double*);
    distview_array* (*hold)(distview_array*);
    void (*let_go)(distview_array*);
    int (*fibonacci)(const distview_plain_array*, void*);
    int (*distribution)(int64_t, int*, int64_t*, void*);
    int (*kernel)(int, const int64_t*, const int64_t*, void*);
    int (*combine)(void*, const void*, int32_t, void*);
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
static const struct language languages[3] = {LANGUAGE(c), LANGUAGE(cpp), LANGUAGE(fortran)};

static void test_struct(const struct language* of) {
    int64_t offsets[PARTICLE_MEMBERS + 1] = {0};
    of->particle_offsets(offsets);
    CHECK(offsets[0] == offsetof(struct particle, position) &&
          offsets[1] == offsetof(struct particle, kind) &&
          offsets[2] == offsetof(struct particle, alive) &&
          offsets[3] == offsetof(struct particle, tag) &&
          offsets[4] == offsetof(struct particle, charge) &&
          offsets[5] == offsetof(struct particle, owner) && offsets[6] == sizeof(struct particle));
    struct particle p = {{1, 2, 3}, 5, true, {'a', 'b', 'c'}, 0.5F, &p};
    CHECK(of->particle_mass(p) == 1 + 4 + 12 + 40 + 16 + 0.5 + 'c' + 1000);
    of->particle_move(&p);
    CHECK(p.position[0] == 2 && p.position[1] == 4 && p.position[2] == 6 && p.kind == -5 &&
          !p.alive && memcmp(p.tag, "cba", 3) == 0 && p.charge == -0.5F && p.owner == NULL);
    // Structures as elements of an array.
    const int64_t extent = 5;
    distview_array* array = NULL;
    void* data = NULL;
    OK(make_array(1, &extent, DISTVIEW_OPAQUE(sizeof p), DISTVIEW_ROW_MAJOR, &array, &data));
    struct particle* const all = data;
    for (int i = 0; i < 5; ++i) {
        all[i].position[2] = i;
        of->particle_move(&all[i]);
        CHECK(of->particle_mass(all[i]) == 1 + 4 + 4 * (i + 3) + 16);
    }
    distview_array_release(array);
}

#define TEST_RAW(T, element)                                                                       \
    do {                                                                                           \
        for (int order = 0; order < 2; ++order) {                                                  \
            const int64_t extents[2] = {3, 4};                                                     \
            const distview_local_copy_options options = {.intent = DISTVIEW_INOUT,                 \
                                                         .order = DISTVIEW_COLUMN_MAJOR};          \
            distview_array* array = NULL;                                                          \
            void* data = NULL;                                                                     \
            distview_local_copy_bytes bytes = {-1, -1};                                            \
            OK(make_array(2, extents, element, order, &array, &data));                             \
            T* const a = data;                                                                     \
            for (int k = 0; k < 12; ++k) a[k] = (T)(k - 6);                                        \
            OK(distview_with_local_copy(array, &options, of->raw, NULL, &bytes));                  \
            const int64_t copied = order == DISTVIEW_COLUMN_MAJOR ? 0 : 12 * (int64_t)sizeof(T);   \
            CHECK(bytes.copied_in == copied && bytes.copied_out == copied);                        \
            for (int i = 0; i < 3; ++i)                                                            \
                for (int j = 0; j < 4; ++j) {                                                      \
                    const int k = order == DISTVIEW_COLUMN_MAJOR ? i + 3 * j : 4 * i + j;          \
                    CHECK(a[k] == (T)((k - 6) * (i + 1 + 10 * (j + 1))));                          \
                }                                                                                  \
            distview_array_release(array);                                                         \
        }                                                                                          \
    } while (0)
static void test_raw(const struct language* of) {
    TEST_RAW(int32_t, DISTVIEW_INT32);
    TEST_RAW(int64_t, DISTVIEW_INT64);
    TEST_RAW(float, DISTVIEW_FLOAT32);
    TEST_RAW(double, DISTVIEW_FLOAT64);
    TEST_RAW(float _Complex, DISTVIEW_COMPLEX64);
    TEST_RAW(double _Complex, DISTVIEW_COMPLEX128);
    distview_plain_array rows = {
        .data = &rows, .element = DISTVIEW_INT32, .rank = 2, .extents = {1, 1}};
    FAILS(DISTVIEW_SHAPE_ERROR, "expected a(m, n) without gaps", of->raw(&rows, NULL));
}

static void test_generic(const struct language* of) {
    const int64_t extents[2] = {3, 4};
    for (int order = 0; order < 2; ++order) {
        distview_array* array = NULL;
        void* data = NULL;
        double sum = 0;
        OK(make_array(2, extents, DISTVIEW_FLOAT64, order, &array, &data));
        for (int k = 0; k < 12; ++k) ((double*)data)[k] = k;
        OK(of->sum_float64_2(array, &sum));
        CHECK(sum == 66);
        distview_array_release(array);
        OK(make_array(1, extents, DISTVIEW_FLOAT64, order, &array, &data));
        FAILS(DISTVIEW_SHAPE_ERROR, "expected 2 axes of float64, got 1 of element 33554440",
              of->sum_float64_2(array, &sum));
        distview_array_release(array);
        OK(make_array(2, extents, DISTVIEW_INT64, order, &array, &data));
        FAILS(DISTVIEW_SHAPE_ERROR, "expected 2 axes of float64, got 2 of element 8",
              of->sum_float64_2(array, &sum));
        distview_array_release(array);
    }
}

static void test_objects(const struct language* of) {
    const int before = ended_arrays();
    distview_array* array = NULL;
    void* data = NULL;
    OK(make_counted(&array));
    distview_array* const held = of->hold(array);
    distview_array_release(array);
    CHECK(ended_arrays() == before);
    OK(distview_array_data(held, &data));
    CHECK(((double*)data)[3] == 0);
    distview_array_retain(held);
    of->let_go(held);
    CHECK(ended_arrays() == before);
    distview_array_release(held);
    CHECK(ended_arrays() == before + 1);
}

static void test_fibonacci(int (*callee)(const distview_plain_array*, void*)) {
    const int64_t extent = 1;
    distview_array* array = NULL;
    void* data = NULL;
    OK(make_array(1, &extent, DISTVIEW_FLOAT64, DISTVIEW_ROW_MAJOR, &array, &data));
    struct fibonacci asked = {.n = 10, .max_depth = 100, .max_value = 1000};
    OK(distview_with_local_copy(array, NULL, callee, &asked, NULL));
    CHECK(asked.result == 55);
    asked.n = -1;
    FAILS(DISTVIEW_OTHER_ERROR, "fibonacci: expected n >= 0",
          distview_with_local_copy(array, NULL, callee, &asked, NULL));
    CHECK(strcmp(distview_last_error()->code, "NegativeValue") == 0);
    asked = (struct fibonacci){.n = 10, .max_depth = 3, .max_value = 1000};
    FAILS(DISTVIEW_OTHER_ERROR, "fibonacci: too deep",
          distview_with_local_copy(array, NULL, callee, &asked, NULL));
    CHECK(strcmp(distview_last_error()->code, "TooDeep") == 0);
    asked = (struct fibonacci){.n = 20, .max_depth = 100, .max_value = 1000};
    FAILS(DISTVIEW_OTHER_ERROR, "fibonacci: too big",
          distview_with_local_copy(array, NULL, callee, &asked, NULL));
    CHECK(strcmp(distview_last_error()->code, "TooBig") == 0);
    distview_array_release(array);
}

static void test_virtual(const struct language* of) {
    int64_t extent = 7, index = -1, position = -1;
    distview_layout* layout = NULL;
    OK(make_backwards(of->distribution, &extent, &layout));
    for (int64_t i = 0; i < 7; ++i) {
        OK(distview_layout_to_global(layout, 0, 0, i, &index));
        OK(distview_layout_to_local(layout, 0, 0, i, &position));
        CHECK(index == 6 - i && position == 6 - i);
    }
    distview_layout_release(layout);

    distview_array* array = NULL;
    distview_padding_plan* plan = NULL;
    double *from = NULL, to[10] = {0};
    OK(make_padded(&array, &from, &plan));
    for (int i = 1; i <= 8; ++i) from[i] = i * i;
    OK(distview_padding_plan_apply(plan, 1, &array, of->kernel, (double* [2]){from, to}));
    for (int i = 1; i <= 8; ++i) CHECK(to[i] == from[i - 1] + from[i + 1]);
    CHECK(from[0] == 64 && from[9] == 1);

    int operation = 0;
    OK(distview_operation_create(of->combine, NULL, &operation));
    from[0] = 100;
    from[9] = 200;
    OK(distview_padding_plan_combine(plan, operation, 1, &array));
    CHECK(from[1] == 2 * 1 + 200 && from[8] == 2 * 64 + 100 && from[2] == 4);
    distview_operation_free(operation);
    distview_padding_plan_release(plan);
    distview_array_release(array);
}

static void test_contracts(void) {
    for (int level = DISTVIEW_CONTRACTS_OFF; level <= DISTVIEW_CONTRACTS_FULL; ++level) {
        distview_array* array = NULL;
        distview_array* none = NULL;
        distview_padding_plan* plan = NULL;
        double* data = NULL;
        int usable = -1;
        OK(make_padded(&array, &data, &plan));
        OK(distview_set_contracts(level));
        CHECK(distview_contracts() == level);
        OK(distview_padding_plan_execute(plan, 1, &array));
        // Off: nothing is checked. Full: no rank begins. (tests/c/test_errors.c tests several ranks.)
        if (level != DISTVIEW_CONTRACTS_OFF)
            FAILS(DISTVIEW_USAGE_ERROR, "got a null pointer",
                  distview_padding_plan_execute(plan, 1, &none));
        OK(distview_padding_plan_is_usable(plan, &usable));
        CHECK(usable == 1 || level == DISTVIEW_CONTRACTS_CHEAP);
        FAILS(DISTVIEW_USAGE_ERROR, "got 3", distview_set_contracts(3));
        CHECK(distview_contracts() == level);
        distview_padding_plan_release(plan);
        distview_array_release(array);
    }
    OK(distview_set_contracts(DISTVIEW_CONTRACTS_CHEAP));
}

// C has no classes: the status identifies the class, and the last error has its name.
static void test_inheritance(void) {
    distview_layout* layout = NULL;
    const distview_axis axis = {.extent = -5};
    const int grid = 1;
    FAILS(DISTVIEW_LAYOUT_ERROR, "-5", distview_layout_create(1, &grid, &axis, &layout));
    CHECK(strcmp(distview_last_error()->class_name, "LayoutError") == 0);
    FAILS(DISTVIEW_USAGE_ERROR, "null pointer", distview_layout_create(1, NULL, &axis, &layout));
    CHECK(strcmp(distview_last_error()->class_name, "UsageError") == 0);
}

static void report(const char* what, const char* implementer, int failures_before) {
    printf("languages %s c %s %s\n", what, implementer,
           check_failures == failures_before ? "ok" : "failed");
}

int main(void) {
    OK(begin_calls());
    for (int i = 0; i < 3; ++i) {
        const struct language* const of = &languages[i];
#define RUN(what, call)                                                                            \
    do {                                                                                           \
        const int before = check_failures;                                                         \
        call;                                                                                      \
        report(what, of->name, before);                                                            \
    } while (0)
        RUN("struct", test_struct(of));
        RUN("raw", test_raw(of));
        RUN("generic", test_generic(of));
        RUN("objects", test_objects(of));
        RUN("exceptions", test_fibonacci(of->fibonacci));
        RUN("virtual", test_virtual(of));
    }
    const struct language* const of = &(struct language){.name = "fortran_by_cpp"};
    RUN("exceptions", test_fibonacci(fortran_fibonacci_by_cpp));
    const int before = check_failures;
    test_contracts();
    report("contracts", "library", before);
    const int before_last = check_failures;
    test_inheritance();
    report("inheritance", "library", before_last);
    OK(end_calls());
    return check_failures == 0 ? 0 : 1;
}
