// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements by index, ghosts, reductions and local copies. Oracle: formulas of the global indices.

#include "cells.h"

#include <math.h>

static void test_elements(distview_communicator* comm) {
    const distview_axis axes[2] = {{.extent = 9, .padding_low = 1, .padding_high = 1},
                                   {.kind = DISTVIEW_CYCLIC, .extent = 11}};
    distview_layout* const layout = make_layout(2, axes);
    distview_array* u = NULL;
    OK(distview_array_create(comm, layout, DISTVIEW_FLOAT64, DISTVIEW_ROW_MAJOR, &u));
    for_each_cell(u, set_pair, NULL);
    // Every rank has a separate list: one point twice, and a box.
    distview_index_list* list = NULL;
    OK(distview_index_list_create(2, &list));
    OK(distview_index_list_add(list, 2, (int64_t[]){check_rank, 3, check_rank, 3}));
    OK(distview_index_list_add_box(list, (int64_t[]){0, 8}, (int64_t[]){9, 2}, (int64_t[]){4, -3}));
    int64_t size = 0;
    OK(distview_index_list_size(list, &size));
    CHECK(size == 2 + 3 * 2);
    double values[8];
    distview_gather_plan* plan = NULL;
    OK(distview_gather_plan_create(comm, layout, list, &plan));
    for (int turn = 0; turn < 3; ++turn) {
        memset(values, 0, sizeof values);
        // A label that only one rank sets must not make the array a new one to the plan.
        if (check_rank == 0) OK(distview_array_set_label(u, "u"));
        // In turn 1 this rank reads without the others: all owners are on this node.
        OK(turn == 1 ? distview_gather_plan_read(plan, u, 8, values)
                     : distview_gather_plan_execute(plan, u, 8, values));
        CHECK(values[0] == 100 * check_rank + 3 && values[1] == values[0]);
        for (int k = 0; k < 6; ++k) CHECK(values[2 + k] == 400 * (k / 2) + 8 - 3 * (k % 2));
    }
    // The same as start and finish; a second finish is an error.
    distview_exchange* exchange = NULL;
    int can_finish = -1;
    memset(values, 0, sizeof values);
    OK(distview_gather_plan_start(plan, u, 8, values, &exchange));
    OK(distview_exchange_can_finish(exchange, &can_finish));
    CHECK(can_finish == 0 || can_finish == 1);
    OK(distview_exchange_finish(exchange));
    CHECK(values[0] == 100 * check_rank + 3 && values[7] == 400 * 2 + 8 - 3);
    CHECK(distview_exchange_finish(exchange) == DISTVIEW_USAGE_ERROR);
    distview_exchange_release(exchange);
    const int one = check_rank == check_size - 1;
    FAILS(DISTVIEW_SHAPE_ERROR, "expected 8 values, got 7",
          distview_gather_plan_execute(plan, u, one ? 7 : 8, values));
    void* own = NULL;
    OK(distview_array_data(u, &own));
    FAILS(DISTVIEW_USAGE_ERROR, "expected values that share no memory with the array",
          distview_gather_plan_execute(plan, u, 8, one ? own : values));
    FAILS(DISTVIEW_USAGE_ERROR, "expected values that share no memory with the array",
          distview_put_elements(u, list, 8, one ? own : values));
    // Adds 1 for each occurrence of an element in the lists.
    for (int k = 0; k < 8; ++k) values[k] = 1;
    OK(distview_gather_plan_combine(plan, DISTVIEW_SUM, 8, values, u));
    OK(distview_get_elements(u, list, 8, values));
    CHECK(values[0] == 100 * check_rank + 3 + 2);
    for (int k = 0; k < 6; ++k)
        CHECK(values[2 + k] == 400 * (k / 2) + 8 - 3 * (k % 2) + check_size);
    // Of several values for one element the last one stays, by rank and by position in the list.
    for (int k = 0; k < 8; ++k) values[k] = 1000 * check_rank + k;
    OK(distview_put_elements(u, list, 8, values));
    OK(distview_accumulate_elements(u, DISTVIEW_MAXIMUM, list, 8,
                                    (double[]){-1, 5, -1, -1, -1, -1, -1, -1}));
    OK(distview_get_elements(u, list, 8, values));
    CHECK(values[0] == 1000 * check_rank + 1 || check_rank == 0);
    CHECK(check_rank > 0 || values[0] == 5);
    for (int k = 2; k < 8; ++k) CHECK(values[k] == 1000 * (check_size - 1) + k);
    const double tens[2] = {10, 20};
    OK(distview_accumulate_box(u, DISTVIEW_SUM, (int64_t[]){1, 5}, (int64_t[]){2, 7}, 2, tens));
    double pair[2];
    OK(distview_get_box(u, (int64_t[]){1, 5}, (int64_t[]){2, 7}, 2, pair));
    CHECK(pair[0] == 105 + 10 * check_size && pair[1] == 106 + 20 * check_size);
    FAILS(DISTVIEW_USAGE_ERROR, "[0, 11) along axis 1, got 20",
          distview_get_box(u, (int64_t[]){0, one ? 20 : 0}, (int64_t[]){1, one ? 21 : 1}, 1, pair));
    // A read-only array can still be read.
    distview_memory memory;
    OK(distview_array_memory(u, &memory));
    memory.read_only = 1;
    distview_array* constant = NULL;
    OK(distview_array_borrow(comm, layout, &memory, &constant));
    double same[8] = {0};
    OK(distview_gather_plan_execute(plan, constant, 8, same));
    OK(distview_gather_plan_execute(plan, u, 8, values));
    CHECK(memcmp(same, values, sizeof same) == 0);
    OK(distview_gather_plan_start(plan, constant, 8, same, &exchange));
    OK(distview_exchange_finish(exchange));
    distview_exchange_release(exchange);
    CHECK(memcmp(same, values, sizeof same) == 0);
    OK(distview_get_elements(constant, list, 8, same));
    CHECK(memcmp(same, values, sizeof same) == 0);
    OK(distview_get_box(constant, (int64_t[]){1, 5}, (int64_t[]){2, 7}, 2, same));
    CHECK(memcmp(same, pair, sizeof pair) == 0);
    FAILS(DISTVIEW_SHAPE_ERROR, "expected an array that may be written, got a read-only one",
          distview_put_box(constant, (int64_t[]){1, 5}, (int64_t[]){2, 7}, 2, tens));
    FAILS(DISTVIEW_SHAPE_ERROR, "expected an array that may be written, got a read-only one",
          distview_gather_plan_combine(plan, DISTVIEW_SUM, 8, values, constant));
    distview_array_release(constant);
    distview_gather_plan_release(plan);
    distview_index_list_release(list);
    distview_array_release(u);
    distview_layout_release(layout);
}

// Ghosts of a ring of 4 indices a rank, with two components; each rank needs elements of both neighbours.
static void test_ghosts(distview_communicator* comm) {
    const int64_t n = 4, all = n * check_size;
    int64_t owned[4], needed[8], positions[8];
    for (int i = 0; i < n; ++i) {
        owned[i] = check_rank * n + i;
        needed[2 * i] = (owned[i] + all - 1) % all;
        needed[2 * i + 1] = (owned[i] + 1) % all;
    }
    const distview_axis components = {.extent = 2};
    distview_ghosted_layout* ghosted = NULL;
    OK(distview_ghosted_layout_create(comm, n, owned, 8, needed, 1, &components, &ghosted));
    int64_t own = 0, ghosts = -1;
    OK(distview_ghosted_layout_counts(ghosted, &own, &ghosts));
    CHECK(own == n && ghosts == (check_size == 1 ? 0 : 2));
    OK(distview_ghosted_layout_positions(ghosted, 8, positions));
    FAILS(DISTVIEW_SHAPE_ERROR, "8 positions, got 3",
          distview_ghosted_layout_positions(ghosted, 3, positions));
    distview_layout* layout = NULL;
    OK(distview_ghosted_layout_layout(ghosted, &layout));
    distview_memory memory = {.element = DISTVIEW_INT32, .rank = 2, .order = DISTVIEW_COLUMN_MAJOR};
    OK(distview_layout_local_extents(layout, check_rank, memory.extents));
    const int64_t length = memory.extents[0];
    CHECK(length == own + ghosts && memory.extents[1] == 2);
    int32_t data[2 * 6];
    memory.data = data;
    for (int64_t i = 0; i < length; ++i)
        for (int c = 0; c < 2; ++c)
            data[c * length + i] = i < n ? (int32_t)(10 * owned[i] + c) : -1;
    distview_array* u = NULL;
    distview_ghost_plan* plan = NULL;
    OK(distview_array_borrow(comm, layout, &memory, &u));
    OK(distview_ghost_plan_create(comm, ghosted, &plan));
    OK(distview_ghost_plan_execute(plan, u));
    if (check_rank == 0) OK(distview_array_set_label(u, "u"));
    OK(distview_ghost_plan_execute(plan, u));
    for (int k = 0; k < 8; ++k)
        for (int c = 0; c < 2; ++c) CHECK(data[c * length + positions[k]] == 10 * needed[k] + c);
    for (int i = 0; i < 2 * length; ++i) data[i] = 1;
    OK(distview_ghost_plan_combine(plan, DISTVIEW_SUM, u));
    for (int64_t i = 0; i < n; ++i)
        CHECK(data[i] == (check_size == 1 ? 1 : i == 0 || i == n - 1 ? 2 : 1));
    int64_t text = 0;
    OK(distview_ghost_plan_describe(plan, NULL, 0, &text));
    CHECK(text > 10);
    memory.read_only = 1;
    distview_array* constant = NULL;
    OK(distview_array_borrow(comm, layout, &memory, &constant));
    FAILS(DISTVIEW_SHAPE_ERROR, "expected an array that may be written, got a read-only one",
          distview_ghost_plan_execute(plan, constant));
    distview_array_release(constant);
    distview_ghost_plan_release(plan);
    distview_array_release(u);
    distview_layout_release(layout);
    distview_ghosted_layout_release(ghosted);
}

static void test_reductions(distview_communicator* comm) {
    const distview_axis axes[3] = {{.extent = 6, .padding_low = 1, .padding_high = 1},
                                   {.extent = 5},
                                   {.kind = DISTVIEW_CYCLIC, .extent = 4}};
    distview_layout* const layout = make_layout(3, axes);
    const int32_t elements[] = {
        DISTVIEW_FLOAT64, DISTVIEW_FLOAT32, DISTVIEW_INT64,  DISTVIEW_INT32,  DISTVIEW_INT16,
        DISTVIEW_INT8,    DISTVIEW_UINT64,  DISTVIEW_UINT32, DISTVIEW_UINT16, DISTVIEW_UINT8};
    for (size_t k = 0; k < sizeof elements / sizeof *elements; ++k) {
        distview_array* u = NULL;
        OK(distview_array_create(comm, layout, elements[k],
                                 k % 2 ? DISTVIEW_COLUMN_MAJOR : DISTVIEW_ROW_MAJOR, &u));
        // 120 elements: 3 at (4, 2, 1), 100 at (2, 3, 3), and 2 elsewhere.
        unsigned char all[120 * 8];
        const int bytes = elements[k] % 16777216;
        for (int i = 0; i < 120; ++i) {
            const int number = i == 4 * 20 + 2 * 4 + 1 ? 1 : i == 2 * 20 + 3 * 4 + 3 ? 100 : 2;
            void* const at = all + i * bytes;
            if (elements[k] == DISTVIEW_FLOAT64)
                *(double*)at = number;
            else if (elements[k] == DISTVIEW_FLOAT32)
                *(float*)at = (float)number;
            else
                memset(at, 0, (size_t)bytes),
                    *(unsigned char*)at = (unsigned char)number; // little-endian
        }
        OK(distview_scatter(u, 0, DISTVIEW_ROW_MAJOR, 120, all));
        distview_value value;
        const distview_reduction_options exact = {.reproducible = 1};
        for (int way = 0; way < 2; ++way) {
            OK(distview_sum(u, way ? &exact : NULL, &value));
            CHECK(value.real == 118 * 2 + 101 && (k < 2 || value.integer == 118 * 2 + 101));
            OK(distview_dot(u, u, way ? &exact : NULL, &value));
            CHECK(value.real == 118 * 4 + 10001);
            double norm = 0;
            OK(distview_norm(u, 1, way ? &exact : NULL, &norm));
            CHECK(norm == 118 * 2 + 101);
            OK(distview_norm(u, 2, way ? &exact : NULL, &norm));
            CHECK(norm == sqrt(118 * 4 + 10001));
            OK(distview_norm(u, 0, way ? &exact : NULL, &norm));
            CHECK(norm == 100);
        }
        int64_t index[3] = {-1, -1, -1};
        OK(distview_max(u, NULL, &value, index));
        CHECK(value.real == 100 && index[0] == 2 && index[1] == 3 && index[2] == 3);
        OK(distview_min(u, NULL, &value, index));
        CHECK(value.real == 1 && index[0] == 4 && index[1] == 2 && index[2] == 1);
        unsigned char again[120 * 8];
        OK(distview_gather(u, check_size - 1, DISTVIEW_ROW_MAJOR,
                           check_rank == check_size - 1 ? 120 : 0, again));
        if (check_rank == check_size - 1) CHECK(memcmp(all, again, (size_t)(120 * bytes)) == 0);
        distview_array_release(u);
    }
    // Column-major: the first axis fastest.
    distview_array* u = NULL;
    OK(distview_array_create(comm, layout, DISTVIEW_INT32, DISTVIEW_ROW_MAJOR, &u));
    int32_t all[120];
    for (int i = 0; i < 120; ++i) all[i] = i;
    OK(distview_scatter(u, 0, DISTVIEW_COLUMN_MAJOR, 120, all));
    int32_t some[4];
    OK(distview_get_box(u, (int64_t[]){1, 2, 0}, (int64_t[]){2, 3, 4}, 4, some));
    for (int k = 0; k < 4; ++k) CHECK(some[k] == 1 + 6 * (2 + 5 * k));
    const int one = check_rank == check_size - 1;
    FAILS(DISTVIEW_USAGE_ERROR, "a root in [0,", distview_gather(u, one ? 99 : 0, 0, 120, all));
    FAILS(DISTVIEW_USAGE_ERROR, "norm 1, 2 or 0",
          distview_norm(u, one ? 3 : 1, NULL, &(double){0}));
    FAILS(DISTVIEW_USAGE_ERROR, "a place for the result",
          distview_sum(u, NULL, one ? NULL : &(distview_value){0}));
    distview_array_release(u);
    distview_layout_release(layout);
}

typedef struct {
    int calls;
    int fails;
    distview_plain_array seen;
} tripled;
// Computes like a Fortran 77 routine: subroutine triple(a, lda, m, n).
static int triple(const distview_plain_array* a, void* user) {
    tripled* const t = user;
    ++t->calls;
    t->seen = *a;
    if (t->fails)
        return distview_set_error(DISTVIEW_OTHER_ERROR, "TooDeep", "triple: more than 50 levels");
    double* const data = a->data;
    for (int64_t j = 0; j < a->extents[1]; ++j)
        for (int64_t i = 0; i < a->extents[0]; ++i) data[j * a->leading_dimension + i] *= 3;
    return 0;
}
static void check_times(void* element, const int64_t* index, void* user) {
    CHECK(*(double*)element == *(double*)user * (double)(100 * index[0] + index[1]));
}

static void test_local_copies(distview_communicator* comm) {
    const distview_axis axes[2] = {{.extent = 8, .padding_low = 1, .padding_high = 1},
                                   {.extent = 6, .padding_low = 1, .padding_high = 1}};
    distview_layout* const layout = make_layout(2, axes);
    const distview_local_copy_options options = {
        .intent = DISTVIEW_INOUT, .order = DISTVIEW_COLUMN_MAJOR, .takes_leading_dimension = 1};
    for (int order = 0; order < 2; ++order) {
        distview_array* u = NULL;
        OK(distview_array_create(comm, layout, DISTVIEW_FLOAT64, order, &u));
        for_each_cell(u, set_pair, NULL);
        tripled t = {0};
        distview_local_copy_bytes bytes = {-1, -1};
        OK(distview_with_local_copy(u, &options, triple, &t, &bytes));
        const int64_t cells = t.seen.extents[0] * t.seen.extents[1];
        CHECK(t.calls == 1 && t.seen.rank == 2 && t.seen.element == DISTVIEW_FLOAT64);
        // The padding between the columns of a column-major section is covered by the leading dimension: no copy.
        CHECK(t.seen.is_copy == (order == DISTVIEW_ROW_MAJOR) || t.seen.extents[1] == 1 ||
              t.seen.extents[0] == 1);
        if (t.seen.is_copy)
            CHECK(bytes.copied_in == 8 * cells && bytes.copied_out == 8 * cells);
        else
            CHECK(bytes.copied_in == 0 && bytes.copied_out == 0 &&
                  t.seen.leading_dimension >= t.seen.extents[0]);
        double factor = 3;
        for_each_cell(u, check_times, &factor);
        // A box that only the last rank requests; then the whole array on rank 0; then on all ranks.
        const int one = check_rank == check_size - 1;
        const int64_t end[2] = {one ? 8 : 0, one ? 6 : 0};
        OK(distview_with_local_copy_of_box(u, (int64_t[]){0, 0}, end, &options, triple, &t,
                                           &bytes));
        factor = 9;
        for_each_cell(u, check_times, &factor);
        t.calls = 0;
        OK(distview_with_local_copy_of_whole(u, 0, &options, triple, &t, &bytes));
        CHECK(t.calls == (check_rank == 0));
        OK(distview_with_local_copy_of_whole(u, -1, &options, triple, &t, NULL));
        CHECK(t.seen.extents[0] == 8 && t.seen.extents[1] == 6);
        factor = 81;
        for_each_cell(u, check_times, &factor);
        // A failure of one rank's function fails on all ranks, and nothing is written back.
        t.fails = one;
        FAILS(DISTVIEW_OTHER_ERROR, "triple: more than 50 levels",
              distview_with_local_copy_of_whole(u, -1, &options, triple, &t, NULL));
        CHECK(strcmp(distview_last_error()->class_name, "Error") == 0);
        CHECK(strcmp(distview_last_error()->code, "TooDeep") == 0);
        for_each_cell(u, check_times, &factor);
        if (one) {
            FAILS(DISTVIEW_OTHER_ERROR, "triple: more than 50 levels",
                  distview_with_local_copy(u, &options, triple, &t, NULL));
            CHECK(strcmp(distview_last_error()->code, "TooDeep") == 0);
        }
        FAILS(DISTVIEW_LAYOUT_ERROR, "[0, 6) along axis 1, got [0, 7)",
              distview_with_local_copy_of_box(u, (int64_t[]){0, 0}, (int64_t[]){one ? 1 : 0, 7},
                                              &options, triple, &t, NULL));
        FAILS(DISTVIEW_USAGE_ERROR, "a function, got a null pointer",
              distview_with_local_copy(u, &options, NULL, NULL, NULL));
        FAILS(DISTVIEW_USAGE_ERROR, "expected interior (0) or owned cells (1), got 2",
              distview_with_local_copy(u, &(distview_local_copy_options){.cells = 2}, triple, &t,
                                       NULL));
        distview_memory memory = {
            .element = DISTVIEW_INT32, .rank = 2, .order = order, .read_only = 1};
        int32_t constants[8 * 6] = {0};
        memory.data = constants;
        OK(distview_layout_local_extents(layout, check_rank, memory.extents));
        if (memory.extents[0] * memory.extents[1] <= 8 * 6) {
            distview_array* constant = NULL;
            OK(distview_array_borrow(comm, layout, &memory, &constant));
            FAILS(DISTVIEW_SHAPE_ERROR,
                  "expected an array that may be written, got a read-only one",
                  distview_with_local_copy(constant, &options, triple, &t, NULL));
            distview_array_release(constant);
        }
        distview_array_release(u);
        OK(distview_array_create(comm, layout, DISTVIEW_OPAQUE(24), order, &u));
        FAILS(DISTVIEW_SHAPE_ERROR, "of 1, 2, 4, 8 or 16 bytes",
              distview_with_local_copy(u, &options, triple, &t, NULL));
        distview_array_release(u);
    }
    distview_layout_release(layout);
}

static int64_t cell_of(const int64_t* index) { return 7 * index[0] + 3 * index[1] * index[1] - 20; }
static void set_cell(void* at, const int64_t* index, void* user) {
    const int32_t element = *(int32_t*)user;
    const int64_t value = cell_of(index);
    if (element == DISTVIEW_FLOAT64) *(double*)at = (double)value;
    if (element == DISTVIEW_FLOAT32) *(float*)at = (float)value;
    if (element == DISTVIEW_INT32) *(int32_t*)at = (int32_t)value;
    if (element == DISTVIEW_INT64) *(int64_t*)at = value;
    if (element == DISTVIEW_COMPLEX128) ((double*)at)[0] = (double)value, ((double*)at)[1] = 1.0;
}
static double number_at(const void* at, int32_t element) {
    if (element == DISTVIEW_FLOAT32) return (double)*(const float*)at;
    if (element == DISTVIEW_INT32) return (double)*(const int32_t*)at;
    if (element == DISTVIEW_INT64) return (double)*(const int64_t*)at;
    return *(const double*)at;
}
// op over the columns [0, end) of a row, beginning with `start`.
static double over_row(int64_t row, int64_t end, int operation, double start, int has_start) {
    double result = start;
    for (int64_t j = 0; j < end; ++j) {
        const double value = (double)cell_of((int64_t[]){row, j});
        if (j == 0 && !has_start)
            result = value;
        else if (operation == DISTVIEW_SUM)
            result += value;
        else if (operation == DISTVIEW_MAXIMUM)
            result = value > result ? value : result;
        else
            result = value < result ? value : result; // the program's operation is a minimum, too
    }
    return result;
}
typedef struct {
    int32_t element;
    int operation;
    int mode; // 0: reduced, 1: inclusive, 2: exclusive
    double start;
    int64_t columns;
} expectation;
static void check_cell(void* at, const int64_t* index, void* user) {
    const expectation* const e = user;
    const int64_t end = e->mode == 0 ? e->columns : index[1] + (e->mode == 1);
    CHECK(number_at(at, e->element) ==
          over_row(index[0], end, e->operation, e->start, e->mode == 2));
    if (e->element == DISTVIEW_COMPLEX128)
        CHECK(((double*)at)[1] == (double)end + (e->mode == 2 ? 2.0 : 0.0));
}
static int smaller(void* here, const void* incoming, int32_t element, void* user) {
    (void)user;
    if (element != DISTVIEW_FLOAT64) return DISTVIEW_SHAPE_ERROR;
    if (*(const double*)incoming < *(double*)here) *(double*)here = *(const double*)incoming;
    return 0;
}
static int refuse_all(void* here, const void* incoming, int32_t element, void* user) {
    (void)here, (void)incoming, (void)element, (void)user;
    return distview_set_error(DISTVIEW_LAYOUT_ERROR, NULL, "refuse_all: never");
}

// Along the second axis: in blocks, for each element type, and with cells dealt out cyclically.
static void test_along_axis(distview_communicator* comm) {
    enum { rows = 7, columns = 9 };
    int own = 0, never = 0;
    OK(distview_operation_create(smaller, NULL, &own));
    OK(distview_operation_create(refuse_all, NULL, &never));
    const int32_t elements[] = {DISTVIEW_FLOAT64, DISTVIEW_FLOAT32, DISTVIEW_INT32, DISTVIEW_INT64,
                                DISTVIEW_COMPLEX128};
    for (int kind = 0; kind < 2; ++kind)
        for (int t = 0; t < (kind ? 1 : 5); ++t) {
            int32_t element = elements[t];
            distview_layout* const layout = make_layout(
                2, (distview_axis[]){{.extent = rows, .padding_low = 1, .padding_high = 1},
                                     {.kind = kind ? DISTVIEW_CYCLIC : DISTVIEW_BLOCK,
                                      .extent = columns,
                                      .block_size = kind ? 2 : 0}});
            distview_array *source, *scans, *sums[2];
            const int order = t % 2 ? DISTVIEW_COLUMN_MAJOR : DISTVIEW_ROW_MAJOR;
            OK(distview_array_create(comm, layout, element, order, &source));
            OK(distview_array_create(comm, layout, element, order, &scans));
            for_each_cell(source, set_cell, &element);
            for (int everywhere = 0; everywhere < 2; ++everywhere) {
                distview_layout* reduced = NULL;
                OK(distview_layout_reduced(layout, 1, everywhere, &reduced));
                OK(distview_array_create(comm, reduced, element, order, &sums[everywhere]));
                distview_layout_release(reduced);
            }
            expectation e = {.element = element, .columns = columns};
            const int operations[] = {DISTVIEW_SUM, DISTVIEW_MINIMUM, DISTVIEW_MAXIMUM, own};
            for (int k = 0; k < (element == DISTVIEW_COMPLEX128 ? 1 : t == 0 ? 4 : 3); ++k) {
                e.operation = operations[k];
                e.mode = 0;
                for (int to = 0; to < 2; ++to) {
                    OK(distview_axis_reduce(source, 1, operations[k], NULL, sums[to]));
                    for_each_cell(sums[to], check_cell, &e);
                }
                e.mode = 1;
                OK(distview_inclusive_scan(source, 1, operations[k], scans));
                for_each_cell(scans, check_cell, &e);
                e.mode = 2;
                e.start = 5;
                const double start[2] = {5, 2};
                const float as_float = 5;
                const int32_t as_int = 5;
                const int64_t as_long = 5;
                const void* const starts[] = {start, &as_float, &as_int, &as_long, start};
                OK(distview_exclusive_scan(source, 1, operations[k], starts[t], scans));
                for_each_cell(scans, check_cell, &e);
            }
            e.operation = DISTVIEW_SUM;
            e.mode = 0;
            OK(distview_axis_reduce(source, 1, DISTVIEW_SUM,
                                    &(distview_reduction_options){.reproducible = 1}, sums[1]));
            for_each_cell(sums[1], check_cell, &e);
            if (element == DISTVIEW_COMPLEX128)
                FAILS(DISTVIEW_SHAPE_ERROR, "floating-point numbers",
                      distview_axis_reduce(source, 1, DISTVIEW_MINIMUM, NULL, sums[0]));
            if (t == 0) {
                const int one = check_rank == check_size - 1;
                FAILS(DISTVIEW_LAYOUT_ERROR, "refuse_all: never",
                      distview_axis_reduce(source, 1, never, NULL, sums[0]));
                FAILS(DISTVIEW_USAGE_ERROR, "an axis in [0, 2), got 2",
                      distview_axis_reduce(source, one ? 2 : 1, DISTVIEW_SUM, NULL, sums[0]));
                FAILS(DISTVIEW_USAGE_ERROR, "an axis in [0, 2), got -1",
                      distview_inclusive_scan(source, -1, DISTVIEW_SUM, scans));
                FAILS(DISTVIEW_USAGE_ERROR, "expected an operation",
                      distview_inclusive_scan(source, 1, one ? 99 : DISTVIEW_SUM, scans));
                FAILS(DISTVIEW_USAGE_ERROR, "a value to start with, got a null pointer",
                      distview_exclusive_scan(source, 1, DISTVIEW_SUM, one ? NULL : &check_size,
                                              scans));
                const double starts_of_ranks[] = {0.5, 0.25};
                if (check_size > 1)
                    FAILS(DISTVIEW_USAGE_ERROR, "value to start with",
                          distview_exclusive_scan(source, 1, DISTVIEW_SUM, &starts_of_ranks[one],
                                                  scans));
                FAILS(DISTVIEW_USAGE_ERROR, "a target, got a null pointer",
                      distview_axis_reduce(source, 1, DISTVIEW_SUM, NULL, one ? NULL : sums[0]));
                FAILS(DISTVIEW_SHAPE_ERROR, "axis_reduce",
                      distview_axis_reduce(source, 1, DISTVIEW_SUM, NULL, scans));
                // A borrowed target without a number is not compared between ranks, so one rank's target alone may be wrong.
                distview_memory memory = {.element = element, .rank = 2};
                OK(distview_layout_local_extents(layout, check_rank, memory.extents));
                memory.data = calloc((size_t)(memory.extents[0] * memory.extents[1]) + 1, 16);
                distview_array* wrong = NULL;
                OK(distview_array_borrow_local(comm, layout, check_rank, &memory, &wrong));
                FAILS(DISTVIEW_SHAPE_ERROR, "expected a target with 1 cells along axis 1",
                      distview_axis_reduce(source, 1, DISTVIEW_SUM, NULL, one ? wrong : sums[0]));
                distview_array_release(wrong);
                free(memory.data);
                FAILS(DISTVIEW_USAGE_ERROR, "expected interior cells (0), got 1",
                      distview_axis_reduce(
                          source, 1, DISTVIEW_SUM,
                          &(distview_reduction_options){.cells = one ? DISTVIEW_OWNED : 0},
                          sums[0]));
                FAILS(DISTVIEW_USAGE_ERROR, "the operation sum (1)",
                      distview_axis_reduce(source, 1, DISTVIEW_MINIMUM,
                                           &(distview_reduction_options){.reproducible = 1},
                                           sums[0]));
                if (check_size > 1)
                    FAILS(DISTVIEW_USAGE_ERROR, "differ",
                          distview_axis_reduce(source, one ? 0 : 1, DISTVIEW_SUM, NULL, sums[0]));
                distview_layout* reduced = NULL;
                FAILS(DISTVIEW_USAGE_ERROR, "axis",
                      distview_layout_reduced(layout, 2, 0, &reduced));
                // A scan in place leaves no padding valid: the array has been written.
                int64_t depths[4] = {0};
                const int64_t deep[4] = {1, 1, 0, 0};
                OK(distview_array_mark_padding_valid(source, deep, 1));
                OK(distview_inclusive_scan(source, 1, DISTVIEW_MAXIMUM, source));
                e.operation = DISTVIEW_MAXIMUM;
                e.mode = 1;
                for_each_cell(source, check_cell, &e);
                OK(distview_array_valid_padding(source, depths, NULL));
                CHECK(depths[0] == 0 && depths[1] == 0);
            }
            distview_array_release(source);
            distview_array_release(scans);
            distview_array_release(sums[0]);
            distview_array_release(sums[1]);
            distview_layout_release(layout);
        }
    distview_layout* const letters = make_layout(1, &(distview_axis){.extent = 10});
    distview_array* bytes = NULL;
    OK(distview_array_create(comm, letters, DISTVIEW_UINT8, DISTVIEW_ROW_MAJOR, &bytes));
    FAILS(DISTVIEW_SHAPE_ERROR, "integers of 32 or 64 bits",
          distview_inclusive_scan(bytes, 0, DISTVIEW_SUM, bytes));
    distview_array_release(bytes);
    distview_layout_release(letters);
    distview_operation_free(own);
    distview_operation_free(never);
}

typedef struct {
    float place[3];
    int16_t kind;
} particle;

// Migration: element k of rank r goes to rank (r + k) mod ranks; rank 1 has no elements.
static int64_t particles_of(int rank) { return rank == 1 ? 0 : 3 * rank + 4; }
static particle particle_of(int rank, int64_t k) {
    const float number = (float)(1000 * rank + (int)k);
    return (particle){{number, -number, 0.5f * number}, (int16_t)k};
}

static void test_migration(distview_communicator* comm) {
    enum { most = 200 };
    const int64_t n = particles_of(check_rank);
    int targets[most];
    double number[most], number2[most];
    particle whole[most], whole2[most];
    char letter[most], letter2[most];
    for (int64_t k = 0; k < n; ++k) {
        targets[k] = (check_rank + (int)k) % check_size;
        number[k] = 1000.0 * check_rank + (double)k;
        whole[k] = particle_of(check_rank, k);
        letter[k] = (char)('a' + k % 26);
    }
    distview_migration_plan* plan = NULL;
    OK(distview_migration_plan_create(comm, n, targets, &plan));
    int64_t source_size = -1, size = -1, kept = -1, expected = 0, staying = 0;
    OK(distview_migration_plan_sizes(plan, &source_size, &size, &kept));
    for (int r = 0; r < check_size; ++r)
        for (int64_t k = 0; k < particles_of(r); ++k)
            expected += (r + k) % check_size == check_rank;
    for (int64_t k = 0; k < n; ++k) staying += targets[k] == check_rank;
    CHECK(source_size == n && size == expected && kept == staying);
    distview_migrating_field fields[3] = {
        {number, number2, n, size, DISTVIEW_FLOAT64, 0},
        {whole, whole2, n, size, DISTVIEW_OPAQUE(sizeof(particle)), 0},
        {n > 0 ? letter : NULL, letter2, n, size, DISTVIEW_CHAR, 0}};
    for (int turn = 0; turn < 4; ++turn) {
        for (int64_t k = 0; k < size; ++k) number2[k] = -1, letter2[k] = '?';
        memset(whole2, 0, sizeof whole2);
        if (turn % 2 == 0) {
            OK(distview_migration_plan_execute(plan, 3, fields));
        } else {
            distview_exchange* exchange = NULL;
            OK(distview_migration_plan_start(plan, 3, fields, &exchange));
            OK(distview_exchange_finish(exchange));
            distview_exchange_release(exchange);
        }
        int64_t at = 0;
        for (int r = 0; r < check_size; ++r)
            for (int64_t k = 0; k < particles_of(r); ++k) {
                if ((r + k) % check_size != check_rank) continue;
                const particle p = particle_of(r, k);
                CHECK(number2[at] == 1000.0 * r + (double)k && letter2[at] == 'a' + k % 26);
                CHECK(whole2[at].kind == p.kind &&
                      memcmp(whole2[at].place, p.place, sizeof p.place) == 0);
                ++at;
            }
    }
    int usable = -1;
    int64_t bytes = -1, length = 0;
    OK(distview_migration_plan_is_usable(plan, &usable));
    OK(distview_migration_plan_workspace_bytes(plan, &bytes));
    OK(distview_migration_plan_describe(plan, NULL, 0, &length));
    CHECK(usable == 1 && bytes >= 0 && length > 10);

    // An error of the last rank only: with full contracts all ranks report it, and the plan stays usable.
    const int one = check_rank == check_size - 1;
    OK(distview_set_contracts(DISTVIEW_CONTRACTS_FULL));
    fields[0].to = one ? NULL : number2;
    for (int turn = 0; turn < 2; ++turn) {
        FAILS(DISTVIEW_USAGE_ERROR, "elements to write of field 0, got a null pointer",
              distview_migration_plan_execute(plan, 3, fields));
        distview_exchange* none = NULL;
        FAILS(DISTVIEW_USAGE_ERROR, "elements to write of field 0, got a null pointer",
              distview_migration_plan_start(plan, 3, fields, &none));
        CHECK(none == NULL);
    }
    fields[0].to = number2;
    OK(distview_migration_plan_execute(plan, 3, fields));
    OK(distview_set_contracts(DISTVIEW_CONTRACTS_CHEAP));

    // Errors on all ranks.
    FAILS(DISTVIEW_USAGE_ERROR, "from 1 to 16 fields, got 0",
          distview_migration_plan_execute(plan, 0, fields));
    fields[1].to_count = size + 1;
    FAILS(DISTVIEW_SHAPE_ERROR, "elements to write of field 1",
          distview_migration_plan_execute(plan, 3, fields));
    fields[1].to_count = size;
    fields[0].to = fields[0].from == NULL ? NULL : number;
    if (check_size == 1)
        FAILS(DISTVIEW_USAGE_ERROR, "shares memory",
              distview_migration_plan_execute(plan, 3, fields));
    fields[0].to = number2;
    // The last rank passes another element type.
    if (check_size > 1) {
        fields[0].element = one ? DISTVIEW_FLOAT32 : DISTVIEW_FLOAT64;
        FAILS(DISTVIEW_USAGE_ERROR, "MigrationPlan",
              distview_migration_plan_execute(plan, 1, fields));
    }
    distview_migration_plan_release(plan);
    plan = NULL;
    if (one) targets[0] = check_size;
    FAILS(DISTVIEW_USAGE_ERROR, "for element 0 of rank",
          distview_migration_plan_create(comm, one ? 1 : n, targets, &plan));
    FAILS(DISTVIEW_USAGE_ERROR, "at least 0 elements, got -1",
          distview_migration_plan_create(comm, one ? -1 : n, targets, &plan));
    FAILS(DISTVIEW_USAGE_ERROR, "a plan, got a null pointer",
          distview_migration_plan_sizes(plan, NULL, NULL, NULL));
    CHECK(plan == NULL);
}

int main(int argc, char** argv) {
    distview_communicator* comm;
    check_begin(&argc, &argv, &comm);
    test_elements(comm);
    test_ghosts(comm);
    test_reductions(comm);
    test_local_copies(comm);
    test_along_axis(comm);
    test_migration(comm);
    return check_end(comm);
}
