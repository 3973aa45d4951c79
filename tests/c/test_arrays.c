// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layouts of all kinds, slices, and redistribution with all its options. Oracle: formulas of the global indices.

#include "cells.h"

#include <complex.h>

static void check_pair(void* element, const int64_t* index, void* user) {
    ++*(int64_t*)user;
    CHECK(*(double*)element == (double)(100 * index[0] + index[1]));
}
static void check_turned(void* element, const int64_t* index, void* user) {
    CHECK(*(double*)element == *(double*)user * (double)(100 * index[1] + index[0]));
}
static void set_constant(void* element, const int64_t* index, void* user) {
    (void)index;
    *(double*)element = *(double*)user;
}

// BRAID's Fig. 2.3: blocks of 2 x 3 dealt out to 3 x 2 processes.
static void test_picture(void) {
    const int grid[2] = {3, 2};
    const distview_axis axes[2] = {{.kind = DISTVIEW_CYCLIC, .extent = 8, .block_size = 2},
                                   {.kind = DISTVIEW_CYCLIC, .extent = 8, .block_size = 3}};
    const char* const rows[8] = {"00011100", "00011100", "22233322", "22233322",
                                 "44455544", "44455544", "00011100", "00011100"};
    distview_layout* layout;
    OK(distview_layout_create(2, grid, axes, &layout));
    for (int64_t i = 0; i < 8; ++i)
        for (int64_t j = 0; j < 8; ++j) {
            int process;
            OK(distview_layout_owner(layout, (int64_t[]){i, j}, &process));
            CHECK(process == rows[i][j] - '0');
        }
    distview_layout* turned;
    distview_layout* back;
    int equal = -1;
    OK(distview_layout_permute(layout, (int[]){1, 0}, &turned));
    OK(distview_layout_equal(layout, turned, &equal));
    CHECK(equal == 0);
    OK(distview_layout_permute(turned, (int[]){1, 0}, &back));
    OK(distview_layout_equal(layout, back, &equal));
    uint64_t prints[2];
    OK(distview_layout_fingerprint(layout, &prints[0]));
    OK(distview_layout_fingerprint(back, &prints[1]));
    CHECK(equal == 1 && prints[0] == prints[1]);
    distview_layout_release(layout);
    distview_layout_release(turned);
    distview_layout_release(back);
}

// A distribution: index i is on process (i / 2) mod P, and a process's last index has its first position.
static int backwards(int64_t index, int* process, int64_t* position, void* user) {
    const int64_t processes = *(int*)user, extent = 23;
    *process = (int)(index / 2 % processes);
    int64_t after = 0;
    for (int64_t i = index + 1; i < extent; ++i) after += i / 2 % processes == *process;
    *position = after;
    return 0;
}

// Redistributes to each kind of axis and back; every cell must arrive exactly once.
static void test_kinds(distview_communicator* comm) {
    const int grid[2] = {1, check_size};
    const int64_t n = 23;
    int64_t bounds[8] = {0}, paddings[16] = {0}, counts[8] = {0}, labels[23];
    for (int p = 0; p <= check_size; ++p) bounds[p] = n * p * p / (check_size * check_size);
    for (int p = 0, k = 0; p < check_size; ++p) {
        paddings[2 * p] = paddings[2 * p + 1] = 0;
        for (int64_t i = n - 1; i >= 0; --i)
            if (i % check_size == p) labels[k++] = i, ++counts[p];
    }
    int64_t own = 0;
    for (int p = 0; p < check_rank; ++p) own += counts[p];
    const distview_axis kinds[] = {
        {.extent = n, .padding_low = 1, .padding_high = 2},
        {.kind = DISTVIEW_REGULAR_BLOCK, .extent = n},
        {.kind = DISTVIEW_BLOCK_BOUNDS, .bounds = bounds, .paddings = paddings},
        {.kind = DISTVIEW_CYCLIC, .extent = n},
        {.kind = DISTVIEW_CYCLIC, .extent = n, .block_size = 4},
        {.kind = DISTVIEW_UNSTRUCTURED, .counts = counts, .labels = labels, .one_to_one = 1},
        {.kind = DISTVIEW_UNSTRUCTURED_LOCAL,
         .extent = n,
         .known_process = check_rank,
         .counts = &counts[check_rank],
         .labels = labels + own},
        {.kind = DISTVIEW_USER, .extent = n, .distribution = backwards, .user = &(int){check_size}},
    };
    const distview_axis first = {.extent = 5};
    distview_layout* plain = NULL;
    OK(distview_layout_create(2, grid, (distview_axis[]){first, kinds[0]}, &plain));
    distview_array* source = NULL;
    distview_array* back = NULL;
    OK(distview_array_create(comm, plain, DISTVIEW_FLOAT64, DISTVIEW_COLUMN_MAJOR, &source));
    OK(distview_array_create(comm, plain, DISTVIEW_FLOAT64, DISTVIEW_ROW_MAJOR, &back));
    for_each_cell(source, set_pair, NULL);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k) {
        distview_layout* layout = NULL;
        distview_array* target = NULL;
        distview_redistribution_plan* there = NULL;
        distview_redistribution_plan* return_plan = NULL;
        OK(distview_layout_create(2, grid, (distview_axis[]){first, kinds[k]}, &layout));
        OK(distview_array_create(comm, layout, DISTVIEW_FLOAT64, DISTVIEW_ROW_MAJOR, &target));
        OK(distview_redistribution_plan_create(comm, plain, layout, NULL, &there));
        OK(distview_redistribution_plan_create(comm, layout, plain, NULL, &return_plan));
        OK(distview_redistribution_plan_execute(there, source, target));
        int64_t mine = 0, all = 0;
        for_each_cell(target, check_pair, &mine);
        MPI_Allreduce(&mine, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
        CHECK(all == 5 * n);
        double nothing = -1;
        for_each_cell(back, set_constant, &nothing);
        OK(distview_redistribution_plan_execute(return_plan, target, back));
        for_each_cell(back, check_pair, &mine);
        // Two executions in flight: to the other layout, and back from another array.
        distview_exchange *on_the_way = NULL, *home = NULL, *none = NULL;
        distview_array* second = NULL;
        OK(distview_array_create(comm, layout, DISTVIEW_FLOAT64, DISTVIEW_ROW_MAJOR, &second));
        for (int turn = 0; turn < 3; ++turn) {
            for_each_cell(target, set_pair, NULL);
            for_each_cell(second, set_constant, &nothing);
            for_each_cell(back, set_constant, &nothing);
            OK(distview_redistribution_plan_start(there, source, second, &on_the_way));
            OK(distview_redistribution_plan_start(return_plan, target, back, &home));
            FAILS(DISTVIEW_USAGE_ERROR, "in flight",
                  distview_redistribution_plan_execute(there, source, second));
            int can_finish = -1;
            OK(distview_exchange_can_finish(home, &can_finish));
            CHECK(can_finish == 0 || can_finish == 1);
            OK(distview_exchange_finish(on_the_way));
            OK(distview_exchange_finish(home));
            FAILS(DISTVIEW_USAGE_ERROR, "called twice", distview_exchange_finish(home));
            for_each_cell(second, check_pair, &mine);
            for_each_cell(back, check_pair, &mine);
            if (turn == 1) { // one that is still held is not reused
                distview_exchange* const held = distview_exchange_retain(home);
                OK(distview_redistribution_plan_start(return_plan, target, back, &none));
                CHECK(none != held);
                OK(distview_exchange_finish(none));
                distview_exchange_release(none);
                distview_exchange_release(held);
            }
            distview_exchange_release(on_the_way);
            distview_exchange_release(home);
        }
        if (k > 0)
            FAILS(DISTVIEW_SHAPE_ERROR, "the plan",
                  distview_redistribution_plan_start(there, target, source, &none));
        distview_array_release(second);
        int64_t length = 0, bytes = -1;
        char text[200];
        OK(distview_redistribution_plan_describe(there, text, sizeof text, &length));
        OK(distview_redistribution_plan_workspace_bytes(there, &bytes));
        CHECK(length > 20 && strlen(text) > 20 && bytes >= 0);
        distview_redistribution_plan_release(there);
        distview_redistribution_plan_release(return_plan);
        distview_array_release(target);
        distview_layout_release(layout);
    }
    distview_array_release(source);
    distview_array_release(back);
    distview_layout_release(plain);
}

static int subtract(void* here, const void* incoming, int32_t element, void* user) {
    (void)user;
    if (element != DISTVIEW_FLOAT64) return DISTVIEW_SHAPE_ERROR;
    *(double*)here -= *(const double*)incoming;
    return 0;
}

// All options: transposed, scaled, combined, of slices, in place, conjugated, between some of the ranks.
static void test_options(distview_communicator* comm) {
    const distview_axis axes[2] = {{.extent = 12},
                                   {.extent = 7, .padding_low = 1, .padding_high = 1}};
    distview_layout* const layout = make_layout(2, axes);
    distview_layout* const turned = make_layout(2, (distview_axis[]){axes[1], axes[0]});
    distview_array *a = NULL, *b = NULL;
    OK(distview_array_create(comm, layout, DISTVIEW_FLOAT64, DISTVIEW_ROW_MAJOR, &a));
    OK(distview_array_create(comm, turned, DISTVIEW_FLOAT64, DISTVIEW_ROW_MAJOR, &b));
    for_each_cell(a, set_pair, NULL);
    const distview_redistribution_options transposed = {.permutation = (int[]){1, 0}};
    distview_redistribution_plan* plan = NULL;
    OK(distview_redistribution_plan_create(comm, layout, turned, &transposed, &plan));
    double factor = 1;
    OK(distview_redistribution_plan_execute(plan, a, b));
    for_each_cell(b, check_turned, &factor);
    const double alpha = 2, beta = 3;
    OK(distview_redistribution_plan_execute_scaled(plan, &alpha, a, &beta, b));
    factor = 5;
    for_each_cell(b, check_turned, &factor);
    OK(distview_redistribution_plan_combine(plan, DISTVIEW_SUM, a, b));
    factor = 6;
    for_each_cell(b, check_turned, &factor);
    OK(distview_redistribution_plan_combine(plan, DISTVIEW_MINIMUM, a, b));
    factor = 1;
    for_each_cell(b, check_turned, &factor);
    int difference = 0;
    OK(distview_operation_create(subtract, NULL, &difference));
    OK(distview_redistribution_plan_combine(plan, difference, a, b));
    factor = 0;
    for_each_cell(b, check_turned, &factor);
    distview_operation_free(difference);
    FAILS(DISTVIEW_USAGE_ERROR, "alpha",
          distview_redistribution_plan_execute_scaled(plan, NULL, a, &beta, b));
    FAILS(DISTVIEW_SHAPE_ERROR, "the plan is for a",
          distview_redistribution_plan_execute(plan, b, a));
    distview_redistribution_plan_release(plan);

    // Moves rows 3, 1 of a to rows 0, 2 of b2, which has the same layout.
    distview_array* b2 = NULL;
    OK(distview_array_create(comm, layout, DISTVIEW_FLOAT64, DISTVIEW_COLUMN_MAJOR, &b2));
    const distview_redistribution_options sliced = {
        .from_slice = (distview_slice[]){{3, 2, -2}, DISTVIEW_ALL_CELLS},
        .to_slice = (distview_slice[]){{0, 2, 2}, DISTVIEW_ALL_CELLS}};
    OK(distview_redistribution_plan_create(comm, layout, layout, &sliced, &plan));
    OK(distview_redistribution_plan_execute(plan, a, b2));
    distview_redistribution_plan_release(plan);
    double rows[3 * 7];
    OK(distview_get_box(b2, (int64_t[]){0, 0}, (int64_t[]){3, 7}, 21, rows));
    for (int j = 0; j < 7; ++j)
        CHECK(rows[j] == 300 + j && rows[7 + j] == 0 && rows[14 + j] == 100 + j);

    // Reverses the rows in place.
    const distview_redistribution_options reversed = {
        .from_slice = (distview_slice[]){{11, 12, -1}, DISTVIEW_ALL_CELLS},
        .to_slice = (distview_slice[]){DISTVIEW_ALL_CELLS, DISTVIEW_ALL_CELLS},
        .in_place = 1};
    OK(distview_redistribution_plan_create(comm, layout, layout, &reversed, &plan));
    OK(distview_redistribution_plan_execute(plan, a, a));
    distview_redistribution_plan_release(plan);
    OK(distview_get_box(a, (int64_t[]){0, 0}, (int64_t[]){3, 7}, 21, rows));
    for (int j = 0; j < 21; ++j) CHECK(rows[j] == (11 - j / 7) * 100 + j % 7);

    // Conjugated.
    distview_array *z = NULL, *w = NULL, *opaque = NULL;
    OK(distview_array_create(comm, layout, DISTVIEW_OPAQUE(8), DISTVIEW_ROW_MAJOR, &opaque));
    OK(distview_array_create(comm, layout, DISTVIEW_COMPLEX128, DISTVIEW_ROW_MAJOR, &z));
    OK(distview_array_create(comm, layout, DISTVIEW_COMPLEX128, DISTVIEW_ROW_MAJOR, &w));
    const double complex number = 3.0 + 4.0 * I;
    OK(distview_put_box(z, (int64_t[]){2, 2}, (int64_t[]){check_rank ? 2 : 3, 3},
                        check_rank ? 0 : 1, &number));
    OK(distview_redistribution_plan_create(
        comm, layout, layout, &(distview_redistribution_options){.conjugate = 1}, &plan));
    distview_exchange* exchange = NULL;
    OK(distview_redistribution_plan_start(plan, z, w, &exchange));
    OK(distview_exchange_finish(exchange));
    distview_exchange_release(exchange);
    FAILS(DISTVIEW_SHAPE_ERROR, "complex numbers", // nothing to conjugate in what is no number
          distview_redistribution_plan_start(plan, opaque, opaque, &exchange));
    distview_array_release(opaque);
    distview_redistribution_plan_release(plan);
    double complex got = 0;
    OK(distview_get_box(w, (int64_t[]){2, 2}, (int64_t[]){3, 3}, 1, &got));
    CHECK(creal(got) == 3.0 && cimag(got) == -4.0);
    distview_value value;
    OK(distview_sum(w, NULL, &value));
    CHECK(value.real == 3.0 && value.imaginary == -4.0);
    OK(distview_dot(w, z, NULL, &value)); // conj(3 - 4i) (3 + 4i)
    CHECK(value.real == -7.0 && value.imaginary == 24.0);
    distview_array_release(z);
    distview_array_release(w);

    // From all ranks to the last one alone: the other ranks pass no target.
    const distview_axis whole[2] = {{.extent = 12}, {.extent = 7}};
    distview_layout* alone = NULL;
    OK(distview_layout_create(2, (int[]){1, 1}, whole, &alone));
    const int is_target = check_rank == check_size - 1;
    distview_memory memory = {.element = DISTVIEW_FLOAT64, .rank = 2, .extents = {12, 7}};
    double all[12 * 7];
    memory.data = all;
    distview_array* target = NULL;
    if (is_target) OK(distview_array_borrow_local(comm, alone, 0, &memory, &target));
    OK(distview_redistribution_plan_create(
        comm, layout, alone,
        &(distview_redistribution_options){.to_ranks = (int[]){check_size - 1}}, &plan));
    OK(distview_redistribution_plan_execute(plan, a, target));
    for (int k = 0; k < 12 * 7 && is_target; ++k) CHECK(all[k] == (11 - k / 7) * 100 + k % 7);
    distview_redistribution_plan_release(plan);
    distview_array_release(target);

    // From the first rank to the last one: the ranks between pass no array and do not know the element type.
    float few[12 * 7], got_few[12 * 7];
    for (int k = 0; k < 12 * 7; ++k) few[k] = (float)k, got_few[k] = -1;
    memory.element = DISTVIEW_FLOAT32;
    distview_array *given = NULL, *wanted = NULL;
    memory.data = few;
    if (check_rank == 0) OK(distview_array_borrow_local(comm, alone, 0, &memory, &given));
    memory.data = got_few;
    if (is_target) OK(distview_array_borrow_local(comm, alone, 0, &memory, &wanted));
    const distview_redistribution_options ends = {.from_ranks = (int[]){0},
                                                  .to_ranks = (int[]){check_size - 1}};
    OK(distview_redistribution_plan_create(comm, alone, alone, &ends, &plan));
    OK(distview_redistribution_plan_start(plan, given, wanted, &exchange));
    OK(distview_exchange_finish(exchange));
    distview_exchange_release(exchange);
    for (int k = 0; k < 12 * 7 && is_target; ++k) CHECK(got_few[k] == (float)k);
    const float half = 0.5f, one = 1;
    OK(distview_redistribution_plan_execute_scaled(plan, &half, given, &one, wanted));
    for (int k = 0; k < 12 * 7 && is_target; ++k) CHECK(got_few[k] == 1.5f * (float)k);
    distview_redistribution_plan_release(plan);
    distview_array_release(given);
    distview_array_release(wanted);
    distview_layout_release(alone);
    distview_array_release(a);
    distview_array_release(b);
    distview_array_release(b2);
    distview_layout_release(layout);
    distview_layout_release(turned);
}

static void test_slices(distview_communicator* comm) {
    const distview_axis axes[2] = {{.extent = 12},
                                   {.extent = 9, .padding_low = 1, .padding_high = 1}};
    distview_layout* const layout = make_layout(2, axes);
    distview_array *u = NULL, *part = NULL;
    OK(distview_array_create(comm, layout, DISTVIEW_FLOAT64, DISTVIEW_ROW_MAJOR, &u));
    for_each_cell(u, set_pair, NULL);
    OK(distview_array_slice(u, (distview_slice[]){{1, -1, 2}, {2, 5, 1}}, &part));
    distview_value value;
    OK(distview_sum(part, NULL, &value));
    double expected = 0;
    for (int i = 1; i < 12; i += 2)
        for (int j = 2; j < 7; ++j) expected += 100 * i + j;
    CHECK(value.real == expected);
    distview_array_release(u); // the slice keeps the memory
    OK(distview_sum(part, NULL, &value));
    CHECK(value.real == expected);
    int64_t length = 0;
    char text[100];
    OK(distview_array_describe(part, text, sizeof text, &length));
    CHECK(strstr(text, "2-d array") != NULL && length > 99);
    distview_array_release(part);
    distview_layout_release(layout);
}

int main(int argc, char** argv) {
    distview_communicator* comm;
    check_begin(&argc, &argv, &comm);
    test_picture();
    test_kinds(comm);
    test_options(comm);
    test_slices(comm);
    return check_end(comm);
}
