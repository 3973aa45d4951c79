// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every scalar type: passed in, out and both ways through a function of the program, in either memory order, with the
// number of copied bytes; then through padding exchanges and redistribution to another layout.

#include "check.h"

#include <complex.h>
#include <math.h>
#include <stdbool.h>

typedef enum { red, green, blue } colour;
typedef struct {
    char text[8]; // UTF-8, blank-padded
} string8;
typedef struct {
    double mass;
    int32_t id;
    char tag[4];
    float position[2];
} particle;

static bool value_of_bool(int64_t i) { return i % 2 == 0; }
static char value_of_char(int64_t i) { return (char)('a' + i % 26); }
static int32_t value_of_int32(int64_t i) { return (int32_t)(i * i - 40); }
static int64_t value_of_int64(int64_t i) { return (INT64_C(1) << 40) + i; }
static float value_of_float(int64_t i) { return ldexpf(1.0f, (int)-i % 100); }
static double value_of_double(int64_t i) { return ldexp(1.0, (int)-i); }
static float complex value_of_fcomplex(int64_t i) { return (float)i - 2.0f * I; }
static double complex value_of_dcomplex(int64_t i) {
    return ldexp(1.0, (int)i % 50) + I * ldexp(1.0, (int)-i % 50);
}
static void* value_of_opaque(int64_t i) { return (char*)NULL + 16 * i; }
static colour value_of_enum(int64_t i) { return (colour)(i % 3); }
static string8 value_of_string(int64_t i) {
    string8 s = {{(char)0xc3, (char)0xa9, ' ', ' ', ' ', ' ', ' ', ' '}}; // e with an acute accent
    s.text[2] = (char)('0' + i % 10);
    return s;
}
static particle value_of_struct(int64_t i) {
    particle p;
    memset(&p, 0, sizeof p);
    p.mass = 0.5 * (double)i;
    p.id = (int32_t)i;
    memcpy(p.tag, "abc", 4);
    p.position[1] = (float)-i;
    return p;
}

enum { side = 6, all_cells = side * side };

// The values that a function must find, or must leave, in the C order of the cells' global indices.
typedef struct {
    const char* values;     // found
    const char* new_values; // left
    size_t bytes;
    int intent;
    int calls;
} expected;

static int visit(const distview_plain_array* a, void* user) {
    expected* const e = user;
    ++e->calls;
    for (int64_t i = 0; i < a->extents[0]; ++i)
        for (int64_t j = 0; j < a->extents[1]; ++j) {
            const int64_t at = a->order == DISTVIEW_ROW_MAJOR ? i * a->leading_dimension + j
                                                              : j * a->leading_dimension + i;
            char* const element = (char*)a->data + (size_t)at * e->bytes;
            const size_t cell = (size_t)(i * side + j) * e->bytes;
            if (e->intent != DISTVIEW_OUT) CHECK(memcmp(element, e->values + cell, e->bytes) == 0);
            if (e->intent != DISTVIEW_IN) memcpy(element, e->new_values + cell, e->bytes);
        }
    return 0;
}

static void check_cells(distview_array* array, const char* values, size_t bytes, int padding_too) {
    distview_memory memory;
    distview_layout* layout;
    int64_t begin[2], end[2];
    OK(distview_array_memory(array, &memory));
    OK(distview_array_layout(array, &layout));
    OK(distview_layout_interior(layout, check_rank, begin, end));
    for (int64_t i = padding_too ? 0 : begin[0]; i < (padding_too ? memory.extents[0] : end[0]);
         ++i)
        for (int64_t j = padding_too ? 0 : begin[1]; j < (padding_too ? memory.extents[1] : end[1]);
             ++j) {
            int64_t x, y;
            OK(distview_layout_to_global(layout, check_rank, 0, i, &x));
            OK(distview_layout_to_global(layout, check_rank, 1, j, &y));
            const int64_t cell = (x + side) % side * side + (y + side) % side;
            CHECK(memcmp((char*)memory.data + i * memory.strides[0] + j * memory.strides[1],
                         values + (size_t)cell * bytes, bytes) == 0);
        }
    distview_layout_release(layout);
}

// `copies`: whether local copies support the element size; exchanges support every size.
static void test_type(distview_communicator* comm, int32_t element, size_t bytes,
                      const char* values, const char* others, int copies) {
    const distview_axis axes[2] = {
        {.extent = side, .padding_low = 1, .padding_high = 1, .periodic = 1},
        {.extent = side, .padding_low = 1, .padding_high = 1, .periodic = 1}};
    distview_layout* const layout = make_layout(2, axes);
    distview_layout* const dealt = make_layout(
        2, (distview_axis[]){{.kind = DISTVIEW_CYCLIC, .extent = side},
                             {.kind = DISTVIEW_CYCLIC, .extent = side, .block_size = 2}});
    distview_padding_plan* plan;
    OK(distview_padding_plan_create(comm, layout, NULL, &plan));
    for (int order = 0; order < 2; ++order) {
        distview_array *a, *b;
        OK(distview_array_create(comm, layout, element, order, &a));
        OK(distview_array_create(comm, dealt, element, 1 - order, &b));
        distview_memory memory;
        int64_t begin[2], end[2];
        OK(distview_array_memory(a, &memory));
        CHECK(memory.element == element);
        OK(distview_layout_interior(layout, check_rank, begin, end));
        for (int64_t i = begin[0]; i < end[0]; ++i)
            for (int64_t j = begin[1]; j < end[1]; ++j) {
                int64_t x, y;
                OK(distview_layout_to_global(layout, check_rank, 0, i, &x));
                OK(distview_layout_to_global(layout, check_rank, 1, j, &y));
                memcpy((char*)memory.data + i * memory.strides[0] + j * memory.strides[1],
                       values + (size_t)(x * side + y) * bytes, bytes);
            }
        OK(distview_padding_plan_execute(plan, 1, &a));
        check_cells(a, values, bytes, 1);
        for (int intent = 0; copies && intent < 3; ++intent)
            for (int to = 0; to < 2; ++to) {
                const distview_local_copy_options options = {
                    .intent = intent, .order = to, .writes_all = 1};
                expected e = {values, others, bytes, intent, 0};
                distview_local_copy_bytes copied;
                OK(distview_with_local_copy_of_whole(a, 0, &options, visit, &e, &copied));
                CHECK(e.calls == (check_rank == 0));
                const int64_t whole = check_rank == 0 ? (int64_t)bytes * all_cells : 0;
                CHECK(copied.copied_in == (intent == DISTVIEW_OUT ? 0 : whole) || check_size > 1);
                if (intent == DISTVIEW_IN) CHECK(copied.copied_out == 0);
                if (intent == DISTVIEW_OUT) CHECK(copied.copied_in == 0);
                check_cells(a, intent == DISTVIEW_IN ? values : others, bytes, 0);
                expected back = {others, values, bytes, DISTVIEW_INOUT, 0};
                if (intent != DISTVIEW_IN)
                    OK(distview_with_local_copy_of_whole(
                        a, check_size - 1, &(distview_local_copy_options){.intent = DISTVIEW_INOUT},
                        visit, &back, NULL));
            }
        if (copies) {
            distview_redistribution_plan* move;
            OK(distview_redistribution_plan_create(comm, layout, dealt, NULL, &move));
            OK(distview_redistribution_plan_execute(move, a, b));
            check_cells(b, values, bytes, 0);
            distview_redistribution_plan_release(move);
            const int64_t cell = 7 * check_rank % all_cells;
            char got[16];
            OK(distview_get_box(b, (int64_t[]){cell / side, cell % side},
                                (int64_t[]){cell / side + 1, cell % side + 1}, 1, got));
            CHECK(memcmp(got, values + (size_t)cell * bytes, bytes) == 0);
        }
        distview_array_release(a);
        distview_array_release(b);
    }
    distview_padding_plan_release(plan);
    distview_layout_release(layout);
    distview_layout_release(dealt);
}

#define TEST(type, name, element, copies)                                                          \
    do {                                                                                           \
        static type values[all_cells];                                                             \
        static type others[all_cells];                                                             \
        for (int i = 0; i < all_cells; ++i) values[i] = value_of_##name(i);                        \
        for (int i = 0; i < all_cells; ++i) others[i] = values[all_cells - 1 - i];                 \
        test_type(comm, element, sizeof(type), (const char*)values, (const char*)others, copies);  \
    } while (0)

int main(int argc, char** argv) {
    distview_communicator* comm;
    check_begin(&argc, &argv, &comm);
    TEST(bool, bool, DISTVIEW_BOOL, 1);
    TEST(char, char, DISTVIEW_CHAR, 1);
    TEST(int32_t, int32, DISTVIEW_INT32, 1);
    TEST(int64_t, int64, DISTVIEW_INT64, 1);
    TEST(float, float, DISTVIEW_FLOAT32, 1);
    TEST(double, double, DISTVIEW_FLOAT64, 1);
    TEST(float complex, fcomplex, DISTVIEW_COMPLEX64, 1);
    TEST(double complex, dcomplex, DISTVIEW_COMPLEX128, 1);
    TEST(void*, opaque, DISTVIEW_OPAQUE(sizeof(void*)), 1);
    TEST(string8, string, DISTVIEW_OPAQUE(8), 1);
    TEST(colour, enum, DISTVIEW_INT32, 1);
    TEST(particle, struct, DISTVIEW_OPAQUE(sizeof(particle)), 0);
    return check_end(comm);
}
